"""Answer the last question of a conversation: from what was said to the events that a reader gets.

Courtesy needs no index; an ambiguous question is asked back; a follow-up is searched with what it refers to; an answer
that is known already comes from the cache. Else `siaa.answering.refusal` decides whether the passages found can answer,
and they are quoted, or a model answers and is held to them sentence by sentence.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from siaa.answering import grounding, refusal, wording
from siaa.answering.budget import answer_tokens
from siaa.answering.events import Begun, Delta, Event, Found, Sources
from siaa.answering.exchange import CACHE_HIT, TALK, Exchange
from siaa.answering.extractive import MAX_CHARS
from siaa.answering.grounding import Ground
from siaa.answering.llm import ChatMessage, LanguageModel, ModelError, Tether
from siaa.answering.llm.protocol import ReaderLeftError
from siaa.answering.lost_quotes import lost_in_passages
from siaa.answering.model_text import Gate, ModelText
from siaa.answering.ports import AnswerKey, Cache, Index, Log, Measures, Models, Stop
from siaa.answering.prompt import build_messages
from siaa.answering.quoting import quote
from siaa.answering.reasons import Code, Reason
from siaa.answering.refusal import Decision, Verdict
from siaa.answering.searching import gather, route_question
from siaa.answering.talk import small_talk
from siaa.answering.talk.understanding import Meaning, understand
from siaa.config import Settings
from siaa.errors import InvalidQuestionError, SiaaError, StoppingError, UnknownCollectionError
from siaa.retrieval import Stage
from siaa.text import normalise, squeeze

if TYPE_CHECKING:
    from siaa.answering.talk.conversation import Conversation
    from siaa.question import Query
    from siaa.retrieval import Gathered, Retriever

Events = Generator[Begun | Event, None, None]

UNEXPECTED_CODE = "error_interno"
_ENDS = tuple('.!?…:;)]»”"')


@dataclass(frozen=True, slots=True)
class Assistant:
    """Whoever is asked: what it searches and which model answers, and what it needs of the world outside."""

    settings: Settings
    index: Index
    models: Models
    cache: Cache
    log: Log
    measures: Measures
    stop: Stop
    compute: AbstractContextManager[None] = field(default_factory=nullcontext)  # held by what computes

    def answer(self, conversation: Conversation, tether: Tether | None = None) -> Events:
        """Yield the events of the answer to the last question, `Begun` first, and write down what came of it.

        Until the end, or `close`, the generation stays open. `tether` lets any thread end what a model is doing when
        the reader leaves. `Begun` comes when documents were found, quoted and a model's slot was taken: what fails
        before it can be told in another way than as an event.

        Raises SiaaError: InvalidQuestionError, UnknownCollectionError, GenerationError, ModelError, StoppingError.
        """
        exchange = Exchange(conversation.question, conversation.collection or "")
        asked = True  # something that is worth writing down
        try:
            yield from self._reply(conversation, exchange, tether or Tether())
        except (InvalidQuestionError, UnknownCollectionError):
            asked = False
            raise
        except GeneratorExit:
            exchange.complete = False
            raise
        except ReaderLeftError as error:
            exchange.complete = False
            if self.stop.over:
                raise StoppingError(wording.STOPPING) from error
            raise
        except Exception as error:
            exchange.failure = error.code if isinstance(error, SiaaError) else UNEXPECTED_CODE
            raise
        finally:
            if asked:
                self.log.write(exchange.line())

    def _reply(self, conversation: Conversation, exchange: Exchange, tether: Tether) -> Events:
        courtesy = small_talk.reply_to(conversation.question)
        if courtesy is not None:
            yield Begun()
            yield from _talk(exchange, courtesy)
            return
        model = self.models.current()
        with self.index.lease() as retriever:
            exchange.generation = retriever.generation.name
            meaning = self._understand(conversation, retriever)
            exchange.searched = meaning.searched
            if meaning.doubt:
                yield Begun(exchange.generation)
                yield from _talk(exchange, wording.choices(meaning.doubt.row.prompt, meaning.doubt.row.options))
                return
            exchange.model = model.name if model else ""
            key = _key(retriever, model, conversation, meaning)
            known = self.cache.find(key) if key else None
            if known is not None:
                exchange.kind = CACHE_HIT
                yield Begun(exchange.generation, cached=True)
                yield from map(exchange.note, known)
                return
            with self.compute:
                basis = _search(retriever, meaning.searched, conversation.collection)
            if model is None or basis.verdict.decision is Decision.REFUSE:
                yield from self._from_passages(basis, exchange)
            else:
                yield from self._from_model(model, basis, exchange, tether)
            # A model's name is known by now; what stopped at its limit is cut like what broke.
            if not tether.limited and (key := _key(retriever, model, conversation, meaning)):
                self.cache.keep(key, exchange.events)

    def _understand(self, conversation: Conversation, retriever: Retriever) -> Meaning:
        def document_of(question: str) -> str | None:
            documents = route_question(retriever, question, collection=conversation.collection).documents
            return documents[0].document.name if documents else None

        with self.compute:
            return understand(conversation.questions, retriever.generation.tables, document_of=document_of)

    def _from_passages(self, basis: _Basis, exchange: Exchange) -> Events:
        """Quote the passages, or refuse: whether a doubtful one plainly holds the answer is for a model to read."""
        found, lost, why = None, list[Reason](), basis.verdict.reason
        if basis.verdict.decision is Decision.ANSWER:
            with self.compute:
                room = MAX_CHARS - len(basis.notice)
                found, lost = quote(basis.retriever, basis.gathered, basis.lost, room=room)
            why = Reason(Code.NOTHING_TO_QUOTE)
        yield Begun(exchange.generation)
        yield exchange.note(basis.found)
        if found is None:
            yield from self._refuse(basis, why, exchange)
            return
        yield exchange.note(Delta(basis.notice + found.text + wording.lost_lists(lost)))
        yield exchange.note(grounding.quoted_sources(basis.gathered, found, offset=len(basis.notice)))

    def _from_model(self, model: LanguageModel, basis: _Basis, exchange: Exchange, tether: Tether) -> Events:
        """Let the model answer from the passages, and hold what it says against them."""
        doubtful, withhold = basis.verdict.decision is Decision.ONLY_IF_THERE, self.settings.citas == "retener"
        gate = Gate.ONLY_SUPPORTED if withhold else Gate.ONCE_SUPPORTED if doubtful else Gate.OPEN
        ground = Ground(basis.retriever, basis.gathered)
        words = ModelText(gate, ground.holds, before=basis.notice)
        with self._counting_faults(), self.stop.ended_by(tether.abandon):
            began, silent = time.perf_counter(), True
            stream = tether.stream(model, basis.prompt, max_tokens=answer_tokens(basis.query, self.settings))
            with closing(stream):
                yield Begun(exchange.generation, by_model=True)
                yield exchange.note(basis.found)
                for piece in stream:
                    if silent:
                        self.measures.stage(Stage.FIRST_TOKEN, time.perf_counter() - began)
                        silent = False
                    if said := words.feed(piece):
                        yield exchange.note(Delta(said))
                    if words.refused:
                        break
                else:
                    self.measures.stage(Stage.MODEL, time.perf_counter() - began)
        if said := words.end():
            yield exchange.note(Delta(said))
        if not words.text:
            code = Code.UNSUPPORTED_ANSWER if doubtful or withhold else Code.MODEL_REFUSED
            yield from self._refuse(basis, Reason(code), exchange)
            return
        with self.compute:  # many answers may end at once
            sources, unproven = ground.sources(words.text, offset=len(basis.notice))
        if warning := wording.lost_lists(basis.lost) + wording.unproven(unproven):
            # An answer that was cut keeps no end: what is incomplete is not remembered.
            yield exchange.note(Delta(warning if words.text.rstrip().endswith(_ENDS) else warning.rstrip(".")))
        yield exchange.note(sources)

    @contextmanager
    def _counting_faults(self) -> Iterator[None]:
        try:
            yield
        except ReaderLeftError:
            raise  # no fault of the model's
        except ModelError as error:
            self.measures.model_fault(error.code)
            raise

    def _refuse(self, basis: _Basis, why: Reason, exchange: Exchange) -> Events:
        norms = basis.missing_norms
        if norms and not set(norms) & set(why.norms):
            why = Reason(Code.MISSING_NORM, norms=norms)
        self.measures.refusal(why.code)
        yield exchange.note(Delta(wording.REFUSAL))
        yield exchange.note(grounding.nearest(basis.gathered, (why, *basis.lost)))


@dataclass(frozen=True, slots=True)
class _Basis:
    """What an answer is made of: what was gathered, whether it can answer, and the lists asked for that were lost."""

    retriever: Retriever
    gathered: Gathered
    verdict: Verdict
    lost: tuple[Reason, ...]

    @property
    def query(self) -> Query:
        return self.gathered.routed.query

    @property
    def found(self) -> Found:
        documents = (routed.document for routed in self.gathered.routed.documents)
        return Found(tuple((document.name, document.collection) for document in documents), self.query.raw)

    @property
    def missing_norms(self) -> tuple[str, ...]:
        """Return the norms that the index lacks, in the words of the question."""
        text = squeeze(normalise(self.query.raw))
        named = {norm.token: text[norm.start : norm.end] for norm in self.query.norms}
        return tuple(named.get(token, token) for token in self.gathered.routed.missing)

    @property
    def notice(self) -> str:
        return wording.missing_norms(self.missing_norms)

    @property
    def prompt(self) -> tuple[ChatMessage, ChatMessage]:
        # A document without a piece has a header and nothing more: it tells the model nothing.
        fragments = [fragment for fragment in self.gathered.fragments if fragment.pieces]
        doubtful = self.verdict.decision is Decision.ONLY_IF_THERE or bool(self.lost)
        return build_messages(fragments, self.query.raw, doubtful=doubtful)


def _search(retriever: Retriever, searched: str, collection: str | None) -> _Basis:
    gathered = gather(retriever, searched, collection=collection)
    verdict = refusal.judge(retriever, gathered.routed.query, gathered.selections)
    return _Basis(retriever, gathered, verdict, tuple(lost_in_passages(retriever, gathered)))


def _talk(exchange: Exchange, text: str) -> Events:
    """Yield the events of an answer that comes from no document."""
    exchange.kind = TALK
    said: tuple[Event, ...] = (Found((), exchange.question), Delta(text), Sources())
    yield from map(exchange.note, said)


def _key(retriever: Retriever, model: LanguageModel | None, asked: Conversation, meaning: Meaning) -> AnswerKey | None:
    """Return the key under which the answer is known; None while nobody knows which model answers."""
    name = model.name if model else ""
    if model and not name:
        return None
    limits = (retriever.max_docs, retriever.max_chunks)
    return AnswerKey(retriever.generation.name, name, limits, asked.collection, meaning.searched)
