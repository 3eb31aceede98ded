"""What everything that stands between a caller and a model has in common: it says what the model says."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Generator
from types import TracebackType

from siaa.answering.llm.protocol import LanguageModel


class WrappedModel:
    """A model inside another, which adds a `stream` of its own."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """Return the model's name."""
        return self._model.name

    @property
    def context_tokens(self) -> int:
        """Return the tokens that fit the model."""
        return self._model.context_tokens

    def available(self) -> bool:
        """Ask whether the model can answer."""
        return self._model.available()


class Pieces(Generator[str, None, None]):
    """The pieces of an answer as a generator; any thread may close it, which a generator function does not allow."""

    @abstractmethod
    def __next__(self) -> str:
        """Return the next piece."""

    @abstractmethod
    def close(self) -> None:
        """End the call."""

    def send(self, value: None) -> str:
        """Return the next piece."""
        return next(self)

    def throw(
        self,
        kind: type[BaseException] | BaseException,
        value: BaseException | object = None,
        traceback: TracebackType | None = None,
    ) -> str:
        """End the call and raise what is given."""
        self.close()
        raise kind if isinstance(kind, BaseException) else kind()
