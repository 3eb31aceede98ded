"""A socket that gives a client only so long to take an answer: a thread waits for it meanwhile."""

from __future__ import annotations

import errno
import socket
import struct
import time
from typing import Any

STALLED_SECONDS = 30.0  # in which a client takes nothing of an answer that waits for it
SLOWEST = 8192  # bytes a second that a client takes at least, beyond STALLED_SECONDS, of a piece that is sent
_PIECE = 64 * 1024  # bytes given to the system at once: what it takes of a larger piece starts its patience anew


class PatientSocket(socket.socket):
    """A connected socket whose `sendall` raises BlockingIOError when its client takes an answer too slowly, or not."""

    @classmethod
    def of(cls, accepted: socket.socket) -> PatientSocket:
        """Take over a socket just accepted."""
        patient = cls(fileno=accepted.detach())
        whole, rest = divmod(STALLED_SECONDS, 1)
        patient.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", int(whole), int(rest * 1e6)))
        return patient

    def sendall(self, data: Any, flags: int = 0, /) -> None:
        """Send all of `data`, which may be a whole page or one event of a stream."""
        left = memoryview(data).cast("B")
        until = time.monotonic() + STALLED_SECONDS + len(left) / SLOWEST
        while left:
            left = left[self.send(left[:_PIECE], flags) :]
            if left and time.monotonic() > until:
                raise BlockingIOError(errno.EAGAIN, "the client reads too slowly")
