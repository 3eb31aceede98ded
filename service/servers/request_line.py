"""Let an address hold letters of any language unescaped: `curl "http://.../siaa/enrutar?q=¿Qué+es?"` sends them so."""

from __future__ import annotations

import re

_NOT_ASCII = re.compile(rb"[\x80-\xff]")


def escape_line(line: bytes) -> bytes:
    """Return an HTTP request line with its bytes above 127 as %XX.

    >>> escape_line("GET /?q=ñ HTTP/1.1".encode())
    b'GET /?q=%C3%B1 HTTP/1.1'
    """
    return _NOT_ASCII.sub(lambda match: b"%%%02X" % match[0][0], line)
