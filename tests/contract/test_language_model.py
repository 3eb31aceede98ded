"""What SIAA may rely on from a client of a language model, whichever it is.

1. Pieces come one by one, as the server sends them; joined they are the answer; none is empty.
2. The stream ends normally only if the server said that the answer is complete; every fault is a ModelError
   (test_language_model_faults.py).
3. The slot and the connection are free again after every end: normal, failed, closed early, dropped unbegun, closed by
   another thread while the model is silent.
4. More calls at once than allowed wait in order; more than may wait raise ModelBusyError at the call, before anything
   is sent; who has waited too long gets it too.
5. `available` never raises.
6. The prompt is never shortened: what does not fit is refused, and the answer gets the room that is left.
"""

from __future__ import annotations

import gc
import json
import socket
import threading
import time
from typing import Any

import pytest

from siaa.answering.llm import CLIENTS, Tether, candidates, connect
from siaa.answering.llm.http_model import HttpModel
from siaa.answering.llm.protocol import (
    ChatMessage,
    ModelBusyError,
    ModelContextError,
    ModelError,
    ModelUnavailableError,
    ReaderLeftError,
)
from siaa.config import Settings
from siaa.errors import ConfigError
from tests.contract.model_clients import CONVERSATION, KINDS, Kind, ask

pytestmark = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)


def test_a_complete_stream_is_the_answer(scripted: Any, kind: Kind) -> None:
    parts = (kind.data(None), kind.noise, kind.data("Es un "), kind.data(""), kind.data("sistema."), kind.end)
    scripted.script = kind.plays(*parts)
    assert ask(kind.client(scripted.url)) == ["Es un ", "sistema."]


def test_letters_cut_between_packets_arrive_whole(scripted: Any, kind: Kind) -> None:
    event = kind.data("Según el artículo 5º").replace(b"\\u00fa", "ú".encode()).replace(b"\\u00ba", "º".encode())
    scripted.script = kind.plays(*(bytes([byte]) for byte in event), kind.end)
    assert "".join(ask(kind.client(scripted.url))) == "Según el artículo 5º"


def test_an_answer_in_http_chunks(scripted: Any, kind: Kind) -> None:
    def script(handler: Any) -> None:
        handler.protocol_version = "HTTP/1.1"
        handler.send_response(200)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        for part in (kind.data("Es un "), kind.data("sistema."), kind.end):
            for chunk in (part[:7], part[7:]):
                handler.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
        handler.wfile.write(b"0\r\n\r\n")

    scripted.script = script
    assert ask(kind.client(scripted.url)) == ["Es un ", "sistema."]


def test_pieces_arrive_when_they_are_made(scripted: Any, kind: Kind) -> None:
    seen = threading.Event()

    def script(handler: Any) -> None:
        kind.plays(kind.data("Es "))(handler)
        assert seen.wait(5)  # the second piece exists only once the first has been read
        handler.wfile.write(kind.data("un sistema.") + kind.end)

    scripted.script = script
    answer = kind.client(scripted.url).stream(CONVERSATION, max_tokens=8)
    assert next(answer) == "Es "
    seen.set()
    assert list(answer) == ["un sistema."]


def test_an_answer_that_stopped_at_its_limit_says_so(scripted: Any, kind: Kind) -> None:
    for end, limited in ((kind.limit, True), (kind.end, False)):
        scripted.script = kind.plays(kind.data("Es un "), end)
        tether = Tether()
        assert list(tether.stream(kind.client(scripted.url), CONVERSATION, max_tokens=8)) == ["Es un "]
        assert tether.limited is limited


def test_text_before_a_fault_is_passed_on(scripted: Any, kind: Kind) -> None:
    scripted.script = kind.plays(kind.data("Es "), kind.data("un "))
    answer = kind.client(scripted.url).stream(CONVERSATION, max_tokens=8)
    assert [next(answer), next(answer)] == ["Es ", "un "]
    with pytest.raises(ModelError):
        next(answer)


