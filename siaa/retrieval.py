"""From a question to the fragments of the documents that may answer: ask, route, select, gather.

Each step is a prefix of the next, and the diagnostics and the chat call the same functions: what a diagnostic shows
is what the model receives.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from siaa import fragments, question, routing, selection
from siaa.config import CHUNK_SIZE
from siaa.errors import ConfigError, UnknownCollectionError, UnknownTermError
from siaa.evidence import Evidences
from siaa.generation import Generation
from siaa.model import Contribution, Fragment
from siaa.naming import NameIndex
from siaa.profile import Profile
from siaa.question import Query
from siaa.records import DocumentRecord
from siaa.routing import Routed
from siaa.selection import ScoredPassage

_EVERYDAY = "cotidianas"  # the level and the signal that count it
_LISTING_MINIMUM = 2  # passages of a listing question, at least (contract)
_DENSITY_ROWS = 10
_BELOW = 3  # passages just below the line that an explanation shows
_TRACE_ROWS = 10  # documents shown per term


@dataclass(frozen=True, slots=True)
class ScoredChunk:
    """A passage with its place in the document and why it scores as it does."""

    ordinal: int
    start: int
    end: int
    heading: str
    article: str
    contributions: tuple[Contribution, ...]

    @property
    def score(self) -> float:
        """Return the sum of the points."""
        return sum(contribution.points for contribution in self.contributions)


@dataclass(frozen=True, slots=True)
class Selected:
    """What one document gives to a question: the fragment, the passages in it and those just below the line."""

    query: Query
    document: DocumentRecord
    fragment: Fragment
    chosen: tuple[ScoredChunk, ...]
    below: tuple[ScoredChunk, ...]


@dataclass(frozen=True, slots=True)
class Gathered:
    """The routed documents and what each gives, in the order of routing."""

    routed: Routed
    selections: tuple[Selected, ...]

    @property
    def fragments(self) -> tuple[Fragment, ...]:
        """Return what the model receives."""
        return tuple(selected.fragment for selected in self.selections)


@dataclass(frozen=True, slots=True)
class DensityRow:
    """A document and the share of its terms that one term is."""

    document: DocumentRecord
    value: float


@dataclass(frozen=True, slots=True)
class Density:
    """Where a term is densest, best first, and how many documents hold it."""

    rows: tuple[DensityRow, ...]
    documents: int


@dataclass(frozen=True, slots=True)
class Trace:
    """How the index sees the words of a question: the documents that hold each, and the words no document holds."""

    matches: Mapping[str, tuple[DocumentRecord, ...]]
    unmatched: tuple[str, ...]
    candidates: tuple[DocumentRecord, ...]


def check_profile(profile: Profile) -> None:
    """Raise ConfigError unless the profile weighs exactly the levels and signals that there are."""
    for section, given, known in (
        ("enrutar", set(profile.routing), {level.signal for level in routing.ROUTING_LEVELS}),
        ("fragmento", set(profile.selection), set(selection.SIGNALS)),
    ):
        if odd := sorted(given - known):
            raise ConfigError(
                f"Perfil {profile.name}, [{section}]: no se conoce {', '.join(odd)}; hay {', '.join(sorted(known))}."
            )
        if lacking := sorted(known - given):
            raise ConfigError(f"Perfil {profile.name}, [{section}]: falta {', '.join(lacking)} (0 lo apaga).")


def uses_everyday(profile: Profile) -> bool:
    """Tell whether questions are understood with the table of everyday words: where a profile gives it a weight."""
    return bool(profile.routing[_EVERYDAY] or profile.selection[_EVERYDAY])


class Retriever:
    """Answer for one generation with one profile. Thread-safe: it holds nothing about a question."""

    def __init__(self, generation: Generation, *, profile: Profile, max_docs: int, max_chunks: int) -> None:
        check_profile(profile)
        self.generation = generation
        self.profile = profile
        self.max_docs = max_docs
        self.max_chunks = max_chunks
        self.names = NameIndex(generation.documents, generation.analyzer)

    def limited(self, *, max_docs: int, max_chunks: int) -> Retriever:
        """Return the same retriever with other limits, at no cost: what a model can take may change under way."""
        if (max_docs, max_chunks) == (self.max_docs, self.max_chunks):
            return self
        other = copy.copy(self)
        other.max_docs, other.max_chunks = max_docs, max_chunks
        return other

    def ask(self, raw: str) -> Query:
        """Understand a question.

        Raises InvalidQuestionError.
        """
        return question.parse(
            raw,
            analyzer=self.generation.analyzer,
            index=self.generation.index,
            holds_norm=self.names.holds_norm,
            everyday=uses_everyday(self.profile),
        )

    def route(self, query: Query, *, collection: str | None = None) -> Routed:
        """Choose the documents that may answer, in one collection when given.

        Raises UnknownCollectionError.
        """
        known = self.generation.manifest.collections
        if collection is not None and collection not in known:
            raise UnknownCollectionError(
                f"No hay ninguna colección «{collection}»: elija una de las que hay.", suggestions=tuple(sorted(known))
            )
        return routing.route(
            self._evidences(query),
            self.generation.documents,
            profile=self.profile,
            max_docs=self.max_docs,
            collection=collection,
        )

    def select(self, query: Query, document: DocumentRecord) -> Selected:
        """Choose the passages of `document` that answer and render its fragment."""
        return self._select(self._evidences(query), document)

    def gather(self, routed: Routed) -> Gathered:
        """Choose the passages of every routed document."""
        evidences = routed.evidences or self._evidences(routed.query)
        return Gathered(routed, tuple(self._select(evidences, item.document) for item in routed.documents))

    def _evidences(self, query: Query) -> Evidences:
        return Evidences(query, self.generation.index, self.names)

    def _select(self, evidences: Evidences, document: DocumentRecord) -> Selected:
        query = evidences.query
        candidates = selection.Candidates(
            evidences, document, base=self.profile.base, text_of=lambda passage: self._passage_text(document, passage)
        )
        ranked = self._standing_out(selection.rank_passages(candidates, self.profile), query)
        ranked = self._continued(ranked, query, document) if ranked else self._opening(document)
        spans = (self._span(scored.passage) for scored in ranked)
        chosen = fragments.choose(spans, limit=self.max_chunks, articles=query.articles)
        fragment = fragments.assemble(
            chosen,
            doc_id=document.doc_id,
            name=document.name,
            budget=CHUNK_SIZE * self.max_chunks,
            slice_text=lambda start, end: self.generation.slice(document, start, end),
        )
        places = {(span.start, span.end) for span in chosen}
        taken = [scored for scored in ranked if self._place(scored.passage) in places]
        below = [scored for scored in ranked[: len(taken) + _BELOW] if scored not in taken][:_BELOW]
        return Selected(
            query,
            document,
            fragment,
            chosen=tuple(self._scored_chunk(document, scored) for scored in taken),
            below=tuple(self._scored_chunk(document, scored) for scored in below),
        )

    def _place(self, passage: int) -> tuple[int, int]:
        arrays = self.generation.index.arrays
        return int(arrays.passage_start[passage]), int(arrays.passage_end[passage])

    def _standing_out(self, ranked: list[ScoredPassage], query: Query) -> list[ScoredPassage]:
        """Leave out passages far below the best, but never all of a listing, nor an article asked for."""
        if not ranked or not self.profile.standout:
            return ranked
        floor = self.profile.standout * ranked[0].score
        minimum = _LISTING_MINIMUM if query.wants_list else 1
        article = self.generation.index.article
        return [
            scored
            for position, scored in enumerate(ranked)
            if position < minimum or scored.score >= floor or article(scored.passage) in query.articles
        ]

    def _continued(self, ranked: list[ScoredPassage], query: Query, document: DocumentRecord) -> list[ScoredPassage]:
        """Give a listing question a second passage where only one has evidence: the list may go on in the next."""
        if not query.wants_list or len(ranked) >= _LISTING_MINIMUM or document.chunk_count < _LISTING_MINIMUM:
            return ranked
        best = ranked[0].passage
        last = document.first_chunk + document.chunk_count - 1
        why = "es el pasaje contiguo al mejor: la lista puede seguir en él"
        return [*ranked, ScoredPassage(best + 1 if best < last else best - 1, (Contribution("contiguo", 0.0, why),))]

    def _opening(self, document: DocumentRecord) -> list[ScoredPassage]:
        """Show how a document begins where no passage has evidence: only an empty one has nothing to show."""
        if not document.chunk_count:
            return []
        why = "ningún pasaje contiene lo que se pregunta: se muestra el comienzo"
        return [ScoredPassage(document.first_chunk, (Contribution("comienzo", 0.0, why),))]

    def _span(self, passage: int) -> fragments.Span:
        index, arrays = self.generation.index, self.generation.index.arrays
        start = int(arrays.passage_start[passage])
        return fragments.Span(
            start=start,
            end=int(arrays.passage_end[passage]),
            heading=index.heading(passage),
            article=index.article(passage),
            digest=int(arrays.passage_digest[passage]),
            sentences=tuple(start + offset for offset in index.sentence_starts(passage)),
        )

    def _scored_chunk(self, document: DocumentRecord, scored: ScoredPassage) -> ScoredChunk:
        span = self._span(scored.passage)
        ordinal = scored.passage - document.first_chunk
        return ScoredChunk(ordinal, span.start, span.end, span.heading, span.article, scored.contributions)

    def _passage_text(self, document: DocumentRecord, passage: int) -> str:
        arrays = self.generation.index.arrays
        return self.generation.slice(document, int(arrays.passage_start[passage]), int(arrays.passage_end[passage]))

    def density(self, term: str) -> Density:
        """Return the documents in which `term`, analysed as the index does, is densest.

        Raises UnknownTermError with near terms.
        """
        analyzer, index = self.generation.analyzer, self.generation.index
        words = [token.word for token in analyzer.tokens(term)]
        stems = [index.names.stems.ids.get(analyzer.stem(word), -1) for word in words]
        if len(stems) != 1 or stems[0] < 0 or not index.documents_holding(stems[0]).size:
            raise UnknownTermError(self._why_unknown(term, words), suggestions=tuple(self._near_terms(words)))
        densities = index.densities(stems[0])
        best = np.argsort(-densities, kind="stable")[:_DENSITY_ROWS]
        rows = (DensityRow(self.generation.documents[d], float(densities[d])) for d in best if densities[d] > 0)
        return Density(tuple(rows), int(index.documents_holding(stems[0]).size))

    def _why_unknown(self, term: str, words: list[str]) -> str:
        if not words:
            return "El término no tiene letras ni cifras: escriba una palabra."
        if len(words) > 1:
            return f"«{term}» son {len(words)} palabras y la densidad es la de una: pregunte por cada una."
        if words[0] in self.generation.analyzer.tables.stop_words:
            return f"«{term}» es una palabra vacía, que no se indexa: pregunte por otra."
        return f"El término «{term}» no está en ningún documento: pruebe con una palabra parecida."

    def _near_terms(self, words: Iterable[str]) -> list[str]:
        near = (row for word in words for row in self.generation.index.near_words(word[:40], max_distance=2))
        return list(dict.fromkeys(word for word, _, _ in near))[:5]

    def trace(self, query: Query) -> Trace:
        """Return how the index sees each word of a question."""
        index, analyzer = self.generation.index, self.generation.analyzer
        matches: dict[str, tuple[DocumentRecord, ...]] = {}
        for word in query.words:
            stem = index.names.stems.ids.get(analyzer.stem(word), -1)
            holders = index.documents_holding(stem) if stem >= 0 else np.zeros(0, dtype=np.int32)
            if holders.size:
                densities = index.densities(stem)[holders]
                order = np.argsort(-densities, kind="stable")[:_TRACE_ROWS]
                matches[word] = tuple(self.generation.documents[int(holders[position])] for position in order)
        routed = self.route(query)
        return Trace(
            matches=matches,
            unmatched=tuple(word for word in query.words if word not in matches),
            candidates=tuple(item.document for item in (*routed.documents, *routed.below)),
        )

    def stem_weights(self, query: Query) -> dict[str, float]:
        """Return the idf of the question's stems over the whole index; a stem it does not hold weighs most.

        A word that was corrected counts as its correction only.
        """
        index, stem = self.generation.index, self.generation.analyzer.stem
        unknown = float(index.arrays.stem_idf.max(initial=1.0))
        ids = index.names.stems.ids
        corrected = {stem(typed) for typed in query.corrections}
        stems = (s for s in query.local_stems if s not in corrected)
        return {s: float(index.arrays.stem_idf[ids[s]]) if s in ids else unknown for s in stems}
