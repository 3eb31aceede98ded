"""Time the steps from a question to its fragments, whichever endpoint takes them, and let few compute at once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum

from siaa.generation import Generation
from siaa.profile import Profile
from siaa.published.compute_limit import ComputeLimit
from siaa.question import Query
from siaa.records import DocumentRecord
from siaa.retrieval import Gathered, Retriever, Selected
from siaa.routing import Routed

Observe = Callable[[str, float], None]  # the stage, and the seconds it took


class Stage(StrEnum):
    """The steps of a question that are timed; the values are what /metrics shows."""

    UNDERSTAND = "entender"
    ROUTE = "enrutar"
    SELECT = "fragmento"
    MODEL = "modelo"
    FIRST_TOKEN = "primer_token"


class TimedRetriever(Retriever):
    """A retriever whose steps wait for a place in `compute`, and that tells `observe` how long each took then."""

    def __init__(
        self,
        generation: Generation,
        *,
        profile: Profile,
        max_docs: int,
        max_chunks: int,
        observe: Observe,
        compute: ComputeLimit,
    ) -> None:
        super().__init__(generation, profile=profile, max_docs=max_docs, max_chunks=max_chunks)
        self._observe = observe
        self._compute = compute

    def ask(self, raw: str) -> Query:
        """Understand a question (see Retriever.ask)."""
        with self._timed(Stage.UNDERSTAND):
            return super().ask(raw)

    def route(self, query: Query, *, collection: str | None = None) -> Routed:
        """Choose the documents (see Retriever.route)."""
        with self._timed(Stage.ROUTE):
            return super().route(query, collection=collection)

    def select(self, query: Query, document: DocumentRecord) -> Selected:
        """Choose the passages of a document (see Retriever.select)."""
        with self._timed(Stage.SELECT):
            return super().select(query, document)

    def gather(self, routed: Routed) -> Gathered:
        """Choose the passages of every routed document (see Retriever.gather)."""
        with self._timed(Stage.SELECT):
            return super().gather(routed)

    @contextmanager
    def _timed(self, stage: str) -> Iterator[None]:
        with self._compute:
            began = time.perf_counter()
            try:
                yield
            finally:
                self._observe(stage, time.perf_counter() - began)
