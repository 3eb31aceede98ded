"""Every fault of a model's server, played over a real socket: named, told in Spanish, and nothing leaks.

The faults that only a real server shows (overflow, death by SIGKILL) are in test_language_model_real.py as well; what a
reader of the chat sees of each is in tests/http/test_model_faults.py.
"""

from __future__ import annotations

import gc
import os
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from siaa.answering.llm.protocol import (
    ModelBusyError,
    ModelContextError,
    ModelCutError,
    ModelError,
    ModelSilentError,
    ModelUnavailableError,
)
from tests.contract.model_clients import CONVERSATION, KINDS, Kind, Script, ask

pytestmark = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)

Make = Callable[[Kind], Script]


def long_line(kind: Kind) -> bytes:
    return kind.data("x" * 10_000_000)


FAULTS: list[tuple[str, Make, type[ModelError]]] = [
    # Ends without a word that it is complete, with a clean close.
    ("cortada", lambda k: k.plays(k.data("Es un ")), ModelCutError),
    ("vacia", lambda k: k.plays(), ModelCutError),
    ("solo_ruido", lambda k: k.plays(k.noise), ModelCutError),
    ("solo_null", lambda k: k.plays(k.data(None)), ModelCutError),
    # Complete, and nothing in it.
    ("completa_sin_texto", lambda k: k.plays(k.end), ModelSilentError),
    ("completa_con_null", lambda k: k.plays(k.data(None), k.end), ModelSilentError),
    # Errors under status 200: object and string, before and after text.
    ("error_objeto", lambda k: k.plays(k.error({"message": "boom"})), ModelUnavailableError),
    ("error_texto", lambda k: k.plays(k.error("boom")), ModelUnavailableError),
    ("error_a_mitad", lambda k: k.plays(k.data("Es un "), k.error("boom"), k.end), ModelCutError),
    ("contexto_en_200", lambda k: k.plays(k.error({"type": "exceed_context_size_error"})), ModelContextError),
    # Data that cannot be read: its text is lost, so the answer is not whole.
    ("basura", lambda k: k.plays(k.data("Es un "), b"data: {no es json\n", k.end), ModelCutError),
    ("no_es_objeto", lambda k: k.plays(k.data("Es un "), k.data("").replace(b"{", b"[", 1), k.end), ModelCutError),
    ("anidada", lambda k: k.plays(b"data: " + b"[" * 100_000 + b"\n", k.end), ModelCutError),
    ("linea_de_10_mb", lambda k: k.plays(k.data("Es un "), long_line(k), k.end), ModelCutError),
    ("linea_sin_fin", lambda k: k.plays(k.data("Es un "), b"x" * 10_000_000), ModelCutError),
    # A server that ignores the limit of tokens.
    ("interminable", lambda k: k.plays(*[k.data("palabra " * 500)] * 100, k.end), ModelCutError),
    # Statuses.
    ("503_cargando", lambda k: k.plays(b'{"error": {"message": "Loading model"}}', status=503), ModelUnavailableError),
    ("503_en_cola", lambda k: k.plays(b'{"error": "server busy, please try again"}', status=503), ModelBusyError),
    ("500_html", lambda k: k.plays(b"<html><h1>Internal</h1></html>", status=500), ModelUnavailableError),
    ("429", lambda k: k.plays(b"{}", status=429), ModelBusyError),
    ("400_contexto", lambda k: k.plays(b'{"error": "exceed_context_size_error"}', status=400), ModelContextError),
    ("400_openai", lambda k: k.plays(b'{"error": {"code": "context_length_exceeded"}}', status=400), ModelContextError),
    ("400_ollama", lambda k: k.plays(b'{"error":"input exceeds the context length"}', status=400), ModelContextError),
    ("400_otro", lambda k: k.plays(b'{"error": "bad"}', status=400), ModelUnavailableError),
    ("404", lambda k: k.plays(b"404 page not found", status=404), ModelUnavailableError),
    ("504", lambda k: k.plays(b"", status=504), ModelSilentError),
    ("redireccion", lambda k: k.plays(b"", status=302), ModelUnavailableError),
    # No HTTP at all.
    ("no_es_http", lambda k: lambda handler: handler.wfile.write(b"SSH-2.0-OpenSSH\r\n"), ModelUnavailableError),
    ("cierra_sin_estado", lambda k: lambda handler: None, ModelUnavailableError),
]  # fmt: skip


@pytest.mark.parametrize(("name", "make", "expected"), FAULTS, ids=[name for name, _, _ in FAULTS])
def test_a_fault_is_named_and_frees_the_slot(
    scripted: Any, kind: Kind, name: str, make: Make, expected: type[ModelError]
) -> None:
    model = kind.client(scripted.url)
    scripted.script = make(kind)
    for _ in range(3):  # with one slot, a leak would show as ModelBusyError
        with pytest.raises(expected) as failure:
            ask(model)
        assert type(failure.value) is expected
        assert failure.value.message == expected.text
        assert failure.value.detail  # for the log
    scripted.script = kind.plays(kind.data("Bien."), kind.end)
    assert ask(model) == ["Bien."]


def broken(kind: Kind) -> Script:
    """Begin an answer and break the connection with a reset, as a killed server does."""

    def script(handler: Any) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "100000")
        handler.end_headers()
        handler.wfile.write(kind.data("Es un "))
        handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")

    return script


def half_chunk(kind: Kind) -> Script:
    """Close in the middle of an HTTP chunk."""

    def script(handler: Any) -> None:
        handler.protocol_version = "HTTP/1.1"
        handler.send_response(200)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        handler.wfile.write(b"fff\r\n" + kind.data("Es un "))

    return script


