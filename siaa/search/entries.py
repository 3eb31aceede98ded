"""Runs of neighbouring entries: those of item i are `ptr[i]:ptr[i + 1]` of an array."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Longs = npt.NDArray[np.int64]


def as_array(values: array[Any]) -> npt.NDArray[Any]:
    """Return growing `values` as an array over their memory; they cannot grow while it is in use."""
    return np.frombuffer(values, dtype=values.typecode) if values else np.zeros(0, dtype=values.typecode)


def bounds_of(sizes: Sequence[int] | npt.NDArray[np.integer[Any]]) -> Longs:
    """Return where each of neighbouring runs begins, and where the last ends: the `ptr` of runs of these sizes."""
    return np.concatenate(([0], np.cumsum(sizes, dtype=np.int64))).astype(np.int64, copy=False)


def entries_of(ptr: Longs, item: int) -> slice:
    """Return the entries of an item."""
    return slice(int(ptr[item]), int(ptr[item + 1]))


def owners_of(ptr: Longs) -> npt.NDArray[np.int32]:
    """Return, for each entry, the item it belongs to."""
    return np.repeat(np.arange(ptr.size - 1, dtype=np.int32), np.diff(ptr))


def starts_of_equal(keys: Longs) -> Longs:
    """Return where each run of equal ones begins in sorted `keys`."""
    return np.flatnonzero(np.concatenate((keys[:1] == keys[:1], keys[1:] != keys[:-1])))
