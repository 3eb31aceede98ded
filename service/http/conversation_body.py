"""Read the body of a chat request: the limits of the contract, each with its own sentence."""

from __future__ import annotations

import json
from typing import Any

from service.http.failures import InvalidChatError
from siaa.answering.talk.conversation import Conversation, Message
from siaa.config import MAX_QUESTION_CHARS
from siaa.errors import SiaaError
from siaa.question_text import fault_of, is_blank

MAX_MESSAGES = 50  # of a conversation (contract)
MAX_BYTES = 32 * 1024  # of all contents together, in UTF-8 (contract)
ROLES = ("user", "assistant")
_SHAPE = '{"messages": [{"role": "user", "content": "su pregunta"}]}'


def parse_conversation(body: bytes) -> Conversation:
    """Return the conversation in the JSON `body`; keys that are not known are ignored.

    Raises InvalidChatError.
    """
    data = parse_object(body, failure=InvalidChatError, shape=_SHAPE)
    given = data.get("messages")
    if not isinstance(given, list) or not given:
        raise InvalidChatError(f"Falta la lista 'messages' con al menos un mensaje: envíe {_SHAPE}.")
    if len(given) > MAX_MESSAGES:
        raise InvalidChatError(
            f"La conversación tiene {len(given)} mensajes y el máximo es {MAX_MESSAGES}: quite los más antiguos."
        )
    messages = tuple(parse_message(number, message) for number, message in enumerate(given, start=1))
    if sum(len(message.content.encode()) for message in messages) > MAX_BYTES:
        raise InvalidChatError(f"La conversación pasa de {MAX_BYTES // 1024} kB: quite los mensajes más antiguos.")
    if messages[-1].role != "user":
        raise InvalidChatError("El último mensaje debe ser la pregunta: con 'role': 'user'.")
    return Conversation(messages, parse_collection(data.get("coleccion")))


def parse_object(body: bytes, *, failure: type[SiaaError], shape: str) -> dict[str, Any]:
    """Return the JSON object in `body`.

    Raises `failure`, whose text shows the `shape` that is wanted.
    """
    try:
        data = json.loads(body.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise failure(f"El cuerpo no es JSON válido en UTF-8: envíe {shape}.") from None
    if not isinstance(data, dict):
        raise failure(f"El cuerpo debe ser un objeto JSON: envíe {shape}.")
    return data


def parse_message(number: int, message: object) -> Message:
    """Return one message of the body, the one at `number` from 1.

    Raises InvalidChatError.
    """
    if not isinstance(message, dict):
        raise InvalidChatError(f"El mensaje {number} no es un objeto con 'role' y 'content'.")
    role, content = message.get("role"), message.get("content")
    if role not in ROLES:
        raise InvalidChatError(f"El mensaje {number} tiene un 'role' desconocido: use 'user' o 'assistant'.")
    if not isinstance(content, str):
        raise InvalidChatError(f"El 'content' del mensaje {number} debe ser un texto.")
    # A question has its limit; an answer that comes back as history is bounded by the whole conversation's.
    fault = fault_of(content, limit=MAX_QUESTION_CHARS if role == "user" else MAX_BYTES)
    if fault:
        raise InvalidChatError(f"El mensaje {number} {fault}.")
    if is_blank(content):
        raise InvalidChatError(f"El mensaje {number} está vacío: escriba la pregunta.")
    return Message(str(role), content)


def parse_collection(value: object) -> str | None:
    """Return the name of the collection to search; None if there is none.

    Raises InvalidChatError.
    """
    if value is None or value == "":
        return None
    if not isinstance(value, str) or fault_of(value, limit=MAX_QUESTION_CHARS):
        raise InvalidChatError("La 'coleccion' debe ser el nombre de una colección, como texto.")
    return value
