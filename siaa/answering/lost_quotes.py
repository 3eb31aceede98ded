"""Say that the list somebody asks for is announced in a document and is not there, so that nobody takes it for empty.

"Son deberes los siguientes:" with nothing behind it is what a conversion left of an article. The answer quotes it, and
no article beside it in its stead.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from siaa.answering.reasons import Code, Reason
from siaa.lost_lists import REST_CHARS, announced, is_lost
from siaa.sentences import is_list_item, sentence_spans

if TYPE_CHECKING:
    from siaa.answering.extractive import Quote
    from siaa.model import Fragment, Piece
    from siaa.question import Query
    from siaa.records import DocumentRecord
    from siaa.retrieval import Gathered, Retriever

ASKED_SHARE = 0.5  # of the weight of a question's words, held by the sentence that announces what is asked for
MOST_NOTICES = 2  # in one answer


def lost_in_quotes(retriever: Retriever, gathered: Gathered, quotes: Iterable[Quote]) -> dict[Quote, Reason]:
    """Return the sentences quoted that announce what their articles do not hold, in their order."""
    documents = {selected.fragment.doc_id: selected.document for selected in gathered.selections}
    found = ((q, _lost(retriever, documents[q.doc_id], q.article, q.end, q.text)) for q in quotes if q.article)
    return {quote: lost for quote, lost in found if lost}


def cut_before(fragments: Iterable[Fragment], quotes: Collection[Quote]) -> list[Fragment]:
    """Return the fragments without the sentences of `quotes`, nor what follows them in their passage: notes."""
    cut: list[Fragment] = []
    for fragment in fragments:
        places = [quote.start for quote in quotes if quote.doc_id == fragment.doc_id]
        pieces = (_before(piece, places) for piece in fragment.pieces)
        cut.append(replace(fragment, pieces=tuple(piece for piece in pieces if piece.text)))
    return cut


def _before(piece: Piece, places: Iterable[int]) -> Piece:
    inside = [place - piece.start for place in places if 0 <= place - piece.start < len(piece.text)]
    return replace(piece, text=piece.text[: min(inside)].rstrip()) if inside else piece


def lost_in_passages(retriever: Retriever, gathered: Gathered) -> list[Reason]:
    """Return what the passages announce and do not hold, in an article asked for or in the words of the question.

    The sentence that announces it must hold most of these words and the first of them: "¿cuáles son los deberes ...?".
    """
    query = gathered.routed.query
    weights = retriever.stem_weights(query)
    found: list[Reason] = []
    for selected in gathered.selections:
        for piece in selected.fragment.pieces:
            for start, end in sentence_spans(piece.text) if piece.article else ():
                sentence = piece.text[start:end]
                if not announced(sentence):
                    continue
                stems = set(retriever.generation.analyzer.stems(sentence))
                held = sum(weights.get(stem, 0.0) for stem in stems)
                asked = _focus(weights) in stems and held >= ASKED_SHARE * sum(weights.values())
                if asked or piece.article in query.articles:
                    lost = _lost(retriever, selected.document, piece.article, piece.start + end, sentence)
                    found += [lost] if lost else []
    return list(dict.fromkeys(found))[:MOST_NOTICES]


def speaks_of_it(retriever: Retriever, query: Query, quotes: Iterable[Quote]) -> bool:
    """Tell whether any of `quotes` holds the first word of what is asked."""
    focus = _focus(retriever.stem_weights(query))
    return any(focus in retriever.generation.analyzer.stems(quote.text) for quote in quotes)


def _focus(weights: Mapping[str, float]) -> str:
    return next(iter(weights), "")


def _lost(retriever: Retriever, document: DocumentRecord, article: str, end: int, sentence: str) -> Reason | None:
    what = announced(sentence)
    if not what or is_list_item(sentence):
        return None
    rest = retriever.generation.slice(document, end, _end_of_article(retriever, document, article, end))
    return Reason(Code.LOST_LIST, document.name, article, words=(what.value,)) if is_lost(what, rest) else None


def _end_of_article(retriever: Retriever, document: DocumentRecord, article: str, place: int) -> int:
    """Return where the passages of `article` that follow `place` end, or as far as it matters."""
    reach = place
    for start, end in _passages_from(retriever, document, article, place):
        if start - place > REST_CHARS:
            break
        reach = max(reach, end)
    return min(reach, place + REST_CHARS)


def _passages_from(
    retriever: Retriever, document: DocumentRecord, article: str, place: int
) -> Iterator[tuple[int, int]]:
    for passage in map(retriever.generation.passage, document.passages):
        if passage.end < place:
            continue
        if passage.article != article:
            return
        yield passage.start, passage.end
