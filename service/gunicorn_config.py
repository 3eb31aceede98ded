"""The settings of `gunicorn -c python:service.gunicorn_config service.wsgi:app`: those of `python -m service`."""

from __future__ import annotations

from service.http.request_log import configure
from service.servers.gunicorn_server import options_of
from siaa.config import load_settings

_settings = load_settings()
configure(_settings)
globals().update(options_of(_settings))  # gunicorn reads the names of this module
