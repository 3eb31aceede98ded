"""Tie an answer to the passages it was made from: the exact slice behind each of its sentences, as events."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from siaa.answering.citing.citations import CheckedSentence, check_answer
from siaa.answering.citing.place import Place
from siaa.answering.citing.support import State
from siaa.answering.events import Nearest, Sentence, Source, Sources
from siaa.answering.extractive import ExtractiveAnswer
from siaa.answering.reasons import Reason
from siaa.text import fold

if TYPE_CHECKING:
    from siaa.model import Piece
    from siaa.records import DocumentRecord
    from siaa.references import Reference
    from siaa.retrieval import Gathered, Retriever


class Ground:
    """The passages of one answer, read when the first sentence is held against them."""

    def __init__(self, retriever: Retriever, gathered: Gathered) -> None:
        self._retriever = retriever
        self._pieces = list(pieces_of(gathered))

    def holds(self, sentence: str) -> bool:
        """Tell whether a passage holds up something in `sentence`, and nothing in it lacks a passage."""
        checked = check_answer(sentence, self._places)
        return bool(checked) and all(each.holds for each in checked)

    def sources(self, text: str, *, offset: int) -> tuple[Sources, int]:
        """Return what the sentences of an answer rest on, and how many rest on nothing or name another place.

        `offset` is where `text` begins in what the reader got. When no sentence rests on anything, the sources are
        the passages that were read, and say so.
        """
        checked = check_answer(text, self._places)
        sources: list[Source] = []
        numbers: dict[tuple[int, int, int], int] = {}
        for each in checked:
            key = (each.support.place, each.support.start, each.support.end)
            if each.support.place >= 0 and key not in numbers:
                sources.append(self._cited(each))
                numbers[key] = len(sources)
        sentences = tuple(
            Sentence(
                offset + each.start,
                offset + each.end,
                each.support.state.value,
                numbers.get((each.support.place, each.support.start, each.support.end), 0),
            )
            for each in checked
        )
        unproven = sum(not each.holds for each in checked)
        read = [source_of(document, piece, State.UNSUPPORTED) for document, piece in self._pieces]
        return Sources(tuple(sources or read), sentences), unproven

    @cached_property
    def _places(self) -> list[Place]:
        return [
            place_of(self._retriever, document, piece.text, start=piece.start, article=piece.article)
            for document, piece in self._pieces
        ]

    def _cited(self, checked: CheckedSentence) -> Source:
        support = checked.support
        document, piece = self._pieces[support.place]
        return source_of(document, piece, support.state, within=(support.start, support.end))


def place_of(retriever: Retriever, document: DocumentRecord, text: str, *, start: int, article: str) -> Place:
    """Return a stretch of `document` as claims are held against it."""

    def is_norm(reference: Reference) -> bool:
        return bool(retriever.names.are_norms([reference])[document.position])

    def is_file(name: str) -> bool:
        return fold(name) in (fold(document.name), fold(document.doc_id), fold(document.doc_id.rsplit("/", 1)[-1]))

    stem = retriever.generation.analyzer.stem
    return Place(text, start=start, article=article, stem=stem, is_norm=is_norm, is_file=is_file)


def quoted_sources(gathered: Gathered, found: ExtractiveAnswer, *, offset: int) -> Sources:
    """Return the slices that an extractive answer quotes; `offset` is where it begins in what the reader got."""
    documents = {selected.fragment.doc_id: selected.document for selected in gathered.selections}
    sources, sentences, at = [], [], 0
    for number, quote in enumerate(found.quotes, start=1):
        document = documents[quote.doc_id]
        sources.append(
            Source(
                name=document.name,
                collection=document.collection,
                title=document.title,
                article=quote.article,
                heading=quote.heading,
                start=quote.start,
                end=quote.end,
                text=quote.text,
                state=State.VERIFIED.value,
            )
        )
        at = found.text.index(f"«{quote.text}»", at) + 1
        sentences.append(Sentence(offset + at, offset + at + len(quote.text), State.VERIFIED.value, number))
    return Sources(tuple(sources), tuple(sentences))


def nearest(gathered: Gathered, reasons: tuple[Reason, ...]) -> Nearest:
    """Return the passage that scored best in the first document: another document's comes nearer only in numbers."""
    scores = piece_scores(gathered)
    pieces = list(pieces_of(gathered))
    if not pieces:
        return Nearest(None, reasons)
    first = pieces[0][0]
    own = [piece for document, piece in pieces if document is first]
    best = max(own, key=lambda piece: scores.get((first.doc_id, piece.start), 0.0))
    return Nearest(source_of(first, best, State.PARTIAL), reasons)


def piece_scores(gathered: Gathered) -> dict[tuple[str, int], float]:
    """Return the score of the best chosen passage in each piece, by document and start of the piece."""
    scores: dict[tuple[str, int], float] = {}
    for selected in gathered.selections:
        for piece in selected.fragment.pieces:
            inside = [s.score for s in selected.chosen if s.passage.start < piece.end and piece.start < s.passage.end]
            if inside:
                scores[selected.fragment.doc_id, piece.start] = max(inside)
    return scores


def pieces_of(gathered: Gathered) -> Iterator[tuple[DocumentRecord, Piece]]:
    """Yield every piece that the fragments hold, with its document."""
    for selected in gathered.selections:
        for piece in selected.fragment.pieces:
            yield selected.document, piece


def source_of(document: DocumentRecord, piece: Piece, state: State, *, within: tuple[int, int] | None = None) -> Source:
    """Return a piece of `document` as a source, or only the characters `within` it."""
    start, end = within or (0, len(piece.text))
    return Source(
        name=document.name,
        collection=document.collection,
        title=document.title,
        article=piece.article,
        heading=piece.heading,
        start=piece.start + start,
        end=piece.start + end,
        text=piece.text[start:end],
        state=state.value,
    )
