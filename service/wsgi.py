"""The application for any WSGI server: `gunicorn service.wsgi:app`."""

from __future__ import annotations

from service.app import start_app
from siaa.config import load_settings

app = start_app(load_settings())