def test_the_model_named_in_the_settings_is_asked_for(scripted: Any, kind: Kind) -> None:
    scripted.script = kind.plays(kind.data("Sí."), kind.end)
    model = kind.client(scripted.url, model="qwen2.5:1.5b")
    assert model.name == "qwen2.5:1.5b"
    ask(model)
    assert json.loads(scripted.bodies[0])["model"] == "qwen2.5:1.5b"


def test_a_model_that_is_named_needs_no_list(scripted: Any, kind: Kind) -> None:
    scripted.pages = {}
    scripted.script = kind.plays(kind.data("Sí."), kind.end)
    assert ask(kind.client(scripted.url, model="qwen2.5:1.5b")) == ["Sí."]


def test_a_model_that_is_gone_is_looked_up_again(scripted: Any, kind: Kind) -> None:
    scripted.script = kind.plays(kind.data("Sí."), kind.end)
    model = kind.client(scripted.url)
    ask(model)
    assert model.name == "guion"
    scripted.pages["/v1/models"] = (200, b'{"data": [{"id": "otro"}]}')
    scripted.pages["/api/tags"] = (200, b'{"models": [{"name": "otro"}]}')
    scripted.script = kind.plays(b'{"error": "model not found"}', status=404)
    with pytest.raises(ModelUnavailableError):
        ask(model)
    scripted.script = kind.plays(kind.data("Sí."), kind.end)
    ask(model)
    assert model.name == "otro"


# -- places and the queue -------------------------------------------------------------------------------------------


def test_more_calls_than_may_wait_are_refused_at_the_call(scripted: Any, kind: Kind) -> None:
    scripted.script = kind.plays(kind.data("Es "), kind.data("un sistema."), kind.end)
    model = kind.client(scripted.url, concurrency=2, queue=1, queue_timeout=5.0)
    first, second, third = (model.stream(CONVERSATION, max_tokens=8) for _ in range(3))
    assert next(first) == "Es "
    with pytest.raises(ModelBusyError) as failure:
        model.stream(CONVERSATION, max_tokens=8)
    assert failure.value.code == "modelo_ocupado"
    first.close()
    assert list(third) == ["Es ", "un sistema."]  # it had waited for this
    assert list(second) == ["Es ", "un sistema."]
    assert ask(model) == ["Es ", "un sistema."]


def test_turns_come_in_the_order_of_the_calls(scripted: Any, kind: Kind) -> None:
    scripted.script = kind.plays(kind.data("Sí."), kind.end)
    model = kind.client(scripted.url, queue=3, queue_timeout=5.0)
    holder = model.stream(CONVERSATION, max_tokens=8)
    order: list[int] = []
    streams = [model.stream(CONVERSATION, max_tokens=8) for _ in range(3)]

    def read(number: int) -> None:
        list(streams[number])
        order.append(number)

    threads = [threading.Thread(target=read, args=(number,)) for number in (2, 1, 0)]
    for thread in threads:
        thread.start()
    time.sleep(0.1)
    assert order == []
    holder.close()
    for thread in threads:
        thread.join(5)
    assert order == [0, 1, 2]


def test_who_waits_too_long_is_told(scripted: Any, kind: Kind) -> None:
    model = kind.client(scripted.url, queue=1, queue_timeout=0.2)
    holder = model.stream(CONVERSATION, max_tokens=8)
    waiting = model.stream(CONVERSATION, max_tokens=8)
    with pytest.raises(ModelBusyError):
        next(waiting)
    holder.close()
    scripted.script = kind.plays(kind.data("Sí."), kind.end)
    assert ask(model) == ["Sí."]
    assert not scripted.bodies[1:]  # neither of the others was ever sent


