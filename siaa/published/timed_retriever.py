"""Time the steps from a question to its fragments, whichever endpoint takes them, and take them in turns."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from service.metrics import ROUTE, SELECT, UNDERSTAND
from siaa.generation import Generation
from siaa.profile import Profile
from siaa.published.compute_limit import Turns
from siaa.question import Query
from siaa.records import DocumentRecord
from siaa.retrieval import Gathered, Retriever, Selected
from siaa.routing import Routed

Observe = Callable[[str, float], None]  # the stage, and the seconds it took


class TimedRetriever(Retriever):
    """A retriever whose steps wait for `turns`, and that tells `observe` how long each took then."""

    def __init__(
        self,
        generation: Generation,
        *,
        profile: Profile,
        max_docs: int,
        max_chunks: int,
        observe: Observe,
        turns: Turns,
    ) -> None:
        super().__init__(generation, profile=profile, max_docs=max_docs, max_chunks=max_chunks)
        self._observe = observe
        self._turns = turns

    def ask(self, raw: str) -> Query:
        """Understand a question (see Retriever.ask)."""
        with self._timed(UNDERSTAND):
            return super().ask(raw)

    def route(self, query: Query, *, collection: str | None = None) -> Routed:
        """Choose the documents (see Retriever.route)."""
        with self._timed(ROUTE):
            return super().route(query, collection=collection)

    def select(self, query: Query, document: DocumentRecord) -> Selected:
        """Choose the passages of a document (see Retriever.select)."""
        with self._timed(SELECT):
            return super().select(query, document)

    def gather(self, routed: Routed) -> Gathered:
        """Choose the passages of every routed document (see Retriever.gather)."""
        with self._timed(SELECT):
            return super().gather(routed)

    @contextmanager
    def _timed(self, stage: str) -> Iterator[None]:
        with self._turns:
            began = time.perf_counter()
            try:
                yield
            finally:
                self._observe(stage, time.perf_counter() - began)
