"""Say what changed between two generations: documents, articles, and what the golden questions get."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from indexer.golden import GoldenQuestion
from siaa.errors import SiaaError
from siaa.generation import Generation
from siaa.records import DocumentRecord
from siaa.retrieval import Retriever


@dataclass(frozen=True, slots=True)
class DocumentChange:
    """A document in both generations whose text differs, and its articles added, removed and changed."""

    doc_id: str
    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class QuestionChange:
    """A question that is routed to other documents, or gets another fragment."""

    text: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    fragment_only: bool


@dataclass(frozen=True, slots=True)
class Differences:
    """All that changed from one generation to another."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[DocumentChange, ...]
    questions: tuple[QuestionChange, ...]


def compare(before: Retriever, after: Retriever, questions: tuple[GoldenQuestion, ...]) -> Differences:
    """Return what changed from `before` to `after`."""
    old, new = _by_id(before.generation), _by_id(after.generation)
    pairs = [(doc_id, old[doc_id], new[doc_id]) for doc_id in sorted(old.keys() & new.keys())]
    changes = (_document(before.generation, one, after.generation, other) for _, one, other in pairs)
    return Differences(
        added=tuple(sorted(new.keys() - old.keys())),
        removed=tuple(sorted(old.keys() - new.keys())),
        changed=tuple(change for change in changes if change is not None),
        questions=tuple(change for q in questions if (change := _question(before, after, q.text)) is not None),
    )


def _by_id(generation: Generation) -> Mapping[str, DocumentRecord]:
    return {document.doc_id: document for document in generation.documents}


def _document(
    before: Generation, one: DocumentRecord, after: Generation, other: DocumentRecord
) -> DocumentChange | None:
    if before.text_of(one) == after.text_of(other):
        return None
    old, new = _articles(before, one), _articles(after, other)
    return DocumentChange(
        other.doc_id,
        added=tuple(article for article in new if article not in old),
        removed=tuple(article for article in old if article not in new),
        changed=tuple(article for article in new if article in old and old[article] != new[article]),
    )


def _articles(generation: Generation, document: DocumentRecord) -> dict[str, str]:
    """Return a digest of the passages of each article, in document order."""
    digests: dict[str, hashlib._Hash] = {}
    for passage in map(generation.passage, document.passages):
        if passage.article:
            digests.setdefault(passage.article, hashlib.sha256()).update(passage.text.encode())
    return {article: digest.hexdigest() for article, digest in digests.items()}


def _question(before: Retriever, after: Retriever, text: str) -> QuestionChange | None:
    old, new = _answer(before, text), _answer(after, text)
    if old == new:
        return None
    return QuestionChange(text, old[0], new[0], fragment_only=old[0] == new[0])


def _answer(retriever: Retriever, text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the routed documents and their fragments; a question that cannot be asked gives nothing."""
    try:
        gathered = retriever.gather(retriever.route(retriever.ask(text)))
    except SiaaError:
        return (), ()
    return tuple(f.doc_id for f in gathered.fragments), tuple(f.text for f in gathered.fragments)
