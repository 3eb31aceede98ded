"""What one document gives to an index, whatever the other documents say: taken once, kept until its file changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field, TypeAdapter

from indexer.linguistics import SampleWords
from siaa.analysis import Analyzer
from siaa.identity import IdentityDraft, draft
from siaa.model import CutPassage, Document


@dataclass(frozen=True, slots=True)
class Extract:
    """A document without its text and passages, which a generation holds elsewhere.

    `source` is the SHA-256 of its file; `size` counts characters of its text.
    """

    doc_id: str
    source: str
    title: str
    collection: str
    size: int
    passage_count: Annotated[int, Field(alias="chunk_count")]
    articles: tuple[str, ...]
    warnings: tuple[str, ...]
    identity: IdentityDraft
    sample: SampleWords

    @property
    def name(self) -> str:
        """Return the bare file name."""
        return self.doc_id.rsplit("/", 1)[-1]


def extract(
    document: Document, passages: Sequence[CutPassage], *, source: str, sample: SampleWords, analyzer: Analyzer
) -> Extract:
    """Return the extract of a document that was read and cut."""
    return Extract(
        doc_id=document.doc_id,
        source=source,
        title=document.title,
        collection=document.collection,
        size=len(document.text),
        passage_count=len(passages),
        articles=tuple(dict.fromkeys(passage.article for passage in passages if passage.article)),
        warnings=document.warnings,
        identity=draft(document, analyzer),
        sample=sample,
    )


def to_line(kept: Extract) -> str:
    """Render an extract as one line of JSON."""
    return _LINE.dump_json(kept, by_alias=True).decode()


def from_line(line: str) -> Extract:
    """Return the extract that `to_line` rendered."""
    return _LINE.validate_json(line)


_LINE = TypeAdapter(Extract)
