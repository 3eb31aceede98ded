"""Run a question to its answer: route, gather, answer. The diagnostics stop earlier on this same line.

Before a model is asked, `siaa.answering.refusal` decides whether the passages can answer; what it says is held against them
sentence by sentence (`siaa.answering.citing.citations`). What comes out is a sequence of events (`siaa.answering.events`), which
`service.http.wire` writes.
"""

from __future__ import annotations

import logging
import textwrap
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from siaa.answering import grounding, refusal
from siaa.answering.citing.citations import SentenceBuffer
from siaa.answering.events import Delta, Event, Found, Nearest, Sentence, Source, Sources
from siaa.answering.extractive import MAX_CHARS, ExtractiveAnswer, extract
from siaa.answering.grounding import Ground, piece_scores
from siaa.answering.llm import LanguageModel
from siaa.answering.lost_quotes import Lost, cut_before, lost_in_passages, lost_in_quotes, notices, speaks_of_it
from siaa.answering.prompt import build_messages
from siaa.answering.refusal import Decision, Verdict
from siaa.answering.wording import REFUSAL
from siaa.routing import ROUTING_LEVELS
from siaa.text import normalise, squeeze

if TYPE_CHECKING:
    from siaa.question import Query
    from siaa.retrieval import Gathered, Retriever, Selected
    from siaa.routing import Routed

__all__ = [
    "LEVEL_OF",
    "Delta",
    "Event",
    "Found",
    "Nearest",
    "Sentence",
    "Source",
    "Sources",
    "answer",
    "answer_small_talk",
    "gather",
    "judge",
    "judge_document",
    "route_question",
    "without_refusal",
]

log = logging.getLogger(__name__)

LEVEL_OF = {row.signal: row.level for row in ROUTING_LEVELS}  # signal -> level of the contract, in Spanish

EXPANSION_SHARE = 0.25  # of the question's mean idf, for words that its kind or a synonym adds
SHORTEST = 300  # characters that quotations have at least, whatever goes before or behind them
NAMED_CHARS = 160  # characters of the norms that a notice names, at most

_REFUSAL_WORDS = REFUSAL.rstrip(".")  # models lose the full stop
_BEFORE_FIRST_WORD = " \t\r\n\"'«“*"
_ENDS = tuple('.!?…:;)]»”"')

MISSING_NORM = "Nota: {norms} no está entre los documentos disponibles; esto es lo más cercano que hay en ellos.\n\n"
MISSING_NORMS = "Nota: {norms} no están entre los documentos disponibles; esto es lo más cercano que hay en ellos.\n\n"
UNPROVEN = "\n\nAviso: una frase de esta respuesta no consta en los documentos; compruébela antes de usarla."
UNPROVEN_MANY = (
    "\n\nAviso: {count} frases de esta respuesta no constan en los documentos; compruébelas antes de usarlas."
)
NEAREST = "{reason} Este es el pasaje más parecido."
NEAREST_MISSING = "No está entre los documentos lo que la pregunta nombra ({norms}); este es el pasaje más parecido."
MODEL_REFUSED = "El modelo no encontró la respuesta en los pasajes que leyó."
NOTHING_HOLDS = "Ningún pasaje sostiene la respuesta que propuso el modelo."
NOTHING_TO_QUOTE = "Ninguna frase de los pasajes responde a la pregunta."


def route_question(retriever: Retriever, raw: str, *, collection: str | None = None) -> Routed:
    """Return the documents for `raw`, and log each level's share.

    Raises InvalidQuestionError and UnknownCollectionError.
    """
    routed = retriever.route(retriever.ask(raw), collection=collection)
    if log.isEnabledFor(logging.DEBUG):
        for found in routed.documents:
            shares: dict[str, float] = {}
            for part in found.contributions:
                level = LEVEL_OF[part.signal]
                shares[level] = shares.get(level, 0.0) + part.points
            told = ", ".join(f"{level} {share:+.3f}" for level, share in shares.items())
            log.debug("[ENRUTADOR] %s %.3f (%s)", found.document.name, found.score, told)
    return routed


def gather(retriever: Retriever, raw: str, *, collection: str | None = None) -> Gathered:
    """Return the documents for `raw` with the fragment of each: what a model is sent, byte for byte.

    Raises InvalidQuestionError and UnknownCollectionError.
    """
    return retriever.gather(route_question(retriever, raw, collection=collection))


def answer_small_talk(question: str, reply: str) -> Generator[Event, None, None]:
    """Yield the events of a reply that needs no document."""
    yield from (Found((), question), Delta(reply), Sources())