@pytest.mark.parametrize("end", ["close", "drop"])
def test_an_answer_left_before_it_began_frees_its_place(scripted: Any, kind: Kind, end: str) -> None:
    scripted.script = kind.plays(kind.data("Sí."), kind.end)
    model = kind.client(scripted.url, queue=1, queue_timeout=0.2)
    holding, waiting = (model.stream(CONVERSATION, max_tokens=8) for _ in range(2))
    for answer in (waiting, holding):  # in the queue, then in the slot
        if end == "close":
            answer.close()
    del answer, waiting, holding
    gc.collect()
    for _ in range(3):
        assert ask(model) == ["Sí."]


def test_a_reader_that_leaves_the_queue_lets_the_next_in(scripted: Any, kind: Kind) -> None:
    scripted.script = kind.plays(kind.data("Sí."), kind.end)
    model = kind.client(scripted.url, queue=1, queue_timeout=10.0)
    holder, waiting = (model.stream(CONVERSATION, max_tokens=8) for _ in range(2))
    failures: list[BaseException] = []

    def read() -> None:
        try:
            next(waiting)
        except ReaderLeftError as error:
            failures.append(error)

    thread = threading.Thread(target=read)
    thread.start()
    time.sleep(0.05)
    waiting.close()
    thread.join(2)
    assert failures
    following = model.stream(CONVERSATION, max_tokens=8)  # its place in the queue is free
    holder.close()
    assert list(following) == ["Sí."]


# -- leaving --------------------------------------------------------------------------------------------------------


def test_leaving_early_closes_the_connection(scripted: Any, kind: Kind) -> None:
    def endless(handler: Any) -> None:
        kind.plays()(handler)
        while True:
            handler.wfile.write(kind.data("más "))
            time.sleep(0.01)

    scripted.script = endless
    answer = kind.client(scripted.url).stream(CONVERSATION, max_tokens=8)
    assert next(answer) == "más "
    answer.close()
    assert scripted.left.wait(5)
    with pytest.raises(ReaderLeftError):
        next(answer)


@pytest.mark.parametrize("begun", [False, True], ids=["antes_de_la_primera", "a_mitad"])
def test_another_thread_can_close_while_the_model_is_silent(scripted: Any, kind: Kind, begun: bool) -> None:
    ended = threading.Event()  # the server saw the connection close

    def silent(handler: Any) -> None:
        if begun:
            kind.plays(kind.data("Es "))(handler)
        handler.connection.settimeout(10)
        if handler.connection.recv(1) == b"":
            ended.set()

    scripted.script = silent
    model = kind.client(scripted.url, first_token_timeout=10.0, read_timeout=10.0)
    answer = model.stream(CONVERSATION, max_tokens=8)
    if begun:
        assert next(answer) == "Es "
    failures: list[BaseException] = []

    def read() -> None:
        try:
            next(answer)
        except ReaderLeftError as error:
            failures.append(error)

    thread = threading.Thread(target=read)
    thread.start()
    time.sleep(0.1)
    left = time.monotonic()
    answer.close()
    assert ended.wait(5)
    thread.join(5)
    assert time.monotonic() - left < 0.5
    assert failures
    scripted.script = kind.plays(kind.data("Sí."), kind.end)
    assert ask(model) == ["Sí."]


# -- the context ----------------------------------------------------------------------------------------------------


def test_a_prompt_that_does_not_fit_is_never_sent(scripted: Any, kind: Kind) -> None:
    model = kind.client(scripted.url)
    long = (ChatMessage("system", "Responda en español."), ChatMessage("user", "palabra " * 2000))
    for _ in range(2):
        with pytest.raises(ModelContextError):
            list(model.stream(long, max_tokens=100))
    assert scripted.bodies == []
    scripted.script = kind.plays(kind.data("Sí."), kind.end)
    assert ask(model) == ["Sí."]


def test_the_answer_gets_the_room_that_is_left(scripted: Any, kind: Kind) -> None:
    scripted.script = kind.plays(kind.data("Sí."), kind.end)
    model = kind.client(scripted.url)
    message = ChatMessage("user", "x" * 3 * (4096 - 8 - 100))  # leaves 100 tokens
    list(model.stream([message], max_tokens=300))
    sent = json.loads(scripted.bodies[0])
    assert sent["messages"][0]["content"] == message.content
    assert sent.get("max_tokens", sent.get("options", {}).get("num_predict")) == 100


