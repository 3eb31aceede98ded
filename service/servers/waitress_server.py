"""Serve with waitress where gunicorn cannot run (Windows).

Waitress reads a request whole, in its one loop, before any of its threads is given to it (`HTTPChannel.received`), and
keeps there what a slow reader has not taken yet. What is added are limits of time and size, and a stop with grace.
"""

from __future__ import annotations

import select
import time
from typing import Any

from flask import Flask
from waitress.channel import HTTPChannel  # type: ignore[import-untyped]
from waitress.parser import HTTPRequestParser  # type: ignore[import-untyped]
from waitress.server import BaseWSGIServer, create_server  # type: ignore[import-untyped]
from waitress.task import ErrorTask  # type: ignore[import-untyped]
from waitress.wasyncore import close_all, dispatcher, loop  # type: ignore[import-untyped]

from service.endpoints.openai_api import MAX_REQUEST_BYTES
from service.servers.arrival import HEAD_LIMIT
from service.servers.refused import INCOMPLETE, MALFORMED, TOO_LARGE, TOO_LONG, Refused
from service.servers.request_line import escape_line
from service.stopping import Stopping
from siaa.config import Settings

BACKLOG = 1024  # connections that wait to be accepted
# A stream holds a connection for as long as it lasts. Windows has no `poll`, and `select` takes 512 there.
CONNECTIONS = 1000 if hasattr(select, "poll") else 500
IDLE_SECONDS = 60  # in which nothing comes and nothing is taken
SILENCE_SECONDS = 15.0  # without a byte of a request that has begun
REQUEST_SECONDS = 60.0  # for a request to arrive whole, however steadily it trickles
LOOP_SECONDS = 1.0  # that the loop sleeps at most; a thread with something to send wakes it
LINGER_SECONDS = 2.0  # that a request under way may still take to arrive once the server stops
_REFUSED = {408: INCOMPLETE, 413: TOO_LARGE, 431: TOO_LONG}


class _Incomplete:
    """What waitress keeps of a request that did not arrive in time."""

    code = 408


class _Parser(HTTPRequestParser):  # type: ignore[misc]
    """A parser that takes an address with letters of any language unescaped, as gunicorn does and curl sends it."""

    def parse_header(self, header_plus: bytes) -> None:
        """Escape the bytes of the request line that are not ASCII, then parse."""
        line, separator, rest = header_plus.partition(b"\r\n")
        super().parse_header(escape_line(line) + separator + rest)


class _ErrorTask(ErrorTask):  # type: ignore[misc]
    """Tell in the shape of the contract what waitress itself refuses."""

    def execute(self) -> None:
        """Write the answer."""
        refused: Refused = _REFUSED.get(self.request.error.code, MALFORMED)
        self.status = refused.status
        self.response_headers.extend(refused.headers.items())
        self.set_close_on_finish()
        self.content_length = len(refused.body)
        self.write(refused.body)


class _Channel(HTTPChannel):  # type: ignore[misc]
    """A connection whose requests have only so much time to arrive."""

    parser_class = _Parser
    error_task_class = _ErrorTask
    request: Any  # the one that is arriving, if any
    began = heard = 0.0  # when the request began to arrive, and when its last byte came, on the monotonic clock

    def received(self, data: bytes) -> Any:
        """Take what has come."""
        self.heard = time.monotonic()
        if self.request is None:
            self.began = self.heard
        return super().received(data)

    def give_up(self, now: float, *, patience: float) -> None:
        """Refuse the request that is arriving if it has taken too long, or was silent for `patience` seconds."""
        with self.requests_lock:
            if self.request is None or (now - self.heard < patience and now - self.began < REQUEST_SECONDS):
                return
            self.request.error, self.request.completed = _Incomplete(), True
            self.requests.append(self.request)
            self.request = None
            if len(self.requests) == 1:
                self.server.add_task(self)

    def is_idle(self) -> bool:
        """Tell whether no answer is due and all that were given have been taken."""
        return not self.requests and self.request is None and not self.total_outbufs_len


class Server:
    """A waitress server that listens already; `run` serves until `stop` is called."""

    def __init__(self, app: Flask, settings: Settings) -> None:
        self._stopping: Stopping = app.extensions["siaa"].stopping
        self._stop_seconds = settings.stop_seconds
        self._map: dict[int, Any] = {}  # everything that the loop looks after, by its file descriptor
        self.told = False  # to stop
        create_server(
            app,
            map=self._map,
            host=settings.host,
            port=settings.port,
            threads=settings.threads,
            connection_limit=CONNECTIONS,
            backlog=BACKLOG,
            channel_timeout=IDLE_SECONDS,
            max_request_header_size=HEAD_LIMIT,
            max_request_body_size=MAX_REQUEST_BYTES + 1,  # waitress refuses what is as large
            clear_untrusted_proxy_headers=False,  # who is local is told by them, `SIAA_PROXY` or not
            channel_request_lookahead=1,  # without it nobody learns that a client has left
            ident="siaa",
        )
        self._listeners = [each for each in self._map.values() if isinstance(each, BaseWSGIServer)]
        for listener in self._listeners:
            listener.channel_class = _Channel

    def run(self) -> None:
        """Serve; once told to stop, give the answers under way their time, and end."""
        while not self.told:
            self._turn(LOOP_SECONDS)
            for channel in self._channels():
                channel.give_up(time.monotonic(), patience=SILENCE_SECONDS)
        self._end_with_grace()

    def stop(self) -> None:
        """Tell it to stop. Fit for a signal handler: it takes no lock."""
        self.told = True
        self._listeners[0].pull_trigger()

    def close(self) -> None:
        """Close every connection; threads still at work are left to end with the process."""
        self._listeners[0].task_dispatcher.shutdown(timeout=0)
        close_all(self._map)

    def _end_with_grace(self) -> None:
        for listener in self._listeners:
            dispatcher.close(listener)  # only this: its own method closes what wakes the loop, too
        self._stopping.begin()
        began = time.monotonic()
        while (channels := self._channels()) and time.monotonic() < began + self._stop_seconds:
            for channel in channels:
                channel.will_close |= channel.is_idle()
                channel.give_up(time.monotonic(), patience=LINGER_SECONDS)
            self._turn(min(LOOP_SECONDS, self._stop_seconds / 20))

    def _turn(self, seconds: float) -> None:
        loop(timeout=seconds, use_poll=True, map=self._map, count=1)

    def _channels(self) -> list[_Channel]:
        return [each for each in self._map.values() if isinstance(each, _Channel)]
