"""Texts made to take long: drafts whose citations are checked, and long answers in the history of a conversation."""

from __future__ import annotations

import json
import time

import pytest

from tests.http.client import Client

CHARS = 20_000
DRAFTS = [
    "." * CHARS,
    "ley 1 de " * (CHARS // 9),
    "PSAA16-" * (CHARS // 7),
    "artículos 1 a 50, " * (CHARS // 18),  # each names fifty
    "art. 1 " * (CHARS // 7),
    "a.md " * (CHARS // 5),
    "Art. 5.\n\n" * (CHARS // 9),
    "«" * CHARS,
]


def post(service: Client, path: str, **body: object) -> int:
    return service.request(
        "POST", path, json.dumps(body, ensure_ascii=False).encode(), **{"Content-Type": "application/json"}
    ).status


@pytest.mark.parametrize("text", DRAFTS)
def test_a_draft_takes_no_more_time_than_its_length(service: Client, text: str) -> None:
    began = time.perf_counter()
    assert post(service, "/siaa/citas/verificar", texto=text) == 200
    assert time.perf_counter() - began < 3


@pytest.mark.parametrize("filling", [" ", ".", "#"])
def test_a_long_earlier_answer_takes_no_more_time_than_its_length(service: Client, filling: str) -> None:
    asked = {"role": "user", "content": "¿Quién diligencia el formulario SIERJU?"}
    earlier = {"role": "assistant", "content": "artículo" + filling * 30_000 + "x"}
    began = time.perf_counter()
    assert post(service, "/siaa/chat", messages=[asked, earlier, asked]) == 200
    assert time.perf_counter() - began < 1.5
