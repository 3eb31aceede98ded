"""Tell whether the client of a request is still there, which a silent answer would never find out by writing."""

from __future__ import annotations

from collections.abc import Callable, Mapping


def gone_test(environ: Mapping[str, object]) -> Callable[[], bool]:
    """Return what tells, at once and without reading anything, that the client of a request has closed its connection.

    Under a server that does not say so nobody is ever gone.
    """
    told = environ.get("waitress.client_disconnected")
    return (lambda: bool(told())) if callable(told) else lambda: False
