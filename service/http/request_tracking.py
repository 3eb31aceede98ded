"""Follow each request from its first line to its last byte: id, headers, one line of the log, figures."""

from __future__ import annotations

import logging
import time

from flask import Flask, Response, g, request

from service.http.headers import allow_origin, secure
from service.http.request_log import FIELDS, REQUEST_HEADER, new_request_id, request_id
from service.metrics import METHODS, OTHER, Metrics
from siaa.config import Settings

log = logging.getLogger(__name__)

GENERATION_HEADER = "X-SIAA-Generacion"
NO_ROUTE = "-"  # an address that no route knows


def follow(app: Flask, settings: Settings, metrics: Metrics) -> None:
    """Make `app` note every request. Call it before any other function that looks at requests."""
    origins = settings.allowed_origins

    def begin() -> None:
        g.began = time.monotonic()
        g.request_id = new_request_id(request.headers.get(REQUEST_HEADER))
        # Stays until this thread's next request: what is logged while a stream is sent belongs to this one.
        request_id.set(g.request_id)

    def finish(response: Response) -> Response:
        if "generation" in g:
            response.headers[GENERATION_HEADER] = g.generation
        if "request_id" in g:
            response.headers[REQUEST_HEADER] = g.request_id
        secure(response.headers)
        origin = request.headers.get("Origin")
        allow_origin(response.headers, origin=origin, allowed=origins, preflight=request.method == "OPTIONS")
        told = _Told(metrics, response.status_code)
        if response.is_streamed:
            response.call_on_close(told.tell)
        else:
            told.tell()
        return response

    app.before_request(begin)
    app.after_request(finish)


class _Told:
    """What is noted of a request at its end, remembered while there is a request to ask."""

    def __init__(self, metrics: Metrics, status: int) -> None:
        self._metrics = metrics
        self._status = status
        # The rule, never the address: what people ask stays out of the log.
        self._route = request.url_rule.rule if request.url_rule else NO_ROUTE
        self._method = request.method if request.method in METHODS else OTHER
        self._generation = g.get("generation", "-")
        self._began = g.get("began", time.monotonic())

    def tell(self) -> None:
        """Write the line and count the request."""
        seconds = time.monotonic() - self._began
        self._metrics.request(route=self._route, method=self._method, status=self._status, seconds=seconds)
        told = (self._method, self._route, self._status, round(1000 * seconds, 1), self._generation)
        log.info("%s %s %d %.1f ms %s", *told, extra=dict(zip(FIELDS, told, strict=True)))
