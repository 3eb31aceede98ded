"""Search passages in the arrays of a generation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from siaa.search import whoosh_index
from siaa.search.arrays import Arrays, Vocabularies
from siaa.search.entries import entries_of
from siaa.search.field_impacts import SCORED, FieldImpacts
from siaa.search.index import WORDS_SHARE, SearchIndex
from siaa.search.port import Hit
from siaa.search.top import Ints, Scores, add_up, best, restrict

_SHARE = np.float32(WORDS_SHARE)


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
        parts = []
        for position in (ids[term] for term in dict.fromkeys(terms) if term in ids):
            entries = entries_of(impacts.ptr, position)
            parts.append((impacts.passages[entries], impacts.impacts[entries]))
        scores = add_up(self.index.passage_count, parts, np.float64)
        return _hits(scores, count, [passages for passages, _ in parts], within)

    def top(
        self, stems: Sequence[str], words: Sequence[str], count: int, *, within: Sequence[range] | None = None
    ) -> list[Hit]:
        """Rank by all fields; see `PassageSearch`."""
        arrays = self.index.arrays
        terms = self.index.terms(tuple(dict.fromkeys(stems)), tuple(dict.fromkeys(words)))
        parts = []
        for stem in terms.stems:
            entries = entries_of(arrays.stem_ptr, stem)
            parts.append((arrays.stem_passages[entries], arrays.stem_impacts[entries]))
        runs = [passages for passages, _ in parts]
        for word in terms.words:
            entries = entries_of(arrays.word_ptr, word)
            parts.append((arrays.word_passages[entries], _SHARE * arrays.word_impacts[entries]))
        return _hits(add_up(self.index.passage_count, parts), count, runs, within)


def _hits(scores: Scores, count: int, runs: Sequence[Ints], within: Sequence[range] | None) -> list[Hit]:
    allowed = restrict(scores, within)
    found = best(allowed, count, runs)
    return [Hit(passage, score) for passage, score in zip(found.tolist(), allowed[found].tolist(), strict=True)]
