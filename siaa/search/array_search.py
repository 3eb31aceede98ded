"""Search passages in the arrays of a generation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from siaa.search import whoosh_index
from siaa.search.arrays import Arrays, Vocabularies
from siaa.search.field_impacts import SCORED, FieldImpacts
from siaa.search.index import SearchIndex
from siaa.search.port import Hit
from siaa.search.top import Ints, Scores, best, restrict


class ArraySearch:
    """A `PassageSearch` over memory-mapped arrays. Read-only, hence shared by all threads."""

    def __init__(self, index: SearchIndex, impacts: Mapping[str, FieldImpacts]) -> None:
        self.index = index
        self._impacts = impacts

    @classmethod
    def open(cls, folder: Path) -> ArraySearch:
        """Map what a build wrote into the arrays' `folder`."""
        index = SearchIndex(Arrays.open(folder), Vocabularies.open(folder))
        return cls(index, {name: FieldImpacts.open(folder, name) for name in SCORED})

    def top_in_field(
        self, field: str, terms: Sequence[str], count: int, *, within: Sequence[range] | None = None
    ) -> list[Hit]:
        """Rank by one field; see `PassageSearch`."""
        impacts = self._impacts[field]
        names = self.index.names
        ids = (names.words if field == whoosh_index.WORDS else names.stems).ids
        scores = np.zeros(self.index.passage_count, dtype=np.float64)
        runs: list[Ints] = []
        for term in dict.fromkeys(terms):
            position = ids.get(term)
            if position is not None:
                first, last = impacts.ptr[position : position + 2].tolist()
                run = impacts.passages[first:last]
                np.add.at(scores, run, impacts.impacts[first:last])  # twice as fast as `scores[run] +=`
                runs.append(run)
        return _hits(scores, count, runs, within)

    def top(
        self, stems: Sequence[str], words: Sequence[str], count: int, *, within: Sequence[range] | None = None
    ) -> list[Hit]:
        """Rank by all fields; see `PassageSearch`."""
        arrays = self.index.arrays
        terms = self.index.terms(tuple(dict.fromkeys(stems)), tuple(dict.fromkeys(words)))
        runs = [arrays.stem_passages[arrays.stem_ptr[stem] : arrays.stem_ptr[stem + 1]] for stem in terms.stems]
        return _hits(self.index.passage_scores(terms), count, runs, within)


def _hits(scores: Scores, count: int, runs: Sequence[Ints], within: Sequence[range] | None) -> list[Hit]:
    allowed = restrict(scores, within)
    found = best(allowed, count, runs)
    return [Hit(passage, score) for passage, score in zip(found.tolist(), allowed[found].tolist(), strict=True)]
