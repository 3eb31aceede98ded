"""Ask without HTTP: an assistant over one retriever and at most one model, with nothing of the world outside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from siaa.answering.assistant import Assistant
from siaa.answering.events import Begun, Delta, Event
from siaa.answering.llm import LanguageModel
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


def assistant_over(retriever: Retriever, model: LanguageModel | None = None) -> Assistant:
    """Return who answers from `retriever`, with the settings as they come."""
    return Assistant(Settings(), OneIndex(retriever), OneModel(model))


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
