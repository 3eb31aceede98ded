"""What a reader sees of each fault of a model: a Spanish sentence and `[DONE]`, once; the log has the cause.

The faults come from a server that plays them over real sockets, for each kind of client
(tests/contract/test_language_model_faults.py has the finer table).
"""

from __future__ import annotations

import http.client
import json
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from tests.contract.conftest import ScriptedServer
from tests.contract.model_clients import KINDS, OPENAI, Kind, Script
from tests.contract.test_language_model_faults import broken, stalls
from tests.http.client import Answer, Client
from tests.http.conftest import running

QUESTION = "¿Quiénes son los funcionarios responsables de reportar la información?"
BODY = json.dumps({"messages": [{"role": "user", "content": QUESTION}]}).encode()
HEADERS = {"Content-Type": "application/json"}
SHORT = {"first_token_timeout": 0.3, "read_timeout": 0.3}

AppMaker = Callable[..., Flask]
Make = Callable[[Kind], Script]


@pytest.fixture
def scripted() -> Iterator[ScriptedServer]:
    """Yield a server whose chat answer the test writes."""
    server = ScriptedServer()
    yield server
    server.close()


@pytest.fixture
def released() -> Iterator[threading.Event]:
    """Yield what ends the silence of a stalled script, at the latest with the test."""
    event = threading.Event()
    yield event
    event.set()


def ask(app: Flask) -> Answer:
    response = app.test_client().post("/siaa/chat", data=BODY, headers=HEADERS)
    return Answer(response.status_code, dict(response.headers), response.get_data())


FAULTS: list[tuple[str, Make, str]] = [
    # name, what the server does, code of the error event
    ("503_cargando", lambda k: k.plays(b'{"error": {"message": "Loading model"}}', status=503), "modelo_no_disponible"),
    ("400_contexto", lambda k: k.plays(b'{"error": "exceed_context_size_error"}', status=400), "modelo_contexto"),
    ("429", lambda k: k.plays(b"{}", status=429), "modelo_ocupado"),
    ("500_html", lambda k: k.plays(b"<html><h1>Internal</h1></html>", status=500), "modelo_no_disponible"),
    ("cierre_limpio", lambda k: k.plays(k.data("Los jueces")), "modelo_cortado"),
    ("conexion_rota", broken, "modelo_cortado"),
    ("basura", lambda k: k.plays(k.data("Los jueces"), b"data: {no es json\n\n", k.end), "modelo_cortado"),
    ("error_en_200", lambda k: k.plays(k.error({"message": "secreto"})), "modelo_no_disponible"),
    ("vacia", lambda k: k.plays(), "modelo_cortado"),
    ("completa_con_null", lambda k: k.plays(k.data(None), k.end), "modelo_sin_respuesta"),
    ("linea_de_10_mb", lambda k: k.plays(k.data("Los jueces"), k.data("x" * 10_000_000), k.end), "modelo_cortado"),
]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@pytest.mark.parametrize(("name", "make", "code"), FAULTS, ids=[row[0] for row in FAULTS])
def test_a_fault_ends_in_a_sentence_and_done(
    sample_app: AppMaker, scripted: Any, caplog: Any, kind: Kind, name: str, make: Make, code: str
) -> None:
    scripted.script = make(kind)
    expect_failure(ask(sample_app(model=kind.client(scripted.url))), caplog, code)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@pytest.mark.parametrize("begun", [False, True], ids=["primer_token_lento", "a_mitad"])
def test_a_stall_ends_in_a_sentence_and_done(
    sample_app: AppMaker, scripted: Any, released: threading.Event, caplog: Any, kind: Kind, begun: bool
) -> None:
    scripted.script = stalls(kind, (kind.data("Los jueces"),) if begun else None, b"", released)
    expect_failure(ask(sample_app(model=kind.client(scripted.url, **SHORT))), caplog, "modelo_sin_respuesta")


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@pytest.mark.parametrize("address", ["http://127.0.0.1:9", "http://modelo.invalid:9"], ids=["rechazada", "dns"])
def test_no_server_ends_in_a_sentence_and_done(sample_app: AppMaker, caplog: Any, kind: Kind, address: str) -> None:
    expect_failure(ask(sample_app(model=kind.client(address))), caplog, "modelo_no_disponible")


def expect_failure(answer: Answer, caplog: Any, code: str) -> None:
    assert answer.status == 200
    assert answer.text.count("[DONE]") == 1
    assert answer.events[-1] == "[DONE]"
    assert list(answer.events[0]) == ["documentos", "pregunta_buscada"]
    told = answer.events[-2]
    assert (list(told), told["codigo"]) == (["error", "codigo"], code)
    assert told["error"][0].isupper()
    assert told["error"].endswith(".")
    for inner in ("secreto", "html", "127.0.0.1", "HTTP", "Traceback"):
        assert inner not in told["error"]
    lines = [r for r in caplog.records if r.levelno >= logging.WARNING and code in r.getMessage()]
    assert len(lines) == 1


# -- over the running service ---------------------------------------------------------------------------------------


def served(index: Path, url: str, *, command: tuple[str, ...] = ("-m", "service"), **variables: str) -> Any:
    # Without a cache: every question has to reach the model.
    usual = {"SIAA_INDEX_DIR": str(index), "SIAA_LLM": "openai", "SIAA_LLM_URL": url, "SIAA_CACHE_MAX": "0"}
    return running(command=command, **{**usual, **variables})


def open_chat(client: Client) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
    connection = http.client.HTTPConnection(client.host, client.port, timeout=30)
    connection.request("POST", "/siaa/chat", BODY, HEADERS)
    return connection, connection.getresponse()


