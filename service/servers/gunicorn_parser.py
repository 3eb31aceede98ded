"""Parse requests as gunicorn does, but in any language, with bad bodies as the client's fault, and with no patience.

A request is parsed once it is whole (`service.servers.arrival`); only what is refused for its length may still be
read then.
"""

from __future__ import annotations

import socket
import time
from typing import Any

from gunicorn.http.errors import NoMoreData, ParseException  # type: ignore[import-untyped]
from gunicorn.http.message import Request  # type: ignore[import-untyped]
from gunicorn.http.parser import RequestParser  # type: ignore[import-untyped]
from gunicorn.http.unreader import SocketUnreader  # type: ignore[import-untyped]
from werkzeug.exceptions import BadRequest, RequestTimeout

from service.servers.request_line import escape_line

LATE_SECONDS = 1.0  # that a thread waits for bytes of a request that was taken for whole


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


class Unreader(SocketUnreader):  # type: ignore[misc]
    """A reader of what has come of a request, which gives up soon on what has not."""

    deadline = 0.0  # on the monotonic clock

    def chunk(self, size_hint: int | None = None) -> bytes:
        """Return what the connection has next.

        Raises RequestTimeout.
        """
        if self.sock.gettimeout() is not None:  # whoever asks has a limit of their own
            return bytes(super().chunk(size_hint))
        self.sock.settimeout(max(0.001, self.deadline - time.monotonic()))
        try:
            return bytes(super().chunk(size_hint))
        except TimeoutError:
            raise RequestTimeout from None
        finally:
            self.sock.settimeout(None)


class Parser(RequestParser):  # type: ignore[misc]
    """A parser of the requests that come over one connection."""

    mesg_class = _Request

    def __init__(self, cfg: Any, source: socket.socket, source_addr: object) -> None:
        super().__init__(cfg, source, source_addr)
        self.unreader = Unreader(source)
        self.permitted = False  # the client was told to send the body of the next request

    def __next__(self) -> Any:
        """Return the next request."""
        self.unreader.deadline = time.monotonic() + LATE_SECONDS
        request = super().__next__()
        if self.permitted:
            request._expected_100_continue = False
        self.permitted = False
        return request
