"""Say how long a run is: short in `make test`, long in `make soak`."""

from __future__ import annotations

import os
from typing import TypeVar

LONG = os.environ.get("SOAK") == "1"

T = TypeVar("T")


def scaled(*, short: T, long: T) -> T:
    """Return what fits the run."""
    return long if LONG else short
