"""The chat endpoint: a conversation comes in as JSON, the answer goes out as server-sent events."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack

from flask import Response, g, request

from service.context import Context, current_context
from service.endpoints.events import chat_event
from service.http.failures import InvalidChatError
from service.http.http_errors import body_of, internal_failure
from service.http.params import json_body, parameters
from service.http.presence import gone_test
from service.http.proxy import prefix
from service.http.wire import DONE, Heartbeat, event, stream_response
from siaa.answering.llm import ModelError
from siaa.answering.talk.conversation import Conversation, parse_conversation
from siaa.answering.talk.dialogue import Events, Reply, reply
from siaa.errors import SiaaError

log = logging.getLogger(__name__)


def chat() -> Response:
    """Answer the last message of a conversation."""
    conversation, root = _conversation(), prefix()
    return answer_with(current_context(), conversation, lambda reply: _frames(reply.events, root))


def answer_with(
    context: Context, conversation: Conversation, write: Callable[[Reply], Generator[str, None, None]]
) -> Response:
    """Return the answer as a stream of the frames that `write` makes of it.

    Raises SiaaError when the answer fails before its first event.
    """
    with ExitStack() as stack:
        stack.enter_context(context.active.one_more())
        answer = reply(context, conversation, stack)
        if answer.generation:
            g.generation = answer.generation
        made = write(answer)
        frames: Iterator[str] = made
        if answer.by_model:  # without a model there is no silence to fill
            frames = Heartbeat(made, seconds=context.heartbeat, gone=gone_test(request.environ))
        response = stream_response(frames)
        response.headers["X-Cache"] = "HIT" if answer.cached else "MISS"
        # The generation stays open until the last byte is out or the client has left.
        response.call_on_close(stack.pop_all().close)
        return response


def _conversation() -> Conversation:
    conversation = parse_conversation(json_body())
    collection = parameters("coleccion").optional("coleccion")
    if collection and conversation.collection and collection != conversation.collection:
        raise InvalidChatError("La 'coleccion' de la dirección y la del cuerpo son distintas: envíe una sola.")
    return Conversation(conversation.turns, conversation.collection or collection)


def _frames(events: Events, root: str) -> Generator[str, None, None]:
    """Yield the events as text, a failure as an event of its own, and the end, once."""
    try:
        for item in events:
            yield event(chat_event(item, root))
    except SiaaError as error:
        if isinstance(error, ModelError):
            log.warning("modelo: %s (%s)", error.code, error.detail)
        yield event(body_of(error))
    except Exception:
        log.exception("fallo inesperado en medio de una respuesta")
        yield event(internal_failure())
    finally:
        events.close()
    yield DONE
