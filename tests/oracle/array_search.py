"""Search passages in the arrays of a generation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from siaa.search import whoosh_index
from siaa.search.arrays import Arrays, Vocabularies
from siaa.search.entries import entries_of
from siaa.search.index import SearchIndex
from siaa.search.top import Ints, Scores, add_up, best
from tests.oracle.field_impacts import SCORED, FieldImpacts
from tests.oracle.port import Hit


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
        impacts, names = self._impacts[field], self.index.names
        ids = (names.words if field == whoosh_index.WORDS else names.stems).ids
        runs = [entries_of(impacts.ptr, ids[term]) for term in dict.fromkeys(terms) if term in ids]
        parts = [(impacts.passages[run], impacts.impacts[run]) for run in runs]
        scores = _restrict(add_up(self.index.passage_count, parts, np.float64), within)
        return _hits(scores, best(scores, count, [passages for passages, _ in parts]))

    def top(
        self, stems: Sequence[str], words: Sequence[str], count: int, *, within: Sequence[range] | None = None
    ) -> list[Hit]:
        """Rank by all fields; see `PassageSearch`."""
        terms = self.index.terms(tuple(dict.fromkeys(stems)), tuple(dict.fromkeys(words)))
        scores = _restrict(self.index.passage_scores(terms), within)
        return _hits(scores, self.index.top(scores, count, terms))


def _hits(scores: Scores, found: Ints) -> list[Hit]:
    return [Hit(passage, score) for passage, score in zip(found.tolist(), scores[found].tolist(), strict=True)]


def _restrict(scores: Scores, within: Sequence[range] | None) -> Scores:
    """Return `scores` with 0 outside the runs of passages `within`; as they are when that is None."""
    if within is None:
        return scores
    kept = np.zeros_like(scores)
    for run in within:
        kept[run.start : run.stop] = scores[run.start : run.stop]
    return kept
