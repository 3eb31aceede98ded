"""Choose the passages of one document that answer: a base score inside the document, then a table of signals.

The base of `calibrado` is BM25F over body and heading path with the idf computed inside the document: a word that is
all over this document says nothing about which of its passages is meant. Each signal may add a contribution; the
score is their sum, by construction.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log1p, sqrt

import numpy as np
import numpy.typing as npt

from siaa.evidence import Evidences
from siaa.model import Contribution
from siaa.profile import Profile
from siaa.question import Query
from siaa.records import DocumentRecord
from siaa.search.arrays import IS_LIST
from siaa.search.bm25f import Floats, Ints
from siaa.search.index import SearchIndex

_CANDIDATES = 40  # passages taken from each of two rankings: of the whole index, and inside the document
_SHORTEST_KIN, _MOST_LONGER = 5, 4  # letters of a stem that others may continue, and by how many
_CONTINUED = 6  # best passages whose neighbours are candidates too
_KIN_READ = 200  # stems read after one in the alphabet, looking for those that continue it
PROXIMITY_WINDOW = 150  # characters (contract)


@dataclass(frozen=True, slots=True)
class ScoredPassage:
    """A passage and why: its score is the sum of its contributions, by construction."""

    passage: int
    contributions: tuple[Contribution, ...]

    @property
    def score(self) -> float:
        """Return the sum of the points."""
        return sum(contribution.points for contribution in self.contributions)


class Candidates:
    """The passages of one document that may be chosen for a question, and what the signals ask about them."""

    def __init__(
        self, evidences: Evidences, document: DocumentRecord, *, base: str, text_of: Callable[[int], str]
    ) -> None:
        self.query: Query = evidences.query
        self.index: SearchIndex = evidences.index
        self.text_of = text_of
        self._title = document.title
        self._evidences = evidences
        self._base = base
        self._span = self.index.passages_of(document.position)
        self._stems = self.index.terms(self.query.local_stems, ()).stems

    @cached_property
    def passages(self) -> Ints:
        """Return the candidates, ascending."""
        first, stop = self._span.start, self._span.stop
        best = [
            _best(self._evidences.scores[first:stop], _CANDIDATES),
            _best(self._inside + self._synonyms + self._kindred + self._written, _CANDIDATES),
        ]
        chosen = {int(position) + first for ranking in best for position in ranking} | set(self._asked())
        chosen |= self._beside(_best(self._inside, _CONTINUED) + first)
        return np.array(sorted(chosen | self.literal | self.ends), dtype=np.int32)

    def _beside(self, passages: Ints) -> set[int]:
        """Return the passages just before and after those given, of the same section."""
        before = passages[self._continues[passages - self._span.start]] - 1
        after = passages[np.append(self._continues[1:], False)[passages - self._span.start]] + 1
        return {*before.tolist(), *after.tolist()}

    def _asked(self) -> list[int]:
        """Return the passages of the articles asked for."""
        known = self.index.names.articles.ids
        asked = [known[article] for article in self.query.articles if article in known]
        own = self.index.arrays.passage_article[self._span.start : self._span.stop]
        return [int(p) + self._span.start for p in np.flatnonzero(np.isin(own, asked))] if asked else []

    @cached_property
    def _continues(self) -> npt.NDArray[np.bool_]:
        """Return, per passage of the document, whether it goes on with the section of the one before it."""
        arrays, span = self.index.arrays, slice(self._span.start, self._span.stop)
        headings, articles = arrays.passage_heading[span], arrays.passage_article[span]
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
            return self.index.tfidf_scores(terms)[self._span.start : self._span.stop]
        return self._inside

    @cached_property
    def _inside(self) -> Floats:
        scores = np.zeros(len(self._span), dtype=np.float32)
        for stem in self._stems:
            entries = self.index.stem_in(stem, self._span)
            values = self.index.arrays.stem_local[entries]
            scores[self.index.arrays.stem_passages[entries] - self._span.start] += self._local_idf(values) * values
        return scores

    @cached_property
    def _beside_scores(self) -> Floats:
        """Return, per passage of the document, the better inside score of its neighbours in the same section."""
        before = np.where(self._continues, np.roll(self._inside, 1), 0)
        after = np.where(np.roll(self._continues, -1), np.roll(self._inside, -1), 0)
        return np.maximum(before, after)

    def beside(self, passage: int) -> float:
        """Return the score of the better neighbour of a passage: a long paragraph is cut in two, its answer may be."""
        return float(self._beside_scores[passage - self._span.start])

    @cached_property
    def _synonyms(self) -> Floats:
        return self._weaker(self.query.synonyms)

    def synonyms(self, passage: int) -> float:
        """Return the score of the question's synonyms in a passage."""
        return float(self._synonyms[passage - self._span.start])

    @cached_property
    def _written_for(self) -> list[tuple[str, Floats]]:
        """Return, per everyday expression, the scores of what documents write for it, each stem once."""
        left = {stem for stem in self.query.written if self.index.has_stem(stem)}
        found: list[tuple[str, Floats]] = []
        for expression in self.query.everyday:
            stems = [stem for stem in expression.written if stem in left]
            left.difference_update(stems)
            if stems and (scores := self._weaker(stems)).any():
                found.append((f"«{expression.said}»", scores))
        return found

    @cached_property
    def _written(self) -> Floats:
        return sum((scores for _, scores in self._written_for), start=np.zeros(len(self._span), dtype=np.float32))

    def written(self, passage: int) -> tuple[float, list[str]]:
        """Return the score of what documents write for the question's everyday words, and which words those are."""
        at = passage - self._span.start
        score = float(self._written[at])
        return score, [said for said, scores in self._written_for if scores[at]] if score else []

    @cached_property
    def _kindred(self) -> Floats:
        return self._weaker([stem for stem in self._kin() if stem not in self.query.synonyms])

    def kindred(self, passage: int) -> float:
        """Return the score of longer and shorter forms of the question's stems in a passage."""
        return float(self._kindred[passage - self._span.start])

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

    def _weaker(self, stems: Sequence[str]) -> Floats:
        """Score stems that the question does not hold: the geometric mean of both idfs keeps common ones small."""
        scores = np.zeros(len(self._span), dtype=np.float32)
        for stem in self.index.terms(stems, ()).stems:
            entries = self.index.stem_in(stem, self._span)
            if entries.start == entries.stop:
                continue
            values = self.index.arrays.stem_local[entries]
            weight = sqrt(self._local_idf(values) * float(self.index.arrays.stem_idf[stem]))
            scores[self.index.arrays.stem_passages[entries] - self._span.start] += weight * values
        return scores

    def _local_idf(self, values: Floats) -> float:
        holding = int(np.count_nonzero(values))
        return max(log1p((len(self._span) - holding + 0.5) / (holding + 0.5)), 0.01)

    @cached_property
    def _weight_of(self) -> dict[int, float]:
        """Return the idf of the question's stems over the whole index."""
        return {stem: float(self.index.arrays.stem_idf[stem]) for stem in self._stems}

    @cached_property
    def _proximity(self) -> dict[int, float]:
        """Return, per candidate, the best share of the question's idf within PROXIMITY_WINDOW characters."""
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

    def proximity(self, passage: int) -> float:
        """Return the best idf-weighted share of the question's stems within 150 characters of the passage."""
        return self._proximity.get(passage, 0.0)

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
        stems = self.index.terms(self.query.expansion, ()).stems
        held = set(self.index.arrays.word_stem[self._words(passage)].tolist())
        return len(held.intersection(stems)) / len(self.query.expansion) if self.query.expansion else 0.0

    def _words(self, passage: int) -> Ints:
        arrays = self.index.arrays
        return arrays.forward_words[arrays.forward_ptr[passage] : arrays.forward_ptr[passage + 1]]


