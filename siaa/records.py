"""What a generation knows about each document, as it stands on disk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field, TypeAdapter

from siaa.identity import Identity


@dataclass(frozen=True, slots=True)
class Keyword:
    """A keyword of a document; `weight` is relative to its best one (1.0); `origin` is "auto" or "manual"."""

    term: str
    weight: float
    origin: str


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """A document of the index. `name` is how answers call it: the file name where one document bears it, else the path.

    `size` counts characters; `text_start` is where its text begins in the generation's texts, in characters.
    """

    position: int
    doc_id: str
    name: str
    title: str
    collection: str
    size: int
    first_passage: Annotated[int, Field(alias="first_chunk")]
    passage_count: Annotated[int, Field(alias="chunk_count")]
    text_start: int
    articles: tuple[str, ...]
    warnings: tuple[str, ...]
    keywords: tuple[Keyword, ...]
    identity: Identity

    @property
    def passages(self) -> range:
        """Return the numbers of its passages in the index."""
        return range(self.first_passage, self.first_passage + self.passage_count)


RECORDS = TypeAdapter(tuple[DocumentRecord, ...])  # to JSON and back
