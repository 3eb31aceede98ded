"""What SIAA may rely on from a client of a language model.

1. Pieces come one by one, as the server sends them; joined they are the answer; none is empty.
2. The stream ends normally only if the server said that the answer is complete; every fault is a ModelError.
3. The slot and the connection are free again after every end: normal, failed, closed early, dropped unbegun.
4. More calls at once than allowed raise ModelBusyError at the call, before anything is sent.
5. `available` never raises.

The faults come from a server that plays them over real sockets; the real llama.cpp shows that what is assumed of good
streams, of overflow and of closed connections is so.
"""

from __future__ import annotations

import gc
import json
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from service.llm import CLIENTS, connect
from service.llm.openai import OpenAIModel
from service.llm.protocol import (
    ChatMessage,
    LanguageModel,
    ModelBusyError,
    ModelContextError,
    ModelCutError,
    ModelError,
    ModelSilentError,
    ModelUnavailableError,
)
from siaa.config import Settings
from siaa.errors import ConfigError

CONVERSATION = (ChatMessage("system", "Responda en español."), ChatMessage("user", "¿Qué es el SIERJU?"))


def data(content: object, *, finish: str | None = None) -> bytes:
    """Return one event of a stream, as OpenAI's servers write it."""
    event = {"choices": [{"index": 0, "delta": {"content": content}, "finish_reason": finish}]}
    return b"data: " + json.dumps(event).encode() + b"\n\n"


END = data(None, finish="stop")
DONE = b"data: [DONE]\n\n"


def plays(*parts: bytes, status: int = 200, kind: str = "text/event-stream") -> Callable[[Any], None]:
    """Return a script that sends the parts one by one and closes the connection cleanly."""

    def script(handler: Any) -> None:
        handler.send_response(status)
        handler.send_header("Content-Type", kind)
        handler.end_headers()
        for part in parts:
            handler.wfile.write(part)
            handler.wfile.flush()

    return script


def ask(model: LanguageModel, *, max_tokens: int = 24) -> list[str]:
    return list(model.stream(CONVERSATION, max_tokens=max_tokens))


def client(url: str, **options: Any) -> OpenAIModel:
    return OpenAIModel(url, **{"concurrency": 1, "connect_timeout": 2.0, "read_timeout": 5.0, **options})


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
    ("choices_vacio", (data("Es un "), b'data: {"choices": [], "usage": {}}\n\n', data("sistema."), END, DONE)),
    ("sin_choices", (b'data: {"id": 1}\n\n', data("Es un "), data("sistema."), END, DONE)),
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
    scripted.script = plays(*parts)
    pieces = ask(client(scripted.url))
    assert "".join(pieces) == "Es un sistema."
    assert all(pieces)


def test_letters_cut_between_packets_arrive_whole(scripted: Any) -> None:
    event = 'data: {"choices": [{"delta": {"content": "Según el artículo 5º"}}]}\n\n'.encode()
    scripted.script = plays(*(bytes([byte]) for byte in event), DONE)
    assert "".join(ask(client(scripted.url))) == "Según el artículo 5º"


def error(value: object) -> bytes:
    return b"data: " + json.dumps({"error": value}).encode() + b"\n\n"


