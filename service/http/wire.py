"""Write answers as bytes: JSON with accents unescaped, and server-sent events with a heartbeat."""

from __future__ import annotations

import json
import queue
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextvars import copy_context
from typing import Any

from flask import Request, Response
from werkzeug.exceptions import RequestEntityTooLarge

HEARTBEAT = ": latido\n\n"
HEARTBEAT_SECONDS = 15.0  # silence after which proxies are told that the stream lives (contract)
DONE = "data: [DONE]\n\n"
_QUEUE_EVENTS = 8192  # more than an answer has: a slow reader keeps no model waiting
_LOOK_UP_SECONDS = 0.5  # how often a silent stream looks whether its reader has left


class BoundedRequest(Request):
    """A request whose body, when it comes in chunks, is refused above the limit instead of cut there."""

    def get_data(self, *args: Any, **kwargs: Any) -> Any:
        """Return the body.

        Raises RequestEntityTooLarge.
        """
        data = super().get_data(*args, **kwargs)
        limit = self.max_content_length
        whole = self.content_length is not None or limit is None or len(data) < limit
        if not whole and self.environ["wsgi.input"].read(1):
            raise RequestEntityTooLarge
        return data


def json_text(value: object) -> str:
    """Return `value` as JSON, keys in their order, accents as they are."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def json_response(value: object, status: int = 200) -> Response:
    """Return a JSON answer in UTF-8."""
    return Response(json_text(value) + "\n", status=status, content_type="application/json; charset=utf-8")


def event(value: object) -> str:
    """Return one server-sent event whose data is `value` as JSON."""
    return f"data: {json_text(value)}\n\n"


def stream_response(frames: Iterator[str]) -> Response:
    """Return an answer that sends each frame as it comes, with the headers that keep proxies from holding it back."""
    response = Response(frames, content_type="text/event-stream; charset=utf-8")
    response.headers["Cache-Control"] = "no-cache, no-transform"
    response.headers["X-Accel-Buffering"] = "no"
    return response


class Heartbeat:
    """Iterate `frames` with a comment line after every `seconds` without one.

    The frames are made in a thread of their own, which begins at the first `next`. `gone` is asked in every silence
    whether the reader has left; the iteration then ends, so that the server calls `close`. After that the thread closes
    `frames` as soon as the next one is made, or fails: whoever made the call to a model has to end it. `unread` is
    called instead where no frame was ever asked for.
    """

    def __init__(
        self,
        frames: Generator[str, None, None],
        *,
        seconds: float = HEARTBEAT_SECONDS,
        gone: Callable[[], bool] = lambda: False,
        unread: Callable[[], object] = lambda: None,
    ) -> None:
        self._frames = frames
        self._seconds = seconds
        self._gone = gone
        self._unread = unread
        # None is the end. Hundreds wait here at once: the plain queue would take a thread's turn for every look.
        self._made: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._left = threading.Event()
        self._thread: threading.Thread | None = None

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if self._thread is None:
            self._thread = threading.Thread(target=copy_context().run, args=(self._run,), name="siaa-chat", daemon=True)
            self._thread.start()
        beat = time.monotonic() + self._seconds
        while (left := beat - time.monotonic()) > 0:
            try:
                frame = self._made.get(timeout=min(left, _LOOK_UP_SECONDS))
            except queue.Empty:
                if self._gone():
                    raise StopIteration from None
                continue
            if frame is None:
                raise StopIteration
            return frame
        return HEARTBEAT

    def close(self) -> None:
        """Tell that nobody reads any more."""
        self._left.set()
        if self._thread is None:
            self._unread()

    def _run(self) -> None:
        try:
            for frame in self._frames:
                if not self._put(frame):
                    return
        finally:
            self._frames.close()
            self._put(None)

    def _put(self, frame: str | None) -> bool:
        while self._made.qsize() >= _QUEUE_EVENTS:
            if self._left.wait(_LOOK_UP_SECONDS):
                break
        if self._left.is_set():
            return False
        self._made.put(frame)
        return True
