"""Analyse the passages of documents: the terms that Whoosh indexes and the rows that the arrays are made of."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from siaa.analysis import Analyzer
from siaa.model import CutPassage
from siaa.references import find_references
from siaa.search.arrays import IS_LIST, OPENS_SECTION
from siaa.search.passage_table import PassageRow
from siaa.search.whoosh_index import PassageTerms
from siaa.sentences import sentence_spans
from siaa.text import squeeze


@dataclass(frozen=True, slots=True)
class AnalysedPassage:
    """What Whoosh gets of a passage, and what the arrays get."""

    terms: PassageTerms
    row: PassageRow


def analyse(
    passages: Sequence[CutPassage], title_stems: Sequence[str], *, doc_id: str, position: int, analyzer: Analyzer
) -> Iterator[AnalysedPassage]:
    """Yield the passages of the document `doc_id`, in order.

    `title_stems` are those of the names it goes by; `position` is the document's among those indexed together.
    """
    for cut in passages:
        tokens = list(analyzer.tokens(cut.text))
        words = [token.word for token in tokens if token.word not in analyzer.tables.stop_words]
        terms = PassageTerms(
            doc_id=doc_id,
            start=cut.start,
            end=cut.end,
            article=cut.article,
            body=[analyzer.stem(word) for word in words],
            heading=analyzer.stems(" ".join(_searched_path(cut.heading_path))),
            title=title_stems,
            words=words,
            references=[token for reference in find_references(cut.text) for token in reference.tokens],
        )
        row = PassageRow(
            document=position,
            start=cut.start,
            end=cut.end,
            article=cut.article,
            heading=squeeze(cut.heading_path[-1]),
            heading_stems=tuple(dict.fromkeys(analyzer.stems(cut.heading_path[-1]))),
            flags=(IS_LIST if cut.is_list else 0) | (OPENS_SECTION if cut.opens_section else 0),
            digest=_digest(cut.text),
            words=[token.word for token in tokens],
            offsets=[token.start for token in tokens],
            sentences=[start for start, _ in sentence_spans(cut.text)],
        )
        yield AnalysedPassage(terms, row)


def _searched_path(path: Sequence[str]) -> Sequence[str]:
    """Return the heading path without the outermost, which is the title and has a field of its own."""
    return path[1:] or path


def _digest(text: str) -> int:
    digest = hashlib.blake2b(squeeze(text).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little") >> 1
