"""A gunicorn worker in which only whole requests take a thread, and whoever watches the service waits for none.

Requests arrive, and connections end, in the loop that accepts connections: a client that sends slowly costs its
connection and the bytes that it sent, however many such clients there are.
"""

from __future__ import annotations

import errno
import selectors
import socket
import threading
import time
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from types import FrameType
from typing import Any

from gunicorn.http.errors import LimitRequestHeaders, LimitRequestLine  # type: ignore[import-untyped]
from gunicorn.workers.gthread import TConn, ThreadWorker  # type: ignore[import-untyped]
from werkzeug.exceptions import BadRequest, RequestTimeout

from service.app import MAX_BODY_BYTES
from service.endpoints.openai_api import COMPLETIONS_PATH, MAX_REQUEST_BYTES
from service.http.request_log import NO_REQUEST, request_id
from service.servers.arrival import Arrival
from service.servers.gunicorn_parser import Parser
from service.servers.patience import PatientSocket
from service.servers.refused import INCOMPLETE, MALFORMED, TOO_LONG, response

EMPTY_SECONDS = 10.0  # for the first byte of a new connection
SILENCE_SECONDS = 15.0  # without a byte of a request that has begun
REQUEST_SECONDS = 60.0  # for a request to arrive whole, however steadily it trickles
HELD_BYTES = 64 * 1024 * 1024  # of requests that are still arriving, all together
HANDED_AT_ONCE = 8  # requests given to threads before the loop looks for new ones: hundreds would keep it waiting
LOOK_SECONDS = 0.2  # between two looks at who has waited too long
READ_BYTES = 65536
DRAIN_SECONDS = 0.2  # for what an answer has left unread, before the connection is given up
LINGER_SECONDS = 2.0  # that a connection stays open for a slow reader to take the last bytes
LINGER_BYTES = 65536  # that are taken from it meanwhile
BODY_LIMITS = {COMPLETIONS_PATH: MAX_REQUEST_BYTES}  # where the limit is not MAX_BODY_BYTES
LIVENESS = "/healthz"
WATCHED = frozenset({LIVENESS, "/readyz"})  # answered when every thread is at work, too
WATCH_THREADS = 2

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