@pytest.mark.parametrize("make", [broken, half_chunk])
def test_a_connection_broken_in_the_middle_is_a_cut(scripted: Any, kind: Kind, make: Make) -> None:
    scripted.script = make(kind)
    with pytest.raises(ModelCutError):
        ask(kind.client(scripted.url))


# name, what is sent before the silence (None: not even a status line), what is repeated in it
STALLS: list[tuple[str, Callable[[Kind], tuple[bytes, ...]] | None, Callable[[Kind], bytes]]] = [
    ("sin_estado", None, lambda k: b""),
    ("primera_pieza", lambda k: (k.data(None),), lambda k: b""),  # slow first token
    ("entre_piezas", lambda k: (k.data("Es un "),), lambda k: b""),
    # Only comments keep coming, or bytes that never end a line.
    ("solo_ruido", lambda k: (k.data("Es un "),), lambda k: k.noise),
    ("a_gotas", lambda k: (k.data("Es un "),), lambda k: b"x"),
]


def stalls(kind: Kind, parts: tuple[bytes, ...] | None, beat: bytes, released: threading.Event) -> Script:
    """Return a script that sends the parts, then nothing but `beat` until it is released."""

    def script(handler: Any) -> None:
        if parts is not None:
            kind.plays(*parts)(handler)
        while not released.wait(0.05):
            handler.wfile.write(beat)

    return script


@pytest.mark.parametrize(("name", "parts", "beat"), STALLS, ids=[name for name, _, _ in STALLS])
def test_a_silent_model_is_given_up_in_time(scripted: Any, kind: Kind, name: str, parts: Any, beat: Any) -> None:
    released = threading.Event()
    scripted.script = stalls(kind, parts(kind) if parts else None, beat(kind), released)
    # Each silence has its own limit: the other one is far too long to be what ends the call.
    first = name in ("sin_estado", "primera_pieza")
    limits = {"first_token_timeout": 0.3} if first else {"read_timeout": 0.3}
    model = kind.client(scripted.url, **limits)
    begun = time.monotonic()
    try:
        with pytest.raises(ModelSilentError):
            ask(model)
    finally:
        released.set()
    assert time.monotonic() - begun < 2


def test_headers_that_come_in_drops_are_given_up_in_time(scripted: Any, kind: Kind) -> None:
    released = threading.Event()

    def script(handler: Any) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Largo: ")
        while not released.wait(0.05):
            handler.wfile.write(b"a")

    scripted.script = script
    begun = time.monotonic()
    try:
        with pytest.raises(ModelSilentError):
            ask(kind.client(scripted.url, first_token_timeout=0.3))
    finally:
        released.set()
    assert time.monotonic() - begun < 2


def test_an_answer_without_end_is_ended(scripted: Any, kind: Kind) -> None:
    released = threading.Event()
    scripted.script = stalls(kind, (), kind.data("a"), released)
    begun = time.monotonic()
    try:
        with pytest.raises(ModelError):
            ask(kind.client(scripted.url, total_timeout=0.4), max_tokens=1000)
    finally:
        released.set()
    assert 0.3 < time.monotonic() - begun < 2


def test_a_slow_reader_is_not_a_silent_model(scripted: Any, kind: Kind) -> None:
    scripted.script = kind.plays(kind.data("Es "), kind.data("un "), kind.data("sistema."), kind.end)
    pieces = []
    for piece in kind.client(scripted.url, read_timeout=0.2).stream(CONVERSATION, max_tokens=8):
        pieces.append(piece)
        time.sleep(0.25)
    assert "".join(pieces) == "Es un sistema."


ADDRESSES: list[tuple[str, str]] = [
    ("rechazada", "http://127.0.0.1:{port}"),
    ("dns", "http://modelo.invalid:9"),
    ("nombre_imposible", "http://" + "a" * 70 + ".example:9"),
    ("puerto_imposible", "http://127.0.0.1:99999"),
]


@pytest.mark.parametrize(("name", "address"), ADDRESSES, ids=[row[0] for row in ADDRESSES])
def test_no_server_is_unavailable(kind: Kind, name: str, address: str) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    model = kind.client(address.format(port=port))
    assert model.available() is False
    for _ in range(2):
        with pytest.raises(ModelUnavailableError) as failure:
            ask(model)
    assert failure.value.code == "modelo_no_disponible"
    assert "127.0.0.1" not in failure.value.message  # addresses are for the log


def open_descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="cuenta los descriptores en /proc")
def test_a_thousand_faulty_calls_leak_nothing(scripted: Any, kind: Kind) -> None:
    quick = [make for name, make, _ in FAULTS if name not in ("linea_de_10_mb", "linea_sin_fin", "interminable")]
    scripts = [make(kind) for make in (*quick, broken, half_chunk)]
    model = kind.client(scripted.url)
    scripted.script = kind.plays(kind.data("Bien."), kind.end)
    assert ask(model) == ["Bien."]
    gc.collect()
    settle(scripted)
    before = open_descriptors(), threading.active_count()
    for number in range(1000):
        scripted.script = scripts[number % len(scripts)]
        with pytest.raises(ModelError):
            ask(model)
    settle(scripted)
    assert (open_descriptors(), threading.active_count()) <= before
    scripted.script = kind.plays(kind.data("Bien."), kind.end)
    assert ask(model) == ["Bien."]


def settle(scripted: Any) -> None:
    """Wait until the server's own threads, one for each connection, have ended."""
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline and any("process_request" in t.name for t in threading.enumerate()):
        time.sleep(0.02)
