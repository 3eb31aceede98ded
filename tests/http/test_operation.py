"""The cache, the quality log and opinions: who may, what is refused, and what comes out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from service.app import create_app
from siaa.answering.llm.protocol import ModelBusyError, ModelCutError
from siaa.config import Settings
from siaa.published.index_holder import IndexHolder, opener_for
from tests.fakes import FakeIndex, FakeModel

ANSWERABLE = "¿Quiénes son los funcionarios responsables de reportar?"
OPINION = {"pregunta": ANSWERABLE, "util": False, "esperado": "el artículo 5", "comentario": "llámeme al 300 123 4567"}


@pytest.fixture
def make_client(sample_index: Path, tmp_path: Path) -> Iterator[Any]:
    """Return a maker of clients whose service has a log of its own; keywords are settings, `model` apart."""
    holder = IndexHolder(sample_index, opener=opener_for(Settings(index_dir=sample_index, llm="ninguno")))

    def make(*, model: FakeModel | None = None, **options: Any) -> FlaskClient:
        settings = Settings(index_dir=sample_index, llm="ninguno", data_dir=tmp_path, **options)
        return create_app(settings, holder=holder, model=model).test_client()

    yield make
    holder.close()


def ask(client: FlaskClient, question: str) -> None:
    client.post("/siaa/chat", json={"messages": [{"role": "user", "content": question}]}).get_data()


def lines(client: FlaskClient, **parameters: str) -> list[dict[str, Any]]:
    answer = client.get("/siaa/log", query_string=parameters)
    assert answer.status_code == 200, answer.text
    assert answer.json["total"] >= len(answer.json["registros"])
    return list(answer.json["registros"])


# method and path of what is the operator's
GUARDED = [("DELETE", "/siaa/cache"), ("GET", "/siaa/log")]

# settings, headers, address -> status
VISITORS = [
    ({}, {}, "127.0.0.1", 200),  # no key, from this machine
    ({}, {}, "192.0.2.1", 403),
    ({}, {"X-Forwarded-For": "127.0.0.1"}, "127.0.0.1", 403),  # passed a proxy
    ({"proxy": True}, {}, "127.0.0.1", 403),  # may have passed one
    ({"admin_token": "clave"}, {}, "127.0.0.1", 401),  # a key is asked of everybody
    ({"admin_token": "clave"}, {"Authorization": "Bearer otra"}, "127.0.0.1", 401),
    ({"admin_token": "clave"}, {"Authorization": "Bearer clave"}, "192.0.2.1", 200),
]


@pytest.mark.parametrize(("method", "path"), GUARDED)
@pytest.mark.parametrize(("settings", "headers", "address", "status"), VISITORS)
def test_who_may(
    method: str, path: str, settings: dict[str, Any], headers: dict[str, str], address: str, status: int, tmp_path: Path
) -> None:
    options = Settings(llm="ninguno", data_dir=tmp_path, **settings)
    client = create_app(options, holder=FakeIndex("gen-a").holder()).test_client()
    answer = client.open(path, method=method, headers=headers, environ_base={"REMOTE_ADDR": address})
    assert answer.status_code == status
    assert ("WWW-Authenticate" in answer.headers) == (status == 401)


def test_anybody_may_see_the_figures_and_give_an_opinion(tmp_path: Path) -> None:
    options = Settings(llm="ninguno", data_dir=tmp_path, admin_token="clave")  # type: ignore[arg-type]
    client = create_app(options, holder=FakeIndex().holder()).test_client()
    assert client.get("/siaa/cache").status_code == 200
    assert client.post("/siaa/opinion", json=OPINION).status_code == 202


def test_each_kind_of_answer_has_its_line(make_client: Any) -> None:
    client = make_client(cache_max=10)
    for question in ("¡Hola!", ANSWERABLE, ANSWERABLE, "receta del ajiaco con guascas", "juzgado civil"):
        ask(client, question)
    found = [(line["tipo"], line["alerta"]) for line in reversed(lines(client))]
    assert found == [("CONV", "OK"), ("DOC", "OK"), ("CACHE_HIT", "OK"), ("DOC", "SIN_CONTEXTO"), ("CONV", "OK")]
    (line,) = lines(client, tipo="cache_hit")
    assert line["pregunta"] == line["pregunta_buscada"] == ANSWERABLE
    assert line["documentos"][0] == "acuerdo_no._psaa16-10476.md"
    assert line["generacion"].startswith("gen-")
    assert [row["alerta"] for row in lines(client, alerta="SIN_CONTEXTO", n="1")] == ["SIN_CONTEXTO"]


# parameters -> how many lines there are of those asked for, how many are shown
TOTALS: list[tuple[dict[str, str], int, int]] = [
    ({}, 5, 5),
    ({"n": "2"}, 5, 2),
    ({"tipo": "DOC"}, 2, 2),
    ({"tipo": "DOC", "n": "1"}, 2, 1),
    ({"alerta": "OK", "n": "1"}, 4, 1),
    ({"tipo": "DOC", "alerta": "SIN_CONTEXTO"}, 1, 1),
    ({"tipo": "ERROR"}, 0, 0),
]


def test_the_total_counts_what_is_asked_for_and_not_what_is_shown(make_client: Any) -> None:
    client = make_client()
    for question in ("¡Hola!", "gracias", ANSWERABLE, "receta del ajiaco con guascas", "juzgado civil"):
        ask(client, question)
    for parameters, total, shown in TOTALS:
        page = client.get("/siaa/log", query_string=parameters).json
        assert (page["total"], len(page["registros"])) == (total, shown), parameters


# model -> code of the line
FAILING = [
    (FakeModel(["Los jueces"], failure=ModelCutError("x")), "modelo_cortado"),  # under way
    (FakeModel(busy=ModelBusyError("x")), "modelo_ocupado"),  # before the first event
]


@pytest.mark.parametrize(("model", "code"), FAILING)
def test_a_failure_has_its_line(make_client: Any, model: FakeModel, code: str) -> None:
    client = make_client(model=model)
    ask(client, ANSWERABLE)
    (line,) = lines(client)
    assert (line["tipo"], line["alerta"], line["codigo"]) == ("ERROR", "ERROR", code)


def test_without_an_index_there_is_a_line_too(tmp_path: Path) -> None:
    client = create_app(Settings(llm="ninguno", data_dir=tmp_path), holder=FakeIndex().holder()).test_client()
    ask(client, ANSWERABLE)
    assert [line["codigo"] for line in lines(client)] == ["indice_no_disponible"]


def test_as_text_no_question_can_begin_a_line(make_client: Any) -> None:
    client = make_client()
    ask(client, "¿Qué es\nel SIERJU?")
    ask(client, "gracias")
    answer = client.get("/siaa/log?formato=txt")
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    rows = answer.text.splitlines()
    assert len(rows) == 2
    assert " CONV OK " in rows[0]
    assert "¿Qué es el SIERJU?" in rows[1]


def test_an_opinion_is_a_line_without_anybody_in_it(make_client: Any) -> None:
    client = make_client()
    answer = client.post("/siaa/opinion", json=OPINION)
    assert (answer.status_code, answer.json["recibida"]) == (202, True)
    (line,) = lines(client)
    assert line["tipo"] == "CONV"
    assert line["opinion"] == {"util": False, "esperado": "el artículo 5", "comentario": "llámeme al [teléfono]"}


def test_without_a_log_an_opinion_is_not_taken(make_client: Any) -> None:
    client = make_client(quality_log_days=0)
    answer = client.post("/siaa/opinion", json=OPINION)
    assert (answer.status_code, answer.json["codigo"]) == (503, "registro_no_disponible")
    assert lines(client) == []


# body -> code
BAD_OPINIONS: list[tuple[bytes | Any, str]] = [
    ({}, "parametro_requerido"),
    ({"pregunta": "x"}, "parametro_requerido"),
    ({"util": True}, "parametro_requerido"),
    ({"pregunta": "x", "util": "sí"}, "opinion_invalida"),
    ({"pregunta": "x", "util": 1}, "opinion_invalida"),
    ({"pregunta": 3, "util": True}, "opinion_invalida"),
    ({"pregunta": " ", "util": True}, "opinion_invalida"),
    ({"pregunta": "a\x00b", "util": True}, "opinion_invalida"),
    ({"pregunta": "x", "util": True, "comentario": "y" * 2001}, "opinion_invalida"),
    ({"pregunta": "x", "util": True, "esperado": ["y"]}, "opinion_invalida"),
    ([1], "opinion_invalida"),
]


@pytest.mark.parametrize(("body", "code"), BAD_OPINIONS)
def test_opinions_that_are_none(make_client: Any, body: Any, code: str) -> None:
    answer = make_client().post("/siaa/opinion", json=body)
    assert (answer.status_code, answer.json["codigo"]) == (400, code)


def test_opinions_are_json(make_client: Any) -> None:
    client = make_client()
    assert client.post("/siaa/opinion", data="util=1").status_code == 415
    assert client.post("/siaa/opinion", data="{", content_type="application/json").status_code == 400
    assert client.get("/siaa/opinion").status_code == 405


BAD_QUERIES = [
    "n=0",
    "n=501",
    "n=-1",
    "n=x",
    "n=1.5",
    "n=٣",
    "n=1&n=2",
    "tipo=X",
    "alerta=X",
    "formato=xml",
    "tipo=%00",
]


@pytest.mark.parametrize("query", BAD_QUERIES)
def test_filters_that_do_not_exist(make_client: Any, query: str) -> None:
    answer = make_client().get(f"/siaa/log?{query}")
    assert (answer.status_code, answer.json["codigo"]) == (400, "parametro_invalido")


def test_at_most_what_is_asked_for(make_client: Any) -> None:
    client = make_client()
    for _ in range(3):
        ask(client, "hola")
    assert len(lines(client, n="2")) == 2
    assert len(lines(client, n="")) == 3
