"""Look at the processes of a running service, from outside (Linux)."""

from __future__ import annotations

import os
from pathlib import Path

_PAGE = os.sysconf("SC_PAGE_SIZE")


def worker_of(pid: int) -> int:
    """Return the process that answers: the child of the one that keeps it."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    return int(children[-1])


def resident_bytes(pid: int) -> int:
    """Return the memory that a process has in use, the mapped files that it touched included (RSS)."""
    return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * _PAGE
