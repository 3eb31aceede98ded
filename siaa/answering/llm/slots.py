"""Limit the calls that one process makes to a model at once: more wait in order, and more than that are refused."""

from __future__ import annotations

import threading
import time
from collections import deque

from siaa.answering.llm.protocol import ModelBusyError, ReaderLeftError


class Slots:
    """So many slots for calls, and a queue of so many that wait their turn at most `wait` seconds. Thread-safe."""

    def __init__(self, count: int, *, queue: int = 0, wait: float = 0.0) -> None:
        self._lock = threading.Lock()
        self._free = count
        self._waiting: deque[Slot] = deque()
        self._queue = queue
        self._wait = wait

    def enter(self) -> Slot:
        """Take a slot, or one in the queue (see Slot.wait_turn).

        Raises ModelBusyError when the queue is full too.
        """
        slot = Slot(self, time.monotonic() + self._wait)
        with self._lock:
            if self._free:
                self._free -= 1
                slot.granted = True
            elif len(self._waiting) < self._queue:
                self._waiting.append(slot)
            else:
                raise ModelBusyError(f"all slots taken and {len(self._waiting)} waiting")
        return slot

    def give_back(self, slot: Slot) -> None:
        """Take a slot out of the queue, or give it to the next in it; nothing the second time."""
        with self._lock:
            if slot.left:
                return
            slot.left = True
            if not slot.granted:
                self._waiting.remove(slot)
            elif self._waiting:
                following = self._waiting.popleft()
                following.granted = True
                following.turn.set()
            else:
                self._free += 1
        slot.turn.set()  # whoever waits for this turn learns that it was given up


class Slot:
    """A slot, or the promise of one."""

    def __init__(self, slots: Slots, deadline: float) -> None:
        self._slots = slots
        self._deadline = deadline  # of the wait, on the monotonic clock
        self.turn = threading.Event()
        self.granted = False
        self.left = False

    def wait_turn(self) -> None:
        """Wait until the slot is free.

        Raises ModelBusyError when that takes too long, ReaderLeftError when the slot was left meanwhile.
        """
        if not self.granted and not self.turn.wait(max(0.0, self._deadline - time.monotonic())):
            self.leave()
            raise ModelBusyError("waited for a slot in vain")
        if self.left:
            raise ReaderLeftError("the reader left before its turn")

    def leave(self) -> None:
        """Free the slot, whatever its state; any thread, any number of times."""
        self._slots.give_back(self)
