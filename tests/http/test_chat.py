"""The chat: events in the contract's order, `[DONE]` once and always, quotations that stand where they say.

1. `documentos` first, then the text, then `fuentes` with `oraciones`, or `cercano` after a refusal, then `[DONE]`.
2. What a model is sent holds the text of /siaa/fragmento byte for byte.
3. The refusal sentence is exact, stands alone, and no model is called when nothing was found.
4. A failure under way is an event before `[DONE]`; one before the first event is plain JSON with its status.
5. While the model is silent, comment lines keep the connection awake; a client that leaves ends the model's call.
6. Small talk needs no index.
"""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from service.app import create_app
from siaa.answering.llm import connect
from siaa.answering.llm.protocol import ModelBusyError, ModelCutError
from siaa.answering.talk import small_talk
from siaa.answering.wording import REFUSAL
from siaa.config import Settings
from tests.fakes import FakeIndex, FakeModel, model_server
from tests.http.client import Answer, Client
from tests.http.conftest import running

ANSWERABLE = "¿Quiénes son los funcionarios responsables de reportar la información?"
UNANSWERABLE = "¿Cuál es la receta del ajiaco con guascas y pollo?"
NONSENSE = "xqzwk vvbrtl"
AppMaker = Callable[..., Flask]


def ask(app: Flask, question: str, **body: Any) -> Answer:
    """Ask in this process and read the whole answer."""
    response = post(app, question, **body)
    headers = {name.lower(): value for name, value in response.headers.items()}
    return Answer(response.status_code, headers, response.get_data())


def post(app: Flask, question: str, **body: Any) -> TestResponse:
    data = {"messages": [{"role": "user", "content": question}], **body}
    return app.test_client().post("/siaa/chat", json=data)


def kinds(answer: Answer) -> list[str]:
    """Return the first key of each event, the texts as one."""
    names = [event if isinstance(event, str) else next(iter(event)) for event in answer.events]
    return [name for position, name in enumerate(names) if name != "choices" or names[position - 1] != "choices"]


# -- without a model, over a real socket ----------------------------------------------------------------------------


def test_quotes_what_answers(service: Client) -> None:
    answer = service.chat(ANSWERABLE)
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.headers["cache-control"] == "no-cache, no-transform"
    assert answer.headers["x-accel-buffering"] == "no"
    assert answer.headers["x-cache"] == "MISS"
    assert answer.headers["x-siaa-generacion"].startswith("gen-")
    assert kinds(answer) == ["documentos", "choices", "fuentes", "[DONE]"]
    first = answer.events[0]
    assert list(first) == ["documentos", "pregunta_buscada"]
    assert first["pregunta_buscada"] == ANSWERABLE
    assert all(list(row) == ["doc", "coleccion"] for row in first["documentos"])


def test_every_quotation_stands_in_the_fragment_and_in_the_answer(service: Client) -> None:
    answer = service.chat(ANSWERABLE)
    assert len(answer.answer) <= 600
    last = answer.events[-2]
    assert last["fuentes"]
    for number, source in enumerate(last["fuentes"], start=1):
        assert list(source) == [
            "n", "doc", "coleccion", "titulo", "articulo", "cita", "inicio", "fin", "estado", "enlace"
        ]  # fmt: skip
        assert source["n"] == number
        assert source["fin"] - source["inicio"] == len(source["cita"])
        fragment = service.get("/siaa/fragmento", doc=source["doc"], q=ANSWERABLE).json["fragmento"]
        assert source["cita"] in fragment
        page = service.get(source["enlace"].partition("#")[0])
        assert page.status == 200
    for sentence in last["oraciones"]:
        assert list(sentence) == ["inicio", "fin", "estado", "fuente"]
        assert sentence["estado"] == "verificada"
        quoted = last["fuentes"][sentence["fuente"] - 1]["cita"]
        assert answer.answer[sentence["inicio"] : sentence["fin"]] == quoted


def test_quotations_are_slices_of_the_document(sample_app: AppMaker) -> None:
    app = sample_app()
    answer = ask(app, ANSWERABLE)
    with app.extensions["siaa"].holder.lease() as retriever:
        generation = retriever.generation
        for source in answer.events[-2]["fuentes"]:
            text = generation.text_of(generation.find(source["doc"]))
            assert text[source["inicio"] : source["fin"]] == source["cita"]


@pytest.mark.parametrize("question", [UNANSWERABLE, NONSENSE])
def test_refuses_with_the_exact_sentence(service: Client, question: str) -> None:
    answer = service.chat(question)
    assert answer.answer == REFUSAL
    assert kinds(answer) == ["documentos", "choices", "cercano", "[DONE]"]
    nearest = answer.events[-2]["cercano"]
    assert nearest is None or list(nearest) == ["doc", "articulo", "cita", "motivo"]


