"""What a generation knows about each document, and how it is written to disk."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from siaa.identity import Identity, Norm


@dataclass(frozen=True, slots=True)
class Keyword:
    """A keyword of a document; `weight` is relative to its best one (1.0); `origin` is "auto" or "manual"."""

    term: str
    weight: float
    origin: str


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """A document of the index. `name` is how answers call it: the file name where one document bears it, else the path.

    `size` counts characters; its passages are `first_chunk` to `first_chunk + chunk_count - 1`; `text_start` is where
    its text begins in the generation's texts, in characters.
    """

    position: int
    doc_id: str
    name: str
    title: str
    collection: str
    size: int
    first_chunk: int
    chunk_count: int
    text_start: int
    articles: tuple[str, ...]
    warnings: tuple[str, ...]
    keywords: tuple[Keyword, ...]
    identity: Identity


def to_json(record: DocumentRecord) -> dict[str, Any]:
    """Return plain JSON values."""
    identity = record.identity
    return {
        **{key: getattr(record, key) for key in (*_PLAIN, "articles", "warnings")},
        "keywords": [_fields(keyword) for keyword in record.keywords],
        "identity": _fields(identity) | {"norms": [_fields(norm) for norm in identity.norms]},
    }


def from_json(row: dict[str, Any]) -> DocumentRecord:
    """Return the record that `to_json` wrote."""
    identity = row["identity"]
    return DocumentRecord(
        **{key: row[key] for key in _PLAIN},
        articles=tuple(row["articles"]),
        warnings=tuple(row["warnings"]),
        keywords=tuple(Keyword(**keyword) for keyword in row["keywords"]),
        identity=Identity(
            aliases=tuple(tuple(alias) for alias in identity["aliases"]),
            norms=tuple(Norm(**norm) for norm in identity["norms"]),
            acronyms=identity["acronyms"],
            title_stems=tuple(identity["title_stems"]),
            name_stems=tuple(identity["name_stems"]),
            repealed=identity["repealed"],
            edition=identity["edition"],
        ),
    )


def _fields(value: Keyword | Identity | Norm) -> dict[str, Any]:
    """Return the fields of a value as they are: `asdict` copies them all, deeply, for thousands of documents."""
    return {item.name: getattr(value, item.name) for item in fields(value)}


_PLAIN = ("position", "doc_id", "name", "title", "collection", "size", "first_chunk", "chunk_count", "text_start")
