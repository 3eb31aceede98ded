"""Understand the last question of a conversation, and answer it: for every endpoint that speaks, the same way.

Courtesy needs no index; an ambiguous question is asked back; a follow-up is searched with what it refers to; an answer
that is known already comes from the cache. What came of it is written to the quality log.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from service.context import Context
from service.http.failures import StoppingError
from service.http.http_errors import status_of
from service.storage.answer_cache import AnswerCache, Asked
from service.storage.quality_log import CACHE_HIT, DOCUMENTS, ERROR, FAILED, TALK, Entry, recorded
from siaa.answering import answering
from siaa.answering.budget import answer_tokens
from siaa.answering.events import Event, Nearest
from siaa.answering.llm import Tether
from siaa.answering.llm.metered_model import MeteredModel
from siaa.answering.llm.protocol import ReaderLeftError
from siaa.answering.talk import clarifications, follow_ups, small_talk
from siaa.answering.talk.clarifications import Doubt
from siaa.answering.talk.conversation import Conversation
from siaa.answering.talk.follow_ups import Topic
from siaa.errors import SiaaError
from siaa.language import Clarification, LanguageTables
from siaa.text import normalise

if TYPE_CHECKING:
    from siaa.retrieval import Retriever

Events = Generator[Event, None, None]

# What the sentence of a refusal holds -> why, as /metrics counts it.
REFUSALS = {
    answering.MODEL_REFUSED: "modelo",
    answering.NOTHING_HOLDS: "sin_sustento",
    answering.NOTHING_TO_QUOTE: "sin_cita",
    answering.NEAREST_MISSING.partition("{")[0]: "norma_ausente",
}
NO_EVIDENCE = "sin_evidencia"


@dataclass(frozen=True, slots=True)
class Meaning:
    """What the last question asks: as it is searched, or, with `doubt`, what it leaves open."""

    searched: str
    doubt: Doubt | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """The events of an answer, to be read to their end or closed. `generation` is "" where no index was needed.

    `cached` says that the answer was known already, `by_model` that a model makes it now and may be silent for long.
    """

    events: Events
    generation: str = ""
    cached: bool = False
    by_model: bool = False


def reply(context: Context, conversation: Conversation, stack: ExitStack) -> Reply:
    """Return the answer to the last question. Until `stack` is closed the generation stays open and the model works.

    Raises SiaaError when the answer fails before its first event, after writing that down.
    """
    entry = Entry(DOCUMENTS, conversation.question, collection=conversation.collection or "")
    try:
        with context.turns:
            return _reply(context, conversation, stack, entry)
    except SiaaError as error:
        if status_of(error) >= 500:
            context.log.write(replace(entry, kind=ERROR, alert=FAILED, code=error.code))
        raise


def understand(
    questions: Sequence[str], tables: LanguageTables, *, document_of: Callable[[str], str | None]
) -> Meaning:
    """Return what the last of a conversation's `questions` (oldest first) asks.

    `document_of` names the document that answers a question. Of each row of the clarifications a conversation is asked
    once at most; what was chosen then holds for the rest of it.
    """
    topic: Topic | None = None
    asked: tuple[str, Doubt] | None = None  # the last question that was asked back
    waiting = False  # for the reply to it
    choices: dict[Clarification, str] = {}  # what was replied to each row that was asked
    meaning = Meaning(questions[-1])
    for raw in questions:
        if small_talk.reply_to(raw) is not None:
            continue
        question = normalise(raw)
        clear = clarifications.resolve(*asked, question, again=not waiting) if asked else None
        if asked and clear:
            choices[asked[1].row] = question
            question = clear
        else:
            topic = Topic(asked[0]) if asked and waiting and not topic else topic
            doubt = clarifications.find_doubt(question, tables.clarifications)
            if doubt and doubt.row not in choices:
                choices[doubt.row], asked, waiting = "", (question, doubt), True
                meaning = Meaning(raw, doubt)
                continue
            if doubt:
                question = clarifications.resolve(question, doubt, choices[doubt.row]) or question
        waiting = False
        if topic and follow_ups.is_follow_up(question, tables):
            question, topic = follow_ups.join(question, topic, tables, document_of=document_of)
        else:
            topic = Topic(question)
        meaning = Meaning(raw if question == normalise(raw) else question)
    return meaning


def _reply(context: Context, conversation: Conversation, stack: ExitStack, entry: Entry) -> Reply:
    question, collection = conversation.question, conversation.collection
    courtesy = small_talk.reply_to(question)
    if courtesy is not None:
        return Reply(_talk(context, entry, courtesy))
    model = context.model
    retriever = stack.enter_context(context.holder.lease())
    generation = retriever.generation
    meaning = understand(
        [turn.content for turn in conversation.turns if turn.role == "user"],
        generation.tables,
        document_of=lambda earlier: _document_of(retriever, earlier, collection),
    )
    entry = replace(entry, generation=generation.name, searched=meaning.searched)
    if meaning.doubt:
        return Reply(_talk(context, entry, clarifications.ask_back(meaning.doubt)), generation.name)
    entry = replace(entry, model=model.name if model else "")

    def asked() -> Asked | None:
        """Return the key under which the answer is known; None while nobody knows which model answers."""
        name = model.name if model else ""
        limits = (retriever.max_docs, retriever.max_chunks)
        return None if model and not name else Asked(generation.name, name, limits, collection, meaning.searched)

    known = context.cache.find(key) if (key := asked()) else None
    if key and context.settings.cache_max:
        context.metrics.cache_look_up(found=known is not None)
    if known is not None:
        hit = recorded((event for event in known), context.log, replace(entry, kind=CACHE_HIT))
        return Reply(hit, generation.name, cached=True)
    gathered = answering.gather(retriever, meaning.searched, collection=collection)
    # What the model is doing when the client leaves ends with the response, also while the model is silent.
    tether = Tether(MeteredModel(model, context.metrics)) if model else None
    if tether:
        stack.callback(tether.abandon)
        stack.enter_context(context.stopping.ended_by(tether.abandon))
    max_tokens = answer_tokens(gathered.routed.query, context.settings)
    withhold = context.settings.citas == "retener"
    fresh = answering.answer(
        retriever, gathered, model=tether, max_tokens=max_tokens, withhold=withhold, turns=context.turns
    )

    def whole() -> Asked | None:
        """Return the key, or None for an answer that stopped at its limit: it is cut like one that broke."""
        return None if tether and tether.limited else asked()

    events = recorded(_kept(fresh, context.cache, whole), context.log, entry)
    return Reply(_watched(events, context), generation.name, by_model=tether is not None)


def _talk(context: Context, entry: Entry, text: str) -> Events:
    """Return the events of an answer that comes from no document."""
    events = answering.answer_small_talk(entry.question, text)
    return recorded(events, context.log, replace(entry, kind=TALK))


def _kept(events: Events, cache: AnswerCache, asked: Callable[[], Asked | None]) -> Events:
    """Yield the events, and keep them if they come to a good end. The key is made then: the model is known by now."""
    seen: list[Event] = []
    try:
        for event in events:
            seen.append(event)
            yield event
    finally:
        events.close()
    if key := asked():
        cache.keep(key, seen)


def _watched(events: Events, context: Context) -> Events:
    """Yield the events, count a refusal among them, and call it by its name when stopping cut the answer."""
    try:
        for event in events:
            if isinstance(event, Nearest):
                context.metrics.refusal(_motive(event.why))
            yield event
    except ReaderLeftError as error:
        if context.stopping.over:
            raise StoppingError from error
        raise
    finally:
        events.close()


def _motive(why: str) -> str:
    """Return which kind of refusal the sentence `why` tells: a label, so never its words."""
    return next((motive for told, motive in REFUSALS.items() if told in why), NO_EVIDENCE)


def _document_of(retriever: Retriever, question: str, collection: str | None) -> str | None:
    """Return the name of the first document for an earlier question."""
    documents = answering.route_question(retriever, question, collection=collection).documents
    return documents[0].document.name if documents else None
