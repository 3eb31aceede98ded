"""Speak OpenAI's dialect, so that existing chat front ends can use SIAA as a model: the same answers as /siaa/chat.

What those front ends add is tolerated: system messages and parameters of generation are passed over, text may come in
parts, and of a long history the latest part counts. Sources come as `annotations`, and whole under the key `siaa`.
"""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Generator, Iterable
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from flask import Response, request

from service import shapes
from service.context import current_context
from service.endpoints.chat import Frames, answer_with, begin
from service.endpoints.events import told_event
from service.http.conversation_body import MAX_BYTES, MAX_MESSAGES, parse_collection, parse_message, parse_object
from service.http.failures import InvalidChatError, InvalidCompletionError, UnknownModelError
from service.http.http_errors import body_of, internal_failure, openai_failure, status_of
from service.http.params import json_body
from service.http.proxy import origin, prefix
from service.http.wire import DONE, event, json_response
from siaa.answering.assistant import Events
from siaa.answering.events import Begun, Delta, Event
from siaa.answering.llm import ModelError
from siaa.answering.llm.protocol import ReaderLeftError
from siaa.answering.llm.tokens import CHARS_PER_TOKEN
from siaa.answering.talk.conversation import Conversation, Message
from siaa.config import MAX_QUESTION_CHARS
from siaa.errors import SiaaError

log = logging.getLogger(__name__)

