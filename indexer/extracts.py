"""What one document gives to an index, whatever the other documents say: taken once, kept until its file changes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from indexer.linguistics import SampleWords
from siaa.analysis import Analyzer
from siaa.identity import IdentityDraft, Norm, draft
from siaa.model import Chunk, Document


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
    chunk_count: int
    articles: tuple[str, ...]
    warnings: tuple[str, ...]
    identity: IdentityDraft
    sample: SampleWords

    @property
    def name(self) -> str:
        """Return the bare file name."""
        return self.doc_id.rsplit("/", 1)[-1]


def extract(
    document: Document, chunks: Sequence[Chunk], *, source: str, sample: SampleWords, analyzer: Analyzer
) -> Extract:
    """Return the extract of a document that was read and cut."""
    return Extract(
        doc_id=document.doc_id,
        source=source,
        title=document.title,
        collection=document.collection,
        size=len(document.text),
        chunk_count=len(chunks),
        articles=tuple(dict.fromkeys(chunk.article for chunk in chunks if chunk.article)),
        warnings=document.warnings,
        identity=draft(document, analyzer),
        sample=sample,
    )


def to_line(kept: Extract) -> str:
    """Render an extract as one line of JSON."""
    plain = {name: getattr(kept, name) for name in _PLAIN}
    identity = {name: getattr(kept.identity, name) for name in _PLAIN_IDENTITY} | {
        "norms": [_row(norm) for norm in kept.identity.norms],
        "told": [(*_row(norm), name, count) for norm, name, count in kept.identity.told],
    }
    sample = {name: getattr(kept.sample, name) for name in SampleWords.__slots__}
    return json.dumps(plain | {"identity": identity, "sample": sample}, ensure_ascii=False, separators=(",", ":"))


def from_line(line: str) -> Extract:
    """Return the extract that `to_line` rendered."""
    row = json.loads(line)
    identity, sample = row["identity"], row["sample"]
    return Extract(
        **{name: row[name] for name in _PLAIN if name not in _TUPLES},
        articles=tuple(row["articles"]),
        warnings=tuple(row["warnings"]),
        identity=IdentityDraft(
            names=tuple(tuple(name) for name in identity["names"]),
            norms=tuple(Norm(*norm) for norm in identity["norms"]),
            acronyms=identity["acronyms"],
            title_stems=tuple(identity["title_stems"]),
            name_stems=tuple(identity["name_stems"]),
            repealed=identity["repealed"],
            edition=identity["edition"],
            told=tuple((Norm(rank, number, year), name, n) for rank, number, year, name, n in identity["told"]),
            short_words=identity["short_words"],
        ),
        sample=SampleWords(
            digest=sample["digest"],
            phrases=sample["phrases"],
            content=sample["content"],
            written=tuple((term, form, count) for term, form, count in sample["written"]),
        ),
    )


def _row(norm: Norm) -> tuple[str, str, str]:
    return norm.rank, norm.number, norm.year


_PLAIN = ("doc_id", "source", "title", "collection", "size", "chunk_count", "articles", "warnings")
_TUPLES = ("articles", "warnings")
_PLAIN_IDENTITY = ("names", "acronyms", "title_stems", "name_stems", "repealed", "edition", "short_words")