def judge(retriever: Retriever, gathered: Gathered) -> Verdict:
    """Return whether the gathered fragments can answer their question: what the chat decides by."""
    return judge_document(retriever, gathered.routed.query, *gathered.selections)


def judge_document(retriever: Retriever, query: Query, *selections: Selected) -> Verdict:
    """Return whether the fragments of these selections can answer `query`."""
    given = [(selected.document, selected.fragment) for selected in selections]
    return refusal.judge(query, given, generation=retriever.generation, names=retriever.names)


def answer(
    retriever: Retriever,
    gathered: Gathered,
    *,
    model: LanguageModel | None,
    max_tokens: int,
    withhold: bool = False,
    turns: AbstractContextManager[None] | None = None,
) -> Generator[Event, None, None]:
    """Return the events of the answer to a gathered question; no model is called when the passages cannot answer it.

    Without a model the documents are quoted. With `withhold`, sentences that no passage holds up are left out; else
    they are marked, in one of `turns`. The model's slot is taken at this call, before anything was sent. Closing the
    events ends the model's call.

    Raises ModelBusyError here, and other ModelErrors while the events are read.
    """
    verdict = judge(retriever, gathered)
    lost = lost_in_passages(retriever, gathered)
    can_judge = model is not None  # whether a passage plainly holds the answer is for a model to read
    if verdict.decision is Decision.REFUSE or (verdict.decision is Decision.ONLY_IF_THERE and not can_judge):
        return _events(gathered, _refused(gathered, verdict.reason, lost))
    if model is None:
        return _events(gathered, _quote(retriever, gathered, lost))
    doubtful = verdict.decision is Decision.ONLY_IF_THERE
    # A document without a piece has a header and nothing more: it tells the model nothing.
    fragments = [fragment for fragment in gathered.fragments if fragment.pieces]
    messages = build_messages(fragments, gathered.routed.query.raw, doubtful=doubtful or bool(lost))
    stream = model.stream(messages, max_tokens=max_tokens)
    ground = Ground(retriever, gathered)
    said = _generate(gathered, stream, ground, verdict, lost, withhold=withhold, turns=turns or nullcontext())
    return _events(gathered, said, stream)


def _events(
    gathered: Gathered, rest: Iterator[Event], stream: Generator[str, None, None] | None = None
) -> Generator[Event, None, None]:
    routed = gathered.routed
    documents = tuple((found.document.name, found.document.collection) for found in routed.documents)
    try:
        yield Found(documents, routed.query.raw)
        yield from rest
    finally:
        if stream is not None:
            stream.close()


def _refused(gathered: Gathered, reason: str, lost: Sequence[Lost]) -> Iterator[Event]:
    yield Delta(REFUSAL)
    norms = _missing_norms(gathered.routed)
    told = norms and not any(norm in reason for norm in norms)
    why = NEAREST_MISSING.format(norms=_listed(norms)) if told else NEAREST.format(reason=reason)
    yield grounding.nearest(gathered, " ".join([why, *(each.sentence for each in lost)]))


def _quote(retriever: Retriever, gathered: Gathered, asked: Sequence[Lost]) -> Iterator[Event]:
    notice = _notice(gathered)
    found, lost = _extracted(retriever, gathered, asked, room=MAX_CHARS - len(notice))
    if found is None:
        yield from _refused(gathered, NOTHING_TO_QUOTE, asked)
        return
    yield Delta(notice + found.text + notices(lost))
    yield grounding.quoted_sources(gathered, found, offset=len(notice))


def _extracted(
    retriever: Retriever, gathered: Gathered, asked: Sequence[Lost], *, room: int
) -> tuple[ExtractiveAnswer | None, list[Lost]]:
    """Return the quotations with what the question asks for and an article lacks; at most `room` characters for both.

    When the best quotation announces a list that is not there, or none speaks of what is asked, only the article that
    lost it is quoted: another one's would pass for it. A lesser quotation that does is left out: it says nothing.
    """
    query = gathered.routed.query
    weights = retriever.stem_weights(query)
    quote = partial(
        extract,
        weights=weights,
        stems=retriever.generation.analyzer.stems,
        question=query.raw,
        expansion=_reduced(query, weights),
        piece_scores=piece_scores(gathered),
    )
    found = quote(gathered.fragments, articles=query.articles, max_chars=room)
    lost = lost_in_quotes(retriever, gathered, found.quotes) if found else {}
    if not found or not (lost or asked):
        return found, []
    said = lost.get(found.quotes[0])
    if said is None and asked and not speaks_of_it(retriever, query, [q for q in found.quotes if q not in lost]):
        said = asked[0]
    if said is not None:
        fragments = [fragment for fragment in gathered.fragments if fragment.name == said.name]
        room = max(room - len(notices([said])), SHORTEST)
        return quote(fragments, articles=(said.article,), max_chars=room), [said]
    room = max(room - len(notices(asked)), SHORTEST)
    return quote(cut_before(gathered.fragments, lost), articles=query.articles, max_chars=room), list(asked)


