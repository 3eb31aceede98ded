"""Speak to any server with OpenAI's `/v1/chat/completions`: llama.cpp, vLLM, LM Studio, Ollama's `/v1`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from http import HTTPStatus

from siaa.answering.llm.http_model import Ask, Survey, first_of, refusal
from siaa.answering.llm.protocol import ChatMessage, ModelError
from siaa.answering.llm.stream_lines import Piece, StreamError, read_events

# Where servers say how many tokens fit, asked in this order: llama.cpp per slot, vLLM with each model.
CONTEXT_PLACES: tuple[tuple[str, tuple[str | int, ...]], ...] = (
    ("/props", ("default_generation_settings", "n_ctx")),
    ("/v1/models", ("data", 0, "max_model_len")),
)


class OpenAIDialect:
    """OpenAI's way: server-sent events; overflow is an error of the server's."""

    chat_path = "/v1/chat/completions"

    def survey(self, ask: Ask, wanted: str) -> Survey:
        """Ask for health, models and context (see Dialect.survey)."""
        status, body = ask("/health", None)
        if status == HTTPStatus.SERVICE_UNAVAILABLE:
            raise refusal(status, body)  # llama.cpp while it loads; servers without this path answer 404
        first = str(first_of(ask("/v1/models", None), "data", 0, "id"))
        return Survey(wanted or first, _context(ask))

    def body(
        self, model: str, conversation: Sequence[ChatMessage], *, max_tokens: int, context: int
    ) -> dict[str, object]:
        """Return the request; the context is the server's own affair."""
        return {
            "model": model,
            "messages": [asdict(message) for message in conversation],
            "max_tokens": max_tokens,
            "temperature": 0,
            "stream": True,
        }

    def events(self, lines: Iterable[bytes]) -> Iterator[Piece | StreamError | None]:
        """Read server-sent events."""
        return read_events(lines)


def _context(ask: Ask) -> int:
    for path, place in CONTEXT_PLACES:
        try:
            told = first_of(ask(path, None), *place)
        except ModelError:
            continue
        if isinstance(told, int) and told > 0:
            return told
    return 0
