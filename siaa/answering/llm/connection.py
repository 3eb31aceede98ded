"""Send one request to a model's server and read its answer, by a deadline, from a socket that any thread may cut."""

from __future__ import annotations

import http.client
import io
import json
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from siaa.answering.llm.protocol import ModelCutError, ModelSilentError, ModelUnavailableError

ERROR_BODY_BYTES = 65_536  # bytes of an error page, or of an answer that is no stream, that are looked at
_BLOCK = 16_384


class Connection:
    """A connection for one request. It goes to the address in the settings and nowhere else: no proxies, no redirects.

    `deadline`, on the monotonic clock, is when reading gives up; the caller moves it as the answer advances.
    """

    def __init__(self, url: str, *, connect_timeout: float) -> None:
        self.deadline = float("inf")
        self._url = url
        self._connect_timeout = connect_timeout
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._http: http.client.HTTPConnection | None = None
        self._response: http.client.HTTPResponse | None = None
        self._aborted = False

    def send(self, path: str, body: object = None, *, timeout: float) -> int:
        """Send a request (POST when there is a body) and return the answer's status, at most `timeout` s later.

        Raises ModelUnavailableError when there is no server or it gives no answer, ModelSilentError when it is too
        slow.
        """
        payload = None if body is None else json.dumps(body, ensure_ascii=False).encode()
        headers = {"Connection": "close"} | ({"Content-Type": "application/json"} if payload else {})
        try:
            connection, prefix = self._connect()
            self.deadline = time.monotonic() + timeout
            self._socket_by_deadline()
            connection.response_class = self._response_by_deadline  # type: ignore[assignment]
            connection.request("POST" if payload else "GET", prefix + path, payload, headers)
            self._response = connection.getresponse()
            return self._response.status
        except TimeoutError as error:
            raise ModelSilentError(f"no status line from {self._url}") from error
        # UnicodeError: a host name that no address can have.
        except (OSError, http.client.HTTPException, UnicodeError, ValueError) as error:
            raise ModelUnavailableError(f"{self._url}: {type(error).__name__}: {error}") from error

    def read(self, size: int = _BLOCK) -> bytes:
        """Return what has arrived of the answer's body, at most `size` bytes; b"" at its end.

        Raises ModelSilentError at the deadline, ModelCutError when the connection breaks.
        """
        if self._response is None:
            return b""
        try:
            return self._response.read1(size)
        except TimeoutError as error:
            raise ModelSilentError("nothing more in the time allowed") from error
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise ModelCutError(f"{type(error).__name__}: {error}") from error

    def read_all(self) -> bytes:
        """Return the body, at most ERROR_BODY_BYTES of it; what cannot be read of it is left out."""
        body = b""
        with suppress(ModelSilentError, ModelCutError):
            while len(body) < ERROR_BODY_BYTES and (block := self.read()):
                body += block
        return body

    def abort(self) -> None:
        """Cut the connection from any thread: the server notices, and a `read` that waits ends at once."""
        with self._lock:
            self._aborted = True
            if self._socket is not None:
                _shut(self._socket)

    def close(self) -> None:
        """Give the descriptor back. Only the thread that reads may call it."""
        with self._lock:
            self._socket = None
        if self._response is not None:
            self._response.close()
        if self._http is not None:
            self._http.close()

    def _connect(self) -> tuple[http.client.HTTPConnection, str]:
        parts = urlsplit(self._url)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        connection = self._http = kind(parts.hostname or "", parts.port, timeout=self._connect_timeout)
        try:
            connection.connect()
        except TimeoutError as error:
            raise ModelUnavailableError(f"{self._url}: no connection in {self._connect_timeout} s") from error
        with self._lock:
            # Kept apart: `http.client` forgets its socket as soon as the answer is the last one on it.
            self._socket = connection.sock
            if self._aborted:
                _shut(self._socket)
        return connection, parts.path.rstrip("/")

    def _response_by_deadline(self, connected: socket.socket, **options: Any) -> http.client.HTTPResponse:
        response = http.client.HTTPResponse(connected, **options)
        raw = response.fp.detach()
        response.fp = io.BufferedReader(_ByDeadline(raw, self._socket_by_deadline))
        return response

    def _socket_by_deadline(self) -> None:
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        if self._socket is not None:
            self._socket.settimeout(left)


class _ByDeadline(io.RawIOBase):
    """Read a socket, looking at the deadline each time: one that sends a byte now and then is held to it as well."""

    def __init__(self, raw: io.RawIOBase, check: Callable[[], None]) -> None:
        self._raw = raw
        self._check = check

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._check()
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


def _shut(connected: socket.socket) -> None:
    # Of the plain socket, also under TLS: that object's own method would change it under its reader.
    with suppress(OSError):  # closed by the other side already
        socket.socket.shutdown(connected, socket.SHUT_RDWR)
