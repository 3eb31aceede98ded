"""What is particular to Ollama's own `/api/chat`: the context it is asked for, and the one it cuts in silence."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest

from siaa.answering.llm.protocol import ChatMessage, ModelContextError, ModelUnavailableError
from tests.contract.model_clients import OLLAMA, ask, line, ollama_data

data = ollama_data


def end(**more: object) -> bytes:
    return data("", **{"done": True, "done_reason": "stop", **more})


GOOD_STREAMS: list[tuple[str, tuple[bytes, ...]]] = [
    ("usual", (data("Es un "), data("sistema."), end())),
    # Stopped at its limit, the last text with the sign, no end of line, other line ends.
    ("limite", (data("Es un "), data("sistema."), end(done_reason="length"))),
    ("texto_con_done", (data("Es un "), data("sistema.", done=True))),
    ("sin_fin_de_linea", (data("Es un sistema."), end().rstrip())),
    ("crlf", (data("Es un sistema.").replace(b"\n", b"\r\n"), end())),
    # No message, null content, a model that thinks first, blank lines.
    ("sin_message", (line({"model": "a"}), data("Es un sistema."), end())),
    ("content_null", (data(None), data("Es un sistema."), end())),
    ("piensa", (line({"message": {"content": "", "thinking": "a ver"}}), data("Es un sistema."), end())),
    ("lineas_en_blanco", (b"\n\n", data("Es un sistema."), b"\n", end())),
    # Lines cut anywhere by the network.
    ("partida", (*(bytes([byte]) for byte in data("Es un sistema.")), end())),
]


@pytest.mark.parametrize(("name", "parts"), GOOD_STREAMS, ids=[name for name, _ in GOOD_STREAMS])
def test_a_complete_stream_is_the_answer(scripted: Any, name: str, parts: tuple[bytes, ...]) -> None:
    scripted.script = OLLAMA.plays(*parts)
    pieces = ask(OLLAMA.client(scripted.url))
    assert "".join(pieces) == "Es un sistema."
    assert all(pieces)


def test_the_request_sizes_the_context_and_forbids_cutting(scripted: Any) -> None:
    scripted.script = OLLAMA.plays(data("Sí."), end())
    ask(OLLAMA.client(scripted.url), max_tokens=77)
    assert json.loads(scripted.bodies[0]) == {
        "model": "guion",
        "messages": [
            {"role": "system", "content": "Responda en español."},
            {"role": "user", "content": "¿Qué es el SIERJU?"},
        ],
        "stream": True,
        "truncate": False,
        "shift": False,
        "keep_alive": "30m",
        "options": {"num_ctx": 4096, "num_predict": 77, "temperature": 0},
    }


def test_no_more_context_is_asked_for_than_the_model_was_made_for(scripted: Any) -> None:
    scripted.pages["/api/show"] = (200, b'{"model_info": {"general.name": "a", "qwen2.context_length": 2048}}')
    scripted.script = OLLAMA.plays(data("Sí."), end())
    model = OLLAMA.client(scripted.url)
    ask(model)
    assert model.context_tokens == 2048
    assert json.loads(scripted.bodies[0])["options"]["num_ctx"] == 2048


LONG = (ChatMessage("system", "Responda en español."), ChatMessage("user", "palabra " * 750))  # about 2,000 tokens

# tokens the server says it read -> whether some were dropped
READ = [
    (None, False),  # it does not say, as older ones when all of it was in their cache
    (1300, False),  # a tokenizer with longer tokens than are counted with
    (2600, False),  # or shorter ones
    (900, True),
    (40, True),
]


@pytest.mark.parametrize(("read", "cut"), READ)
def test_a_prompt_cut_in_silence_is_found_out(
    scripted: Any, caplog: pytest.LogCaptureFixture, read: int | None, cut: bool
) -> None:
    scripted.script = OLLAMA.plays(data("Sí."), end(**({"prompt_eval_count": read} if read else {})))
    model = OLLAMA.client(scripted.url)
    with caplog.at_level(logging.ERROR):
        if cut:
            with pytest.raises(ModelContextError):
                list(model.stream(LONG, max_tokens=100))
        else:
            assert list(model.stream(LONG, max_tokens=100)) == ["Sí."]
    assert ("recortó" in caplog.text) is cut


def test_another_kind_of_server_is_not_taken_for_ollama(scripted: Any) -> None:
    del scripted.pages["/api/version"]  # llama.cpp imitates other paths
    model = OLLAMA.client(scripted.url)
    assert model.available() is False
    with pytest.raises(ModelUnavailableError):
        ask(model)
