"""Passages of one text written by hand, and the fragment that they make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from siaa.fragments import assemble
from siaa.model import Fragment


@dataclass(frozen=True)
class HandMadePassage:
    """What a fragment needs of a passage."""

    start: int
    end: int
    heading: str
    article: str
    digest: int
    sentences: tuple[int, ...]


@dataclass(frozen=True)
class OneDocument:
    """A document and the generation that holds it, at once."""

    text: str
    doc_id: str = "general/x.md"
    name: str = "x.md"

    def slice(self, _: OneDocument, start: int, end: int) -> str:
        """Return characters of the text."""
        return self.text[start:end]


def assembled(chosen: Sequence[HandMadePassage], text: str, *, budget: int) -> Fragment:
    """Return the fragment of passages of `text`, best first."""
    document = OneDocument(text)
    return assemble(chosen, document=document, budget=budget, generation=document)
