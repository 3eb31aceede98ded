"""The application for any WSGI server: `gunicorn service.wsgi:app`."""

from __future__ import annotations

from service.app import create_app
from siaa.config import load_settings

app = create_app(load_settings())