MODEL_ID = "siaa"
COMPLETIONS_PATH = "/v1/chat/completions"
MAX_REQUEST_BYTES = 1024 * 1024  # front ends send the whole history each time; what counts of it has its own limit
_SHAPE = '{"model": "siaa", "messages": [{"role": "user", "content": "su pregunta"}]}'
_PASSED_OVER = ("system", "developer", "tool", "function")  # roles that say nothing to a search


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request: the conversation, how the answer is to come, and what identifies it."""

    conversation: Conversation
    stream: bool
    with_usage: bool
    origin: str  # scheme and host of this service, as the client knows it
    prefix: str  # and the path below which it is
    id: str = field(default_factory=lambda: f"chatcmpl-{secrets.token_hex(12)}")
    created: int = field(default_factory=lambda: int(time.time()))


def modelos() -> shapes.Modelos:
    """List the one model that there is."""
    return {"object": "list", "data": [{"id": MODEL_ID, "object": "model", "created": 0, "owned_by": "siaa"}]}


def completions() -> Response:
    """Answer the last message of a conversation."""
    context = current_context()
    request.max_content_length = MAX_REQUEST_BYTES
    asked = _asked()
    if asked.stream:
        return answer_with(context, asked.conversation, lambda events: _frames(events, asked))
    with context.active.one_more(), closing(context.assistant.answer(asked.conversation)) as events:
        begun = begin(events)
        response = json_response(_completion(events, asked))
        response.headers["X-Cache"] = "HIT" if begun.cached else "MISS"
        return response


def _asked() -> _Asked:
    data = parse_object(json_body(), failure=InvalidCompletionError, shape=_SHAPE)
    model = data.get("model") or MODEL_ID
    if model != MODEL_ID:
        raise UnknownModelError(f"El modelo pedido no existe: el único es «{MODEL_ID}».", suggestions=(MODEL_ID,))
    stream = data.get("stream")
    if stream is not None and not isinstance(stream, bool):
        raise InvalidCompletionError("'stream' debe ser true o false.", param="stream")
    if data.get("n") not in (None, 1):
        raise InvalidCompletionError("Solo se da una respuesta por pregunta: quite 'n'.", param="n")
    options = data.get("stream_options")
    with_usage = isinstance(options, dict) and options.get("include_usage") is True
    try:
        collection = parse_collection(data.get("coleccion"))
    except InvalidChatError as error:
        raise InvalidCompletionError(error.message, param="coleccion") from None
    conversation = Conversation(_messages(data.get("messages")), collection)
    return _Asked(conversation, bool(stream), with_usage, origin(), prefix())


def _messages(given: object) -> tuple[Message, ...]:
    """Return the messages that count: the last one checked as /siaa/chat does, of those before it what can be used."""
    if not isinstance(given, list) or not given:
        raise InvalidCompletionError(f"Falta la lista 'messages': envíe {_SHAPE}.", param="messages")
    for number, message in enumerate(given, start=1):
        if not isinstance(message, dict):
            raise InvalidCompletionError(
                f"El mensaje {number} no es un objeto con 'role' y 'content'.", param="messages"
            )
    numbered = [
        (number, {"role": message.get("role"), "content": _text(message.get("content"))})
        for number, message in enumerate(given, start=1)
        if message.get("role") not in _PASSED_OVER
    ]
    if not numbered or numbered[-1][1]["role"] != "user":
        raise InvalidCompletionError("El último mensaje debe ser la pregunta: con 'role': 'user'.", param="messages")
    try:
        last = parse_message(*numbered[-1])
    except InvalidChatError as error:
        raise InvalidCompletionError(error.message, param="messages") from None
    messages, room = [last], MAX_BYTES - len(last.content.encode())
    for number, message in reversed(numbered[:-1]):
        earlier = _earlier(number, message)
        if earlier is None:
            continue
        room -= len(earlier.content.encode())
        if room < 0 or len(messages) == MAX_MESSAGES:
            break
        messages.insert(0, earlier)
    return tuple(messages)


def _earlier(number: int, message: dict[str, Any]) -> Message | None:
    """Return an earlier message, a long question cut; None for one that cannot be used, which must not end the talk."""
    content = message["content"]
    if message["role"] == "user" and isinstance(content, str):
        message = {**message, "content": content[:MAX_QUESTION_CHARS]}
    try:
        return parse_message(number, message)
    except InvalidChatError:
        return None


def _text(content: object) -> object:
    """Return the text of a message whose content may come in parts; anything else as it is, for the check to refuse."""
    if not isinstance(content, list):
        return content
    if not all(
        isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str) for part in content
    ):
        raise InvalidCompletionError("Solo se admite texto: quite las imágenes, audios y archivos.", param="messages")
    return "\n".join(part["text"] for part in content)


def _completion(events: Iterable[Begun | Event], asked: _Asked) -> shapes.RespuestaOpenAI:
    told, text = _told(events, asked)
    message: shapes.RespuestaMensaje = {"role": "assistant", "content": text, "refusal": None}
    if annotations := _annotations(told, text, asked):
        message["annotations"] = annotations
    return {
        "id": asked.id,
        "object": "chat.completion",
        "created": asked.created,
        "model": MODEL_ID,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}],
        "usage": _usage(asked, text),
        "siaa": told,
    }


def _frames(events: Events, asked: _Asked) -> Frames:
    """Yield the answer as chunks, a failure as an event of its own, and the end, once."""
    seen: list[Begun | Event] = []
    try:
        yield event(_chunk(asked, {"role": "assistant", "content": ""}))
        for item in events:
            seen.append(item)
            if isinstance(item, Delta):
                yield event(_chunk(asked, {"content": item.text}))
        yield from _last_frames(seen, asked)
    except SiaaError as error:
        if isinstance(error, ModelError) and not isinstance(error, ReaderLeftError):
            log.warning("modelo: %s (%s)", error.code, error.detail)
        yield event(openai_failure(body_of(error), status_of(error)))
    except Exception:
        log.exception("fallo inesperado en medio de una respuesta")
        yield event(openai_failure(internal_failure(), 500))
    finally:
        events.close()
    yield DONE


def _last_frames(seen: Iterable[Begun | Event], asked: _Asked) -> Generator[str, None, None]:
    told, text = _told(seen, asked)
    if annotations := _annotations(told, text, asked):
        yield event(_chunk(asked, {"annotations": annotations}))
    last = _chunk(asked, {}, finish="stop")
    last["siaa"] = told
    yield event(last)
    if asked.with_usage:
        figures = _chunk(asked, {})
        figures["choices"], figures["usage"] = [], _usage(asked, text)
        yield event(figures)


def _chunk(asked: _Asked, delta: shapes.TrozoDelta, *, finish: str | None = None) -> shapes.TrozoOpenAI:
    return {
        "id": asked.id,
        "object": "chat.completion.chunk",
        "created": asked.created,
        "model": MODEL_ID,
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }


def _told(events: Iterable[Begun | Event], asked: _Asked) -> tuple[shapes.Contado, str]:
    """Return what the events of /siaa/chat hold besides the text, and the text."""
    told: shapes.Contado = {}
    texts: list[str] = []
    for item in events:
        if isinstance(item, Delta):
            texts.append(item.text)
        elif not isinstance(item, Begun):
            told = {**told, **told_event(item, asked.prefix)}
    return told, "".join(texts)


def _annotations(told: shapes.Contado, text: str, asked: _Asked) -> list[shapes.Anotacion]:
    """Return one annotation for each sentence with a source, and one over the whole text for a source without any."""
    sources = told.get("fuentes", [])
    spans: dict[int, list[tuple[int, int]]] = {source["n"]: [] for source in sources}
    for sentence in told.get("oraciones", []):
        spans.get(sentence["fuente"], []).append((sentence["inicio"], sentence["fin"]))
    return [
        {"type": "url_citation", "url_citation": _url_citation(source, start, end, asked.origin)}
        for source in sources
        for start, end in spans[source["n"]] or [(0, len(text))]
    ]


def _url_citation(source: shapes.Fuente, start: int, end: int, origin: str) -> shapes.CitaUrl:
    name = source["titulo"] or source["doc"]
    title = f"{name}, art. {source['articulo']}" if source["articulo"] else name
    return {"url": origin + source["enlace"], "title": title, "start_index": start, "end_index": end}


def _usage(asked: _Asked, text: str) -> shapes.Uso:
    """Return the tokens of the conversation and of the answer, estimated from their length."""
    prompt = _tokens("".join(message.content for message in asked.conversation.messages))
    answer = _tokens(text)
    return {"prompt_tokens": prompt, "completion_tokens": answer, "total_tokens": prompt + answer}


def _tokens(text: str) -> int:
    return -(-len(text) // CHARS_PER_TOKEN)
