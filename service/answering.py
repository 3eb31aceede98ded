"""Run a question to its answer: route, gather, answer. The diagnostics stop earlier on this same line.

What comes out is a sequence of events, values without HTTP; `service.wire` writes them.
"""

from __future__ import annotations

import logging
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from service.extractive import ExtractiveAnswer, extract
from service.llm import LanguageModel
from service.messages import REFUSAL
from service.prompt import build_messages
from siaa.errors import UnknownCollectionError
from siaa.model import Fragment
from siaa.routing import ROUTING_LEVELS
from siaa.text import fold, normalise, squeeze

if TYPE_CHECKING:
    from siaa.generation import Generation
    from siaa.question import Query
    from siaa.retrieval import Gathered, Retriever
    from siaa.routing import Routed

log = logging.getLogger(__name__)

LEVEL_OF = {row.signal: row.level for row in ROUTING_LEVELS}  # signal -> level of the contract, in Spanish

VERIFIED = "verificada"  # the quotation stands in the document, character by character
PARTIAL = "parcial"  # the passage was given to the model; which sentence rests on it is not checked
EXPANSION_SHARE = 0.25  # of the question's mean idf, for words that its kind or a synonym adds

_REFUSAL_WORDS = REFUSAL.rstrip(".")  # models lose the full stop
_BEFORE_FIRST_WORD = " \t\r\n\"'«“*"

MISSING_NORM = "Nota: {norms} no está entre los documentos disponibles; esto es lo más cercano que hay en ellos.\n\n"
MISSING_NORMS = "Nota: {norms} no están entre los documentos disponibles; esto es lo más cercano que hay en ellos.\n\n"
NEAREST = "Es el pasaje más parecido a la pregunta, pero no la responde."
NEAREST_MISSING = "No está entre los documentos lo que la pregunta nombra ({norms}); este es el pasaje más parecido."


@dataclass(frozen=True, slots=True)
class Found:
    """The documents that were searched; `searched` is the question as it was searched."""

    documents: tuple[tuple[str, str], ...]  # name and collection
    searched: str


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of the answer's text."""

    text: str


@dataclass(frozen=True, slots=True)
class Source:
    """A slice of a document that the answer rests on: `text` stands at `start` to `end` of the document."""

    name: str
    collection: str
    title: str
    article: str
    heading: str
    start: int
    end: int
    text: str
    state: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """A span of the answer, and the number (from 1) of the source it rests on."""

    start: int
    end: int
    state: str
    source: int


@dataclass(frozen=True, slots=True)
class Sources:
    """What the answer rests on; comes after the last Delta."""

    sources: tuple[Source, ...] = ()
    sentences: tuple[Sentence, ...] = ()


@dataclass(frozen=True, slots=True)
class Nearest:
    """After a refusal: the passage that came nearest, if any, and why it is shown."""

    source: Source | None
    why: str


Event = Found | Delta | Sources | Nearest


def route_question(retriever: Retriever, raw: str, *, collection: str | None = None) -> Routed:
    """Return the documents for `raw`, and log each level's share.

    Raises InvalidQuestionError and UnknownCollectionError.
    """
    chosen = find_collection(retriever.generation, collection) if collection is not None else None
    routed = retriever.route(retriever.ask(raw), collection=chosen)
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


def find_collection(generation: Generation, name: str) -> str:
    """Return the collection called `name`, in any case, with or without accents.

    Raises UnknownCollectionError with those there are.
    """
    known = generation.manifest.collections
    wanted = fold(normalise(name)).strip()
    found = next((collection for collection in known if fold(collection) == wanted), None)
    if found is None:
        raise UnknownCollectionError(
            f"No hay ninguna colección «{name}»: elija una de las que hay.", suggestions=tuple(sorted(known))
        )
    return found


def answer_small_talk(question: str, reply: str) -> Generator[Event, None, None]:
    """Yield the events of a reply that needs no document."""
    yield from (Found((), question), Delta(reply), Sources())


def answer(
    retriever: Retriever, gathered: Gathered, *, model: LanguageModel | None, max_tokens: int
) -> Generator[Event, None, None]:
    """Return the events of the answer to a gathered question; without a model, or with nothing found, none is called.

    The model's slot is taken at this call, before anything was sent. Closing the events ends the model's call.

    Raises ModelBusyError here, and other ModelErrors while the events are read.
    """
    if not any(fragment.pieces for fragment in gathered.fragments):
        return _events(gathered, _refused(gathered))
    if model is None:
        return _events(gathered, _quote(retriever, gathered))
    query = gathered.routed.query
    # A document without a piece has a header and nothing more: it tells the model nothing.
    fragments = [fragment for fragment in gathered.fragments if fragment.pieces]
    stream = model.stream(build_messages(fragments, query.raw), max_tokens=max_tokens)
    return _events(gathered, _generate(gathered, stream), stream)


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


