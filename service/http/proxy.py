"""Believe the proxy before the service, where there is one: who asks, and under which address the service is known."""

from __future__ import annotations

import re

from flask import Flask, request
from werkzeug.middleware.proxy_fix import ProxyFix

# What may stand in links: anybody can write these headers, if only to a proxy that passes them on.
_ORIGIN = re.compile(r"https?://(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?")
_PREFIX = re.compile(r"(?:/[A-Za-z0-9][A-Za-z0-9._~-]*)+")


def trust_proxy(app: Flask) -> None:
    """Read of X-Forwarded-For, -Proto, -Host and -Prefix the last entry, which is the word of the proxy itself."""
    app.wsgi_app = ProxyFix(app.wsgi_app, x_for=1, x_proto=1, x_host=1, x_prefix=1)  # type: ignore[method-assign]


def origin() -> str:
    """Return scheme and host of this service as the client knows them, "" if they cannot stand in a link."""
    found = f"{request.scheme}://{request.host}"
    return found if _ORIGIN.fullmatch(found) else ""


def prefix() -> str:
    """Return the path below which the client knows this service, without a slash at its end; "" is the root."""
    return request.script_root if _PREFIX.fullmatch(request.script_root) else ""
