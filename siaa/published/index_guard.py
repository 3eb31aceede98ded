"""Watch the files of the generation in service: one that is damaged under way must not answer any longer.

Sizes and times are looked at every few seconds, which costs nothing and sees a file that was cut or replaced; digests
are compared every `SIAA_VERIFY_SECONDS`, which also sees a disk that decays. A mapped file that is cut short kills the
process that reads beyond its end (SIGBUS): the supervisor starts another, whose opening then falls back.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from siaa.errors import GenerationError
from siaa.generation import Manifest, verify
from siaa.published.index_holder import IndexHolder

log = logging.getLogger(__name__)

LOOK_SECONDS = 2.0  # between two looks at sizes and times
LOW_PRIORITY = 19  # nice value of the thread: answers go first

_Stamps = dict[str, tuple[int, int, int]]  # file -> size, time of change in ns, inode


class IndexGuard:
    """Verify again and again what `holder` serves, in a thread of its own from `start` to `close`."""

    def __init__(
        self,
        holder: IndexHolder,
        *,
        every: float,
        look: float = LOOK_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._holder = holder
        self._every = every
        self._look = look
        self._clock = clock
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None
        self._known: tuple[str, _Stamps] = ("", {})
        self._due = float("inf")

    def start(self) -> None:
        """Begin to watch; with `every` 0 nothing is watched."""
        if self._every and self._thread is None:
            self._thread = threading.Thread(target=self._run, name="siaa-indice", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Stop watching."""
        self._closing.set()
        if self._thread is not None:
            self._thread.join()

    def look(self) -> None:
        """Look once: verify the digests when a file has another size or time, or when it is time to."""
        try:
            with self._holder.lease(look=False) as retriever:
                generation = retriever.generation
                folder, manifest = generation.folder, generation.manifest
                stamps = _stamps(folder, manifest)
                fresh = self._known[0] != manifest.name
                if fresh:
                    self._due = self._clock() + self._every
                elif stamps == self._known[1] and self._clock() < self._due:
                    return
                # One taken into service was verified a moment ago; yet its stamps may be of after that moment.
                problem = _problem(folder, manifest)
        except GenerationError:
            return  # nothing is served, and the holder says why
        if problem is None:
            self._known, self._due = (manifest.name, stamps), self._clock() + self._every
        else:
            self._holder.reject(manifest.name, problem)

    def _run(self) -> None:
        _lower_priority()
        while not self._closing.wait(self._look):
            try:
                self.look()
            except Exception:
                log.exception("fallo inesperado al comprobar el índice")


def _stamps(folder: Path, manifest: Manifest) -> _Stamps:
    found: _Stamps = {}
    for name in manifest.files:
        try:
            status = (folder / name).stat()
        except OSError:
            continue  # its absence is a difference
        found[name] = (status.st_size, status.st_mtime_ns, status.st_ino)
    return found


def _problem(folder: Path, manifest: Manifest) -> str | None:
    try:
        verify(folder, manifest)
    except GenerationError as error:
        return error.message
    return None


def _lower_priority() -> None:
    """Let this thread alone wait for the others; only Linux can tell threads apart."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), LOW_PRIORITY)
