"""Say how sure a change is: the paired bootstrap over questions.

Both systems answered the same questions, so the differences by question are resampled, not the two figures (Koehn,
"Statistical significance tests for machine translation evaluation", 2004).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RESAMPLES, SEED = 1000, 7
_LOW, _HIGH = 2.5, 97.5  # percentiles of a 95 % interval
_BLOCK = 250  # resamples drawn at a time, to bound the memory


@dataclass(frozen=True, slots=True)
class Change:
    """A mean difference with its 95 % interval, all as shares (0.01 is one point)."""

    mean: float
    low: float
    high: float

    @property
    def clear(self) -> bool:
        """Tell whether the interval leaves zero out."""
        return self.low > 0 or self.high < 0


def paired_change(before: Sequence[float], after: Sequence[float]) -> Change:
    """Return the mean of `after` minus `before`, both by question in the same order, shape (questions,)."""
    return macro_change([(before, after)])


def macro_change(sets: Sequence[tuple[Sequence[float], Sequence[float]]]) -> Change:
    """Return the mean over sets of the mean change in each; every set's questions are resampled apart.

    Raises ValueError when there is no set, or an empty one, or the lengths of a pair differ.
    """
    if not sets:
        raise ValueError("no set to compare")
    generator = np.random.default_rng(SEED)
    differences = [_differences(before, after) for before, after in sets]
    means = np.mean([_resampled(found, generator) for found in differences], axis=0)
    low, high = np.percentile(means, (_LOW, _HIGH))
    return Change(float(np.mean([found.mean() for found in differences])), float(low), float(high))


def _differences(before: Sequence[float], after: Sequence[float]) -> NDArray[np.float64]:
    if not len(before) or len(before) != len(after):
        raise ValueError(f"{len(before)} questions before and {len(after)} after")
    return np.asarray(after, dtype=np.float64) - np.asarray(before, dtype=np.float64)


def _resampled(differences: NDArray[np.float64], generator: np.random.Generator) -> NDArray[np.float64]:
    """Return the mean of each resample, shape (RESAMPLES,)."""
    blocks = [
        differences[generator.integers(0, differences.size, size=(_BLOCK, differences.size))].mean(axis=1)
        for _ in range(RESAMPLES // _BLOCK)
    ]
    return np.concatenate(blocks)
