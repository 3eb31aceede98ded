"""Limit the calls that one process makes to a model at once: more wait in order, and more than that are refused."""

from __future__ import annotations

import threading
import time
from collections import deque

from siaa.answering.llm.protocol import ModelBusyError, ReaderLeftError


class Slots:
    """So many places for calls, and a queue of so many that wait their turn at most `wait` seconds. Thread-safe."""

    def __init__(self, count: int, *, queue: int = 0, wait: float = 0.0) -> None:
        self._lock = threading.Lock()
        self._free = count
        self._waiting: deque[Place] = deque()
        self._queue = queue
        self._wait = wait

    def enter(self) -> Place:
        """Take a place, or one in the queue (see Place.wait_turn).

        Raises ModelBusyError when the queue is full too.
        """
        place = Place(self, time.monotonic() + self._wait)
        with self._lock:
            if self._free:
                self._free -= 1
                place.granted = True
            elif len(self._waiting) < self._queue:
                self._waiting.append(place)
            else:
                raise ModelBusyError(f"all slots taken and {len(self._waiting)} waiting")
        return place

    def give_back(self, place: Place) -> None:
        """Take a place out of the queue, or give it to the next in it; nothing the second time."""
        with self._lock:
            if place.left:
                return
            place.left = True
            if not place.granted:
                self._waiting.remove(place)
            elif self._waiting:
                following = self._waiting.popleft()
                following.granted = True
                following.turn.set()
            else:
                self._free += 1
        place.turn.set()  # whoever waits for this turn learns that it was given up


class Place:
    """A place, or the promise of one."""

    def __init__(self, slots: Slots, deadline: float) -> None:
        self._slots = slots
        self._deadline = deadline  # of the wait, on the monotonic clock
        self.turn = threading.Event()
        self.granted = False
        self.left = False

    def wait_turn(self) -> None:
        """Wait until the place is free.

        Raises ModelBusyError when that takes too long, ReaderLeftError when the place was left meanwhile.
        """
        if not self.granted and not self.turn.wait(max(0.0, self._deadline - time.monotonic())):
            self.leave()
            raise ModelBusyError("waited for a slot in vain")
        if self.left:
            raise ReaderLeftError("the reader left before its turn")

    def leave(self) -> None:
        """Free the place, whatever its state; any thread, any number of times."""
        self._slots.give_back(self)
