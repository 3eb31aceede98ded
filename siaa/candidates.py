"""The passages of one document that may answer, and what can be measured of each against the question."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import cached_property
from math import log1p, sqrt

import numpy as np
import numpy.typing as npt

from siaa.evidence import Evidences
from siaa.records import DocumentRecord
from siaa.search.bm25f import Floats, Ints

_CANDIDATES = 40  # passages taken from each of two rankings: of the whole index, and inside the document
_SHORTEST_KIN, _MOST_LONGER = 5, 4  # letters of a stem that others may continue, and by how many
_CONTINUED = 6  # best passages whose neighbours are candidates too
_KIN_READ = 200  # stems read after one in the alphabet, looking for those that continue it
PROXIMITY_WINDOW = 150  # characters (contract)


class Candidates:
    """The passages of one document that may be chosen for a question, and what the signals ask about them."""

    def __init__(self, evidences: Evidences, document: DocumentRecord, *, base: str) -> None:
        self.query = evidences.query
        self.index = evidences.index
        self.generation = evidences.generation
        self._title = document.title
        self._evidences = evidences
        self._base = base
        self._span = document.passages
        self._own = slice(self._span.start, self._span.stop)
        self._stems = self.index.terms(self.query.local_stems, ()).stems

    @cached_property
    def passages(self) -> Ints:
        """Return the candidates, ascending."""
        first = self._span.start
        best = [
            _best(self._evidences.scores[self._own], _CANDIDATES),
            _best(self._inside + self.synonyms + self.kindred, _CANDIDATES),
        ]
        chosen = {position + first for ranking in best for position in ranking.tolist()} | self._asked()
        chosen |= self._neighbours(_best(self._inside, _CONTINUED) + first)
        return np.array(sorted(chosen | self.literal | self.ends), dtype=np.int32)

    def _neighbours(self, passages: Ints) -> set[int]:
        """Return the passages just before and after those given, of the same section."""
        before = passages[self._continues[passages - self._span.start]] - 1
        after = passages[np.append(self._continues[1:], False)[passages - self._span.start]] + 1
        return {*before.tolist(), *after.tolist()}

    def _asked(self) -> set[int]:
        """Return the passages of the articles asked for."""
        known = self.index.names.articles.ids
        asked = [known[article] for article in self.query.articles if article in known]
        found = np.flatnonzero(np.isin(self.index.arrays.passage_article[self._own], asked))
        return {position + self._span.start for position in found.tolist()}

    @cached_property
    def _continues(self) -> npt.NDArray[np.bool_]:
        """Return, per passage of the document, whether it goes on with the section of the one before it."""
        arrays = self.index.arrays
        headings, articles = arrays.passage_heading[self._own], arrays.passage_article[self._own]
        same = (headings[1:] == headings[:-1]) & (articles[1:] == articles[:-1])
        return np.concatenate(([False], same))[: len(self._span)]

    @cached_property
    def ends(self) -> frozenset[int]:
        """Return the first and last passage when the question names a norm and little else: who signs it, when."""
        asks_little = bool(self.query.norms) and not self.query.articles and len(self.query.local_stems) <= 1
        return frozenset((self._span.start, self._span.stop - 1)) if asks_little and self._span else frozenset()

    @cached_property
    def literal(self) -> frozenset[int]:
        """Return the passages of the document that hold the whole question."""
        return frozenset(p for p in self._evidences.literal if p in self._span)

    @cached_property
    def base(self) -> Floats:
        """Return the base score of each passage of the document, shape (passages of the document,)."""
        if self._base == "tfidf":
            terms = self.index.terms(self.query.local_stems, ())
            return self.index.tfidf_scores(terms)[self._own]
        return self._inside

    def at(self, scores: Floats, passage: int) -> float:
        """Return what `scores`, one of those per passage of the document, say of one."""
        return float(scores[passage - self._span.start])

    @cached_property
    def _inside(self) -> Floats:
        return self._added_up(self._stems, damped=False)

    def _added_up(self, stems: Sequence[int], *, damped: bool) -> Floats:
        """Score the passages of the document by `stems`.

        Those that the question does not hold are `damped`: the geometric mean of both idfs keeps common ones small.
        """
        arrays = self.index.arrays
        scores = np.zeros(len(self._span), dtype=np.float32)
        for stem in stems:
            entries = self.index.stem_in(stem, self._span)
            values = arrays.stem_local[entries]
            holding = int(np.count_nonzero(values))
            weight = max(log1p((len(self._span) - holding + 0.5) / (holding + 0.5)), 0.01)
            if damped:
                weight = sqrt(weight * float(arrays.stem_idf[stem]))
            scores[arrays.stem_passages[entries] - self._span.start] += weight * values
        return scores

    @cached_property
    def beside(self) -> Floats:
        """Return, per passage of the document, the better inside score of its neighbours in the same section.

        A long paragraph is cut in two, and so may its answer be.
        """
        before = np.where(self._continues, np.roll(self._inside, 1), 0)
        after = np.where(np.roll(self._continues, -1), np.roll(self._inside, -1), 0)
        return np.maximum(before, after)

    @cached_property
    def synonyms(self) -> Floats:
        """Return, per passage of the document, the score of the question's synonyms."""
        return self._added_up(self.index.terms(self.query.synonyms, ()).stems, damped=True)

    @cached_property
    def kindred(self) -> Floats:
        """Return, per passage of the document, the score of longer and shorter forms of the question's stems."""
        kin = [stem for stem in self._kin() if stem not in self.query.synonyms]
        return self._added_up(self.index.terms(kin, ()).stems, damped=True)

    def _kin(self) -> list[str]:
        """Return stems of the index that begin as one of the question's, or that one of them begins as."""
        known = self.index.names.stems
        asked = set(self.query.local_stems)
        found: dict[str, None] = {}
        for stem in self.query.local_stems:
            if len(stem) < _SHORTEST_KIN or not stem.isalpha():
                continue
            first = bisect_right(known.terms, stem)
            longer = (term for term in known.terms[first : first + _KIN_READ] if term.startswith(stem))
            found |= dict.fromkeys(term for term in longer if len(term) - len(stem) <= _MOST_LONGER)
            shorter = (stem[:size] for size in range(max(_SHORTEST_KIN, len(stem) - _MOST_LONGER), len(stem)))
            found |= dict.fromkeys(term for term in shorter if term in known.ids)
        return [term for term in found if term not in asked]

    @cached_property
    def _weight_of(self) -> dict[int, float]:
        """Return the idf of the question's stems over the whole index."""
        return {stem: float(self.index.arrays.stem_idf[stem]) for stem in self._stems}

    @cached_property
    def proximity(self) -> Mapping[int, float]:
        """Return, per candidate that has any, the best share of the question's idf in PROXIMITY_WINDOW characters."""
        total = sum(self._weight_of.values())
        if not total:
            return {}
        weights = np.zeros(self.index.arrays.stem_idf.size + 1, dtype=np.float32)  # the last for stop words
        weights[list(self._weight_of)] = list(self._weight_of.values())
        owners, offsets, stems = self.index.occurrences(self.passages, weights)
        best: dict[int, float] = {}
        bounds = np.searchsorted(owners, np.arange(self.passages.size + 1))
        for position, passage in enumerate(self.passages.tolist()):
            span = slice(int(bounds[position]), int(bounds[position + 1]))
            if span.stop > span.start:
                best[passage] = _densest(offsets[span].tolist(), stems[span].tolist(), self._weight_of) / total
        return best

    def heading_cover(self, passage: int) -> float:
        """Return the share of the heading's idf that the question holds; 0 for the title, which names the document."""
        if self.index.heading(passage) == self._title:
            return 0.0
        stems = self.index.heading_stems(passage)
        held = sum(self._weight_of.get(stem, 0.0) for stem in stems.tolist())
        return held / float(self.index.arrays.stem_idf[stems].sum()) if held else 0.0

    def flag(self, passage: int, bit: int) -> bool:
        """Tell whether a passage has a flag of `siaa.search.arrays`."""
        return bool(int(self.index.arrays.passage_flags[passage]) & bit)

    def opens_article(self, passage: int) -> bool:
        """Tell whether the passage begins the document or another article than the one before it."""
        articles = self.index.arrays.passage_article
        return passage == self._span.start or bool(articles[passage] != articles[passage - 1])

    def expansion_share(self, passage: int) -> float:
        """Return the share of the expansion's stems that the passage holds."""
        if not self.query.expansion:
            return 0.0
        stems = self.index.terms(self.query.expansion, ()).stems
        held = set(self.index.arrays.word_stem[self.index.words_of(passage)].tolist())
        return len(held.intersection(stems)) / len(self.query.expansion)


def _best(scores: Floats, count: int) -> Ints:
    """Return the positions of the `count` best scores above 0."""
    few = scores.size <= count
    positions = np.arange(scores.size) if few else np.argpartition(-scores, count - 1)[:count]
    return positions[scores[positions] > 0].astype(np.int32)


def _densest(offsets: Sequence[int], stems: Sequence[int], weights: Mapping[int, float]) -> float:
    """Return the largest weight of distinct stems within PROXIMITY_WINDOW characters."""
    counts: dict[int, int] = {}
    total = best = 0.0
    first = 0
    for offset, stem in zip(offsets, stems, strict=True):
        if not counts.get(stem):
            total += weights[stem]
        counts[stem] = counts.get(stem, 0) + 1
        while offset - offsets[first] > PROXIMITY_WINDOW:
            counts[stems[first]] -= 1
            if not counts[stems[first]]:
                total -= weights[stems[first]]
            first += 1
        best = max(best, total)
    return best
