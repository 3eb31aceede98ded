"""Set waitress up where gunicorn cannot run (Windows)."""

from __future__ import annotations

from typing import Any

from flask import Flask
from waitress.channel import HTTPChannel  # type: ignore[import-untyped]
from waitress.parser import HTTPRequestParser  # type: ignore[import-untyped]
from waitress.server import create_server  # type: ignore[import-untyped]

from service.request_line import escape_line
from siaa.config import Settings

BACKLOG = 1024  # connections that wait to be accepted
CONNECTIONS = 1000  # a stream holds a connection for as long as it lasts


class Parser(HTTPRequestParser):  # type: ignore[misc]
    """A parser that takes an address with letters of any language unescaped, as gunicorn does and curl sends it."""

    def parse_header(self, header_plus: bytes) -> None:
        """Escape the bytes of the request line that are not ASCII, then parse."""
        line, separator, rest = header_plus.partition(b"\r\n")
        super().parse_header(escape_line(line) + separator + rest)


def open_server(app: Flask, settings: Settings) -> Any:
    """Return a waitress server that listens already; `run` serves."""
    HTTPChannel.parser_class = Parser
    return create_server(
        app,
        host=settings.host,
        port=settings.port,
        threads=settings.threads,
        connection_limit=CONNECTIONS,
        backlog=BACKLOG,
        channel_request_lookahead=1,  # without it nobody learns that a client has left
        ident="siaa",
    )
