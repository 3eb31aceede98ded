"""The application for any WSGI server behind a proxy: `service.wsgi:app`.

`python -m service` is how SIAA is meant to be served. What it promises of slow clients, of their limits and of a stop
with notice is here the server's own to keep.
"""

from __future__ import annotations

from service.app import start_app
from service.http.request_log import configure
from siaa.config import load_settings

_settings = load_settings()
configure(_settings)
app = start_app(_settings)
