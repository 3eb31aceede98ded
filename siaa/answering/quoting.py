"""Quote what was gathered: the sentences that answer, or the one that announces a list which the document lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from siaa.answering import wording
from siaa.answering.extractive import ExtractiveAnswer, extract
from siaa.answering.grounding import piece_scores
from siaa.answering.lost_quotes import cut_before, lost_in_quotes, speaks_of_it
from siaa.answering.reasons import Reason

if TYPE_CHECKING:
    from siaa.question import Query
    from siaa.retrieval import Gathered, Retriever

EXPANSION_SHARE = 0.25  # of the question's mean idf, for words that its kind, a synonym or an everyday word adds
SHORTEST = 300  # characters that quotations have at least, whatever goes before or behind them


def quote(
    retriever: Retriever, gathered: Gathered, asked: Sequence[Reason], *, room: int
) -> tuple[ExtractiveAnswer | None, list[Reason]]:
    """Return the quotations with what the question asks for and an article lacks; at most `room` characters for both.

    `asked` is what the passages announce of it and have lost. When the best quotation announces a list that is not
    there, or none speaks of what is asked, only the article that lost it is quoted: another one's would pass for it. A
    lesser quotation that does is left out: it says nothing.
    """
    query = gathered.routed.query
    weights = retriever.stem_weights(query)
    extracted = partial(
        extract,
        weights=weights,
        stems=retriever.generation.analyzer.stems,
        question=query.raw,
        expansion=_reduced(query, weights),
        piece_scores=piece_scores(gathered),
    )
    found = extracted(gathered.fragments, articles=query.articles, max_chars=room)
    lost = lost_in_quotes(retriever, gathered, found.quotes) if found else {}
    if not found or not (lost or asked):
        return found, []
    said = lost.get(found.quotes[0])
    if said is None and asked and not speaks_of_it(retriever, query, [q for q in found.quotes if q not in lost]):
        said = asked[0]
    if said is not None:
        fragments = [fragment for fragment in gathered.fragments if fragment.name == said.document]
        room = max(room - len(wording.lost_lists([said])), SHORTEST)
        return extracted(fragments, articles=(said.article,), max_chars=room), [said]
    room = max(room - len(wording.lost_lists(asked)), SHORTEST)
    return extracted(cut_before(gathered.fragments, lost), articles=query.articles, max_chars=room), list(asked)


def _reduced(query: Query, weights: Mapping[str, float]) -> dict[str, float]:
    """Return the words that a question implies, each worth a share of one of its own words."""
    mean = sum(weights.values()) / max(len(weights), 1)
    return {
        stem: EXPANSION_SHARE * mean
        for stem in (*query.synonyms, *query.written, *query.expansion)
        if stem not in weights
    }
