"""The application for any WSGI server: `gunicorn service.wsgi:app`."""

from __future__ import annotations

from service.app import start_app
from service.request_log import configure
from siaa.config import load_settings

_settings = load_settings()
configure(_settings)
app = start_app(_settings)
