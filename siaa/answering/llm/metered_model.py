"""Time the answers of a language model and count its failures, without coming between its threads."""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence

from service.metrics import FIRST_TOKEN, MODEL, Metrics
from siaa.answering.llm.protocol import ChatMessage, LanguageModel, ModelError, ReaderLeftError
from siaa.answering.llm.wrapping import Pieces, WrappedModel


class MeteredModel(WrappedModel):
    """A model whose answers are measured: from the question to its first text, and to its end."""

    def __init__(self, model: LanguageModel, metrics: Metrics) -> None:
        super().__init__(model)
        self._metrics = metrics

    def stream(self, conversation: Sequence[ChatMessage], *, max_tokens: int) -> Generator[str, None, None]:
        """Ask the model (see LanguageModel.stream)."""
        began = time.perf_counter()
        try:
            pieces = self._model.stream(conversation, max_tokens=max_tokens)
        except ModelError as error:
            self._metrics.model_fault(error.code)
            raise
        return _MeteredStream(pieces, self._metrics, began=began)


class _MeteredStream(Pieces):
    """The pieces of an answer. Any thread may close it, as the stream inside it."""

    def __init__(self, pieces: Generator[str, None, None], metrics: Metrics, *, began: float) -> None:
        self._pieces = pieces
        self._metrics = metrics
        self._began = began
        self._silent = True

    @property
    def limited(self) -> bool:
        """Tell whether the answer stopped at its limit of tokens."""
        return bool(getattr(self._pieces, "limited", False))

    def __next__(self) -> str:
        """Return the next piece."""
        try:
            piece = next(self._pieces)
        except StopIteration:
            self._metrics.stage(MODEL, self._elapsed())
            raise
        except ReaderLeftError:
            raise  # no fault of the model's
        except ModelError as error:
            self._metrics.model_fault(error.code)
            raise
        if self._silent:
            self._silent = False
            self._metrics.stage(FIRST_TOKEN, self._elapsed())
        return piece

    def close(self) -> None:
        """End the call."""
        self._pieces.close()

    def _elapsed(self) -> float:
        return time.perf_counter() - self._began