Signal = Callable[[Candidates, int, float], Contribution | None]  # candidates, passage, weight


def literal_question(c: Candidates, passage: int, weight: float) -> Contribution | None:
    """Add `weight` when the passage holds the whole question, of at least three words (contract: +15)."""
    return Contribution("pregunta_literal", weight, "contiene la pregunta entera") if passage in c.literal else None


def own_article(c: Candidates, passage: int, weight: float) -> Contribution | None:
    """Add `weight` when the passage belongs to the article asked for."""
    article = c.index.article(passage)
    if article not in c.query.articles:
        return None
    return Contribution("articulo_propio", weight, f"pertenece al artículo pedido ({article})")


def _mention(degree: bool) -> Signal:
    name = "articulo_grado" if degree else "articulo_mencion"

    def signal(c: Candidates, passage: int, weight: float) -> Contribution | None:
        numbers = [a for a in c.query.articles if a[0].isdigit() and a not in (c.index.article(passage),)]
        text = c.text_of(passage)
        for number in numbers:
            mention = re.search(rf"\bart(?:[íi]culo|\.)\s*0*{re.escape(number)}(?!\d)\s?([º°])?", text, re.IGNORECASE)
            if mention and bool(mention[1]) == degree:
                return Contribution(name, weight, f"menciona el artículo {number}{'°' if degree else ''}")
        return None

    return signal


