"""From a question to the fragments of the documents that may answer: ask, route, select, gather.

Each step is a prefix of the next, and the diagnostics and the chat call the same functions: what a diagnostic shows
is what the model receives.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from enum import StrEnum

from siaa import fragments, question, routing, selection
from siaa.candidates import Candidates
from siaa.config import CHUNK_SIZE
from siaa.errors import ConfigError
from siaa.evidence import Evidences
from siaa.generation import Generation
from siaa.model import Contribution, Fragment
from siaa.naming import NameIndex
from siaa.profile import Profile
from siaa.question import Query
from siaa.records import DocumentRecord
from siaa.routing import Routed
from siaa.selection import ScoredPassage

_LISTING_MINIMUM = 2  # passages of a listing question, at least (contract)
_BELOW = 3  # passages just below the line that an explanation shows


@dataclass(frozen=True, slots=True)
class Selected:
    """What one document gives to a question: the fragment, the passages in it and those just below the line."""

    query: Query
    document: DocumentRecord
    fragment: Fragment
    chosen: tuple[ScoredPassage, ...]
    below: tuple[ScoredPassage, ...]


@dataclass(frozen=True, slots=True)
class Gathered:
    """The routed documents and what each gives, in the order of routing."""

    routed: Routed
    selections: tuple[Selected, ...]

    @property
    def fragments(self) -> tuple[Fragment, ...]:
        """Return what the model receives."""
        return tuple(selected.fragment for selected in self.selections)


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


class Stage(StrEnum):
    """The steps of a question that are timed; the values are what /metrics shows."""

    UNDERSTAND = "entender"
    ROUTE = "enrutar"
    SELECT = "fragmento"
    MODEL = "modelo"
    FIRST_TOKEN = "primer_token"


class Retriever:
    """Answer for one generation with one profile. Thread-safe: it holds nothing about a question.

    Each step is taken within what `step` gives for it: by that, steps are timed and few compute at once.
    """

    def __init__(
        self,
        generation: Generation,
        *,
        profile: Profile,
        max_docs: int,
        max_chunks: int,
        step: Callable[[Stage], AbstractContextManager[None]] = lambda stage: nullcontext(),
    ) -> None:
        check_profile(profile)
        self.generation = generation
        self.profile = profile
        self.max_docs = max_docs
        self.max_chunks = max_chunks
        self._step = step
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
        generation = self.generation
        with self._step(Stage.UNDERSTAND):
            return question.parse(
                raw, analyzer=generation.analyzer, index=generation.index, holds_norm=self.names.holds_norm
            )

    def route(self, query: Query, *, collection: str | None = None) -> Routed:
        """Choose the documents that may answer, in one collection when given (see Generation.find_collection).

        Raises UnknownCollectionError.
        """
        with self._step(Stage.ROUTE):
            return routing.route(
                self._evidences(query),
                self.generation.documents,
                profile=self.profile,
                max_docs=self.max_docs,
                collection=None if collection is None else self.generation.find_collection(collection),
            )

    def select(self, query: Query, document: DocumentRecord) -> Selected:
        """Choose the passages of `document` that answer and render its fragment."""
        with self._step(Stage.SELECT):
            return self._select(self._evidences(query), document)

    def gather(self, routed: Routed) -> Gathered:
        """Choose the passages of every routed document."""
        with self._step(Stage.SELECT):
            evidences = routed.evidences or self._evidences(routed.query)
            return Gathered(routed, tuple(self._select(evidences, item.document) for item in routed.documents))

    def _evidences(self, query: Query) -> Evidences:
        return Evidences(query, self.generation, self.names)

    def _select(self, evidences: Evidences, document: DocumentRecord) -> Selected:
        query = evidences.query
        candidates = Candidates(evidences, document, base=self.profile.base)
        ranked = self._standing_out(selection.rank_passages(candidates, self.profile), query)
        ranked = self._continued(ranked, query, document) if ranked else self._opening(document)
        passages = (scored.passage for scored in ranked)
        chosen = fragments.choose(passages, limit=self.max_chunks, articles=query.articles)
        budget = CHUNK_SIZE * self.max_chunks
        fragment = fragments.assemble(chosen, document=document, budget=budget, generation=self.generation)
        taken = [scored for scored in ranked if scored.passage in chosen]
        below = [scored for scored in ranked[: len(taken) + _BELOW] if scored not in taken][:_BELOW]
        return Selected(query, document, fragment, tuple(taken), tuple(below))

    def _standing_out(self, ranked: list[ScoredPassage], query: Query) -> list[ScoredPassage]:
        """Leave out passages far below the best, but never all of a listing, nor an article asked for."""
        if not ranked or not self.profile.standout:
            return ranked
        floor = self.profile.standout * ranked[0].score
        minimum = _LISTING_MINIMUM if query.wants_list else 1
        return [
            scored
            for position, scored in enumerate(ranked)
            if position < minimum or scored.score >= floor or scored.passage.article in query.articles
        ]

    def _continued(self, ranked: list[ScoredPassage], query: Query, document: DocumentRecord) -> list[ScoredPassage]:
        """Give a listing question a second passage where only one has evidence: the list may go on in the next."""
        if not query.wants_list or len(ranked) >= _LISTING_MINIMUM or document.passage_count < _LISTING_MINIMUM:
            return ranked
        best = ranked[0].passage.number
        number = best + 1 if best + 1 in document.passages else best - 1
        why = "es el pasaje contiguo al mejor: la lista puede seguir en él"
        return [*ranked, self._without_points(number, "contiguo", why)]

    def _opening(self, document: DocumentRecord) -> list[ScoredPassage]:
        """Show how a document begins where no passage has evidence: only an empty one has nothing to show."""
        why = "ningún pasaje contiene lo que se pregunta: se muestra el comienzo"
        return [self._without_points(number, "comienzo", why) for number in document.passages[:1]]

    def _without_points(self, number: int, signal: str, why: str) -> ScoredPassage:
        return ScoredPassage(self.generation.passage(number), (Contribution(signal, 0.0, why),))

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
