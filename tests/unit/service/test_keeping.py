"""Processes that are kept: started again when they die, ended with their keeper, not kept beyond their own end."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from itertools import pairwise

from service.keeping import keep, stop_process

DIES = "raise SystemExit(3)"
WAITS = "input()"
DEAF = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"


def python(code: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)


def starter(
    code: str, *, until: int, ended: threading.Event, started: list[float]
) -> Callable[[], subprocess.Popen[bytes]]:
    """Return what starts `code`, notes when, and calls for the end at the start number `until`."""

    def start() -> subprocess.Popen[bytes]:
        started.append(time.monotonic())
        if len(started) == until:
            ended.set()
        return python(code)

    return start


def test_one_that_dies_is_started_again_after_a_growing_pause() -> None:
    ended, started = threading.Event(), list[float]()
    keep(starter(DIES, until=4, ended=ended, started=started), ended, name="algo", pause=0.1)
    assert len(started) == 4
    pauses = [after - before for before, after in pairwise(started)]
    assert pauses[0] >= 0.1
    assert pauses[1] >= 0.2
    assert pauses[2] >= 0.4


def test_one_that_ended_for_good_is_not_started_again() -> None:
    ended, started = threading.Event(), list[float]()
    start = starter(DIES, until=9, ended=ended, started=started)
    assert keep(start, ended, name="algo", final=(0, 3), pause=0.1) == 3
    assert len(started) == 1


def test_it_ends_with_its_keeper() -> None:
    ended, kept = threading.Event(), list[subprocess.Popen[bytes]]()

    def start() -> subprocess.Popen[bytes]:
        kept.append(python(WAITS))
        ended.set()
        return kept[-1]

    code = keep(start, ended, name="algo")
    assert code == kept[0].returncode == 1  # `input()` met the end of its input


def test_one_that_does_not_listen_is_killed() -> None:
    process = python(DEAF)
    assert stop_process(process, seconds=0.5) != 0
    assert process.poll() is not None
