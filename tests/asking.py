"""Ask without HTTP: an assistant over one retriever and at most one model, with nothing of the world outside."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass

from siaa.answering.assistant import Assistant
from siaa.answering.events import Begun, Delta, Event
from siaa.answering.exchange import LogLine
from siaa.answering.llm import LanguageModel
from siaa.answering.ports import AnswerKey
from siaa.answering.refusal import Verdict, judge
from siaa.answering.searching import gather
from siaa.answering.talk.conversation import Conversation, Message
from siaa.config import Settings
from siaa.retrieval import Retriever


@dataclass(frozen=True, slots=True)
class OneIndex:
    """An index whose one generation is always open."""

    retriever: Retriever

    @contextmanager
    def lease(self) -> Iterator[Retriever]:
        yield self.retriever


@dataclass(frozen=True, slots=True)
class OneModel:
    """A watch that always sees the same model, or none."""

    model: LanguageModel | None = None

    def current(self) -> LanguageModel | None:
        return self.model


class Nobody:
    """Stands in for everything outside: no answer is known, nothing is written down or counted, nothing stops."""

    over = False

    def find(self, key: AnswerKey) -> None:
        """Know nothing."""

    def keep(self, key: AnswerKey, events: Iterable[Event]) -> None:
        """Forget it."""

    def write(self, line: LogLine) -> bool:
        """Forget it."""
        return False

    def stage(self, name: str, seconds: float) -> None:
        """Forget it."""

    def refusal(self, code: str) -> None:
        """Forget it."""

    def model_fault(self, code: str) -> None:
        """Forget it."""

    def ended_by(self, end: Callable[[], None]) -> AbstractContextManager[None]:
        """Never call `end`."""
        return nullcontext()


NOBODY = Nobody()


def assistant_over(retriever: Retriever, model: LanguageModel | None = None) -> Assistant:
    """Return who answers from `retriever`, with the settings as they come."""
    return Assistant(Settings(), OneIndex(retriever), OneModel(model), NOBODY, NOBODY, NOBODY, NOBODY)


def said(*questions: str) -> Conversation:
    """Return a conversation of which only the user's part is told."""
    return Conversation(tuple(Message("user", question) for question in questions))


def ask(retriever: Retriever, question: str, *, model: LanguageModel | None = None) -> list[Event]:
    """Return the events of the answer."""
    _, *events = assistant_over(retriever, model).answer(said(question))
    return [event for event in events if not isinstance(event, Begun)]


def text_of(events: Sequence[Event]) -> str:
    """Return what a reader reads."""
    return "".join(event.text for event in events if isinstance(event, Delta))


def verdict_on(retriever: Retriever, question: str) -> Verdict:
    """Return whether the chat would answer."""
    gathered = gather(retriever, question)
    return judge(retriever, gathered.routed.query, gathered.selections)