def numbered_list(c: Candidates, passage: int, weight: float) -> Contribution | None:
    """Add `weight` when the passage holds numbered steps (contract: +4)."""
    return Contribution("lista", weight, "contiene una lista") if c.flag(passage, IS_LIST) else None


def proximity(c: Candidates, passage: int, weight: float) -> Contribution | None:
    """Add up to `weight` for the question's stems standing within 150 characters (contract: up to +20)."""
    share = c.proximity(passage)
    if not share:
        return None
    return Contribution("proximidad", weight * share, f"{share:.0%} de la pregunta junta en 150 caracteres")


def heading(c: Candidates, passage: int, weight: float) -> Contribution | None:
    """Add up to `weight` for the share of the passage's own heading that the question holds."""
    share = c.heading_cover(passage)
    return (
        Contribution("encabezado", weight * share, f"la pregunta cubre {share:.0%} de su encabezado") if share else None
    )


def section_start(c: Candidates, passage: int, weight: float) -> Contribution | None:
    """Add `weight` when the passage opens an article or the document."""
    return Contribution("inicio", weight, "abre un artículo o el documento") if c.opens_article(passage) else None


def ends(c: Candidates, passage: int, weight: float) -> Contribution | None:
    """Add `weight` to the first and last passage when only the document is asked about: who signed it, when."""
    return Contribution("extremos", weight, "abre o cierra el documento nombrado") if passage in c.ends else None


def synonyms(c: Candidates, passage: int, weight: float) -> Contribution | None:
    """Add `weight` times the score of the question's synonyms inside the document."""
    score = c.synonyms(passage)
    return Contribution("sinonimos", weight * score, "contiene sinónimos de la pregunta") if score else None


def everyday(c: Candidates, passage: int, weight: float) -> Contribution | None:
    """Add `weight` times the score of what documents write for the everyday words of the question."""
    score, said = c.written(passage)
    if not score:
        return None
    return Contribution("cotidianas", weight * score, f"contiene lo que los documentos escriben por {', '.join(said)}")


def kindred(c: Candidates, passage: int, weight: float) -> Contribution | None:
    """Add `weight` times the score of longer and shorter forms of the question's words: igualdad for iguales."""
    score = c.kindred(passage)
    return Contribution("parientes", weight * score, "contiene palabras de la misma familia") if score else None


def neighbour(c: Candidates, passage: int, weight: float) -> Contribution | None:
    """Add `weight` times the score of the passage before or after it in the same section."""
    score = c.beside(passage)
    return Contribution("vecino", weight * score, "continúa un pasaje que responde") if score else None


def expansion(c: Candidates, passage: int, weight: float) -> Contribution | None:
    """Add up to `weight` for words that the kind of question adds (contract, query expansion)."""
    share = c.expansion_share(passage)
    return Contribution("expansion", weight * share, "contiene palabras de esa clase de pregunta") if share else None


SIGNALS: dict[str, Signal] = {
    "pregunta_literal": literal_question,
    "articulo_propio": own_article,
    "articulo_grado": _mention(degree=True),
    "articulo_mencion": _mention(degree=False),
    "lista": numbered_list,
    "proximidad": proximity,
    "encabezado": heading,
    "inicio": section_start,
    "extremos": ends,
    "sinonimos": synonyms,
    "cotidianas": everyday,
    "parientes": kindred,
    "vecino": neighbour,
    "expansion": expansion,
}


def rank_passages(candidates: Candidates, profile: Profile) -> list[ScoredPassage]:
    """Return the candidates with a score, best first, ties in document order."""
    active = [(SIGNALS[name], weight) for name, weight in profile.selection.items() if weight]
    first = candidates._span.start
    scored = []
    for passage in candidates.passages.tolist():
        base = float(candidates.base[passage - first])
        contributions = [Contribution("base", base, "términos de la pregunta en el pasaje")] if base else []
        contributions += [c for signal, weight in active if (c := signal(candidates, passage, weight))]
        scored.append(ScoredPassage(passage, tuple(contributions)))
    return sorted((s for s in scored if s.score > 0), key=lambda s: (-s.score, s.passage))


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
