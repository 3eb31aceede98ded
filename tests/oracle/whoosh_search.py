"""Search passages with Whoosh alone: slow, and right by construction. The arrays are held to it, result by result."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import log, log1p

from whoosh.query import Or, Term
from whoosh.reading import IndexReader
from whoosh.scoring import BM25F
from whoosh.searching import Searcher

from siaa.search import bm25f, whoosh_index
from siaa.search.index import WORDS_SHARE
from tests.oracle.field_impacts import SCORED
from tests.oracle.port import Hit

_STEM_FIELDS = (whoosh_index.BODY, whoosh_index.HEADING, whoosh_index.TITLE)
_LEAST_NORM, _LEAST_IDF = 0.05, 0.01


class WhooshSearch:
    """A `PassageSearch` over an open Whoosh index. It reads files as it searches: one per thread."""

    def __init__(self, reader: IndexReader) -> None:
        self._reader = reader
        b_of = {f"{name}_B": weight.b for name, weight in SCORED.items()}
        self._searcher = Searcher(reader, weighting=BM25F(K1=bm25f.K1, **b_of))
        self._lengths: Mapping[str, Sequence[float]] = {
            name: whoosh_index.read_lengths(reader, name).tolist() for name in SCORED
        }

    def top_in_field(
        self, field: str, terms: Sequence[str], count: int, *, within: Sequence[range] | None = None
    ) -> list[Hit]:
        """Rank by one field; see `PassageSearch`."""
        if field not in SCORED:
            raise KeyError(field)
        allowed = None if within is None else {passage for run in within for passage in run}
        if count <= 0 or not terms or allowed == set():  # Whoosh takes an empty filter for none
            return []
        query = Or([Term(field, term) for term in dict.fromkeys(terms)])
        # Adds up the terms one after the other, as the arrays do: scores are equal to the last bit. Whoosh's own choice
        # adds them as a tree. Without `optimize`, because this matcher promises too little when asked for its best.
        query.matcher_type = Or.ARRAY_MATCHER
        found = self._searcher.search(query, limit=count, filter=allowed, optimize=False)
        return [Hit(passage, score) for score, passage in found.top_n]

    def top(
        self, stems: Sequence[str], words: Sequence[str], count: int, *, within: Sequence[range] | None = None
    ) -> list[Hit]:
        """Rank by all fields, posting by posting, by the formulas of `siaa.search.bm25f`; see `PassageSearch`."""
        scores: defaultdict[int, float] = defaultdict(float)
        for stem in dict.fromkeys(stems):
            _add(scores, self._frequencies(stem, _STEM_FIELDS), self._body_idf(stem))
        for word in dict.fromkeys(words):
            _add(scores, self._frequencies(word, (whoosh_index.WORDS,)), WORDS_SHARE * self._word_idf(word))
        allowed = [p for p in scores if within is None or any(p in run for run in within)]
        best = sorted(allowed, key=lambda p: (-scores[p], p))[: max(count, 0)]
        return [Hit(passage, scores[passage]) for passage in best]

    def _frequencies(self, term: str, fields: Iterable[str]) -> dict[int, float]:
        """Return the weighted, length-normalised frequency of a term in every passage that holds it."""
        found: defaultdict[int, float] = defaultdict(float)
        for field in fields:
            weight, lengths = SCORED[field], self._lengths[field]
            average = _mean([length for length in lengths if length])
            for passage, count in self._postings(field, term):
                norm = 1 - weight.b + weight.b * lengths[passage] / average
                found[passage] += weight.weight * count / max(norm, _LEAST_NORM)
        return found

    def _postings(self, field: str, term: str) -> Iterator[tuple[int, float]]:
        if (field, term) not in self._reader:
            return
        matcher = self._reader.postings(field, term)
        while matcher.is_active():
            yield matcher.id(), matcher.weight()
            matcher.next()

    def _holding(self, field: str, term: str) -> int:
        return self._reader.doc_frequency(field, term)

    def _body_idf(self, stem: str) -> float:
        passages = self._reader.doc_count_all()
        return max(log(passages / (self._holding(whoosh_index.BODY, stem) + 1)) + 1, _LEAST_IDF)

    def _word_idf(self, word: str) -> float:
        holding = self._holding(whoosh_index.WORDS, word)
        return max(log1p((self._reader.doc_count_all() - holding + 0.5) / (holding + 0.5)), _LEAST_IDF)


def _add(scores: defaultdict[int, float], frequencies: Mapping[int, float], idf: float) -> None:
    for passage, x in frequencies.items():
        scores[passage] += idf * x * (bm25f.K1 + 1) / (x + bm25f.K1)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 1.0
