"""Run the application in gunicorn: one process, many threads."""

from __future__ import annotations

import errno
import json
import socket
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import FrameType
from typing import Any

from flask import Flask
from gunicorn.app.base import BaseApplication  # type: ignore[import-untyped]
from gunicorn.glogging import Logger  # type: ignore[import-untyped]
from gunicorn.http.errors import LimitRequestHeaders, LimitRequestLine  # type: ignore[import-untyped]
from gunicorn.http.message import Request  # type: ignore[import-untyped]
from gunicorn.http.parser import RequestParser  # type: ignore[import-untyped]
from gunicorn.util import close_graceful  # type: ignore[import-untyped]
from gunicorn.workers.gthread import TConn, ThreadWorker  # type: ignore[import-untyped]

from service.app import create_app, start_app
from service.headers import SECURITY_HEADERS
from service.request_line import escape_line
from siaa.config import Settings

KEEP_ALIVE_SECONDS = 5
BACKLOG = 1024  # connections that wait to be accepted
UNLIMITED_LINE = 0  # gunicorn's own limit is 8190 bytes; a question of 2,000 characters may take 24 kB of %XX

TOO_LONG = ("direccion_demasiado_larga", "La dirección o las cabeceras son demasiado largas: acorte la pregunta.")
MALFORMED = ("peticion_invalida", "La petición está mal formada: revise la dirección, el método y las cabeceras.")


class _Request(Request):  # type: ignore[misc]
    """A request whose address may hold letters of any language unescaped, as curl sends what is typed."""

    def parse_request_line(self, line_bytes: bytes) -> None:
        """Escape the bytes that are not ASCII, which gunicorn would refuse, then parse."""
        super().parse_request_line(escape_line(line_bytes))


class _Parser(RequestParser):  # type: ignore[misc]
    mesg_class = _Request


class _Connection(TConn):  # type: ignore[misc]
    """A connection whose end is waited for by the thread that answered.

    gunicorn waits up to two seconds for a slow reader to take the last bytes, and does so where it accepts connections.
    """

    lingered = False

    def linger(self) -> None:
        """Send the end, wait a moment for the client's, and close."""
        self.lingered = True
        close_graceful(self.sock)

    def close(self, graceful: bool = False) -> None:
        """Close at once what was not closed yet."""
        if not self.lingered:
            super().close()


class Worker(ThreadWorker):  # type: ignore[misc]
    """A worker that tells a client in the shape of the contract what gunicorn itself refuses."""

    def get_thread_pool(self) -> ThreadPoolExecutor:
        """Start every thread now: starting one makes whoever accepts connections wait, when there is least time."""
        pool = ThreadPoolExecutor(max_workers=self.cfg.threads, thread_name_prefix="siaa-web")
        together = threading.Barrier(self.cfg.threads)  # none ends its first task before all have begun one
        for _ in range(self.cfg.threads):
            pool.submit(together.wait)
        return pool

    def accept(self, listener: Any) -> None:
        """Take all the connections that wait, then let threads answer them.

        One at a time, as gunicorn does, each would wait for the threads at work on those before it.
        """
        taken = []
        for _ in range(max(1, self.worker_connections - self.nr_conns)):
            try:
                client_sock, address = listener.accept()
            except OSError as error:
                if error.errno not in (errno.EAGAIN, errno.ECONNABORTED, errno.EWOULDBLOCK):
                    raise
                break
            self.nr_conns += 1
            client_sock.setblocking(True)
            taken.append(_Connection(self.cfg, client_sock, address, listener.getsockname()))
        for conn in taken:
            self.enqueue_req(conn)

    def handle(self, conn: Any) -> Any:
        """Answer a request; unless the connection is to be kept, or has sent nothing yet, end it here."""
        again = super().handle(conn)
        if not again:
            conn.linger()
        return again

    def enqueue_req(self, conn: Any) -> None:
        """Give a new connection our parser, then let a thread answer."""
        if conn.parser is None:
            conn.parser = _Parser(self.cfg, conn.sock, conn.client)
        super().enqueue_req(conn)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to stop: answers under way get their time (service.stopping)."""
        super().handle_exit(sig, frame)
        # Not here: a signal may interrupt whoever holds the locks that beginning takes.
        self.method_queue.defer(self.wsgi.extensions["siaa"].stopping.begin)

    def handle_error(self, req: object, client: socket.socket, addr: object, exc: BaseException) -> None:
        """Answer a request that never reached the application, and close."""
        status, (code, sentence) = "400 Bad Request", MALFORMED
        if isinstance(exc, LimitRequestLine | LimitRequestHeaders):
            status, (code, sentence) = "414 URI Too Long", TOO_LONG
        self.log.warning("petición rechazada: %s", type(exc).__name__)
        body = json.dumps({"error": sentence, "codigo": code}, ensure_ascii=False).encode() + b"\n"
        head = (
            f"HTTP/1.1 {status}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\n"
            f"Content-Length: {len(body)}\r\n"
        )
        head += "".join(f"{name}: {value}\r\n" for name, value in SECURITY_HEADERS.items()) + "\r\n"
        try:
            client.sendall(head.encode() + body)
        except OSError:
            self.log.debug("el cliente se fue antes de la respuesta")


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
    host = f"[{settings.host}]" if ":" in settings.host else settings.host

    def post_worker_init(worker: Any) -> None:
        # A worker that replaces one that died has nothing to announce.
        if worker.age == 1:
            ready()

    options: dict[str, Any] = {
        "bind": f"{host}:{settings.port}",
        "workers": 1,
        "worker_class": Worker,
        "threads": settings.threads,
        "worker_connections": max(1000, settings.threads),
        "backlog": BACKLOG,
        "keepalive": KEEP_ALIVE_SECONDS,
        "graceful_timeout": settings.stop_seconds,
        "limit_request_line": UNLIMITED_LINE,
        "http_parser": "python",  # the other one would not ask `_Request`
        "forwarded_allow_ips": "",  # no header decides who asks
        "control_socket_disable": True,
        "loglevel": "warning",
        "logger_class": _Log,
        "proc_name": "siaa",
        "post_worker_init": post_worker_init,
    }
    _Application(lambda: start_app(settings), options).run()
    return 0
