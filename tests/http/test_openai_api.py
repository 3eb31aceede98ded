"""OpenAI's dialect, spoken to by the official client over a socket, and by hand where it would not do such a thing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import openai
import pytest
from flask import Flask
from flask.testing import FlaskClient

from service.app import create_app
from siaa.answering.llm.protocol import ModelBusyError, ModelCutError
from siaa.answering.wording import REFUSAL
from siaa.config import Settings
from tests.fakes import FakeIndex, FakeModel, model_server
from tests.http.client import Answer, Client
from tests.http.conftest import running
from tests.http.test_openapi import DOCUMENT, check

ANSWERABLE = "¿Quiénes son los funcionarios responsables de reportar?"
UNANSWERABLE = "receta del ajiaco con guascas"
PATH = "/v1/chat/completions"


@pytest.fixture(scope="module")
def official(service: Client) -> Iterator[openai.OpenAI]:
    """Return the official client of the service that runs, which asks once."""
    with openai.OpenAI(
        base_url=f"http://{service.host}:{service.port}/v1", api_key="cualquiera", max_retries=0
    ) as client:
        yield client


def user(text: Any) -> list[Any]:
    return [{"role": "user", "content": text}]


def test_models(official: openai.OpenAI) -> None:
    assert [model.id for model in official.models.list()] == ["siaa"]


def test_the_same_answer_as_the_chat(official: openai.OpenAI, service: Client) -> None:
    answer = official.chat.completions.create(model="siaa", messages=user(ANSWERABLE), temperature=0.3, max_tokens=50)
    chat = service.chat(ANSWERABLE)
    (choice,) = answer.choices
    assert (choice.message.role, choice.finish_reason) == ("assistant", "stop")
    assert choice.message.content == chat.answer
    assert answer.usage
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens > 0
    told = answer.to_dict()["siaa"]
    assert told == chat.events[0] | chat.events[-2]


def test_sources_are_annotations_that_open(official: openai.OpenAI, service: Client) -> None:
    answer = official.chat.completions.create(model="siaa", messages=user(ANSWERABLE))
    message = answer.choices[0].message
    assert message.annotations
    sources = answer.to_dict()["siaa"]["fuentes"]
    base = f"http://{service.host}:{service.port}"
    for annotation, source in zip(message.annotations, sources, strict=True):
        citation = annotation.url_citation
        assert annotation.type == "url_citation"
        assert citation.url == base + source["enlace"]
        assert citation.title.endswith(f", art. {source['articulo']}")
        assert message.content
        assert source["cita"] == message.content[citation.start_index : citation.end_index]
        assert service.get(citation.url.removeprefix(base).partition("#")[0]).status == 200


def test_streaming(official: openai.OpenAI, service: Client) -> None:
    stream = official.chat.completions.create(
        model="siaa", messages=user(ANSWERABLE), stream=True, stream_options={"include_usage": True}
    )
    chunks = list(stream)
    assert len({chunk.id for chunk in chunks}) == 1
    assert chunks[0].choices[0].delta.role == "assistant"
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert text == service.chat(ANSWERABLE).answer
    deltas = [chunk.choices[0].delta.to_dict() for chunk in chunks if chunk.choices]
    annotated = [delta["annotations"] for delta in deltas if "annotations" in delta]
    assert len(annotated) == 1
    assert annotated[0][0]["type"] == "url_citation"
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] == "stop"
    assert chunks[-1].usage
    assert chunks[-1].usage.completion_tokens > 0


def test_a_refusal_has_no_sources(official: openai.OpenAI) -> None:
    answer = official.chat.completions.create(model="siaa", messages=user(UNANSWERABLE))
    assert answer.choices[0].message.content == REFUSAL
    assert not answer.choices[0].message.annotations
    assert "cercano" in answer.to_dict()["siaa"]


def test_what_front_ends_add_is_tolerated(official: openai.OpenAI) -> None:
    messages: list[Any] = [
        {"role": "system", "content": "You are a helpful assistant." * 200},
        {"role": "developer", "content": "x"},
        {"role": "user", "content": "y" * 5000},
        {"role": "assistant", "content": None, "tool_calls": []},
        {"role": "tool", "content": "z", "tool_call_id": "1"},
        *user([{"type": "text", "text": "¿Quiénes son los funcionarios"}, {"type": "text", "text": "responsables?"}]),
    ]  # fmt: skip
    answer = official.chat.completions.create(model="siaa", messages=messages)
    assert answer.to_dict()["siaa"]["pregunta_buscada"] == "¿Quiénes son los funcionarios\nresponsables?"


def test_a_long_talk_goes_on(official: openai.OpenAI) -> None:
    history: list[Any] = [{"role": ("user", "assistant")[n % 2], "content": "¿Qué es? " * 150} for n in range(120)]
    answer = official.chat.completions.create(model="siaa", messages=[*history, *user(ANSWERABLE)])
    assert answer.to_dict()["siaa"]["pregunta_buscada"] == ANSWERABLE


def test_follow_ups_and_collections(official: openai.OpenAI) -> None:
    talk: list[Any] = [*user("¿Qué dice el artículo 5 del PSAA16-10476?"), {"role": "assistant", "content": "…"}]
    answer = official.chat.completions.create(model="siaa", messages=[*talk, *user("¿y el artículo 6?")])
    assert answer.to_dict()["siaa"]["pregunta_buscada"] == "¿y el artículo 6? (PSAA16-10476)"
    asked = "¿Cómo se reporta la información del formulario SIERJU?"
    answer = official.chat.completions.create(model="siaa", messages=user(asked), extra_body={"coleccion": "sierju"})
    assert {row["coleccion"] for row in answer.to_dict()["siaa"]["documentos"]} == {"sierju"}


def test_an_unknown_model(official: openai.OpenAI) -> None:
    with pytest.raises(openai.NotFoundError) as failure:
        official.chat.completions.create(model="gpt-4o", messages=user("hola"))
    assert failure.value.code == "model_not_found"
    assert "siaa" in str(failure.value)


# what is sent -> the class that the client makes of the answer, and its param
REFUSED: list[tuple[dict[str, Any], type[openai.APIStatusError], str | None]] = [
    ({"messages": []}, openai.BadRequestError, "messages"),
    ({"messages": user("")}, openai.BadRequestError, "messages"),
    ({"messages": user("x" * 2001)}, openai.BadRequestError, "messages"),
    ({"messages": user("a\x00b")}, openai.BadRequestError, "messages"),
    ({"messages": [{"role": "assistant", "content": "hola"}]}, openai.BadRequestError, "messages"),
    ({"messages": [{"role": "system", "content": "hola"}]}, openai.BadRequestError, "messages"),
    ({"messages": user([{"type": "image_url", "image_url": {"url": "x"}}])}, openai.BadRequestError, "messages"),
    ({"messages": user("hola"), "n": 2}, openai.BadRequestError, "n"),
    ({"messages": user("hola"), "extra_body": {"coleccion": 3}}, openai.BadRequestError, "coleccion"),
    ({"messages": user(ANSWERABLE), "extra_body": {"coleccion": "nada"}}, openai.NotFoundError, None),
]


@pytest.mark.parametrize(("sent", "kind", "param"), REFUSED)
def test_refused(official: openai.OpenAI, sent: dict[str, Any], kind: type[Exception], param: str | None) -> None:
    with pytest.raises(kind) as failure:
        official.chat.completions.create(model="siaa", **sent)
    error = failure.value
    assert isinstance(error, openai.APIStatusError)
    assert (error.type, error.param) == ("invalid_request_error", param)
    check(error.response.json(), DOCUMENT["components"]["schemas"]["ErrorOpenAI"], "error")


def test_with_a_model_pieces_come_one_by_one_and_a_failure_is_raised(sample_index: Path) -> None:
    with (
        model_server(["Los ", "jueces", "."]) as (url, _),
        running(SIAA_INDEX_DIR=str(sample_index), SIAA_LLM="openai", SIAA_LLM_URL=url) as service,
        openai.OpenAI(base_url=f"http://{service.host}:{service.port}/v1", api_key="x", max_retries=0) as client,
    ):
        stream = client.chat.completions.create(model="siaa", messages=user(ANSWERABLE), stream=True)
        pieces = [chunk.choices[0].delta.content for chunk in stream if chunk.choices[0].delta.content]
        assert "".join(pieces) == "Los jueces."


# -- by hand --------------------------------------------------------------------------------------------------------


def post(client: FlaskClient, **body: Any) -> Any:
    return client.post(PATH, json={"model": "siaa", "messages": user(ANSWERABLE), **body})


def stream_of(client: FlaskClient) -> list[Any]:
    response = post(client, stream=True)
    return Answer(response.status_code, {}, response.get_data()).events


def test_a_failure_under_way_comes_as_an_error_before_done(sample_app: Any) -> None:
    app: Flask = sample_app(model=FakeModel(["Los jueces"], failure=ModelCutError("socket closed")))
    events = stream_of(app.test_client())
    assert events[-1] == "[DONE]"
    assert events[-2]["error"]["type"] == "server_error"
    assert events[-2]["error"]["code"] == "modelo_cortado"
    assert "socket" not in json.dumps(events)
    answer = post(app.test_client())
    assert (answer.status_code, answer.json["error"]["code"]) == (503, "modelo_cortado")
    assert answer.headers["Retry-After"]


def test_a_failure_before_the_first_event_is_a_plain_error(sample_app: Any) -> None:
    app: Flask = sample_app(model=FakeModel(busy=ModelBusyError("x")))
    for stream in (True, False):
        answer = post(app.test_client(), stream=stream)
        assert (answer.status_code, answer.json["error"]["code"]) == (503, "modelo_ocupado")


def test_an_unexpected_failure_says_nothing_of_itself(sample_app: Any) -> None:
    app: Flask = sample_app(model=FakeModel(["x"], failure=RuntimeError("secreto")))  # type: ignore[arg-type]
    events = stream_of(app.test_client())
    assert events[-2]["error"]["code"] == "error_interno"
    answer = post(app.test_client())
    assert (answer.status_code, answer.json["error"]["code"]) == (500, "error_interno")
    assert "secreto" not in answer.text + json.dumps(events)


# method, path, body, type of the body -> status, code
PLAIN: list[tuple[str, str, bytes | None, str | None, int, str]] = [
    ("GET", "/v1/nada", None, None, 404, "ruta_desconocida"),
    ("GET", PATH, None, None, 405, "metodo_no_permitido"),
    ("POST", PATH, b"x=1", "application/x-www-form-urlencoded", 415, "tipo_no_admitido"),
    ("POST", PATH, b"{", "application/json", 400, "solicitud_invalida"),
    ("POST", PATH, b"[]", "application/json", 400, "solicitud_invalida"),
    ("POST", PATH, b'{"messages": "x"}', "application/json", 400, "solicitud_invalida"),
    ("POST", PATH, b'{"messages": ["x"]}', "application/json", 400, "solicitud_invalida"),
    ("POST", PATH, b'{"stream": "si", "messages": []}', "application/json", 400, "solicitud_invalida"),
    ("POST", PATH, b'{"model": ["x"], "messages": []}', "application/json", 404, "model_not_found"),
    ("POST", PATH, b" " * (1024 * 1024 + 1), "application/json", 413, "peticion_demasiado_grande"),
]


@pytest.mark.parametrize(("method", "path", "body", "kind", "status", "code"), PLAIN)
def test_errors_have_openai_s_shape(
    method: str, path: str, body: bytes | None, kind: str | None, status: int, code: str
) -> None:
    client = create_app(Settings(llm="ninguno"), holder=FakeIndex("gen-a").holder()).test_client()
    answer = client.open(path, method=method, data=body, content_type=kind)
    assert (answer.status_code, answer.json["error"]["code"]) == (status, code)
    assert set(answer.json["error"]) == {"message", "type", "param", "code"}


# body -> what the message says
SAID: list[tuple[dict[str, Any], str]] = [
    ({"messages": []}, "Falta la lista 'messages'"),
    ({"messages": [{"role": "user", "content": "hola"}, 5]}, "El mensaje 2 no es un objeto con 'role' y 'content'."),
    (
        {"messages": [{"role": "user", "content": "¿Qué es el SIERJU?"}], "coleccion": "nada"},
        "elija una de las que hay. Hay: general, normativa, sierju.",  # the shape has no place for suggestions
    ),
    (
        {"messages": [{"role": "user", "content": "hola"}], "model": "otro"},
        "El modelo pedido no existe: el único es «siaa».",  # which says it already
    ),
]


@pytest.mark.parametrize(("body", "said"), SAID)
def test_what_is_wrong_is_said(sample_app: Callable[..., Flask], body: dict[str, Any], said: str) -> None:
    message = sample_app().test_client().post(PATH, json=body).json["error"]["message"]
    assert said in message
    assert message.endswith((".", "}."))


def test_without_an_index() -> None:
    client = create_app(Settings(llm="ninguno"), holder=FakeIndex().holder()).test_client()
    answer = post(client)
    assert (answer.status_code, answer.json["error"]["code"]) == (503, "indice_no_disponible")
    assert client.get("/v1/models").status_code == 200


# settings, headers -> beginning of the addresses of the sources
BASES: list[tuple[dict[str, Any], dict[str, str], str]] = [
    ({}, {"Host": "siaa.ejemplo:8080"}, "http://siaa.ejemplo:8080/siaa/ver/"),
    ({}, {"Host": "a.ejemplo", "X-Forwarded-Host": "b.ejemplo"}, "http://a.ejemplo/siaa/ver/"),  # no proxy is set
    (
        {"proxy": True},
        {"Host": "interno", "X-Forwarded-Host": "siaa.ejemplo", "X-Forwarded-Proto": "https"},
        "https://siaa.ejemplo/siaa/ver/",
    ),
    ({"proxy": True}, {"Host": "interno", "X-Forwarded-Host": "a><b"}, "/siaa/ver/"),  # no name of a machine
]


@pytest.mark.parametrize(("options", "headers", "begins"), BASES)
def test_addresses_of_sources(
    sample_app: Any, sample_index: Path, options: dict[str, Any], headers: dict[str, str], begins: str
) -> None:
    holder = sample_app().extensions["siaa"].holder
    settings = Settings(index_dir=sample_index, llm="ninguno", **options)
    client = create_app(settings, holder=holder).test_client()
    answer = client.post(PATH, json={"messages": user(ANSWERABLE)}, headers=headers)
    for annotation in answer.json["choices"][0]["message"]["annotations"]:
        assert annotation["url_citation"]["url"].startswith(begins)


def test_answers_keep_to_their_schema(sample_app: Any) -> None:
    answer = post(sample_app().test_client())
    check(answer.json, DOCUMENT["components"]["schemas"]["RespuestaOpenAI"], PATH)
