"""What every endpoint is given: settings, index and model, made once by the application."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from flask import current_app, g

from service.metrics import Metrics
from service.stopping import Stopping
from service.storage.answer_cache import AnswerCache
from service.storage.quality_log import QualityLog
from siaa.answering.assistant import Assistant
from siaa.answering.llm import LanguageModel
from siaa.answering.model_watch import ModelWatch
from siaa.config import Settings
from siaa.published.index_holder import IndexHolder

if TYPE_CHECKING:
    from siaa.retrieval import Retriever


class ActiveCount:
    """Count the conversations that are being answered. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0

    @property
    def count(self) -> int:
        """Return how many there are now."""
        return self._count

    @contextmanager
    def one_more(self) -> Iterator[None]:
        """Count one more while the context lasts."""
        self._add(1)
        try:
            yield
        finally:
            self._add(-1)

    def _add(self, difference: int) -> None:
        with self._lock:
            self._count += difference


@dataclass(frozen=True, slots=True)
class Context:
    """The parts of a running service."""

    settings: Settings
    holder: IndexHolder
    models: ModelWatch
    heartbeat: float  # seconds of silence before a comment line
    cache: AnswerCache
    log: QualityLog
    metrics: Metrics
    stopping: Stopping
    assistant: Assistant
    active: ActiveCount = field(default_factory=ActiveCount)

    @property
    def model(self) -> LanguageModel | None:
        """Return the model to ask now; None means the extractive answer. May change between two looks."""
        return self.models.current()


def current_context() -> Context:
    """Return the parts of the service that answers now."""
    context: Context = current_app.extensions["siaa"]
    return context


@contextmanager
def lease() -> Iterator[Retriever]:
    """Lease the generation in service; the answer names it in its header.

    Raises GenerationError while there is none.
    """
    with current_context().holder.lease() as retriever:
        g.generation = retriever.generation.name
        yield retriever
