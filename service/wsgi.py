"""The application for any WSGI server: `gunicorn -c python:service.gunicorn_config service.wsgi:app`.

Without that configuration gunicorn serves too, as its own options say; answers are told of a stop all the same.
"""

from __future__ import annotations

from service.app import start_app
from service.http.request_log import configure
from service.stopping import begin_on_signal
from siaa.config import load_settings

_settings = load_settings()
configure(_settings)
app = start_app(_settings)
begin_on_signal(app.extensions["siaa"].stopping)