def test_says_that_a_named_norm_is_not_there(service: Client) -> None:
    answer = service.chat("¿Qué dice la Ley 9999 de 2001 sobre los funcionarios responsables de reportar información?")
    told = answer.answer + str(answer.events[-2])
    assert "Ley 9999 de 2001" in told


def test_says_that_a_norm_named_by_its_year_is_not_there(service: Client) -> None:
    assert service.chat("acuerdo 2023 periodicidad del reporte").answer.startswith("Nota: acuerdo 2023 no está entre")
    assert "Nota:" not in service.chat("¿qué dice el acuerdo de 2019 sobre el reporte?").answer


def test_quotes_a_paragraph_of_one_short_sentence(service: Client) -> None:
    answer = service.chat("¿A quién le corresponde la divulgación de las cifras nacionales?").answer
    assert "«**PARÁGRAFO 4.** La divulgación de las cifras nacionales le corresponde a la UDAE.»" in answer


def test_quotes_the_articles_asked_for_in_order(service: Client) -> None:
    answer = service.chat("¿Qué dicen los artículos 5 y 3 del acuerdo PSAA16-10476?").answer
    assert answer.count("Según el documento") == 2
    assert 0 < answer.index("artículo 5: «") < answer.index("artículo 3: «")


def test_one_collection(service: Client) -> None:
    answer = service.chat("¿Cómo se reporta la información del formulario SIERJU?", coleccion="sierju")
    assert {row["coleccion"] for row in answer.events[0]["documentos"]} == {"sierju"}


def test_a_long_conversation_is_fine(service: Client) -> None:
    history = [{"role": role, "content": "x" * 300} for _ in range(24) for role in ("user", "assistant")]
    answer = service.chat("", messages=[*history, {"role": "user", "content": ANSWERABLE}])
    assert answer.events[0]["pregunta_buscada"] == ANSWERABLE


# -- with a model ---------------------------------------------------------------------------------------------------


def test_the_model_is_sent_the_fragment_byte_for_byte(sample_app: AppMaker) -> None:
    with model_server(["Los magistrados", " y los jueces."]) as (url, received):
        app = sample_app(model=connect(Settings(llm="openai", llm_url=url)))
        answer = ask(app, ANSWERABLE)
        assert answer.answer == "Los magistrados y los jueces."
        assert kinds(answer) == ["documentos", "choices", "fuentes", "[DONE]"]
        (sent,) = received
        prompt = sent["messages"][-1]["content"].encode()
        assert answer.events[0]["documentos"]
        for row in answer.events[0]["documentos"]:
            shown = app.test_client().get("/siaa/fragmento", query_string={"doc": row["doc"], "q": ANSWERABLE})
            assert shown.json["fragmento"].encode() in prompt
        assert [row["estado"] for row in answer.events[-2]["oraciones"]] == ["parcial"]
        for source in answer.events[-2]["fuentes"]:
            assert source["cita"].encode() in prompt


def test_a_failure_under_way_comes_before_done(sample_app: AppMaker) -> None:
    model = FakeModel(["Los jueces"], failure=ModelCutError("socket closed"))
    answer = ask(sample_app(model=model), ANSWERABLE)
    assert kinds(answer) == ["documentos", "choices", "error", "[DONE]"]
    assert answer.events[-2]["codigo"] == "modelo_cortado"
    assert "socket" not in answer.text


def test_an_unexpected_failure_under_way_says_nothing_of_itself(sample_app: AppMaker) -> None:
    model = FakeModel(["Los jueces"], failure=RuntimeError("secreto"))  # type: ignore[arg-type]
    answer = ask(sample_app(model=model), ANSWERABLE)
    assert answer.events[-2]["codigo"] == "error_interno"
    assert answer.events[-1] == "[DONE]"
    assert "secreto" not in answer.text


def test_a_busy_model_is_a_plain_503(sample_app: AppMaker) -> None:
    answer = ask(sample_app(model=FakeModel(busy=ModelBusyError("full"))), ANSWERABLE)
    assert (answer.status, answer.json["codigo"]) == (503, "modelo_ocupado")
    assert answer.headers["retry-after"]


def test_no_model_is_called_when_nothing_was_found(sample_app: AppMaker) -> None:
    model = FakeModel(["invento"])
    answer = ask(sample_app(model=model), NONSENSE)
    assert answer.answer == REFUSAL
    assert not model.asked


