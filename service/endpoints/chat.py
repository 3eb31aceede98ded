"""The chat endpoint: a conversation comes in as JSON, the answer goes out as server-sent events."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator
from contextlib import ExitStack

from flask import Response, g, request

from service.context import Context, current_context
from service.endpoints.events import chat_event
from service.http.conversation_body import parse_conversation
from service.http.failures import InvalidChatError
from service.http.http_errors import body_of, internal_failure
from service.http.params import json_body, parameters
from service.http.proxy import prefix
from service.http.wire import DONE, Heartbeat, event, stream_response
from siaa.answering.assistant import Events
from siaa.answering.events import Begun
from siaa.answering.llm import ModelError, Tether
from siaa.answering.llm.protocol import ReaderLeftError
from siaa.answering.talk.conversation import Conversation
from siaa.errors import SiaaError

log = logging.getLogger(__name__)

Frames = Generator[str, None, None]


def chat() -> Response:
    """Answer the last message of a conversation."""
    conversation, root = _conversation(), prefix()
    return answer_with(current_context(), conversation, lambda events: _frames(events, root))


def answer_with(context: Context, conversation: Conversation, write: Callable[[Events], Frames]) -> Response:
    """Return the answer as a stream of the frames that `write` makes of its events.

    Raises SiaaError when the answer fails before its first event.
    """
    tether = Tether()
    events = context.assistant.answer(conversation, tether)
    with ExitStack() as stack:
        stack.enter_context(context.active.one_more())
        begun = begin(events)
        # Whoever reads the events closes them: with a model, a thread that may be waiting for it.
        if begun.by_model:
            gone = request.environ.get("waitress.client_disconnected", bool)  # elsewhere nobody is ever gone
            response = stream_response(
                Heartbeat(write(events), seconds=context.heartbeat, gone=gone, unread=events.close)
            )
            stack.callback(tether.abandon)
        else:  # there is no silence to fill
            response = stream_response(write(events))
            stack.callback(events.close)
        response.headers["X-Cache"] = "HIT" if begun.cached else "MISS"
        # The generation stays open until the last byte is out or the client has left.
        response.call_on_close(stack.pop_all().close)
        return response


def begin(events: Events) -> Begun:
    """Return what is known before the answer, and name the generation in the header of the response.

    Raises SiaaError when the answer fails before its first event.
    """
    begun = next(events)
    assert isinstance(begun, Begun)
    if begun.generation:
        g.generation = begun.generation
    return begun


def _conversation() -> Conversation:
    conversation = parse_conversation(json_body())
    collection = parameters("coleccion").optional("coleccion")
    if collection and conversation.collection and collection != conversation.collection:
        raise InvalidChatError("La 'coleccion' de la dirección y la del cuerpo son distintas: envíe una sola.")
    return Conversation(conversation.messages, conversation.collection or collection)


def _frames(events: Events, root: str) -> Frames:
    """Yield the events as text, a failure as an event of its own, and the end, once."""
    try:
        for item in events:
            if not isinstance(item, Begun):
                yield event(chat_event(item, root))
    except SiaaError as error:
        if isinstance(error, ModelError) and not isinstance(error, ReaderLeftError):
            log.warning("modelo: %s (%s)", error.code, error.detail)
        yield event(body_of(error))
    except Exception:
        log.exception("fallo inesperado en medio de una respuesta")
        yield event(internal_failure())
    finally:
        events.close()
    yield DONE
