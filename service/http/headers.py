"""Put on every answer the headers that keep browsers from doing harm with it, and open what CORS closes by default."""

from __future__ import annotations

from collections.abc import Collection

from werkzeug.datastructures import Headers

SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
}
_READABLE = "X-SIAA-Generacion, X-Cache, X-Request-ID, Retry-After"  # for a page of an allowed origin
_PREFLIGHT = {
    "Access-Control-Allow-Methods": "GET, POST, DELETE, OPTIONS",
    "Access-Control-Allow-Headers": "Authorization, Content-Type, X-Request-ID",
    "Access-Control-Max-Age": "600",  # seconds
}


def secure(headers: Headers) -> None:
    """Add what is missing of SECURITY_HEADERS; an answer may have a policy of its own."""
    for name, value in SECURITY_HEADERS.items():
        headers.setdefault(name, value)


def allow_origin(headers: Headers, *, origin: str | None, allowed: Collection[str], preflight: bool) -> None:
    """Let pages of the `allowed` origins read the answer; nobody else's, and never with cookies: there are none."""
    if not allowed:
        return
    headers.add("Vary", "Origin")
    if origin not in allowed:
        return
    headers["Access-Control-Allow-Origin"] = str(origin)
    headers["Access-Control-Expose-Headers"] = _READABLE
    if preflight:
        headers.update(_PREFLIGHT)