def test_a_refusal_of_the_model_shows_the_nearest_passage(sample_app: AppMaker) -> None:
    model = FakeModel([" No encontré esa ", "información en los documentos disponibles", ". Pero quizá sea verde."])
    answer = ask(sample_app(model=model), ANSWERABLE)
    assert answer.answer == REFUSAL
    assert kinds(answer) == ["documentos", "choices", "cercano", "[DONE]"]
    assert answer.events[-2]["cercano"]["cita"]
    assert model.closed.is_set()


def test_comments_while_the_model_is_silent_and_pieces_as_they_come(sample_app: AppMaker) -> None:
    gate = threading.Event()
    app = sample_app(model=FakeModel(["uno ", "dos"], gate=gate), heartbeat=0.05)
    response = post(app, ANSWERABLE)
    frames: Iterator[bytes] = response.iter_encoded()  # type: ignore[assignment]
    assert b"documentos" in next(frames)
    assert next(frames) == b": latido\n\n"
    assert next(frames) == b": latido\n\n"
    gate.set()
    rest = [frame for frame in frames if frame != b": latido\n\n"]
    assert b"uno" in rest[0]
    assert rest[-1] == b"data: [DONE]\n\n"
    response.close()


def test_a_client_that_leaves_ends_the_call_and_gives_the_generation_back(sample_app: AppMaker) -> None:
    model = FakeModel([f"{number} " for number in range(100_000)])
    app = sample_app(model=model)
    context = app.extensions["siaa"]
    response = post(app, ANSWERABLE)
    frames = response.iter_encoded()
    next(frames)
    assert context.active.count == 1
    response.close()
    assert model.closed.wait(5)
    assert context.active.count == 0


def test_over_a_socket_pieces_come_one_by_one_and_leaving_frees_the_model(sample_index: Path) -> None:
    body = json.dumps({"messages": [{"role": "user", "content": ANSWERABLE}]}).encode()
    with (
        model_server(["palabra "] * 200, pause=0.05) as (url, received),
        running(SIAA_INDEX_DIR=str(sample_index), SIAA_LLM_URL=url) as client,
    ):
        connection = http.client.HTTPConnection(client.host, client.port, timeout=30)
        connection.request("POST", "/siaa/chat", body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        began = time.monotonic()
        assert b"documentos" in response.readline()
        response.readline()
        assert b"palabra" in response.readline()
        assert time.monotonic() - began < 5  # the whole answer takes ten seconds
        assert client.get("/siaa/estado").json["usuarios_activos"] == 1
        response.close()
        connection.close()
        assert eventually(lambda: {"left": True} in received)
        assert eventually(lambda: client.get("/siaa/estado").json["usuarios_activos"] == 0)


def eventually(holds: Callable[[], bool], *, seconds: float = 5) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if holds():
            return True
        time.sleep(0.05)
    return False


def test_nobody_is_counted_when_all_have_their_answer(service: Client) -> None:
    for _ in range(5):
        service.chat("SIERJU")
    assert eventually(lambda: service.get("/siaa/estado").json["usuarios_activos"] == 0)


# -- small talk -----------------------------------------------------------------------------------------------------

# what is said -> whether it is mere courtesy
COURTESY = [
    ("Hola", True),
    ("¡Hola, buenos días!", True),
    ("BUENAS TARDES", True),
    ("muchas gracias por la información", True),
    ("adiós", True),
    ("perfecto", True),
    ("¿Cómo estás?", True),
    ("¿Quién eres?", True),
    ("sí", True),
    ("bien", True),
    ("los bienes", False),  # "bien" is in it, as letters
    ("¿Quién es usted para juzgar?", False),
    ("¿Qué puede hacer el juez?", False),
    ("para qué sirve el formulario", False),
    ("hola, ¿qué es el SIERJU?", False),  # a question that begins politely
    ("gracias", True),
    ("holanda", False),  # whole words only
    ("de acuerdo", False),  # too near to a document's name to be sure
    ("acuerdo", False),
    ("días hábiles", False),
    ("???", False),
]


@pytest.mark.parametrize(("text", "courtesy"), COURTESY)
def test_what_is_small_talk(text: str, courtesy: bool) -> None:
    assert (small_talk.reply_to(text) is not None) == courtesy


def test_small_talk_needs_no_index() -> None:
    app = create_app(Settings(llm="ninguno"), holder=FakeIndex().holder())
    answer = ask(app, "¡Hola, buenos días!")
    assert kinds(answer) == ["documentos", "choices", "fuentes", "[DONE]"]
    assert answer.events[0] == {"documentos": [], "pregunta_buscada": "¡Hola, buenos días!"}
    assert answer.events[2] == {"fuentes": [], "oraciones": []}
    assert "x-siaa-generacion" not in answer.headers
