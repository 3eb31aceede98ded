"""Lay the postings of several fields over one vocabulary: which passages hold a term in any of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from siaa.search.entries import bounds_of
from siaa.search.whoosh_index import FieldPostings

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Union:
    """Entries of term i are `ptr[i]:ptr[i + 1]`, passages ascending.

    `entries[f][j]` is the entry that posting j of field f falls into: made once, used for every sum over the fields.
    """

    ptr: npt.NDArray[np.int64]
    passages: npt.NDArray[np.int32]
    entries: tuple[npt.NDArray[np.int32], ...]

    @classmethod
    def of(cls, vocabulary: Mapping[str, int], fields: Sequence[FieldPostings]) -> Union:
        """Unite `fields`, all of them over the same passages, over the terms of `vocabulary`."""
        size = max((int(field.lengths.size) for field in fields), default=0) or 1
        keys = np.concatenate([_keys(vocabulary, field, size) for field in fields])
        order = np.argsort(keys, kind="stable")  # of a few sorted runs: a merge
        ordered = keys[order]
        opens = np.concatenate(([True], ordered[1:] != ordered[:-1])) if ordered.size else np.zeros(0, dtype=bool)
        united = ordered[opens]
        del ordered
        entries = np.empty(keys.size, dtype=np.int32)
        del keys
        entries[order] = np.cumsum(opens, dtype=np.int32) - 1
        ends = np.cumsum([field.passages.size for field in fields])[:-1]
        holding = np.bincount(united // size, minlength=len(vocabulary))
        return cls(
            ptr=bounds_of(holding),
            passages=(united % size).astype(np.int32),
            entries=tuple(np.split(entries, ends)),
        )

    def sum(self, values: Sequence[Floats | None]) -> Floats:
        """Return the sum of the fields' values per entry, shape (E,); None where a field counts nothing."""
        total = np.zeros(self.passages.size, dtype=np.float64)
        for entries, value in zip(self.entries, values, strict=True):
            if value is not None:
                total[entries] += value  # a field has at most one posting per entry
        return total.astype(np.float32)


def _keys(vocabulary: Mapping[str, int], field: FieldPostings, size: int) -> npt.NDArray[np.int64]:
    ids = np.array([vocabulary[term] for term in field.terms], dtype=np.int64)
    return np.repeat(ids * size, np.diff(field.ptr)) + field.passages
