"""Ask a model over HTTP: slots, deadlines, faults and ends, the same for every server; a dialect says the rest."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Protocol

from siaa.answering.llm.connection import Connection
from siaa.answering.llm.protocol import (
    ChatMessage,
    ModelBusyError,
    ModelContextError,
    ModelCutError,
    ModelError,
    ModelSilentError,
    ModelUnavailableError,
)
from siaa.answering.llm.slots import Slots
from siaa.answering.llm.stream import Call, Stream
from siaa.answering.llm.stream_lines import BrokenStreamError, Piece, StreamError, read_lines
from siaa.answering.llm.tokens import estimate_tokens, fit_answer

log = logging.getLogger(__name__)

PROBE_TIMEOUT = 2.0  # seconds to wait for names and health, which a healthy server answers at once
ANSWER_CHARS_PER_TOKEN = 16  # no Spanish token is longer: an answer that passes this ignores its limit
CUT_SHARE = 0.5  # of the estimated prompt: a server that read less than this has dropped some of it

# Words of an error (server's text, type or code, in lower case) -> what it means. First match wins.
ERROR_WORDS: tuple[tuple[tuple[str, ...], type[ModelError]], ...] = (
    (
        ("exceed_context_size", "context_length", "context size", "context length", "context window", "too long"),
        ModelContextError,
    ),
    (
        ("rate_limit", "rate limit", "too many requests", "429", "overloaded", "queue is full", "server busy"),
        ModelBusyError,
    ),
)
ERROR_STATUS: dict[int, type[ModelError]] = {
    408: ModelSilentError,
    413: ModelContextError,
    429: ModelBusyError,
    504: ModelSilentError,
}

Ask = Callable[[str, object], tuple[int, bytes]]  # path and body (None: GET) -> status and body


@dataclass(frozen=True, slots=True)
class CallLimits:
    """What a call may cost. Times are seconds: to connect, to the first text, between events, and for all of it."""

    concurrency: int = 2
    queue: int = 0
    queue_timeout: float = 60.0
    connect_timeout: float = 5.0
    first_token_timeout: float = 120.0
    read_timeout: float = 60.0
    total_timeout: float = 300.0


@dataclass(frozen=True, slots=True)
class Survey:
    """What a server says of itself: the model's name and its context in tokens, 0 if it does not say."""

    name: str
    context_tokens: int


class Dialect(Protocol):
    """How one kind of server is spoken to."""

    chat_path: str

    def survey(self, ask: Ask, wanted: str) -> Survey:
        """Ask for the name and context of the model called `wanted`; "" is the first the server offers.

        Raises ModelError when this is no server of the kind, it is loading, or it has no model.
        """

    def body(
        self, model: str, conversation: Sequence[ChatMessage], *, max_tokens: int, context: int
    ) -> dict[str, object]:
        """Return the request for an answer in pieces at temperature 0."""

    def events(self, lines: Iterable[bytes]) -> Iterator[Piece | StreamError | None]:
        """Yield what each line of the answer means. Raises BrokenStreamError."""


class HttpModel:
    """A client that any number of threads may share; each call has a connection of its own.

    `url` is the server's address, with or without `/v1`. `model` "" takes the first model the server offers. `context`
    is the tokens to count on, and to ask for, where the server does not say.
    """

    def __init__(
        self, url: str, dialect: Dialect, *, model: str = "", context: int = 4096, limits: CallLimits | None = None
    ) -> None:
        self.url = url.rstrip("/").removesuffix("/v1").rstrip("/")
        self.dialect = dialect
        self.limits = limits or CallLimits()
        self._wanted = model
        self._context = context
        self._survey: Survey | None = None
        self._slots = Slots(self.limits.concurrency, queue=self.limits.queue, wait=self.limits.queue_timeout)
        self._asking = threading.Lock()

    @property
    def name(self) -> str:
        """Return the model's name; "" until the server was asked."""
        survey = self._survey
        return survey.name if survey else self._wanted

    @property
    def context_tokens(self) -> int:
        """Return the context the server told, or the one that is counted on."""
        survey = self._survey
        return survey.context_tokens if survey and survey.context_tokens else self._context

    def available(self) -> bool:
        """Tell whether the server is up, not loading, and offers a model. Never raises."""
        try:
            self._survey = self.dialect.survey(self._ask, self._wanted)
        except ModelError as error:
            log.debug("modelo en %s: %s", self.url, error.detail)
            return False
        return True

    def stream(self, conversation: Sequence[ChatMessage], *, max_tokens: int) -> Generator[str, None, None]:
        """Yield the answer's pieces (see LanguageModel.stream)."""
        call = Call(self._slots.enter())
        return Stream(call, self._pieces(call, tuple(conversation), max_tokens))

    def _pieces(self, call: Call, conversation: Sequence[ChatMessage], max_tokens: int) -> Generator[str, None, None]:
        call.wait_turn()
        survey = self._known()
        room = fit_answer(conversation, max_tokens=max_tokens, context=self.context_tokens)
        body = self.dialect.body(survey.name, conversation, max_tokens=room, context=self.context_tokens)
        limits = self.limits
        connection = Connection(self.url, connect_timeout=limits.connect_timeout)
        try:
            call.attach(connection)
            begun = time.monotonic()
            first = min(limits.first_token_timeout, limits.total_timeout)
            status = connection.send(self.dialect.chat_path, body, timeout=first)
            if status != HTTPStatus.OK:
                if status == HTTPStatus.NOT_FOUND:
                    self._survey = None  # the server may offer another model now: ask it again next time
                connection.deadline = time.monotonic() + PROBE_TIMEOUT  # an error page is no reason to wait
                raise refusal(status, connection.read_all())
            answer = _Answer(connection, limits, begun=begun, max_chars=room * ANSWER_CHARS_PER_TOKEN)
            yield from answer.pieces(self.dialect.events(read_lines(connection.read)))
            call.limited = answer.limited
            _check_read(answer.prompt_tokens, estimate_tokens(conversation))
        finally:
            connection.close()

    def _known(self) -> Survey:
        with self._asking:  # one asks, the others then know
            try:
                self._survey = self._survey or self.dialect.survey(self._ask, self._wanted)
            except ModelError:
                if not self._wanted:
                    raise
                return Survey(self._wanted, 0)  # a server that lists nothing may answer all the same
            return self._survey

    def _ask(self, path: str, body: object) -> tuple[int, bytes]:
        connection = Connection(self.url, connect_timeout=min(self.limits.connect_timeout, PROBE_TIMEOUT))
        try:
            return connection.send(path, body, timeout=PROBE_TIMEOUT), connection.read_all()
        finally:
            connection.close()


