"""Analyse documents into passages: the terms that Whoosh indexes and the rows that the arrays are made of."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from siaa.analysis import Analyzer
from siaa.model import Chunk, Document
from siaa.references import find_references
from siaa.search.arrays import IS_LIST, OPENS_SECTION
from siaa.search.passage_table import PassageRow
from siaa.search.whoosh_index import PassageTerms
from siaa.text import squeeze

SentenceStarts = Callable[[str], Sequence[int]]


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk analysed: what Whoosh gets and what the arrays get."""

    terms: PassageTerms
    row: PassageRow


def analyse(
    document: Document,
    chunks: Sequence[Chunk],
    title_stems: Sequence[str],
    *,
    position: int,
    analyzer: Analyzer,
    sentence_starts: SentenceStarts,
) -> Iterator[Passage]:
    """Yield the passages of one document in order.

    `title_stems` are those of the names it goes by; `position` is the document's among those indexed together.
    """
    for chunk in chunks:
        tokens = list(analyzer.tokens(chunk.text))
        words = [token.word for token in tokens if token.word not in analyzer.tables.stop_words]
        terms = PassageTerms(
            doc_id=chunk.doc_id,
            start=chunk.start,
            end=chunk.end,
            article=chunk.article,
            body=[analyzer.stem(word) for word in words],
            heading=analyzer.stems(" ".join(_searched_path(chunk.heading_path))),
            title=title_stems,
            words=words,
            references=[token for reference in find_references(chunk.text) for token in reference.tokens],
        )
        yield Passage(
            terms,
            PassageRow(
                document=position,
                start=chunk.start,
                end=chunk.end,
                article=chunk.article,
                heading=squeeze(chunk.heading_path[-1]),
                heading_stems=tuple(dict.fromkeys(analyzer.stems(chunk.heading_path[-1]))),
                flags=(IS_LIST if chunk.is_list else 0) | (OPENS_SECTION if chunk.opens_section else 0),
                body_digest=_digest(chunk.text),
                words=[token.word for token in tokens],
                offsets=[token.start for token in tokens],
                sentences=sentence_starts(chunk.text),
            ),
        )


def _searched_path(path: Sequence[str]) -> Sequence[str]:
    """Return the heading path without the outermost, which is the title and has a field of its own."""
    return path[1:] or path


def _digest(text: str) -> int:
    digest = hashlib.blake2b(squeeze(text).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little") >> 1
