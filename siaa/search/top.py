"""Take the best of a dense array of scores without looking at all of them twice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Scores = npt.NDArray[np.floating[Any]]
Ints = npt.NDArray[np.int32]

_FEW = 4  # times the count: so many candidates are sorted without another cut


def best(scores: Scores, count: int, runs: Sequence[Ints] = ()) -> Ints:
    """Return the positions of the `count` best scores above 0, best first, ties by position.

    `runs` are the positions that each term contributed to. The count-th best score within the shortest run of at least
    `count` is a floor for the count-th best of all: what lies below it is never sorted.
    """
    if count <= 0:
        return np.zeros(0, dtype=np.int32)
    floor = _floor(scores, count, runs)
    found = np.flatnonzero(scores >= floor if floor > 0 else scores > 0)
    values = scores[found]
    if found.size > _FEW * count:
        kept = values >= np.partition(values, found.size - count)[found.size - count]
        found, values = found[kept], values[kept]
    return found[np.lexsort((found, -values))][:count].astype(np.int32)


def _floor(scores: Scores, count: int, runs: Sequence[Ints]) -> float:
    long_enough = [run for run in runs if run.size >= count]
    if not long_enough:
        return 0.0
    values = scores[min(long_enough, key=len)]
    return float(np.partition(values, values.size - count)[values.size - count])


def restrict(scores: Scores, within: Sequence[range] | None) -> Scores:
    """Return `scores` with 0 outside the runs of passages `within`; as they are when that is None."""
    if within is None:
        return scores
    kept = np.zeros_like(scores)
    for run in within:
        kept[run.start : run.stop] = scores[run.start : run.stop]
    return kept
