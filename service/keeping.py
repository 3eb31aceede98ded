"""Keep another process of ours running: start it again when it dies, and never leave it behind.

The process below is told to end by the end of its standard input, which comes however this one ends; see `parent_ends`.
"""

from __future__ import annotations

import logging
import os
import subprocess
import threading
import time
from collections.abc import Callable, Collection

log = logging.getLogger(__name__)

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0  # seconds before a dead process is started again, doubled each time
STEADY_SECONDS = 120.0  # a process that lived this long died of something new: the pause begins anew
STOP_SECONDS = 10.0  # that a process is given to end
_LOOK_SECONDS = 0.2

Process = subprocess.Popen[bytes]


def keep(
    start: Callable[[], Process],
    ended: threading.Event,
    *,
    name: str,
    final: Collection[int] = (),
    pause: float = FIRST_PAUSE,
    stop: Callable[[Process], int] = lambda process: stop_process(process),
) -> int:
    """Start a process and start it again whenever it dies, after a pause that grows, until `ended`.

    A process that leaves with a code of `final` has nothing to be started again for: its code is returned. After
    `ended` the code is that of `stop`, which is given the process. `name` is what the log calls it.
    """
    first = pause
    while not ended.is_set():
        begun = time.monotonic()
        process = start()
        log.info("se inicia %s (proceso %d)", name, process.pid)
        while process.poll() is None and not ended.wait(_LOOK_SECONDS):
            pass
        if ended.is_set():
            return stop(process)
        close_input(process)
        if process.returncode in final:
            return process.returncode
        pause = first if time.monotonic() - begun > STEADY_SECONDS else pause
        log.error("terminó %s (código %s): se reinicia en %.1f s", name, process.returncode, pause)
        ended.wait(pause)
        pause = min(2 * pause, LONGEST_PAUSE)
    return 0


def stop_process(process: Process, *, seconds: float = STOP_SECONDS) -> int:
    """Tell a process to end, kill it after `seconds`, and return its code."""
    close_input(process)
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def close_input(process: Process) -> None:
    """Close the standard input of a process, by which it learns that it is to end."""
    if process.stdin is not None:
        process.stdin.close()


def parent_ends(then: Callable[[], None]) -> None:
    """Call `then`, from a thread of its own, when the process above closes our standard input, or dies."""

    def wait() -> None:
        # Not through sys.stdin: a thread that waits inside its buffer makes the interpreter die badly at exit.
        while os.read(0, 1):
            pass
        then()

    threading.Thread(target=wait, name="siaa-padre", daemon=True).start()
