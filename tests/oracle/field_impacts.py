"""What each term adds to each passage by Whoosh's own BM25F over a single field, in the order and precision of Whoosh.

The same operations on the same numbers of 64 bits give the same ranking, ties included. The service ranks by all fields
together (`siaa.search.bm25f`); these are beside its arrays in tests and measurements only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from math import log
from pathlib import Path

import numpy as np
import numpy.typing as npt

from siaa.search import bm25f, whoosh_index
from siaa.search.arrays import Vocabularies
from siaa.search.bm25f import FieldWeight
from siaa.search.entries import bounds_of
from siaa.search.whoosh_index import FieldPostings

SCORED: Mapping[str, FieldWeight] = {
    whoosh_index.BODY: bm25f.BODY_WEIGHT,
    whoosh_index.HEADING: bm25f.HEADING_WEIGHT,
    whoosh_index.TITLE: bm25f.TITLE_WEIGHT,
    whoosh_index.WORDS: bm25f.WORDS_WEIGHT,
}


def write_field_impacts(folder: Path, postings: Mapping[str, FieldPostings]) -> None:
    """Write the impacts of each scored field beside the arrays in `folder`."""
    names = Vocabularies.open(folder)
    for field, weight in SCORED.items():
        ids = (names.words if field == whoosh_index.WORDS else names.stems).ids
        FieldImpacts.of(postings[field], ids, b=weight.b, k1=bm25f.K1).save(folder, field)


@dataclass(frozen=True, slots=True)
class FieldImpacts:
    """Entries of term i of the field's vocabulary are `ptr[i]:ptr[i + 1]`, passages ascending."""

    ptr: npt.NDArray[np.int64]
    passages: npt.NDArray[np.int32]
    impacts: npt.NDArray[np.float64]

    @classmethod
    def of(cls, postings: FieldPostings, vocabulary: Mapping[str, int], *, b: float, k1: float) -> FieldImpacts:
        """Compute the impacts of one field, its terms laid over `vocabulary`, whose order they share."""
        holding = np.diff(postings.ptr)
        passages = int(postings.lengths.size)
        idf = np.array([log(passages / (int(df) + 1)) + 1 for df in holding], dtype=np.float64)
        norms = k1 * ((1 - b) + b * postings.lengths.astype(np.float64) / (postings.average or 1))
        # idf * ((tf * (k1 + 1)) / (tf + norm)), in place: there are millions of them
        impacts = postings.counts.astype(np.float64)
        divisors = norms[postings.passages]
        divisors += impacts
        impacts *= k1 + 1
        impacts /= divisors
        impacts *= np.repeat(idf, holding)
        sizes = np.zeros(len(vocabulary), dtype=np.int64)
        sizes[[vocabulary[term] for term in postings.terms]] = holding
        return cls(ptr=bounds_of(sizes), passages=postings.passages, impacts=impacts)

    def save(self, folder: Path, name: str) -> None:
        """Write one `.npy` per array."""
        for item in fields(self):
            np.save(folder / f"field_{name}_{item.name}.npy", getattr(self, item.name), allow_pickle=False)

    @classmethod
    def open(cls, folder: Path, name: str) -> FieldImpacts:
        """Map the arrays of field `name` read-only."""
        paths = [folder / f"field_{name}_{item.name}.npy" for item in fields(cls)]
        return cls(*(np.asarray(np.load(path, mmap_mode="r", allow_pickle=False)) for path in paths))
