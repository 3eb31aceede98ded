"""Tell whether the client of a request is still there, which a silent answer would never find out by writing."""

from __future__ import annotations

import select
import socket
from collections.abc import Callable, Mapping


def gone_test(environ: Mapping[str, object]) -> Callable[[], bool]:
    """Return what tells, at once and without reading anything, that the client of a request has closed its connection.

    Under a server that gives no access to the connection nobody is ever gone.
    """
    connection = environ.get("gunicorn.socket")
    if isinstance(connection, socket.socket):
        return lambda: _closed(connection)
    told = environ.get("waitress.client_disconnected")
    if callable(told):
        return lambda: bool(told())
    return lambda: False


def _closed(connection: socket.socket) -> bool:
    try:
        waiting = select.poll()
        waiting.register(connection, select.POLLIN)
        # Something to read that is nothing is the end; more bytes are another request.
        return bool(waiting.poll(0)) and not connection.recv(1, socket.MSG_PEEK)
    except (OSError, ValueError):
        return True
