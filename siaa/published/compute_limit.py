"""Let few threads compute at once, so that one that has little to do is not kept waiting by hundreds.

Python runs one thread at a time and gives each 5 ms: with two hundred at work, an answer that only says that the
service lives would come after a second. Those that wait for a place here do not ask for one.
"""

from __future__ import annotations

import threading
from types import TracebackType

AT_ONCE = 3  # that compute; more would only take turns with each other


class ComputeLimit:
    """A context that only so many threads are in at once; one that is in may enter again. Thread-safe."""

    def __init__(self, count: int = AT_ONCE) -> None:
        self._free = threading.Semaphore(count)
        self._mine = threading.local()

    def __enter__(self) -> None:
        depth: int = getattr(self._mine, "depth", 0)
        if not depth:
            self._free.acquire()
        self._mine.depth = depth + 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._mine.depth -= 1
        if not self._mine.depth:
            self._free.release()
