"""The description of the interface is whole: every route, every reference, every error."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask

from service.app import create_app
from service.endpoints.routes import document_of
from siaa.config import Settings
from tests.fakes import FakeIndex
from tests.http.client import Client

DOCUMENT = document_of("1.2.3")
METHODS = {"get", "post", "put", "delete", "patch"}


@pytest.fixture
def app() -> Flask:
    return create_app(Settings(llm="ninguno"), holder=FakeIndex("gen-a").holder())


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in DOCUMENT["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if "$ref" in value:
            yield value["$ref"]
        for inner in value.values():
            yield from references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from references(inner)


def test_it_describes_exactly_the_routes_that_there_are(app: Flask) -> None:
    described = {(re.sub(r"\{\w+\}", "{}", path), method) for path, method, _ in operations()}
    routes = {
        (re.sub(r"<[^>]*>", "{}", rule.rule), method.lower())
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    assert described == routes


def test_every_reference_leads_somewhere() -> None:
    for reference in references(DOCUMENT):
        place: Any = DOCUMENT
        for step in reference.removeprefix("#/").split("/"):
            place = place[step]
        assert place


def test_operations_are_whole() -> None:
    ids = [operation["operationId"] for _, _, operation in operations()]
    assert len(ids) == len(set(ids))
    for path, method, operation in operations():
        assert method in METHODS
        assert "500" in operation["responses"]
        assert {"200", "202"} & set(operation["responses"])
        assert all("description" in r or "$ref" in r for r in operation["responses"].values())
        named = {p["name"] for p in operation.get("parameters", []) if p["in"] == "path"}
        assert named == set(re.findall(r"\{(\w+)\}", path))
        assert all(p["required"] for p in operation.get("parameters", []) if p["in"] == "path")


def test_schemas_require_only_what_they_describe() -> None:
    assert DOCUMENT["openapi"].startswith("3.1.")
    assert {"title", "version"} <= set(DOCUMENT["info"])
    for schema in DOCUMENT["components"]["schemas"].values():
        assert set(schema.get("required", [])) <= set(schema.get("properties", {}))


def test_every_object_has_a_shape_and_what_goes_out_has_no_other_key() -> None:
    schemas = DOCUMENT["components"]["schemas"]
    for path, _, operation in operations():
        incoming = operation.get("requestBody", {}).get("content", {})
        for content in (incoming, *(response["content"] for response in operation["responses"].values())):
            schema = content.get("application/json", {}).get("schema")
            assert schema is None or "$ref" in schema or path == "/openapi.json"
    coming = {reference for _, _, op in operations() for reference in references(op.get("requestBody"))}
    for name, schema in schemas.items():
        open_to_more = f"#/components/schemas/{name}" in coming or name in ("Mensaje", "MensajeOpenAI", "Parte")
        assert schema.get("additionalProperties", True) is open_to_more, name


# endpoint -> schema that its answer keeps to
ANSWERS = [
    ("/siaa/enrutar?q=sierju&explicar=1", "Enrutado"),
    ("/siaa/fragmento?doc=acuerdo_no._psaa16-10476.md&q=sierju", "Fragmento"),
    ("/siaa/keywords/acuerdo_no._psaa16-10476.md", "PalabrasClave"),
    ("/siaa/densidad/sierju", "Densidad"),
    ("/siaa/debug_tokens?q=sierju", "Tokens"),
    ("/siaa/documentos", "Documentos"),
    ("/siaa/estado", "Estado"),
    ("/siaa/cache", "Cache"),
    ("/siaa/log", "Registro"),
    ("/v1/models", "Modelos"),
    ("/v1/nada", "ErrorOpenAI"),
    ("/readyz", "Listo"),
    ("/healthz", "Salud"),
    ("/siaa/nada", "Error"),
]


@pytest.mark.parametrize(("path", "schema"), ANSWERS)
def test_answers_keep_to_their_schema(service: Client, path: str, schema: str) -> None:
    check(service.get(path).json, DOCUMENT["components"]["schemas"][schema], path)


def test_the_chat_keeps_to_its_schemas(service: Client) -> None:
    schemas = DOCUMENT["components"]["schemas"]
    names = {
        "documentos": "EventoDocumentos",
        "choices": "EventoTexto",
        "fuentes": "EventoFuentes",
        "cercano": "EventoCercano",
    }
    for question in ("¿Quiénes son los funcionarios responsables?", "receta del ajiaco con guascas"):
        for event in service.chat(question).events[:-1]:
            check(event, schemas[names[next(iter(event))]], question)


def check(value: Any, schema: dict[str, Any], where: str) -> None:
    """Check a value against the part of JSON Schema that the document uses."""
    if "$ref" in schema:
        schema = DOCUMENT["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    if "oneOf" in schema:
        assert any(_fits(value, option, where) for option in schema["oneOf"]), where
        return
    types = schema.get("type", [])
    assert _type_of(value) in ([types] if isinstance(types, str) else types) or (
        types == "number" and _type_of(value) == "integer"
    ), (where, value)
    if "enum" in schema:
        assert value in schema["enum"], where
    if isinstance(value, dict):
        known = schema.get("properties", {})
        assert set(schema.get("required", [])) <= set(value), where
        assert not known or set(value) <= set(known), where
        for key, inner in value.items():
            if key in known:
                check(inner, known[key], f"{where}.{key}")
            elif "additionalProperties" in schema:
                check(inner, schema["additionalProperties"], f"{where}.{key}")
    if isinstance(value, list):
        for inner in value:
            check(inner, schema["items"], where)


def _fits(value: Any, schema: dict[str, Any], where: str) -> bool:
    try:
        check(value, schema, where)
    except AssertionError:
        return False
    return True


def _type_of(value: Any) -> str:
    kinds = {bool: "boolean", int: "integer", float: "number", str: "string", dict: "object", list: "array"}
    return "null" if value is None else kinds[type(value)]


def test_it_is_served(app: Flask) -> None:
    answer = app.test_client().get("/openapi.json")
    assert answer.json["paths"].keys() == DOCUMENT["paths"].keys()