def _refused(gathered: Gathered) -> Iterator[Event]:
    yield Delta(REFUSAL)
    yield _nearest(gathered)


def _quote(retriever: Retriever, gathered: Gathered) -> Iterator[Event]:
    query = gathered.routed.query
    weights = retriever.stem_weights(query)
    found = extract(
        gathered.fragments,
        weights=weights,
        stems=retriever.generation.analyzer.stems,
        expansion=_reduced(query, weights),
        piece_scores=_piece_scores(gathered),
    )
    if found is None:
        yield from _refused(gathered)
        return
    notice = _notice(gathered)
    yield Delta(notice + found.text)
    yield _quoted_sources(gathered, found, offset=len(notice))


def _reduced(query: Query, weights: Mapping[str, float]) -> dict[str, float]:
    """Return the words that a question implies, each worth a share of one of its own words."""
    mean = sum(weights.values()) / max(len(weights), 1)
    return {stem: EXPANSION_SHARE * mean for stem in (*query.synonyms, *query.expansion) if stem not in weights}


def _generate(gathered: Gathered, stream: Iterator[str]) -> Iterator[Event]:
    pieces = without_refusal(stream)
    first = next(pieces, None)
    if first is None:
        yield from _refused(gathered)
        return
    notice = _notice(gathered)
    yield from (Delta(text) for text in chain([notice] if notice else [], [first], pieces))
    yield Sources(tuple(_source(gathered, fragment, number) for fragment, number in _pieces(gathered)))


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
    return (MISSING_NORMS if len(norms) > 1 else MISSING_NORM).format(norms=", ".join(norms))


def _missing_norms(routed: Routed) -> tuple[str, ...]:
    """Return the norms that the index lacks, in the words of the question."""
    text = squeeze(normalise(routed.query.raw))
    named = {norm.token: text[norm.start : norm.end] for norm in routed.query.norms}
    return tuple(named.get(token, token) for token in routed.missing)


def _piece_scores(gathered: Gathered) -> dict[tuple[str, int], float]:
    """Return the score of the best chosen chunk in each piece, by document and start of the piece."""
    scores: dict[tuple[str, int], float] = {}
    for selected in gathered.selections:
        for piece in selected.fragment.pieces:
            inside = [c.score for c in selected.chosen if c.start < piece.end and piece.start < c.end]
            if inside:
                scores[selected.fragment.doc_id, piece.start] = max(inside)
    return scores


def _quoted_sources(gathered: Gathered, found: ExtractiveAnswer, *, offset: int) -> Sources:
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
                state=VERIFIED,
            )
        )
        at = found.text.index(f"«{quote.text}»", at) + 1
        sentences.append(Sentence(offset + at, offset + at + len(quote.text), VERIFIED, number))
    return Sources(tuple(sources), tuple(sentences))


def _pieces(gathered: Gathered) -> Iterator[tuple[Fragment, int]]:
    for fragment in gathered.fragments:
        for number in range(len(fragment.pieces)):
            yield fragment, number


def _source(gathered: Gathered, fragment: Fragment, number: int) -> Source:
    piece = fragment.pieces[number]
    document = next(s.document for s in gathered.selections if s.fragment.doc_id == fragment.doc_id)
    return Source(
        name=document.name,
        collection=document.collection,
        title=document.title,
        article=piece.article,
        heading=piece.heading,
        start=piece.start,
        end=piece.end,
        text=piece.text,
        state=PARTIAL,
    )


def _nearest(gathered: Gathered) -> Nearest:
    scores = _piece_scores(gathered)
    pieces = list(_pieces(gathered))
    norms = _missing_norms(gathered.routed)
    why = NEAREST_MISSING.format(norms=", ".join(norms)) if norms else NEAREST
    if not pieces:
        return Nearest(None, why)
    # The first document is the best routed: a passage of another comes nearer only within it.
    first = [(f, n) for f, n in pieces if f.doc_id == pieces[0][0].doc_id]
    best = max(first, key=lambda item: scores.get((item[0].doc_id, item[0].pieces[item[1]].start), 0.0))
    return Nearest(_source(gathered, *best), why)
