"""Say what answering needs of the world outside: the service gives it, and so may a test or a script."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from siaa.answering.events import Event
from siaa.answering.exchange import LogLine
from siaa.answering.llm.protocol import LanguageModel
from siaa.retrieval import Retriever


@dataclass(frozen=True, slots=True)
class AnswerKey:
    """What an answer depends on besides settings and code. `model` is "" for the extractive answer.

    `limits` are the most documents, and passages of each, that the model takes now. `searched` is the question as it is
    searched, with what it refers to; `collection` None is all of them.
    """

    generation: str
    model: str
    limits: tuple[int, int]
    collection: str | None
    searched: str


class Index(Protocol):
    """What is searched."""

    def lease(self) -> AbstractContextManager[Retriever]:
        """Hand out what answers from the newest generation, which stays open until the lease ends.

        Raises GenerationError if there is none to serve.
        """


class Models(Protocol):
    """Which model answers now."""

    def current(self) -> LanguageModel | None:
        """Return it; None means the extractive answer. May change between two looks."""


class Cache(Protocol):
    """Answers that were given before."""

    def find(self, key: AnswerKey) -> tuple[Event, ...] | None:
        """Return the events of the answer with this key, if it is known."""

    def keep(self, key: AnswerKey, events: Iterable[Event]) -> None:
        """Keep a whole answer, if it is one that may be kept."""


class Log(Protocol):
    """Where what was asked is written down."""

    def write(self, line: LogLine) -> bool:
        """Keep one line; tell whether it was."""


class Measures(Protocol):
    """Where figures go."""

    def stage(self, name: str, seconds: float) -> None:
        """Note how long a step took."""

    def refusal(self, code: str) -> None:
        """Count a refusal."""

    def model_fault(self, code: str) -> None:
        """Count a failure of the language model."""


class Stop(Protocol):
    """Whether, and how, the program ends."""

    over: bool  # patience has ended: what breaks now is our doing

    def ended_by(self, end: Callable[[], None]) -> AbstractContextManager[None]:
        """Call `end`, from another thread, if the block still goes on when patience ends."""
