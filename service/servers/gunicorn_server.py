"""Run the application in gunicorn: one process, many threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Flask
from gunicorn.app.base import BaseApplication  # type: ignore[import-untyped]
from gunicorn.glogging import Logger  # type: ignore[import-untyped]

from service.app import create_app, start_app
from service.servers.gunicorn_worker import Worker
from siaa.config import Settings

KEEP_ALIVE_SECONDS = 5
CONNECTIONS = 1000  # at once, those that only send their request or wait for the next one included
BACKLOG = 1024  # connections that wait to be accepted
UNLIMITED_LINE = 0  # gunicorn's own limit is 8190 bytes; a question of 2,000 characters may take 24 kB of %XX


class _Log(Logger):  # type: ignore[misc]
    """Write what gunicorn has to say into the service's own log, in its form."""

    def setup(self, cfg: Any) -> None:
        """Leave the writing to the handlers of the root logger."""
        self.cfg = cfg
        self.loglevel = self.LOG_LEVELS[cfg.loglevel]
        self.error_log.setLevel(self.loglevel)
        self.error_log.propagate = True
        self.access_log.propagate = False
        self._access_log_enabled = False


class _Application(BaseApplication):  # type: ignore[misc]
    def __init__(self, app: Callable[[], Flask], options: dict[str, Any]) -> None:
        self._app = app
        self._options = options
        super().__init__()

    def load_config(self) -> None:
        for name, value in self._options.items():
            self.cfg.set(name, value)

    def load(self) -> Flask:
        return self._app()


def serve_with_gunicorn(settings: Settings, *, ready: Callable[[], None]) -> int:
    """Serve with gunicorn; the index is opened in the worker, after the fork."""
    create_app(settings)  # a ConfigError belongs here, not in a worker that is started again and again

    def post_worker_init(worker: Any) -> None:
        # A worker that replaces one that died has nothing to announce.
        if worker.age == 1:
            ready()

    options = {**options_of(settings), "post_worker_init": post_worker_init}
    _Application(lambda: start_app(settings), options).run()
    return 0


def options_of(settings: Settings) -> dict[str, Any]:
    """Return gunicorn's settings: how SIAA is meant to be served."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return {
        "bind": f"{host}:{settings.port}",
        "workers": 1,
        "worker_class": Worker,
        "threads": settings.threads,
        "worker_connections": max(CONNECTIONS, 2 * settings.threads),
        "backlog": BACKLOG,
        "keepalive": KEEP_ALIVE_SECONDS,
        "graceful_timeout": settings.stop_seconds,
        "limit_request_line": UNLIMITED_LINE,
        "http_parser": "python",  # the other one would not ask `service.servers.gunicorn_parser`
        "forwarded_allow_ips": "",  # no header decides who asks
        "control_socket_disable": True,
        "loglevel": "warning",
        "logger_class": _Log,
        "proc_name": "siaa",
    }
