"""Find faults of the corpus before anything is indexed: gaps in articles, duplicates, mojibake, empty files, names."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from siaa.model import Document
from siaa.text import fold, squeeze

_MANY_GAPS = 10  # missing numbers named in one finding
_MIN_ARTICLES = 3  # articles from which a numbering can have gaps
_LONGEST_GAP = 50  # a larger jump is another numbering, not a gap


@dataclass(frozen=True, slots=True)
class Finding:
    """A possible fault: its kind, the documents it is about, and what is wrong, in Spanish."""

    kind: str
    documents: tuple[str, ...]
    what: str


def review(documents: Sequence[Document]) -> tuple[Finding, ...]:
    """Return everything that looks wrong, by kind."""
    return tuple(finding for check in CHECKS for finding in check(documents))


def _empty(documents: Sequence[Document]) -> Iterator[Finding]:
    for document in documents:
        if not document.text.strip():
            yield Finding("vacio", (document.doc_id,), "no tiene texto")


def _warned(documents: Sequence[Document]) -> Iterator[Finding]:
    """Pass on what the readers doubted: mojibake, lost characters, mixed encodings, lists announced and missing."""
    for document in documents:
        for warning in document.warnings:
            if document.text.strip():
                yield Finding("lectura", (document.doc_id,), warning)


def _duplicates(documents: Sequence[Document]) -> Iterator[Finding]:
    filled = [document for document in documents if document.text.strip()]
    for found in _alike(filled, lambda d: hashlib.sha256(squeeze(fold(d.text)).encode()).hexdigest()):
        yield Finding("duplicado", found, "tienen el mismo texto")


def _names(documents: Sequence[Document]) -> Iterator[Finding]:
    for found in _alike(documents, lambda d: fold(d.name)):
        yield Finding("nombre", found, "se llaman igual: habrá que nombrarlos por su ruta")


def _alike(documents: Iterable[Document], key: Callable[[Document], str]) -> Iterator[tuple[str, ...]]:
    """Yield the paths of the documents that share a key with another."""
    bearers: defaultdict[str, list[str]] = defaultdict(list)
    for document in documents:
        bearers[key(document)].append(document.doc_id)
    yield from (tuple(found) for found in bearers.values() if len(found) > 1)


def _article_gaps(documents: Sequence[Document]) -> Iterator[Finding]:
    for document in documents:
        numbers = sorted({int(block.article) for block in document.blocks if block.article.isdigit()})
        if len(numbers) < _MIN_ARTICLES:
            continue
        missing = list(_between(numbers))
        if missing:
            more = f" y {len(missing) - _MANY_GAPS} más" if len(missing) > _MANY_GAPS else ""
            listed = ", ".join(map(str, missing[:_MANY_GAPS]))
            yield Finding("articulos", (document.doc_id,), f"falta en la numeración el artículo {listed}{more}")


def _between(numbers: Iterable[int]) -> Iterator[int]:
    for one, other in pairwise(numbers):
        if other - one <= _LONGEST_GAP:
            yield from range(one + 1, other)


def _repeated_articles(documents: Sequence[Document]) -> Iterator[Finding]:
    for document in documents:
        seen: list[str] = []
        for block in document.blocks:
            if block.article and (not seen or seen[-1] != block.article):
                seen.append(block.article)
        twice = sorted({article for article in seen if seen.count(article) > 1})
        if twice:
            listed = ", ".join(twice[:_MANY_GAPS])
            yield Finding("articulos", (document.doc_id,), f"abre más de una vez el artículo {listed}")


CHECKS: tuple[Callable[[Sequence[Document]], Iterator[Finding]], ...] = (
    _empty,
    _warned,
    _duplicates,
    _names,
    _article_gaps,
    _repeated_articles,
)
