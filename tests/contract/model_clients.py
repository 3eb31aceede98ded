"""The clients that the contract suites run over, and how a server of each kind writes what they read."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from siaa.answering.llm.http_model import CallLimits, HttpModel
from siaa.answering.llm.ollama import OllamaDialect
from siaa.answering.llm.openai import OpenAIDialect
from siaa.answering.llm.protocol import ChatMessage, LanguageModel

CONVERSATION = (ChatMessage("system", "Responda en español."), ChatMessage("user", "¿Qué es el SIERJU?"))
CONTEXT = 4096

Script = Callable[[Any], None]


@dataclass(frozen=True)
class Kind:
    """A kind of client and the words of its server."""

    name: str
    dialect: Callable[[], Any]
    data: Callable[[object], bytes]  # one piece
    end: bytes  # the sign that the answer is complete
    limit: bytes  # the same, because of the limit of tokens
    error: Callable[[object], bytes]  # an error inside the stream
    noise: bytes  # what a server may send that means nothing
    content_type: str

    def client(self, url: str, *, context: int = CONTEXT, model: str = "", **limits: Any) -> HttpModel:
        """Return a client with one slot and short times; keywords go to CallLimits."""
        usual = {"concurrency": 1, "connect_timeout": 2.0, "first_token_timeout": 5.0, "read_timeout": 5.0}
        return HttpModel(url, self.dialect(), model=model, context=context, limits=CallLimits(**{**usual, **limits}))

    def plays(self, *parts: bytes, status: int = 200, kind: str | None = None) -> Script:
        """Return a script that sends the parts one by one and closes the connection cleanly."""

        def script(handler: Any) -> None:
            handler.send_response(status)
            handler.send_header("Content-Type", kind or self.content_type)
            handler.end_headers()
            for part in parts:
                handler.wfile.write(part)
                handler.wfile.flush()

        return script


def sse(value: object) -> bytes:
    """Return one server-sent event."""
    return b"data: " + json.dumps(value).encode() + b"\n\n"


def openai_data(content: object, *, finish: str | None = None) -> bytes:
    """Return one event of a stream, as OpenAI's servers write it."""
    return sse({"choices": [{"index": 0, "delta": {"content": content}, "finish_reason": finish}]})


def line(value: object) -> bytes:
    """Return one line of Ollama's own stream."""
    return json.dumps(value).encode() + b"\n"


def ollama_data(content: object, **more: object) -> bytes:
    """Return one piece of Ollama's own stream."""
    return line({"model": "guion", "message": {"role": "assistant", "content": content}, "done": False, **more})


OPENAI = Kind(
    "openai",
    OpenAIDialect,
    openai_data,
    openai_data(None, finish="stop") + b"data: [DONE]\n\n",
    openai_data(None, finish="length") + b"data: [DONE]\n\n",
    lambda value: sse({"error": value}),
    b": ping\n\n",
    "text/event-stream",
)
OLLAMA = Kind(
    "ollama",
    lambda: OllamaDialect(CONTEXT),
    ollama_data,
    ollama_data("", done=True, done_reason="stop"),
    ollama_data("", done=True, done_reason="length"),
    lambda value: line({"error": value}),
    b"\n",
    "application/x-ndjson",
)
KINDS = (OPENAI, OLLAMA)


def ask(model: LanguageModel, *, max_tokens: int = 24) -> list[str]:
    """Return the pieces of a whole answer."""
    return list(model.stream(CONVERSATION, max_tokens=max_tokens))