class _Connection(TConn):  # type: ignore[misc]
    """A connection whose requests arrive, and that ends, without any thread waiting for it."""

    arrival: Arrival
    drained = 0
    until = 0.0  # when its request must be whole

    def begin(self, data: bytes, *, latest: float) -> None:
        """Expect a request of which `data` is there already, until `latest` at most, on the monotonic clock."""
        self.arrival = Arrival(limit=MAX_BODY_BYTES, limits=BODY_LIMITS)
        self.arrival.feed(data)
        now = time.monotonic()
        self.until = min(latest, now + REQUEST_SECONDS)
        self.timeout = min(self.until, now + (SILENCE_SECONDS if data else EMPTY_SECONDS))

    def receive(self) -> bool:
        """Take what has come, without waiting; tell whether the client sends no more."""
        try:
            data = self.sock.recv(READ_BYTES)
        except BlockingIOError:
            return False
        except OSError:
            return True
        self.arrival.feed(data)
        self.timeout = min(self.until, time.monotonic() + SILENCE_SECONDS)
        return not data

    @property
    def watches(self) -> bool:
        """Tell whether the request is of whoever watches the service, and its answer sure to wait for nothing.

        Only the first one over a connection, without a body, depends on nothing that the client does.
        """
        first = self.parser is None or not self.parser.req_count
        return first and self.arrival.bare and self.arrival.path in WATCHED

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
        self.arriving: dict[_Connection, None] = {}  # those whose request is not whole, the oldest first
        self.ready: deque[_Connection] = deque()  # those whose request is whole and waits for a thread
        self.ready_first: deque[_Connection] = deque()  # of whoever watches the service
        self.lingering: deque[_Connection] = deque()  # those that end, the oldest first
        self.latest = float("inf")  # for requests to be whole; earlier once the worker stops
        self.names: dict[Any, Any] = {}  # listener -> its address
        self.next_look = 0.0
        self.crowded = False  # no descriptor was left for a connection

    def get_thread_pool(self) -> ThreadPoolExecutor:
        """Start every thread now: starting one makes whoever accepts connections wait, when there is least time."""
        self.watch_pool = _started(WATCH_THREADS, "siaa-vigilancia")
        return _started(self.cfg.threads, "siaa-web")

    def wait_for_and_dispatch_events(self, timeout: float) -> None:
        """See what has come, then give a few of the requests that are whole to threads."""
        super().wait_for_and_dispatch_events(0.0 if self.ready_first or self.ready else timeout)
        for waiting in (self.ready_first, self.ready):
            for _ in range(min(HANDED_AT_ONCE, len(waiting))):
                self.enqueue_req(waiting.popleft())

    # -- a request arrives

    def accept(self, listener: Any) -> None:
        """Take all the connections that wait, then look what came over them.

        One at a time, as gunicorn does, each would wait for the threads at work on those before it.
        """
        taken = []
        for _ in range(max(1, self.worker_connections - self.nr_conns)):
            try:
                client_sock, address = listener.accept()
            except OSError as error:
                if error.errno in (errno.EMFILE, errno.ENFILE):
                    self.crowded = True  # not now: events of the one that has to go may be waiting their turn
                elif error.errno not in (errno.EAGAIN, errno.ECONNABORTED, errno.EWOULDBLOCK):
                    raise
                break
            self.nr_conns += 1
            taken.append(_Connection(self.cfg, PatientSocket.of(client_sock), address, self._name_of(listener)))
        for conn in taken:
            self._expect(conn, b"")

    def on_client_socket_readable(self, conn: Any, client: socket.socket) -> None:
        """Let the next request arrive over a connection that was kept."""
        self.poller.unregister(client)
        self.keepalived_conns.remove(conn)
        self._expect(conn, b"")

    def _name_of(self, listener: Any) -> Any:
        if listener not in self.names:
            self.names[listener] = listener.getsockname()
        return self.names[listener]

    def _expect(self, conn: _Connection, data: bytes) -> None:
        conn.begin(data, latest=self.latest)
        self._receive(conn)  # mostly all is there

    def _receive(self, conn: _Connection) -> None:
        arrival = conn.arrival
        ended = not arrival.whole and conn.receive()
        if arrival.too_long:
            self._refuse(conn, LimitRequestHeaders("head without end"))
        elif ended and not arrival.data:
            self._withdraw(conn)
            self._close(conn)
        elif arrival.whole or ended:
            self._withdraw(conn)
            (self.ready_first if conn.watches else self.ready).append(conn)
        else:
            self._wait_for_more(conn)

    def _wait_for_more(self, conn: _Connection) -> None:
        if conn not in self.arriving:
            self.arriving[conn] = None
            self.poller.register(conn.sock, selectors.EVENT_READ, lambda _: self._receive(conn))
        if conn.arrival.waits_for_permission:
            conn.arrival.waits_for_permission = False
            self._parser_of(conn).permitted = True
            _send(conn.sock, CONTINUE)

    def _withdraw(self, conn: _Connection) -> None:
        if conn in self.arriving:
            del self.arriving[conn]
            self.poller.unregister(conn.sock)

    def _refuse(self, conn: _Connection, reason: Exception) -> None:
        """Tell a client why its request will not be read on, and end."""
        self._withdraw(conn)
        self.handle_error(None, conn.sock, conn.client, reason)
        conn.end()
        self._let_linger(conn)

    def enqueue_req(self, conn: Any) -> None:
        """Let a thread answer a request that is whole, or whose client has ended it early.

        Whether the process lives is said here and now.
        """
        parser = self._parser_of(conn)
        parser.unreader.unread(bytes(conn.arrival.data))
        conn.arrival.data.clear()
        conn.data_ready = True
        if conn.watches and conn.arrival.path == LIVENESS:
            answered: Future[Any] = Future()
            answered.set_result(self.handle(conn))
            self.finish_request(conn, answered)
            return
        pool = self.watch_pool if conn.watches else self.tpool
        answered = pool.submit(self.handle, conn)
        answered.add_done_callback(lambda done: self.method_queue.defer(self.finish_request, conn, done))

    def _parser_of(self, conn: _Connection) -> Parser:
        if conn.parser is None:
            conn.parser = Parser(self.cfg, conn.sock, conn.client)
        parser = conn.parser
        assert isinstance(parser, Parser)
        return parser

    # -- an answer is out

    def handle(self, conn: Any) -> Any:
        """Answer a request; unless the connection is to be kept, end it here."""
        again = super().handle(conn)
        if not again:
            conn.end()
        return again

    def handle_request(self, req: Any, conn: Any) -> Any:
        """Answer; a client that takes nothing of the answer for too long counts as one that has left."""
        try:
            return super().handle_request(req, conn)
        except BlockingIOError as error:
            self.log.warning("respuesta cortada: el cliente no la recibe")
            raise ConnectionResetError(errno.ECONNRESET, "the client reads nothing") from error

    def finish_request(self, conn: Any, fs: Any) -> None:
        """Keep a connection that goes on; let one that ends linger in the poller.

        gunicorn itself would wait here, where connections are accepted, up to two seconds for each.
        """
        if fs.cancelled() or fs.exception() is not None:
            super().finish_request(conn, fs)
        elif not fs.result():
            self._let_linger(conn)
        elif rest := conn.parser.unreader.take_buffered():  # another request came behind this one
            conn.sock.setblocking(False)
            self._expect(conn, rest)
        else:
            super().finish_request(conn, fs)

    def _keepalive_after(self, conn: Any, keepalive: bool) -> bool:
        """Tell whether the connection can serve another request: not if the body of this one does not end at once."""
        if not keepalive:
            return False
        try:
            return bool(conn.parser.finish_body(deadline=time.monotonic() + DRAIN_SECONDS))
        except BadRequest:
            return False

    def _let_linger(self, conn: _Connection) -> None:
        if conn.sock.fileno() < 0:  # closed already
            self.nr_conns -= 1
            return
        conn.sock.setblocking(False)
        conn.timeout = time.monotonic() + LINGER_SECONDS
        self.lingering.append(conn)
        self.poller.register(conn.sock, selectors.EVENT_READ, lambda _: self._linger(conn))

    def _linger(self, conn: _Connection) -> None:
        if conn.has_ended():
            self._forget(conn)

    def _forget(self, conn: _Connection) -> None:
        self.lingering.remove(conn)
        self.poller.unregister(conn.sock)
        self._close(conn)

    def _close(self, conn: _Connection) -> None:
        self.nr_conns -= 1
        conn.close()

    # -- time passes

    def murder_pending(self) -> None:
        """Close what has waited long enough, and what there is no room for."""
        now = time.monotonic()
        while self.lingering and self.lingering[0].timeout <= now:
            self._forget(self.lingering[0])
        if now >= self.next_look or self.crowded or self.nr_conns >= self.worker_connections:
            self.next_look = now + LOOK_SECONDS
            self._look(now)

    def _look(self, now: float) -> None:
        for conn in [conn for conn in self.arriving if conn.timeout <= now]:
            if conn.arrival.data:
                self._refuse(conn, RequestTimeout())
            else:
                self._withdraw(conn)
                self._close(conn)
        if self.crowded or self.nr_conns >= self.worker_connections:
            self.crowded = False
            self._make_room()
        held = sum(len(conn.arrival.data) for conn in self.arriving)
        while held > HELD_BYTES:
            held -= len(next(iter(self.arriving)).arrival.data)
            self._give_up_oldest()

    def _make_room(self) -> None:
        """Close the connection that can be spared best: another client may wait for its place."""
        if self.lingering:
            self._forget(self.lingering[0])
        elif self.keepalived_conns:
            self.keepalived_conns[0].timeout = 0.0
            self.murder_keepalived()
        elif self.arriving:
            self._give_up_oldest()

    def _give_up_oldest(self) -> None:
        oldest = next(iter(self.arriving))
        self._withdraw(oldest)
        self.handle_error(None, oldest.sock, oldest.client, RequestTimeout())
        self._close(oldest)

    def _cap_keepalive(self, deadline: float) -> None:
        """Wait for requests no longer than `deadline`: the worker stops."""
        super()._cap_keepalive(deadline)
        self.latest = deadline
        for conn in self.arriving:
            conn.until = min(conn.until, deadline)
            conn.timeout = min(conn.timeout, deadline)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to stop: answers under way get their time (service.stopping)."""
        super().handle_exit(sig, frame)
        # Not here: a signal may interrupt whoever holds the locks that beginning takes.
        self.method_queue.defer(self.wsgi.extensions["siaa"].stopping.begin)

    def handle_error(self, req: object, client: socket.socket, addr: object, exc: BaseException) -> None:
        """Answer a request that never reached the application, and close."""
        refused = MALFORMED
        if isinstance(exc, LimitRequestLine | LimitRequestHeaders):
            refused = TOO_LONG
        elif isinstance(exc, RequestTimeout):
            refused = INCOMPLETE
        request_id.set(NO_REQUEST)  # it has none, and this thread may have answered another before
        self.log.warning("petición rechazada: %s", type(exc).__name__)
        if not _send(client, response(refused)):
            self.log.debug("el cliente se fue antes de la respuesta")


def _started(count: int, name: str) -> ThreadPoolExecutor:
    """Return a pool of `count` threads that have all begun."""
    pool = ThreadPoolExecutor(max_workers=count, thread_name_prefix=name)
    together = threading.Barrier(count)  # none ends its first task before all have begun one
    for _ in range(count):
        pool.submit(together.wait)
    return pool


def _send(client: socket.socket, data: bytes) -> bool:
    """Send a few bytes, which a connection takes at once; tell whether it did."""
    try:
        client.sendall(data)
    except OSError:
        return False
    return True
