"""Serve with waitress: it reads a request whole, in its one loop, before any thread is given to it.

What a slow reader has not taken yet is kept there too. Added are limits of time and size, threads apart for `/healthz`
and `/readyz`, and a stop with grace.
"""

from __future__ import annotations

import logging
import re
import select
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from typing import Any

from flask import Flask
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.server import BaseWSGIServer, create_server
from waitress.task import ErrorTask, ThreadedTaskDispatcher
from waitress.wasyncore import close_all, dispatcher, loop

from service.app import MAX_BODY_BYTES
from service.endpoints.openai_api import COMPLETIONS_PATH, MAX_REQUEST_BYTES
from service.http.headers import SECURITY_HEADERS
from service.http.http_errors import HTTP_FAILURES, OPENAI_PREFIX, openai_failure, size_told
from service.http.wire import json_text
from service.shapes import Error
from service.stopping import Stopping
from siaa.config import Settings

BACKLOG = 1024  # connections that wait to be accepted
ACCEPTED_AT_ONCE = 16  # connections, before the loop looks what else has come up
CONNECTIONS = 1000  # at once, those that only send their request or wait for the next one included
SPARE_DESCRIPTORS = 64  # that connections leave to files and to language models
HEAD_LIMIT = 128 * 1024  # bytes; a question of 2,000 characters takes up to 24 kB of the address
HELD_BODY_BYTES = 64 * 1024  # of a body that arrives, above which it is held in a file
HELD_ANSWER_BYTES = 1024 * 1024  # of an answer that waits for its reader, above which the thread waits as well
IDLE_SECONDS = 10.0  # of a connection on which nothing is asked
SETTLED_SECONDS = 0.5  # before which no connection gives way: what it sent may not have been read
SILENCE_SECONDS = 15.0  # without a byte of a request that has begun
REQUEST_SECONDS = 60.0  # for a request to arrive whole, however steadily it trickles
STALLED_SECONDS = 30.0  # in which a client takes nothing of an answer
SLOWEST = 8192  # bytes a second that a client takes at least, beyond STALLED_SECONDS, while a thread waits for it
LOOK_SECONDS = 0.25  # between two looks at who takes too long; the loop sleeps no longer
LINGER_SECONDS = 2.0  # that a request under way may still take to arrive once the server stops
SWITCH_SECONDS = 0.005  # that a thread at work keeps the loop waiting; Python's own is 0.005
WATCHED = ("/healthz", "/readyz")  # answered when every thread is at work, too; the second may wait for an index
WATCH_THREADS = 2  # for each of them
_STATUS = {431: 414, 501: 400}  # what waitress calls otherwise
_NOT_ASCII = re.compile(rb"[\x80-\xff]")


class _Incomplete:
    """What waitress keeps of a request that did not arrive in time."""

    code = 408


class _Parser(HTTPRequestParser):
    """A parser of addresses with letters of any language unescaped, as curl sends them; no body above its limit."""

    path = ""  # of a request that is too malformed to have any, too: waitress tells it

    def parse_header(self, header_plus: bytes) -> None:
        """Escape the bytes of the request line that are not ASCII, parse, and expect no body that is too long.

        Raises ParsingError.
        """
        line, separator, rest = header_plus.partition(b"\r\n")
        escaped = _NOT_ASCII.sub(lambda match: b"%%%02X" % match[0][0], line)
        try:
            super().parse_header(escaped + separator + rest)
        except ValueError as error:  # a length of thousands of digits, an address like http://[
            raise ParsingError("bad number or address") from error
        limit = MAX_REQUEST_BYTES if self.path.endswith(COMPLETIONS_PATH) else MAX_BODY_BYTES
        if self.content_length > limit:
            # The application refuses it for its length alone; what comes of it is no other request.
            self.content_length, self.body_rcv = 0, None
            self.headers["CONNECTION"] = "close"
        if self.body_rcv is None:
            self.expect_continue = False  # waitress would wait for a body


class _ErrorTask(ErrorTask):
    """Tell in the shape of the contract what waitress itself refuses."""

    def execute(self) -> None:
        """Write the answer."""
        status = _STATUS.get(self.request.error.code, self.request.error.code)
        code, sentence = HTTP_FAILURES.get(status, HTTP_FAILURES[400])
        told: Error = {"error": sentence.format(limit=size_told(MAX_REQUEST_BYTES)), "codigo": code}
        below_v1 = self.request.path.startswith(OPENAI_PREFIX)
        body = json_text(openai_failure(told, status) if below_v1 else told).encode() + b"\n"
        self.status = f"{status} {HTTPStatus(status).phrase}"
        self.response_headers += [("Content-Type", "application/json; charset=utf-8"), *SECURITY_HEADERS.items()]
        self.set_close_on_finish()
        self.content_length = len(body)
        self.write(body)


