"""Take the best of a dense array of scores without looking at all of them twice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Scores = npt.NDArray[np.floating[Any]]
Ints = npt.NDArray[np.int32]

_RUNS = 2  # runs that are tried for a floor; a run hardly longer than the count gives a low one
_FEW = 4  # times the count: so many candidates are sorted without another cut


def add_up(size: int, parts: Iterable[tuple[Ints, Scores]], dtype: type[np.floating[Any]] = np.float32) -> Scores:
    """Return the sum of sparse parts, each of ascending positions and their values, as a dense array of `size`.

    In the order given: the same parts give the same sum to the last bit.
    """
    scores = np.zeros(size, dtype=dtype)
    for positions, values in parts:
        np.add.at(scores, positions, values)  # twice as fast as `scores[positions] +=`
    return scores


def best(scores: Scores, count: int, runs: Sequence[Ints] = ()) -> Ints:
    """Return the positions of the `count` best scores above 0, best first, ties by position.

    `runs` are the positions that each term contributed to. The count-th best score within any of them is a floor for
    the count-th best of all, and short runs belong to rare terms, whose scores are high: what lies below the floor is
    never sorted.
    """
    if count <= 0:
        return np.zeros(0, dtype=np.int32)
    floor = _floor(scores, count, runs)
    found = np.flatnonzero(scores >= floor if floor > 0 else scores > 0)
    values = scores[found]
    if found.size > _FEW * count:
        kept = values >= _nth_best(values, count)
        found, values = found[kept], values[kept]
    return found[np.lexsort((found, -values))][:count].astype(np.int32)


def _floor(scores: Scores, count: int, runs: Sequence[Ints]) -> float:
    shortest = sorted((run for run in runs if run.size >= count), key=len)[:_RUNS]
    return max((_nth_best(scores[run], count) for run in shortest), default=0.0)


def _nth_best(values: Scores, count: int) -> float:
    return float(np.partition(values, values.size - count)[values.size - count])
