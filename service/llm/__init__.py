"""Connect the language model that the settings name; none means the extractive answer."""

from __future__ import annotations

from collections.abc import Callable

from service import messages
from service.llm.openai import OpenAIModel
from service.llm.protocol import ChatMessage, LanguageModel, ModelError
from siaa.config import Settings
from siaa.errors import ConfigError

__all__ = ["CLIENTS", "ChatMessage", "LanguageModel", "ModelError", "connect"]

OLLAMA_URL = "http://127.0.0.1:11434"  # where Ollama listens unless it is told otherwise


def connect(settings: Settings) -> LanguageModel | None:
    """Return the client that `SIAA_LLM` and `SIAA_LLM_URL` name, or None for the extractive answer.

    Nothing is sent: a server that is down is found out by the first question, or by `available()`.

    Raises ConfigError when a kind that needs an address has none.
    """
    kind = settings.llm
    if kind == "auto":
        kind = "openai" if settings.llm_url else "ninguno"
    if kind == "ninguno":
        return None
    return CLIENTS[kind](settings)


def _openai(settings: Settings) -> LanguageModel:
    if not settings.llm_url:
        raise ConfigError(messages.LLM_URL_MISSING.format(kind="openai"))
    return _at(settings.llm_url, settings)


def _ollama(settings: Settings) -> LanguageModel:
    """Speak to Ollama through its OpenAI-compatible `/v1`.

    That door cannot set `num_ctx`, so the context is the one the server was started with (OLLAMA_CONTEXT_LENGTH).
    """
    return _at(settings.llm_url or OLLAMA_URL, settings)


def _at(url: str, settings: Settings) -> LanguageModel:
    return OpenAIModel(
        url,
        model=settings.llm_model,
        concurrency=settings.llm_concurrency,
        connect_timeout=settings.llm_connect_timeout,
        read_timeout=settings.llm_read_timeout,
    )


CLIENTS: dict[str, Callable[[Settings], LanguageModel]] = {"openai": _openai, "ollama": _ollama}