class _Channel(HTTPChannel):
    """A connection whose requests have only so much time to arrive, and whose answers to be taken."""

    parser_class = _Parser
    error_task_class = _ErrorTask
    request: Any  # the one that is arriving, if any
    has_left = False  # the client sends no more; it may still read
    given_up = False  # its request did not arrive in time
    ends = 0.0  # when a connection is closed whose last answer is out; 0.0 for any other

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        # On the monotonic clock: when the request began to arrive, when its last byte came, when something was last
        # taken of an answer, and since when a thread waits for its reader.
        self.began = self.heard = self.taken = self.crowded = time.monotonic()
        self._moved = 0.0

    def handle_read(self) -> None:
        """Read what has come; a client that has closed its side is still given the answer to a whole request.

        A model's answer ends, though: of one that is silent nobody can tell this client from one that has left.
        """
        if self.requests and self._is_at_end():
            self.has_left = True
        else:
            super().handle_read()

    def _is_at_end(self) -> bool:
        try:
            return not self.socket.recv(1, socket.MSG_PEEK)
        except OSError:
            return False

    def handle_close(self) -> None:
        """Send the end first where this side closes: a client that still sends would lose its answer to a reset."""
        if not self.will_close or not self.connected or self.ends:
            self.drop()
            return
        self.will_close = False
        self.ends = time.monotonic() + LINGER_SECONDS
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_WR)

    def drop(self) -> None:
        """Close, now."""
        super().handle_close()

    def readable(self) -> bool:
        """Tell whether there may be more to read."""
        return not self.has_left and bool(super().readable())

    def check_client_disconnected(self) -> bool:
        """Tell an answer under way that its client has left."""
        return self.has_left or bool(super().check_client_disconnected())

    def received(self, data: bytes) -> bool:
        """Take what has come."""
        if self.ends:
            return False
        self.heard = time.monotonic()
        if self.request is None:
            self.began = self.heard
        return bool(super().received(data))

    def tend(self, now: float, *, patience: float) -> None:
        """Give up what takes too long: to arrive (`patience` seconds of silence), to be taken, or to be asked."""
        if self.ends:
            over = now >= self.ends
        elif self.requests or self.total_outbufs_len:
            self.began = self.heard = now  # nothing is read meanwhile
            over = self._is_stalled(now)
        elif self.request is None:
            over = self.has_left or time.time() - self.last_activity >= IDLE_SECONDS
        else:
            over = False
            if now - self.heard >= patience or now - self.began >= REQUEST_SECONDS:
                self.refuse()
        if over:
            self.drop()

    def refuse(self) -> None:
        """Tell the client that its request did not arrive in time."""
        with self.requests_lock:
            if self.request is None:
                return
            self.given_up = True
            self.request.error, self.request.completed = _Incomplete(), True
            self.requests.append(self.request)
            self.request = None
            if len(self.requests) == 1:
                self.server.add_task(self)

    def is_idle(self) -> bool:
        """Tell whether no answer is due and all that were given have been taken."""
        return not self.requests and self.request is None and not self.total_outbufs_len

    def _is_stalled(self, now: float) -> bool:
        """Tell whether a client takes nothing of an answer, or too little while a thread waits for it."""
        if self.last_activity != self._moved or not self.total_outbufs_len:
            self._moved, self.taken = self.last_activity, now
        if not self.requests or self.total_outbufs_len <= HELD_ANSWER_BYTES:
            self.crowded = now
        too_slow = now - self.crowded >= STALLED_SECONDS + HELD_ANSWER_BYTES / SLOWEST
        return too_slow or now - self.taken >= STALLED_SECONDS


