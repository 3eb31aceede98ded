"""What is particular to OpenAI's way of streaming: the streams that its many servers write, and the request."""

from __future__ import annotations

import json
from typing import Any

import pytest

from siaa.answering.llm.protocol import ModelError, ModelUnavailableError
from tests.contract.model_clients import OPENAI, ask, openai_data, sse

data = openai_data
END = data(None, finish="stop")
DONE = b"data: [DONE]\n\n"

GOOD_STREAMS: list[tuple[str, tuple[bytes, ...]]] = [
    # The usual one, with both signs of an end.
    ("usual", (data("Es un "), data("sistema."), END, DONE)),
    # Servers that send only one of the two signs.
    ("solo_finish_reason", (data("Es un "), data("sistema."), END)),
    ("solo_done", (data("Es un "), data("sistema."), DONE)),
    # The last text comes together with the sign.
    ("texto_con_finish", (data("Es un "), data("sistema.", finish="length"))),
    # A first event with the role and null content, an event with usage and no choices, empty text, comments.
    ("content_null", (data(None), data("Es un "), data(""), data("sistema."), END, DONE)),
    ("choices_vacio", (data("Es un "), sse({"choices": [], "usage": {}}), data("sistema."), END, DONE)),
    ("sin_choices", (sse({"id": 1}), data("Es un "), data("sistema."), END, DONE)),
    ("comentarios", (b": ping\n\n", data("Es un "), b":\n", data("sistema."), END, DONE)),
    ("error_null", (data("Es un sistema.").replace(b"{", b'{"error": null, ', 1), END, DONE)),
    # Lines that are no field of a stream are passed over.
    ("lineas_raras", (b"hola\n\x00\xff\xfe\nid: 7\nretry: 10\n\n", data("Es un "), data("sistema."), END, DONE)),
    # Other line ends, no space after the colon, no blank lines between events.
    ("crlf", (data("Es un ").replace(b"\n", b"\r\n"), data("sistema.").replace(b"\n", b"\r\n"), END)),
    ("sin_espacio", (data("Es un sistema.").replace(b"data: ", b"data:"), DONE)),
    ("sin_lineas_en_blanco", (data("Es un ")[:-1], data("sistema.")[:-1], DONE)),
    # An event name that is not an error.
    ("event_message", (b"event: message\n", data("Es un sistema."), DONE)),
    # No line end after the last event.
    ("sin_fin_de_linea", (data("Es un sistema."), b"data: [DONE]")),
    # Events cut anywhere by the network, inside a letter too.
    ("partida", (*(bytes([byte]) for byte in data("Es un sistema.")), END)),
]


@pytest.mark.parametrize(("name", "parts"), GOOD_STREAMS, ids=[name for name, _ in GOOD_STREAMS])
def test_a_complete_stream_is_the_answer(scripted: Any, name: str, parts: tuple[bytes, ...]) -> None:
    scripted.script = OPENAI.plays(*parts)
    pieces = ask(OPENAI.client(scripted.url))
    assert "".join(pieces) == "Es un sistema."
    assert all(pieces)


ERRORS: list[tuple[str, bytes]] = [
    # The ways in which servers of this kind tell an error under status 200.
    ("error_antes_que_choices", data("x").replace(b"{", b'{"error": "boom", ', 1)),
    ("event_error", b"event: error\ndata: boom\n\n"),
    ("campo_error", b'error: {"code": 500, "message": "boom"}\n\n'),
    ("json_sin_data", b'{"error": {"message": "boom"}}'),
]


@pytest.mark.parametrize(("name", "part"), ERRORS, ids=[name for name, _ in ERRORS])
def test_an_error_is_seen_before_anything_else(scripted: Any, name: str, part: bytes) -> None:
    scripted.script = OPENAI.plays(part, END, DONE)
    with pytest.raises(ModelUnavailableError):
        ask(OPENAI.client(scripted.url))


def test_the_request_is_plain_openai_at_temperature_zero(scripted: Any) -> None:
    scripted.script = OPENAI.plays(data("Sí."), DONE)
    ask(OPENAI.client(scripted.url + "/v1/"), max_tokens=77)
    assert json.loads(scripted.bodies[0]) == {
        "model": "guion",
        "messages": [
            {"role": "system", "content": "Responda en español."},
            {"role": "user", "content": "¿Qué es el SIERJU?"},
        ],
        "max_tokens": 77,
        "temperature": 0,
        "stream": True,
    }


CONTEXTS: list[tuple[str, dict[str, bytes], int]] = [
    ("llama.cpp", {"/props": b'{"default_generation_settings": {"n_ctx": 2048}}'}, 2048),
    ("vllm", {"/v1/models": b'{"data": [{"id": "guion", "max_model_len": 32768}]}'}, 32768),
    # No word of it, or none that can be used: what the settings say.
    ("no_lo_dice", {}, 4096),
    ("html", {"/props": b"<html></html>"}, 4096),
    ("cero", {"/props": b'{"default_generation_settings": {"n_ctx": 0}}'}, 4096),
    ("texto", {"/props": b'{"default_generation_settings": {"n_ctx": "mucho"}}'}, 4096),
]


@pytest.mark.parametrize(("name", "pages", "tokens"), CONTEXTS, ids=[row[0] for row in CONTEXTS])
def test_the_context_is_asked_for(scripted: Any, name: str, pages: dict[str, bytes], tokens: int) -> None:
    scripted.pages |= {path: (200, body) for path, body in pages.items()}
    model = OPENAI.client(scripted.url)
    assert model.available()
    assert model.context_tokens == tokens


def test_a_server_that_loads_is_unavailable(scripted: Any) -> None:
    scripted.pages["/health"] = (503, b'{"error": {"message": "Loading model"}}')
    model = OPENAI.client(scripted.url)
    assert model.available() is False
    with pytest.raises(ModelError):
        ask(model)
    scripted.pages["/health"] = (200, b'{"status": "ok"}')
    assert model.available() is True
