"""Tell from the bytes of an HTTP request whether it has arrived whole, so that no thread need wait for the rest.

Nothing is parsed for good here, and nothing refused: a malformed request is whole as soon as the parser, which reads
it afterwards, can refuse it without another byte.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import unquote_to_bytes

HEAD_LIMIT = 128 * 1024  # bytes; a question of 2,000 characters takes up to 24 kB of the address
SPARE = 4096  # bytes above the limit of a body after which it needs no more to be refused
_LINE_LIMIT = 8190  # bytes of the line before a chunk, as gunicorn limits it
_MORE = (b"content-length", b"transfer-encoding", b"expect")  # fields that announce more than a head
_BARE_LF = re.compile(rb"(?<!\r)\n")
_LENGTH = re.compile(rb"0*([0-9]{1,15})")
_CHUNK = re.compile(rb"([0-9A-Fa-f]+)(?:[ \t]*;.*)?", re.DOTALL)
_AFTER_HOST = re.compile(rb"[a-z][a-z0-9+.-]*://[^/]*", re.IGNORECASE)
_SLASHES = re.compile(r"/{2,}")  # the application takes them for one


class Arrival:
    """The bytes of one request, in `data`, as they come."""

    def __init__(self, *, limit: int, limits: Mapping[str, int]) -> None:
        """Begin without a byte. `limit` is what a body may have, in bytes; `limits` has paths where it is another."""
        self.data = bytearray()
        self.whole = False  # the answer needs no more of it
        self.too_long = False  # the head has no end within HEAD_LIMIT
        self.waits_for_permission = False  # the client sends the body once it is told to continue
        self.bare = False  # a whole head and nothing more, now or to come
        self.path = ""  # decoded, without the query; known with the head
        self._limit = limit
        self._limits = limits
        self._seen = 0  # bytes in which the head was found not to end
        self._body = 0  # where the body begins; 0 while the head is incomplete
        self._length: int | None = 0  # of the body; None when it comes in chunks
        self._chunk = 0  # where the next chunk begins
        self._chunks = 0  # bytes that the chunks before it have

    def feed(self, data: bytes) -> None:
        """Take what has come."""
        self.data += data
        if self.whole or (not self._body and not self._read_head()):
            return
        self.whole = self._has_body() if self._length is None else len(self.data) >= self._body + self._length
        self.waits_for_permission = self.waits_for_permission and len(self.data) == self._body and not self.whole

    def _read_head(self) -> bool:
        """Note what the head says of the body; False if it has not ended, or needs none."""
        end = self.data.find(b"\r\n\r\n", max(0, self._seen - 3))
        if end < 0:
            self.whole = _BARE_LF.search(self.data, self._seen) is not None  # such a head never ends well
            self.too_long = not self.whole and len(self.data) > HEAD_LIMIT
            self._seen = len(self.data)
            return False
        line, *fields = bytes(self.data[:end]).removeprefix(b"\r\n").split(b"\r\n")
        self._body = end + 4
        self.path = _path(line)
        self._limit = self._limits.get(_SLASHES.sub("/", self.path), self._limit)
        self._length = _length(fields)
        if self._length is not None and self._length > self._limit:
            self._length = 0  # it will be refused for its length alone
        self.bare = len(self.data) == self._body and not any(_value(field, name) for field in fields for name in _MORE)
        permission = any(_value(field, b"expect").lower() == b"100-continue" for field in fields)
        self.waits_for_permission = permission and line.endswith(b"HTTP/1.1") and self._length != 0
        self._chunk = self._body
        return True

    def _has_body(self) -> bool:
        """Tell whether the last chunk is there, or enough to refuse the body."""
        data = self.data
        while self._chunk < len(data):
            end = data.find(b"\r\n", self._chunk)
            if end < 0:
                return len(data) - self._chunk > _LINE_LIMIT
            found = _CHUNK.fullmatch(data, self._chunk, end)
            if found is None:
                return True
            size = int(found[1], 16)
            if not size:
                return data.find(b"\r\n\r\n", end) >= 0 or len(data) - end > _LINE_LIMIT
            self._chunks += size
            self._chunk = end + 2 + size + 2
        missing = self._chunk - 2 - len(data)
        return self._chunks - max(0, missing) > self._limit + SPARE


def _path(line: bytes) -> str:
    """Return the path that a request line asks for, decoded."""
    target = line.split(b" ")[1] if line.count(b" ") > 1 else b""
    path = _AFTER_HOST.sub(b"", target.partition(b"#")[0].partition(b"?")[0], count=1)
    return unquote_to_bytes(path).decode("utf-8", "replace")


def _length(fields: list[bytes]) -> int | None:
    """Return the bytes that the body will have: None for chunks, 0 for none and for what the parser refuses."""
    codings = [value for field in fields if (value := _value(field, b"transfer-encoding"))]
    if codings:
        return None if codings[-1].lower().endswith(b"chunked") else 0
    lengths = [value for field in fields if (value := _value(field, b"content-length"))]
    found = _LENGTH.fullmatch(lengths[0]) if len(lengths) == 1 else None
    return int(found[1]) if found else 0


def _value(field: bytes, name: bytes) -> bytes:
    """Return the value of a header field if it is called `name`, else nothing."""
    found, _, value = field.partition(b":")
    return value.strip(b" \t") if found.lower() == name else b""