def test_the_first_piece_reaches_the_client_within_50_ms(sample_index: Path, scripted: Any) -> None:
    made: list[float] = []

    def stamped(handler: Any) -> None:
        OPENAI.plays()(handler)
        time.sleep(0.2)
        made.append(time.monotonic())
        handler.wfile.write(OPENAI.data("Los jueces"))
        time.sleep(0.2)
        handler.wfile.write(OPENAI.end)

    scripted.script = stamped
    delays = []
    with served(sample_index, scripted.url) as client:
        for _ in range(7):
            connection, response = open_chat(client)
            while b"choices" not in response.readline():
                pass
            delays.append(time.monotonic() - made[-1])
            response.read()
            connection.close()
    assert sorted(delays)[len(delays) // 2] < 0.05, delays


def test_64_clients_at_once_all_get_their_answer(sample_index: Path, scripted: Any) -> None:
    words = [OPENAI.data(f"palabra {number} ") for number in range(20)]

    def slow(handler: Any) -> None:
        OPENAI.plays()(handler)
        for word in words:
            handler.wfile.write(word)
            time.sleep(0.005)
        handler.wfile.write(OPENAI.end)

    scripted.script = slow
    together = threading.Barrier(64)

    def one(client: Client) -> Answer:
        together.wait(20)
        return client.chat(QUESTION)

    with served(sample_index, scripted.url) as client, ThreadPoolExecutor(64) as pool:
        answers = list(pool.map(one, [client] * 64))
        assert client.get("/siaa/estado").json["usuarios_activos"] == 0
    whole = "".join(f"palabra {number} " for number in range(20))
    assert [(a.status, a.events[-1], whole.strip() in a.answer) for a in answers] == [(200, "[DONE]", True)] * 64
    assert len({a.answer for a in answers}) == 1


def test_a_client_that_leaves_a_silent_model_frees_it(sample_index: Path, scripted: Any) -> None:
    asked, ended = threading.Semaphore(0), threading.Event()

    def silent(handler: Any) -> None:
        asked.release()
        handler.connection.settimeout(20)
        if handler.connection.recv(1) == b"":
            ended.set()

    scripted.script = silent
    limits = {"SIAA_LLM_CONCURRENCY": "1", "SIAA_LLM_QUEUE": "0"}
    with served(sample_index, scripted.url, **limits) as client:
        connection, response = open_chat(client)
        assert b"documentos" in response.readline()
        assert asked.acquire(timeout=10)
        left = time.monotonic()
        response.close()
        connection.close()
        assert ended.wait(10)
        assert time.monotonic() - left < 1
        scripted.script = OPENAI.plays(OPENAI.data("Los jueces."), OPENAI.end)
        assert client.chat(QUESTION).answer.endswith("Los jueces.")


def test_beyond_the_queue_there_is_a_503_that_says_when_to_come_back(sample_index: Path, scripted: Any) -> None:
    gate = threading.Event()
    asked = threading.Semaphore(0)

    def held(handler: Any) -> None:
        asked.release()
        gate.wait(20)
        OPENAI.plays(OPENAI.data("Los jueces."), OPENAI.end)(handler)

    scripted.script = held
    limits = {"SIAA_LLM_CONCURRENCY": "1", "SIAA_LLM_QUEUE": "1"}
    with served(sample_index, scripted.url, **limits) as client, ThreadPoolExecutor(2) as pool:
        first = pool.submit(client.chat, QUESTION)
        assert asked.acquire(timeout=10)
        waiting, response = open_chat(client)
        assert b"documentos" in response.readline()  # at once, though its turn has not come
        begun = time.monotonic()
        refused = client.chat(QUESTION)
        assert time.monotonic() - begun < 2
        gate.set()
        assert first.result().events[-1] == "[DONE]"
        assert b"Los jueces." in response.read()
        waiting.close()
    assert (refused.status, refused.json["codigo"]) == (503, "modelo_ocupado")
    assert int(refused.headers["retry-after"]) > 0


def test_automatic_answers_with_quotations_until_a_model_comes(sample_index: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with served(sample_index, f"http://127.0.0.1:{port}", SIAA_LLM="auto") as client:
        assert "fuentes" in client.chat(QUESTION).events[-2]
        assert client.get("/siaa/estado").json["modelo_disponible"] is False
        server = ScriptedServer(port)
        del server.pages["/api/version"]
        server.script = OPENAI.plays(OPENAI.data("Los jueces."), OPENAI.end)
        try:
            deadline = time.monotonic() + 10
            while not client.get("/siaa/estado").json["modelo_disponible"] and time.monotonic() < deadline:
                time.sleep(0.1)
            assert "Los jueces." in client.chat(QUESTION).answer
        finally:
            server.close()


def test_a_small_context_limits_the_diagnostic_to_what_the_chat_sends(sample_index: Path, scripted: Any) -> None:
    del scripted.pages["/api/version"]
    scripted.pages["/props"] = (200, b'{"default_generation_settings": {"n_ctx": 1024}}')
    scripted.script = OPENAI.plays(OPENAI.data("Los jueces."), OPENAI.end)
    with served(sample_index, scripted.url, SIAA_LLM="auto") as client:
        answer = client.chat(QUESTION)
        (row,) = answer.events[0]["documentos"]
        shown = client.get("/siaa/fragmento", doc=row["doc"], q=QUESTION).json
    assert shown["chars"] <= 800
    (sent,) = scripted.bodies
    prompt = json.loads(sent)["messages"][-1]["content"]
    assert shown["fragmento"] in prompt
    assert QUESTION in prompt
    assert prompt.count("[DOC:") == 1
