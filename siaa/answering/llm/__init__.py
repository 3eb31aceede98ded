"""Connect the language model that the settings name; none means the extractive answer."""

from __future__ import annotations

from collections.abc import Callable

from siaa.answering import wording
from siaa.answering.llm.http_model import CallLimits, HttpModel
from siaa.answering.llm.ollama import OllamaDialect
from siaa.answering.llm.openai import OpenAIDialect
from siaa.answering.llm.protocol import ChatMessage, LanguageModel, ModelError
from siaa.answering.llm.stream import Tether
from siaa.config import Settings
from siaa.errors import ConfigError

__all__ = ["CLIENTS", "ChatMessage", "LanguageModel", "ModelError", "Tether", "candidates", "connect"]

OLLAMA_URL = "http://127.0.0.1:11434"  # where Ollama listens unless it is told otherwise


def connect(settings: Settings) -> LanguageModel | None:
    """Return the client that `SIAA_LLM` names; None for `ninguno`, and for `auto`, where `candidates` are tried.

    Nothing is sent: a server that is down is found out by the first question, or by `available()`.

    Raises ConfigError when a kind that needs an address has none.
    """
    if settings.llm not in CLIENTS:
        return None
    return CLIENTS[settings.llm](settings)


def candidates(settings: Settings) -> tuple[LanguageModel, ...]:
    """Return what may listen at `SIAA_LLM_URL` when `SIAA_LLM` is `auto`: every kind there is, the pickiest first."""
    if settings.llm != "auto" or not settings.llm_url:
        return ()
    return tuple(client(settings) for client in CLIENTS.values())


def _ollama(settings: Settings) -> HttpModel:
    return _client(settings.llm_url or OLLAMA_URL, OllamaDialect(settings.llm_context), settings)


def _openai(settings: Settings) -> HttpModel:
    if not settings.llm_url:
        raise ConfigError(wording.LLM_URL_MISSING.format(kind="openai"))
    return _client(settings.llm_url, OpenAIDialect(), settings)


def _client(url: str, dialect: OllamaDialect | OpenAIDialect, settings: Settings) -> HttpModel:
    limits = CallLimits(
        concurrency=settings.llm_concurrency,
        queue=settings.llm_queue,
        queue_timeout=settings.llm_queue_timeout,
        connect_timeout=settings.llm_connect_timeout,
        first_token_timeout=settings.llm_first_token_timeout,
        read_timeout=settings.llm_read_timeout,
        total_timeout=settings.llm_total_timeout,
    )
    return HttpModel(url, dialect, model=settings.llm_model, context=settings.llm_context, limits=limits)


# Ollama has a `/v1` too, but only its own door takes the size of the context.
CLIENTS: dict[str, Callable[[Settings], HttpModel]] = {"ollama": _ollama, "openai": _openai}
