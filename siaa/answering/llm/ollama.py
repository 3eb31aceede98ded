"""Speak to Ollama by its own `/api/chat`, which unlike its `/v1` takes the size of the context.

An Ollama whose context is too small answers 200 and drops the beginning of the prompt, instructions first. So the
context is asked for in each request, cutting is forbidden (`truncate` and `shift`, known since 0.12.4), and what the
server says it read is compared with what it was sent, for the servers that know neither word.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict

from siaa.answering.llm.http_model import Ask, Survey, first_of
from siaa.answering.llm.protocol import ChatMessage, ModelError
from siaa.answering.llm.stream_lines import Piece, StreamError, read_objects

KEEP_ALIVE = "30m"  # how long the model stays in memory after an answer; loading it again takes seconds to minutes


class OllamaDialect:
    """Ollama's way: a JSON object a line.

    `context` is the tokens to ask for; the model may know only fewer.
    """

    chat_path = "/api/chat"

    def __init__(self, context: int) -> None:
        self._context = context

    def survey(self, ask: Ask, wanted: str) -> Survey:
        """Ask for version, models and the model's own limit (see Dialect.survey)."""
        # llama.cpp imitates other paths of Ollama's, not this one.
        first_of(ask("/api/version", None), "version")
        first = str(first_of(ask("/api/tags", None), "models", 0, "name"))
        name = wanted or first
        trained = _trained_context(ask, name)
        return Survey(name, min(self._context, trained) if trained else self._context)

    def body(
        self, model: str, conversation: Sequence[ChatMessage], *, max_tokens: int, context: int
    ) -> dict[str, object]:
        """Return the request, with a context of its own and cutting forbidden."""
        return {
            "model": model,
            "messages": [asdict(message) for message in conversation],
            "stream": True,
            "truncate": False,
            "shift": False,
            "keep_alive": KEEP_ALIVE,
            "options": {"num_ctx": context, "num_predict": max_tokens, "temperature": 0},
        }

    def events(self, lines: Iterable[bytes]) -> Iterator[Piece | StreamError | None]:
        """Read a JSON object a line."""
        return read_objects(lines)


def _trained_context(ask: Ask, name: str) -> int:
    """Return the longest context the model was made for, 0 if the server does not say."""
    try:
        info = first_of(ask("/api/show", {"model": name}), "model_info")
    except ModelError:
        return 0
    lengths = info.items() if isinstance(info, dict) else ()
    return next((v for key, v in lengths if str(key).endswith(".context_length") and isinstance(v, int) and v > 0), 0)
