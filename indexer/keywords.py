"""Choose each document's keywords: words and noun phrases that are frequent in it and rare elsewhere."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from indexer.linguistics import SampleWords, may_be_keyword
from siaa.analysis import Analyzer
from siaa.records import Keyword
from siaa.search.bm25f import Ints
from siaa.search.entries import owners_of, starts_of_equal
from siaa.search.whoosh_index import FieldPostings

KEYWORDS = 20  # automatic keywords of a document, at most (contract)

_MIN_PHRASE_COUNT = 2

Scored = tuple[float, str]  # a score, negative so that the best comes first, and a term


@dataclass(frozen=True, slots=True)
class _Counts:
    """How often each term stands in each document: entries of one document are neighbours."""

    document: Ints
    term: Ints
    count: Ints


def find_keywords(
    samples: Sequence[SampleWords], words: FieldPostings, owners: Ints, analyzer: Analyzer
) -> list[tuple[Keyword, ...]]:
    """Return the automatic keywords of each document, best first.

    `words` are the postings of the surface words and `owners` the document of each passage. A keyword's weight is
    (1 + ln tf) * ln((N + 1) / (df + 0.5)), relative to the best of its document.
    """
    content, surfaces = _content_words(samples), _surfaces(samples)
    ranked = zip(_ranked_words(words, owners, len(samples), content), _ranked_phrases(samples), strict=True)
    return [_best(heapq.merge(singles, phrases), surfaces, analyzer) for singles, phrases in ranked]


def _content_words(samples: Iterable[SampleWords]) -> frozenset[str]:
    balance: Counter[str] = Counter()
    for sample in samples:
        balance.update(sample.content)
    return frozenset(word for word, surplus in balance.items() if surplus > 0)


def _surfaces(samples: Iterable[SampleWords]) -> Mapping[str, str]:
    """Return how each term is written most often; of equally frequent forms, the first."""
    written: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for sample in samples:
        for term, form, count in sample.written:
            written[term][form] += count
    return {term: forms.most_common(1)[0][0] for term, forms in written.items()}


def _ranked_words(
    words: FieldPostings, owners: Ints, documents: int, content: frozenset[str]
) -> Iterator[Iterator[Scored]]:
    """Yield the scored content words of each document, best first."""
    counts = _count(
        words, owners, np.array([term in content and may_be_keyword(term) for term in words.terms], dtype=bool)
    )
    scores = _scores(counts.count, np.bincount(counts.term, minlength=len(words.terms))[counts.term], documents)
    order = np.lexsort((counts.term, -scores, counts.document))
    bounds = np.searchsorted(counts.document[order], np.arange(documents + 1)).tolist()
    for first, last in pairwise(bounds):
        run = order[first:last]
        yield ((-float(scores[entry]), words.terms[counts.term[entry]]) for entry in run)


def _count(words: FieldPostings, owners: Ints, eligible: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> _Counts:
    term = owners_of(words.ptr)
    wanted = eligible[term]
    term, document = term[wanted], owners[words.passages[wanted]]
    keys = document.astype(np.int64) * len(words.terms) + term
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    opens = starts_of_equal(keys)
    counts = words.counts[wanted][order].astype(np.int32)
    return _Counts(
        document=document[order][opens],
        term=term[order][opens],
        count=np.add.reduceat(counts, opens) if keys.size else counts,
    )


def _ranked_phrases(samples: Sequence[SampleWords]) -> Iterator[list[Scored]]:
    """Yield the scored noun phrases of each document, best first."""
    frequent = [{p: n for p, n in sample.phrases.items() if n >= _MIN_PHRASE_COUNT} for sample in samples]
    holders = Counter(phrase for found in frequent for phrase in found)
    for found in frequent:
        counts = np.array(list(found.values()), dtype=np.int32)
        scores = _scores(counts, np.array([holders[phrase] for phrase in found], dtype=np.int64), len(samples))
        yield sorted(zip((-scores).tolist(), found, strict=True))


def _scores(
    counts: Ints, holding: np.ndarray[tuple[int], np.dtype[np.int64]], documents: int
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    # Rounded, so that which of two equal terms comes first is decided by the alphabet.
    return np.round((1 + np.log(counts)) * np.log((documents + 1) / (holding + 0.5)), 9)


def _best(ranked: Iterable[Scored], surfaces: Mapping[str, str], analyzer: Analyzer) -> tuple[Keyword, ...]:
    one_each: dict[tuple[str, ...], Scored] = {}  # of the forms of one word, the best
    for scored in ranked:
        stems = (analyzer.stem(word) for word in scored[1].split(" ") if word not in analyzer.tables.stop_words)
        one_each.setdefault(tuple(stems), scored)
        if len(one_each) == KEYWORDS:
            break
    best = list(one_each.values())
    return tuple(Keyword(surfaces.get(term, term), round(score / best[0][0], 4), "auto") for score, term in best)