FAULTS: list[tuple[str, Callable[[Any], None], type[ModelError]]] = [
    # Ends without a word that it is complete, with a clean close.
    ("cortada", plays(data("Es un ")), ModelCutError),
    ("vacia", plays(), ModelCutError),
    ("solo_comentarios", plays(b": ping\n\n"), ModelCutError),
    # Complete, and nothing in it.
    ("completa_sin_texto", plays(END, DONE), ModelSilentError),
    # Errors under status 200: object, string, named event, field, bare JSON; before and after text.
    ("error_objeto", plays(error({"message": "boom", "type": "server_error"})), ModelUnavailableError),
    ("error_texto", plays(error("boom")), ModelUnavailableError),
    ("error_antes_que_choices", plays(data("x").replace(b"{", b'{"error": "boom", ', 1)), ModelUnavailableError),
    ("error_a_mitad", plays(data("Es un "), error("boom"), END, DONE), ModelCutError),
    ("event_error", plays(b"event: error\ndata: boom\n\n", DONE), ModelUnavailableError),
    ("campo_error", plays(b'error: {"code": 500, "message": "boom"}\n\n'), ModelUnavailableError),
    ("json_sin_data", plays(b'{"error": {"message": "boom"}}', kind="application/json"), ModelUnavailableError),
    ("contexto_en_200", plays(error({"type": "exceed_context_size_error"})), ModelContextError),
    # Data that cannot be read: its text is lost, so the answer is not whole.
    ("basura", plays(data("Es un "), b"data: {no es json\n\n", END, DONE), ModelCutError),
    ("no_es_objeto", plays(data("Es un "), b"data: [1, 2]\n\n", END, DONE), ModelCutError),
    ("anidada", plays(b"data: " + b"[" * 100_000 + b"\n\n", DONE), ModelCutError),
    ("linea_de_10_mb", plays(data("Es un "), b"data: " + b"x" * 10_000_000 + b"\n\n", END, DONE), ModelCutError),
    # Statuses.
    ("503_cargando", plays(b'{"error": {"message": "Loading model"}}', status=503), ModelUnavailableError),
    ("500_html", plays(b"<html><h1>Internal</h1></html>", status=500), ModelUnavailableError),
    ("429", plays(b"{}", status=429), ModelBusyError),
    ("400_contexto", plays(b'{"error": {"type": "exceed_context_size_error"}}', status=400), ModelContextError),
    ("400_openai", plays(b'{"error": {"code": "context_length_exceeded"}}', status=400), ModelContextError),
    ("400_otro", plays(b'{"error": "bad"}', status=400), ModelUnavailableError),
    ("404", plays(b"404 page not found", status=404), ModelUnavailableError),
    ("redireccion", plays(b"", status=302), ModelUnavailableError),
]


@pytest.mark.parametrize(("name", "script", "kind"), FAULTS, ids=[name for name, _, _ in FAULTS])
def test_a_fault_is_named_and_frees_the_slot(
    scripted: Any, name: str, script: Callable[[Any], None], kind: type[ModelError]
) -> None:
    model = client(scripted.url)
    scripted.script = script
    for _ in range(3):  # with one slot, a leak would show as ModelBusyError
        with pytest.raises(kind) as failure:
            ask(model)
        assert type(failure.value) is kind
        assert failure.value.message == kind.text
    scripted.script = plays(data("Bien."), DONE)
    assert ask(model) == ["Bien."]


def test_text_before_a_fault_is_passed_on(scripted: Any) -> None:
    scripted.script = plays(data("Es "), data("un "))
    answer = client(scripted.url).stream(CONVERSATION, max_tokens=8)
    assert [next(answer), next(answer)] == ["Es ", "un "]
    with pytest.raises(ModelCutError):
        next(answer)


def test_a_connection_broken_in_the_middle_is_a_cut(scripted: Any) -> None:
    def script(handler: Any) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "100000")
        handler.end_headers()
        handler.wfile.write(data("Es un "))
        # Closed with a reset, as a killed server does.
        handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")

    scripted.script = script
    with pytest.raises(ModelCutError):
        ask(client(scripted.url))


STALLS: list[tuple[str, tuple[bytes, ...], bytes]] = [
    # Nothing at all, not even a status line: see `silent` below.
    ("primera_pieza", (), b""),
    # It begins and then falls silent.
    ("entre_piezas", (data("Es un "),), b""),
    # Only comments keep coming.
    ("solo_latidos", (data("Es un "),), b": ping\n\n"),
]