# -- availability ---------------------------------------------------------------------------------------------------


def test_available(scripted: Any, kind: Kind) -> None:
    model = kind.client(scripted.url)
    assert model.available() is True
    assert (model.name, model.context_tokens) == ("guion", 4096)


PAGES: list[tuple[str, bytes, int]] = [
    # No model, no list of models, no page of the kind, a server that is failing.
    ("sin_modelos", b'{"data": [], "models": []}', 200),
    ("html", b"<html></html>", 200),
    ("lista", b"[]", 200),
    ("anidada", b"[" * 50_000, 200),
    ("otra_cosa", b"404 page not found", 404),
    ("falla", b"<h1>Internal</h1>", 500),
]


@pytest.mark.parametrize(("name", "body", "status"), PAGES, ids=[row[0] for row in PAGES])
def test_unavailable(scripted: Any, kind: Kind, name: str, body: bytes, status: int) -> None:
    scripted.pages = dict.fromkeys(scripted.pages, (status, body))
    model = kind.client(scripted.url)
    assert model.available() is False
    with pytest.raises(ModelUnavailableError):
        ask(model)


def test_a_silent_server_is_unavailable_soon(kind: Kind) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:  # accepts, and says nothing
        model = kind.client(f"http://127.0.0.1:{listening.getsockname()[1]}")
        begun = time.monotonic()
        assert model.available() is False
    assert time.monotonic() - begun < 3


# -- the settings ---------------------------------------------------------------------------------------------------

CONNECTIONS: list[tuple[dict[str, str], str | None]] = [
    ({}, None),  # automatic, no address: the extractive answer
    ({"llm_url": "http://127.0.0.1:8080/v1"}, None),  # automatic, with one: see `candidates`
    ({"llm": "ninguno", "llm_url": "http://127.0.0.1:8080"}, None),  # switched off
    ({"llm": "openai", "llm_url": "http://127.0.0.1:8080"}, "http://127.0.0.1:8080"),
    ({"llm": "ollama"}, "http://127.0.0.1:11434"),  # where Ollama listens by itself
    ({"llm": "ollama", "llm_url": "http://otra:9"}, "http://otra:9"),
]


@pytest.mark.parametrize(("values", "url"), CONNECTIONS)
def test_connect_follows_the_settings(kind: Kind, values: dict[str, str], url: str | None) -> None:
    model = connect(Settings.model_validate(values))
    assert (model.url if isinstance(model, HttpModel) else None) == url


def test_automatic_tries_every_kind_at_the_address(scripted: Any, kind: Kind) -> None:
    foreign = "/api/version" if kind.name == "openai" else "/v1/models"
    del scripted.pages[foreign]
    settings = Settings.model_validate({"llm_url": scripted.url})
    assert len(candidates(settings)) == len(CLIENTS)
    found = next(model for model in candidates(settings) if model.available())
    assert isinstance(found, HttpModel)
    assert type(found.dialect) is type(kind.dialect())


@pytest.mark.parametrize("values", [{}, {"llm": "ninguno", "llm_url": "http://x"}, {"llm": "ollama"}])
def test_nothing_is_tried_that_the_settings_do_not_ask_for(kind: Kind, values: dict[str, str]) -> None:
    assert candidates(Settings.model_validate(values)) == ()


def test_openai_without_an_address_says_what_is_missing(kind: Kind) -> None:
    with pytest.raises(ConfigError, match="SIAA_LLM_URL"):
        connect(Settings.model_validate({"llm": "openai"}))


def test_every_kind_of_the_settings_has_a_client(kind: Kind) -> None:
    assert {"auto", "ninguno", *CLIENTS} == {"auto", "ninguno", *(each.name for each in KINDS)}
