"""Limit how often one client may ask: an allowance that refills steadily, kept in memory (one process serves)."""

from __future__ import annotations

import ipaddress
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

from service.http.admin import is_local
from service.http.failures import TooManyRequestsError

MAX_CLIENTS = 20_000  # remembered at once, about 3 MB; the one not seen for longest is forgotten first
_FREE = frozenset({"/healthz", "/readyz", "/metrics"})  # whoever watches the service must not be shut out
_PREFIX_6 = 64  # bits: one household or office has a whole such network of addresses


class RateLimit:
    """Allow each client `per_minute` requests in a minute, in any rhythm; 0 allows everything. Thread-safe."""

    def __init__(self, per_minute: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._capacity = float(per_minute)
        self._clock = clock
        self._lock = threading.Lock()
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()  # client -> allowance left, and when

    def check(self, client: str) -> None:
        """Take one request from the client's allowance.

        Raises TooManyRequestsError with the seconds to wait when nothing is left of it.
        """
        if not self._capacity:
            return
        rate = self._capacity / 60
        with self._lock:
            now = self._clock()
            left, then = self._left.pop(client, (self._capacity, now))
            left = min(self._capacity, left + (now - then) * rate)
            granted = left >= 1
            self._left[client] = (left - 1 if granted else left, now)
            while len(self._left) > MAX_CLIENTS:
                self._left.popitem(last=False)
        if not granted:
            raise TooManyRequestsError(retry_after=math.ceil((1 - left) / rate))


def is_free(environ: Mapping[str, object]) -> bool:
    """Tell whether a request is not counted: one from this machine itself, or one that looks after the service."""
    return environ.get("PATH_INFO") in _FREE or is_local(environ)


def client_of(environ: Mapping[str, Any]) -> str:
    """Return who asks: the address of the connection, or of the client that the proxy before us names."""
    address = str(environ.get("REMOTE_ADDR", ""))
    connection = environ.get("werkzeug.proxy_fix.orig", environ)
    found = _parsed(address) or _parsed(str(connection.get("REMOTE_ADDR", "")))
    if found is None:
        return address
    if isinstance(found, ipaddress.IPv6Address) and found.ipv4_mapped is None:
        return str(ipaddress.ip_network((found, _PREFIX_6), strict=False))
    return str(getattr(found, "ipv4_mapped", None) or found)


def _parsed(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(address)
    except ValueError:
        return None