@pytest.mark.parametrize(("name", "parts", "beat"), STALLS, ids=[name for name, _, _ in STALLS])
def test_a_silent_model_is_given_up_in_time(scripted: Any, name: str, parts: tuple[bytes, ...], beat: bytes) -> None:
    released = threading.Event()

    def script(handler: Any) -> None:
        if parts:
            plays(*parts)(handler)
        while not released.wait(0.05):
            if beat:
                handler.wfile.write(beat)

    scripted.script = script
    model = client(scripted.url, read_timeout=0.3)
    begun = time.monotonic()
    try:
        with pytest.raises(ModelSilentError):
            ask(model)
    finally:
        released.set()
    assert time.monotonic() - begun < 3


def test_pieces_arrive_when_they_are_made(scripted: Any) -> None:
    seen = threading.Event()

    def script(handler: Any) -> None:
        plays(data("Es "))(handler)
        assert seen.wait(5)  # the second piece exists only once the first has been read
        handler.wfile.write(data("un sistema.") + DONE)

    scripted.script = script
    answer = client(scripted.url).stream(CONVERSATION, max_tokens=8)
    assert next(answer) == "Es "
    seen.set()
    assert list(answer) == ["un sistema."]


def test_the_request_is_plain_openai_at_temperature_zero(scripted: Any) -> None:
    scripted.script = plays(data("Sí."), DONE)
    ask(client(scripted.url + "/v1/"), max_tokens=77)
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


def test_the_model_named_in_the_settings_is_asked_for(scripted: Any) -> None:
    scripted.script = plays(data("Sí."), DONE)
    scripted.models = b"nada"
    model = client(scripted.url, model="qwen2.5:1.5b")
    assert model.name == "qwen2.5:1.5b"
    ask(model)
    assert json.loads(scripted.bodies[0])["model"] == "qwen2.5:1.5b"


def test_a_model_that_is_gone_is_looked_up_again(scripted: Any) -> None:
    scripted.script = plays(data("Sí."), DONE)
    model = client(scripted.url)
    ask(model)
    scripted.models = b'{"data": [{"id": "otro"}]}'
    scripted.script = plays(b'{"error": "model not found"}', status=404)
    with pytest.raises(ModelUnavailableError):
        ask(model)
    scripted.script = plays(data("Sí."), DONE)
    ask(model)
    assert model.name == "otro"


def test_more_calls_than_allowed_are_refused_at_the_call(scripted: Any) -> None:
    scripted.script = plays(data("Es "), data("un "), data("sistema."), DONE)
    model = client(scripted.url, concurrency=2)
    first, second = (model.stream(CONVERSATION, max_tokens=8) for _ in range(2))
    assert next(first) == "Es "
    with pytest.raises(ModelBusyError) as failure:
        model.stream(CONVERSATION, max_tokens=8)
    assert failure.value.code == "modelo_ocupado"
    first.close()
    assert ask(model) == ["Es ", "un ", "sistema."]
    assert list(second) == ["Es ", "un ", "sistema."]


def test_an_answer_dropped_before_it_began_frees_its_slot(scripted: Any) -> None:
    scripted.script = plays(data("Sí."), DONE)
    model = client(scripted.url)
    for end in ("close", "drop"):
        answer = model.stream(CONVERSATION, max_tokens=8)
        if end == "close":
            answer.close()
        del answer
        gc.collect()
    assert ask(model) == ["Sí."]


def test_leaving_early_closes_the_connection(scripted: Any) -> None:
    def endless(handler: Any) -> None:
        plays()(handler)
        while True:
            handler.wfile.write(data("más "))
            time.sleep(0.01)

    scripted.script = endless
    answer = client(scripted.url).stream(CONVERSATION, max_tokens=8)
    assert next(answer) == "más "
    answer.close()
    assert scripted.left.wait(5)


AVAILABILITY: list[tuple[str, bytes, int, bool]] = [
    # A server without `/health` that names a model.
    ("sin_health", b'{"data": [{"id": "a"}]}', 404, True),
    ("con_health", b'{"data": [{"id": "a"}]}', 200, True),
    # llama.cpp while it loads.
    ("cargando", b'{"data": [{"id": "a"}]}', 503, False),
    # No model, or no list of models at all.
    ("sin_modelos", b'{"data": []}', 200, False),
    ("html", b"<html></html>", 200, False),
    ("lista", b"[]", 200, False),
]


