"""Settings: defaults, limits, and a clear sentence for each wrong variable."""

from __future__ import annotations

import pytest

from siaa.config import load_settings
from siaa.errors import ConfigError


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SIAA_PORT", "cinco mil"),  # not a number
        ("SIAA_PORT", "70000"),  # out of range
        ("SIAA_LLM", "gpt"),  # not one of the known
        ("SIAA_LLM_URL", "localhost:8080"),  # without its scheme
        ("SIAA_LLM_CONCURRENCY", "0"),  # below the least
    ],
)
def test_wrong_variable_is_named(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError, match=name):
        load_settings()


@pytest.mark.parametrize("url", ["http://127.0.0.1:8080", "http://127.0.0.1:8080/", "http://127.0.0.1:8080/v1/"])
def test_model_address_with_or_without_version(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("SIAA_LLM_URL", url)
    assert load_settings().llm_url == "http://127.0.0.1:8080"


def test_empty_variable_counts_as_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIAA_PORT", "")
    assert load_settings().port == 5000


def test_the_token_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIAA_ADMIN_TOKEN", "secreto")
    assert "secreto" not in repr(load_settings())
