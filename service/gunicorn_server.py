"""Run the application in gunicorn: one process, many threads."""

from __future__ import annotations

import errno
import json
import selectors
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import FrameType
from typing import Any

from flask import Flask
from gunicorn.app.base import BaseApplication  # type: ignore[import-untyped]
from gunicorn.glogging import Logger  # type: ignore[import-untyped]
from gunicorn.http.errors import (  # type: ignore[import-untyped]
    LimitRequestHeaders,
    LimitRequestLine,
    NoMoreData,
    ParseException,
)
from gunicorn.http.message import Request  # type: ignore[import-untyped]
from gunicorn.http.parser import RequestParser  # type: ignore[import-untyped]
from gunicorn.http.unreader import SocketUnreader  # type: ignore[import-untyped]
from gunicorn.workers.gthread import TConn, ThreadWorker  # type: ignore[import-untyped]
from werkzeug.exceptions import BadRequest, RequestTimeout

from service.app import create_app, start_app
from service.headers import SECURITY_HEADERS
from service.http_errors import HTTP_FAILURES
from service.request_line import escape_line
from siaa.config import Settings

KEEP_ALIVE_SECONDS = 5
BACKLOG = 1024  # connections that wait to be accepted
UNLIMITED_LINE = 0  # gunicorn's own limit is 8190 bytes; a question of 2,000 characters may take 24 kB of %XX
SILENCE_SECONDS = 15.0  # without a byte of a request that has begun
REQUEST_SECONDS = 60.0  # for a request to arrive whole, however steadily it trickles
DRAIN_SECONDS = 0.2  # for what an answer has left unread, before the connection is given up
LINGER_SECONDS = 2.0  # that a connection stays open for a slow reader to take the last bytes
LINGER_BYTES = 65536  # that are taken from it meanwhile

TOO_LONG = ("direccion_demasiado_larga", "La dirección o las cabeceras son demasiado largas: acorte la pregunta.")
MALFORMED = ("peticion_invalida", "La petición está mal formada: revise la dirección, el método y las cabeceras.")


class _Request(Request):  # type: ignore[misc]
    """A request whose address may hold letters of any language unescaped, as curl sends what is typed."""

    def parse_request_line(self, line_bytes: bytes) -> None:
        """Escape the bytes that are not ASCII, which gunicorn would refuse, then parse."""
        super().parse_request_line(escape_line(line_bytes))

    def set_body_reader(self) -> None:
        """Let a body that cannot be read be the client's failure, not the service's."""
        super().set_body_reader()
        self.body.reader = _BodyReader(self.body.reader)


class _BodyReader:
    """A reader of a body whose malformed chunks, or early end, are answered with 400."""

    def __init__(self, reader: Any) -> None:
        self._reader = reader

    def read(self, size: int) -> bytes:
        """Return the next bytes of the body, none at its end."""
        try:
            return bytes(self._reader.read(size))
        except (ParseException, NoMoreData) as error:
            raise BadRequest from error


class _Unreader(SocketUnreader):  # type: ignore[misc]
    """A reader of a connection that gives up on a request that stops, or takes too long, to arrive."""

    deadline = 0.0  # on the monotonic clock

    def chunk(self, size_hint: int | None = None) -> bytes:
        """Return what the connection has next.

        Raises RequestTimeout.
        """
        if self.sock.gettimeout() is not None:  # whoever asks has a limit of their own
            return bytes(super().chunk(size_hint))
        self.sock.settimeout(max(0.001, min(SILENCE_SECONDS, self.deadline - time.monotonic())))
        try:
            return bytes(super().chunk(size_hint))
        except TimeoutError:
            raise RequestTimeout from None
        finally:
            self.sock.settimeout(None)


class _Parser(RequestParser):  # type: ignore[misc]
    mesg_class = _Request

    def __init__(self, cfg: Any, source: socket.socket, source_addr: object) -> None:
        super().__init__(cfg, source, source_addr)
        self.unreader = _Unreader(source)

    def __next__(self) -> Any:
        """Return the next request, which has its time from now on."""
        self.unreader.deadline = time.monotonic() + REQUEST_SECONDS
        return super().__next__()


class _Connection(TConn):  # type: ignore[misc]
    """A connection that is told its end by the thread that answered, and closed later, without any thread waiting."""

    drained = 0

    def end(self) -> None:
        """Send the end; the client may still read what was sent."""
        try:
            self.sock.shutdown(socket.SHUT_WR)
        except OSError:
            self.close()

    def has_ended(self) -> bool:
        """Take what the client still sends, without waiting; tell whether there is nothing more to wait for."""
        try:
            data = self.sock.recv(LINGER_BYTES)
        except BlockingIOError:
            return False
        except OSError:
            return True
        self.drained += len(data)
        return not data or self.drained >= LINGER_BYTES


class Worker(ThreadWorker):  # type: ignore[misc]
    """A worker that tells a client in the shape of the contract what gunicorn itself refuses."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.lingering: deque[_Connection] = deque()  # those that end, the oldest first

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
            conn.end()
        return again

    def finish_request(self, conn: Any, fs: Any) -> None:
        """Keep a connection that goes on; let one that ends linger in the poller.

        gunicorn itself would wait here, where connections are accepted, up to two seconds for each.
        """
        if fs.cancelled() or fs.exception() is not None or fs.result():
            super().finish_request(conn, fs)
            return
        if conn.sock.fileno() < 0:  # closed already
            self.nr_conns -= 1
            return
        conn.sock.setblocking(False)
        conn.timeout = time.monotonic() + LINGER_SECONDS
        self.lingering.append(conn)
        self.poller.register(conn.sock, selectors.EVENT_READ, lambda _: self._linger(conn))

    def murder_pending(self) -> None:
        """Close what has waited long enough."""
        super().murder_pending()
        while self.lingering and self.lingering[0].timeout <= time.monotonic():
            self._forget(self.lingering[0])

    def _linger(self, conn: _Connection) -> None:
        if conn.has_ended():
            self._forget(conn)

    def _forget(self, conn: _Connection) -> None:
        self.lingering.remove(conn)
        self.poller.unregister(conn.sock)
        self.nr_conns -= 1
        conn.close()

    def _keepalive_after(self, conn: Any, keepalive: bool) -> bool:
        """Tell whether the connection can serve another request: not if the body of this one does not end at once."""
        if not keepalive:
            return False
        try:
            return bool(conn.parser.finish_body(deadline=time.monotonic() + DRAIN_SECONDS))
        except BadRequest:
            return False

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
        elif isinstance(exc, RequestTimeout):
            status, (code, sentence) = "408 Request Timeout", HTTP_FAILURES[408]
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
