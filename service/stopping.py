"""Stop with grace: answers under way may end, and those that will not are told before the server closes on them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

TELL_SECONDS = 2.0  # of the time to stop, kept for telling; never more than half of it


class Stopping:
    """Remember that the service stops, and end what then still goes on. Thread-safe."""

    def __init__(self, seconds: float) -> None:
        self._patience = seconds - min(TELL_SECONDS, seconds / 2)
        self._lock = threading.Lock()
        self._ends: dict[object, Callable[[], None]] = {}
        self._timer: threading.Timer | None = None
        self.over = False  # patience has ended: what breaks now is our doing

    def begin(self) -> None:
        """Give the answers under way their time. Not for a signal handler: it takes a lock."""
        with self._lock:
            if self._timer is not None:
                return
            self._timer = threading.Timer(self._patience, self._end)
            self._timer.daemon = True
            self._timer.start()

    @contextmanager
    def ended_by(self, end: Callable[[], None]) -> Iterator[None]:
        """Call `end`, from another thread, if the block still goes on when patience ends."""
        key = object()
        with self._lock:
            self._ends[key] = end
            over = self.over
        if over:
            end()
        try:
            yield
        finally:
            with self._lock:
                self._ends.pop(key, None)

    def _end(self) -> None:
        with self._lock:
            self.over = True
            ends = tuple(self._ends.values())
        for end in ends:
            end()
