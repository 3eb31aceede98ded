"""What an answer is made of: events without HTTP, in the order in which a reader gets them."""

from __future__ import annotations

from dataclasses import dataclass

from siaa.answering.reasons import Reason


@dataclass(frozen=True, slots=True)
class Begun:
    """What is known before the answer: it comes first, and only once nothing can fail any more without being told.

    `generation` is "" where no index was needed. `cached` says that the answer was known already, `by_model` that a
    model makes it now and may be silent for long.
    """

    generation: str = ""
    cached: bool = False
    by_model: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """The documents that were searched; `searched` is the question as it was searched."""

    documents: tuple[tuple[str, str], ...]  # name and collection
    searched: str


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of the answer's text."""

    text: str


@dataclass(frozen=True, slots=True)
class Source:
    """A slice of a document that the answer rests on: `text` stands at `start` to `end` of the document."""

    name: str
    collection: str
    title: str
    article: str
    heading: str
    start: int
    end: int
    text: str
    state: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """A span of the answer, and the number (from 1) of the source it rests on, 0 when it rests on none."""

    start: int
    end: int
    state: str
    source: int


@dataclass(frozen=True, slots=True)
class Sources:
    """What the answer rests on; comes after the last Delta."""

    sources: tuple[Source, ...] = ()
    sentences: tuple[Sentence, ...] = ()


@dataclass(frozen=True, slots=True)
class Nearest:
    """After a refusal: the passage that came nearest, if any, and why it was not enough, the first reason deciding."""

    source: Source | None
    reasons: tuple[Reason, ...]


Event = Found | Delta | Sources | Nearest