class Server:
    """A waitress server that listens already; `run` serves until `stop` is called."""

    def __init__(self, app: Flask, settings: Settings) -> None:
        """Begin to listen. Raises OSError when the address cannot be had."""
        logging.getLogger("waitress").setLevel(logging.WARNING)  # at INFO it tells addresses
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # a line for each request that waits for a thread
        sys.setswitchinterval(SWITCH_SECONDS)
        self._stopping: Stopping = app.extensions["siaa"].stopping
        self._stop_seconds = settings.stop_seconds
        self._map: dict[int, Any] = {}  # everything that the loop looks after, by its file descriptor
        self._places = _places()
        self.told = False  # to stop
        create_server(
            app,
            map=self._map,
            host=settings.host,
            port=settings.port,
            threads=settings.threads,
            backlog=BACKLOG,
            max_request_header_size=HEAD_LIMIT,
            max_request_body_size=MAX_REQUEST_BYTES + 1,  # waitress refuses what is as large
            inbuf_overflow=HELD_BODY_BYTES,
            outbuf_high_watermark=HELD_ANSWER_BYTES,
            clear_untrusted_proxy_headers=False,  # who is local is told by them, `SIAA_PROXY` or not
            channel_request_lookahead=1,  # without it nobody learns that a client has left
            ident="siaa",
        )
        self._listeners = [each for each in self._map.values() if isinstance(each, BaseWSGIServer)]
        self._watched = {path: ThreadedTaskDispatcher() for path in WATCHED}
        for threads in self._watched.values():
            threads.set_thread_count(WATCH_THREADS)
        limit = len(self._map) + self._places + 1  # one more, for which room is made
        for listener in self._listeners:
            listener.adj.connection_limit = limit
            listener.channel_class = _Channel
            listener.add_task = self._add_task
            listener.handle_accept = partial(self._accept_waiting, listener.handle_accept)

    def run(self) -> None:
        """Serve; once told to stop, give the answers under way their time, and end."""
        next_look = 0.0
        while not self.told:
            self._turn(LOOK_SECONDS)
            now = time.monotonic()
            if now < next_look:
                continue
            next_look = now + LOOK_SECONDS
            for channel in self._channels():
                channel.tend(now, patience=SILENCE_SECONDS)
            self._make_room()
        self._end_with_grace()

    def stop(self) -> None:
        """Tell it to stop. Fit for a signal handler: it takes no lock."""
        self.told = True
        self._listeners[0].pull_trigger()

    def close(self) -> None:
        """Close every connection; threads still at work are left to end with the process."""
        logging.getLogger("waitress").setLevel(logging.ERROR)  # it would count the threads that are left
        for threads in (self._listeners[0].task_dispatcher, *self._watched.values()):
            threads.shutdown(timeout=0)
        close_all(self._map)

    def _accept_waiting(self, accept_one: Callable[[], None]) -> None:
        """Accept what waits: one at a time, each would wait for the threads at work."""
        for _ in range(ACCEPTED_AT_ONCE):
            before = len(self._map)
            accept_one()
            if len(self._map) == before:
                break

    def _add_task(self, channel: _Channel) -> None:
        self._watched.get(channel.requests[0].path, self._listeners[0].task_dispatcher).add_task(channel)

    def _make_room(self) -> None:
        """When the places are taken, let those give way that need theirs least.

        First the ones that are ending, then whoever has asked for nothing longest, then whoever has taken nothing of an
        answer longest. Nobody gives way who came a moment ago.
        """
        channels = self._channels()
        over = len(channels) - self._places
        if over <= 0:
            return
        settled = time.monotonic() - SETTLED_SECONDS
        ending = [each for each in channels if each.ends]
        staying = [each for each in channels if not each.ends and not each.given_up]
        idle = [each for each in staying if each.heard < settled and not each.requests and not each.total_outbufs_len]
        full = [each for each in staying if each.taken < settled and each.total_outbufs_len]
        least = [*ending, *sorted(idle, key=lambda each: each.heard), *sorted(full, key=lambda each: each.taken)]
        for channel in least[:over]:
            if channel.ends or channel.request is None or channel.total_outbufs_len:
                channel.drop()
            else:
                channel.refuse()

    def _end_with_grace(self) -> None:
        for listener in self._listeners:
            dispatcher.close(listener)  # only this: its own method closes what wakes the loop, too
        self._stopping.begin()
        began = time.monotonic()
        while (channels := self._channels()) and time.monotonic() < began + self._stop_seconds:
            for channel in channels:
                if channel.is_idle():
                    channel.drop()
                channel.tend(time.monotonic(), patience=LINGER_SECONDS)
            self._turn(min(LOOK_SECONDS, self._stop_seconds / 20))

    def _turn(self, seconds: float) -> None:
        loop(timeout=seconds, use_poll=True, map=self._map, count=1)

    def _channels(self) -> list[_Channel]:
        return [each for each in self._map.values() if isinstance(each, _Channel)]


def _places() -> int:
    """Return how many connections there may be at once: fewer where the system allows fewer descriptors."""
    if not hasattr(select, "poll"):  # Windows, where `select` takes 512
        return 500
    if sys.platform == "win32":
        return CONNECTIONS
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return CONNECTIONS if soft == resource.RLIM_INFINITY else max(1, min(CONNECTIONS, soft - SPARE_DESCRIPTORS))