class _Answer:
    """Read one answer: move the deadline as it advances, and end only when the server says that it is complete."""

    def __init__(self, connection: Connection, limits: CallLimits, *, begun: float, max_chars: int) -> None:
        self.prompt_tokens = 0
        self.limited = False
        self._connection = connection
        self._limits = limits
        self._end = begun + limits.total_timeout
        self._max_chars = max_chars

    def pieces(self, events: Iterator[Piece | StreamError | None]) -> Iterator[str]:
        written = 0  # characters
        for event in _unbroken(events):
            if event is None:
                continue  # a comment is no sign of life: the deadline stays
            if isinstance(event, StreamError):
                raise meaning(event.text, ModelCutError if written else ModelUnavailableError)
            self.prompt_tokens = event.prompt_tokens or self.prompt_tokens
            self.limited = self.limited or event.limited
            if event.text:
                written += len(event.text)
                if written > self._max_chars:
                    raise ModelCutError(f"more than {self._max_chars} characters: the server ignores the limit")
                yield event.text
            if event.finished:
                break
            self._go_on(written)
        else:
            raise ModelCutError("the stream ended without a word that the answer is complete")
        if not written:
            raise ModelSilentError("complete, and empty")

    def _go_on(self, written: int) -> None:
        # Counted from now, not from the last byte: a slow reader is not a silent model.
        allowed = self._limits.read_timeout if written else self._limits.first_token_timeout
        self._connection.deadline = min(time.monotonic() + allowed, self._end)


def _unbroken(events: Iterator[Piece | StreamError | None]) -> Iterator[Piece | StreamError | None]:
    try:
        yield from events
    except BrokenStreamError as error:
        raise ModelCutError(str(error)) from error


def _check_read(read: int, estimated: int) -> None:
    """Raise ModelContextError when the server read far fewer tokens than it was sent: it has dropped the beginning."""
    if read and read < CUT_SHARE * estimated:
        log.error("el servidor del modelo leyó %d tokens de unos %d: recortó lo que se le envió", read, estimated)
        raise ModelContextError(f"prompt cut: {read} tokens read of about {estimated}")


def first_of(answer: tuple[int, bytes], *path: str | int) -> object:
    """Return what stands at `path` in the JSON of an answer with status 200.

    Raises ModelError when the status is another, ModelUnavailableError when there is no such thing.
    """
    status, body = answer
    if status != HTTPStatus.OK:
        raise refusal(status, body)
    try:
        value = json.loads(body)
        for step in path:
            value = value[step]
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise ModelUnavailableError(f"the answer has no {path}") from error
    return value


def refusal(status: int, body: bytes) -> ModelError:
    """Return the failure that an answer with another status than 200 means."""
    error = meaning(body.decode("utf-8", errors="replace"), ERROR_STATUS.get(status, ModelUnavailableError))
    error.detail = f"HTTP {status}: {error.detail}"
    return error


def meaning(text: str, otherwise: type[ModelError]) -> ModelError:
    """Return the failure that an error's text means."""
    lowered = text.lower()
    for words, kind in ERROR_WORDS:
        if any(word in lowered for word in words):
            return kind(text[:500])
    return otherwise(text[:500])
