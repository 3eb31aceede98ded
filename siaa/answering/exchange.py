"""Remember one question and what came of it: what the quality log keeps, told by the events as they pass."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from siaa.answering.citing.support import DOUBTFUL as DOUBTFUL_STATES
from siaa.answering.events import Delta, Event, Found, Nearest, Sources

# Types and alerts of the contract.
TALK, DOCUMENTS, CACHE_HIT, ERROR = "CONV", "DOC", "CACHE_HIT", "ERROR"
TYPES = (TALK, DOCUMENTS, CACHE_HIT, ERROR)
FINE, NO_CONTEXT, DOUBTFUL, FAILED = "OK", "SIN_CONTEXTO", "POSIBLE_ALUCINACION", "ERROR"
ALERTS = (FINE, NO_CONTEXT, DOUBTFUL, FAILED)


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line: an answer, or (`useful` is not None) somebody's opinion about one. `milliseconds` until its end.

    `code` is that of the failure, or of the reason of a refusal (`siaa.answering.reasons`). `complete` is False when
    the reader left before the end.
    """

    kind: str
    question: str
    alert: str = FINE
    searched: str = ""
    answer: str = ""
    documents: tuple[str, ...] = ()
    collection: str = ""
    model: str = ""
    generation: str = ""
    code: str = ""
    milliseconds: int = 0
    complete: bool = True
    useful: bool | None = None
    expected: str = ""
    comment: str = ""


@dataclass(slots=True)
class Exchange:
    """A question under way. `events` are those the reader got so far; `failure` is the code of what ended it early."""

    question: str
    collection: str = ""
    kind: str = DOCUMENTS
    searched: str = ""
    model: str = ""
    generation: str = ""
    failure: str = ""
    complete: bool = True
    events: list[Event] = field(default_factory=list)
    clock: Callable[[], float] = time.monotonic
    _began: float = field(init=False)

    def __post_init__(self) -> None:
        self._began = self.clock()

    def note(self, event: Event) -> Event:
        """Remember an event, and return it for the reader."""
        self.events.append(event)
        return event

    def line(self) -> LogLine:
        """Return what is to be written down of it."""
        found = next((event for event in self.events if isinstance(event, Found)), Found((), self.searched))
        refused = next((event for event in self.events if isinstance(event, Nearest)), None)
        return LogLine(
            kind=ERROR if self.failure else self.kind,
            question=self.question,
            alert=self._alert(),
            searched=found.searched,
            answer="".join(event.text for event in self.events if isinstance(event, Delta)),
            documents=tuple(name for name, _ in found.documents),
            collection=self.collection,
            model=self.model,
            generation=self.generation,
            code=self.failure or (refused.reasons[0].code.value if refused else ""),
            milliseconds=round(1000 * (self.clock() - self._began)),
            complete=self.complete,
        )

    def _alert(self) -> str:
        if self.failure:
            return FAILED
        if any(isinstance(event, Nearest) for event in self.events):
            return NO_CONTEXT
        states = (s.state for event in self.events if isinstance(event, Sources) for s in event.sentences)
        return DOUBTFUL if any(state in DOUBTFUL_STATES for state in states) else FINE