@pytest.mark.parametrize(("name", "models", "health", "expected"), AVAILABILITY, ids=[row[0] for row in AVAILABILITY])
def test_availability(scripted: Any, name: str, models: bytes, health: int, expected: bool) -> None:
    scripted.models, scripted.health = models, health
    assert client(scripted.url).available() is expected


def test_no_server_is_unavailable() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
    model = client(url)
    assert model.available() is False
    with pytest.raises(ModelUnavailableError) as failure:
        ask(model)
    assert failure.value.code == "modelo_no_disponible"
    assert "127.0.0.1" not in failure.value.message  # addresses are for the log


def test_an_unknown_host_is_unavailable() -> None:
    model = client("http://modelo.invalid:9")
    assert model.available() is False
    with pytest.raises(ModelUnavailableError):
        ask(model)


# -- the settings ---------------------------------------------------------------------------------------------------


CONNECTIONS: list[tuple[dict[str, str], str | None]] = [
    ({}, None),  # automatic, no address: the extractive answer
    ({"llm_url": "http://127.0.0.1:8080/v1"}, "http://127.0.0.1:8080"),  # automatic, with one
    ({"llm": "ninguno", "llm_url": "http://127.0.0.1:8080"}, None),  # switched off
    ({"llm": "openai", "llm_url": "http://127.0.0.1:8080"}, "http://127.0.0.1:8080"),
    ({"llm": "ollama"}, "http://127.0.0.1:11434"),  # where Ollama listens by itself
    ({"llm": "ollama", "llm_url": "http://otra:9"}, "http://otra:9"),
]


@pytest.mark.parametrize(("values", "url"), CONNECTIONS)
def test_connect_follows_the_settings(values: dict[str, str], url: str | None) -> None:
    model = connect(Settings.model_validate(values))
    assert (model.url if isinstance(model, OpenAIModel) else None) == url


def test_openai_without_an_address_says_what_is_missing() -> None:
    with pytest.raises(ConfigError, match="SIAA_LLM_URL"):
        connect(Settings.model_validate({"llm": "openai"}))


def test_every_kind_of_the_settings_has_a_client() -> None:
    assert set(CLIENTS) | {"auto", "ninguno"} == {"auto", "ninguno", "ollama", "openai"}


# -- the real server ------------------------------------------------------------------------------------------------


@pytest.mark.modelo
def test_the_real_server_answers_in_pieces(real_model_url: str) -> None:
    model = client(real_model_url, read_timeout=60.0)
    assert model.available() is True
    pieces = ask(model)
    assert len(pieces) > 3
    assert all(pieces)
    assert model.name


@pytest.mark.modelo
def test_the_real_server_gives_the_same_answer_twice(real_model_url: str) -> None:
    model = client(real_model_url, read_timeout=60.0)
    assert ask(model) == ask(model)


@pytest.mark.modelo
def test_the_real_server_says_when_the_context_is_too_small(real_model_url: str) -> None:
    model = client(real_model_url, read_timeout=60.0)
    with pytest.raises(ModelContextError):
        list(model.stream([ChatMessage("user", "palabra " * 3000)], max_tokens=8))
    assert ask(model)


@pytest.mark.modelo
def test_the_real_server_is_free_after_a_reader_left(real_model_url: str) -> None:
    model = client(real_model_url, read_timeout=60.0)
    begun = time.monotonic()
    for _ in range(3):
        answer = model.stream([ChatMessage("user", "Cuente una historia larga.")], max_tokens=900)
        next(answer)
        answer.close()
    assert ask(model, max_tokens=4)
    # The server has one slot: had it gone on writing, each answer of 900 tokens would have taken over 10 s.
    assert time.monotonic() - begun < 15
