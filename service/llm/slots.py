"""Limit the calls that one process makes to a model at once, and never lose a place."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Generator

from service.llm.protocol import ModelBusyError


class Slots:
    """So many places for calls; `hold` takes one or says that the model is busy."""

    def __init__(self, count: int) -> None:
        self._free = threading.BoundedSemaphore(count)

    def hold(self, start: Callable[[], Generator[str, None, None]]) -> Generator[str, None, None]:
        """Take a place and return the generator of `start`, which frees the place when it ends, fails or is closed.

        Raises ModelBusyError when no place is free.
        """
        if not self._free.acquire(blocking=False):
            raise ModelBusyError("all slots taken")
        place = _Place(self._free)
        held = _held(start, place)
        # A generator that was never begun has no `finally` to run when a client leaves early: its end of life frees it.
        weakref.finalize(held, place.leave).atexit = False
        return held


class _Place:
    def __init__(self, free: threading.BoundedSemaphore) -> None:
        self._free: threading.BoundedSemaphore | None = free

    def leave(self) -> None:
        free, self._free = self._free, None
        if free is not None:
            free.release()


def _held(start: Callable[[], Generator[str, None, None]], place: _Place) -> Generator[str, None, None]:
    try:
        yield from start()
    finally:
        place.leave()