def _reduced(query: Query, weights: Mapping[str, float]) -> dict[str, float]:
    """Return the words that a question implies, each worth a share of one of its own words."""
    mean = sum(weights.values()) / max(len(weights), 1)
    return {stem: EXPANSION_SHARE * mean for stem in (*query.synonyms, *query.expansion) if stem not in weights}


def _generate(
    gathered: Gathered,
    stream: Iterator[str],
    ground: Ground,
    verdict: Verdict,
    lost: Sequence[Lost],
    *,
    withhold: bool,
    turns: AbstractContextManager[None],
) -> Iterator[Event]:
    doubtful = verdict.decision is Decision.ONLY_IF_THERE
    said: Iterator[str] = without_refusal(stream)
    if withhold:
        said = _supported(said, ground)
    elif doubtful:
        said = _once_supported(said, ground)
    first = next(said, None)
    if first is None:
        yield from _refused(gathered, NOTHING_HOLDS if doubtful or withhold else MODEL_REFUSED, lost)
        return
    notice = _notice(gathered)
    text = ""
    for piece in chain([first], said):
        yield Delta(notice + piece if not text else piece)
        text += piece
    with turns:  # many answers may end at once
        sources, unproven = ground.sources(text, offset=len(notice))
    warning = notices(lost)
    if unproven:
        warning += UNPROVEN if unproven == 1 else UNPROVEN_MANY.format(count=unproven)
    if warning:
        # An answer that was cut keeps no end: what is incomplete is not remembered (service.storage.answer_cache).
        yield Delta(warning if text.rstrip().endswith(_ENDS) else warning.rstrip("."))
    yield sources


def _supported(pieces: Iterator[str], ground: Ground) -> Iterator[str]:
    """Yield the sentences that a passage holds up, each when it is complete; nothing of the others."""
    buffer = SentenceBuffer()
    for sentence in chain((whole for piece in pieces for whole in buffer.feed(piece)), _last(buffer)):
        if ground.holds(sentence):
            yield sentence


def _once_supported(pieces: Iterator[str], ground: Ground) -> Iterator[str]:
    """Hold back what is said until a sentence comes that a passage holds up; nothing if none does."""
    buffer = SentenceBuffer()
    held = ""
    for piece in pieces:
        for sentence in buffer.feed(piece):
            held += sentence
            if ground.holds(sentence):
                yield held + buffer.rest()
                yield from pieces
                return
    last = buffer.rest()
    if last and ground.holds(last):
        yield held + last


def _last(buffer: SentenceBuffer) -> Iterator[str]:
    if rest := buffer.rest():
        yield rest


def without_refusal(pieces: Iterable[str]) -> Iterator[str]:
    """Yield the words of a model, or nothing if they begin with the refusal.

    Further on the refusal is left out: its words appear in no other answer (contract). Text is held back only while it
    may become the refusal; white space and quotation marks before the first word are dropped.
    """
    held, started = "", False
    for piece in pieces:
        held += piece
        if not started:
            held = held.lstrip(_BEFORE_FIRST_WORD)
            if held.startswith(_REFUSAL_WORDS):
                return
        held = held.replace(_REFUSAL_WORDS, "")
        keep = _overlap(held)
        ready, held = held[: len(held) - keep], held[len(held) - keep :]
        if ready:
            started = True
            yield ready
    if held:
        yield held


def _overlap(text: str) -> int:
    """Return how many characters at the end of `text` begin the refusal."""
    longest = min(len(text), len(_REFUSAL_WORDS) - 1)
    return next((size for size in range(longest, 0, -1) if _REFUSAL_WORDS.startswith(text[-size:])), 0)


def _notice(gathered: Gathered) -> str:
    norms = _missing_norms(gathered.routed)
    if not norms:
        return ""
    return (MISSING_NORMS if len(norms) > 1 else MISSING_NORM).format(norms=_listed(norms))


def _listed(norms: Iterable[str]) -> str:
    return textwrap.shorten(", ".join(norms), NAMED_CHARS, placeholder=" …")


def _missing_norms(routed: Routed) -> tuple[str, ...]:
    """Return the norms that the index lacks, in the words of the question."""
    text = squeeze(normalise(routed.query.raw))
    named = {norm.token: text[norm.start : norm.end] for norm in routed.query.norms}
    return tuple(named.get(token, token) for token in routed.missing)
