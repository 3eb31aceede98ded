"""Describe the HTTP interface as OpenAPI 3.1, from the table of routes and the shapes by which views are checked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from inspect import Parameter
from typing import Any, get_args

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode
from pydantic_core import core_schema

from service.endpoints.route import Route
from service.http.http_errors import OPENAI_PREFIX
from service.shapes import Error, ErrorOpenAI
from siaa.config import MAX_QUESTION_CHARS
from siaa.model import Json

INCOMING: JsonSchemaMode = "validation"
OUTGOING: JsonSchemaMode = "serialization"
Schemas = Mapping[tuple[Any, JsonSchemaMode], Json]  # of each shape, or where it is in the document

_IN_PATH = {"name": "doc", "term": "termino"}  # what the parts of a path are called outside
_FAILURES = {
    400: "Petición que no se entiende; el texto dice qué corregir.",
    401: "Falta la clave de operador o no es la correcta.",
    403: "Solo se admite desde el propio equipo.",
    404: "No existe; el error dice qué es lo más parecido.",
    409: "Varios documentos se llaman así; `sugerencias` trae sus rutas.",
    413: "Cuerpo demasiado grande.",
    415: "El cuerpo no es JSON.",
    429: "Demasiadas peticiones; la cabecera Retry-After dice cuándo volver a intentarlo.",
    500: "Fallo del servicio.",
    503: "No hay índice o modelo; la cabecera Retry-After dice cuándo volver a intentarlo.",
}


def describe(routes: Sequence[Route], *, version: str) -> Json:
    """Return the OpenAPI document of the service at `version`."""
    coming = [route.body for route in routes if route.body]
    going = [shape for route in routes for shape in (route.answered, *route.events) if shape]
    shapes = [(shape, INCOMING) for shape in coming] + [(shape, OUTGOING) for shape in (Error, ErrorOpenAI, *going)]
    schemas, made = TypeAdapter.json_schemas(
        [(shape, mode, TypeAdapter(shape)) for shape, mode in dict.fromkeys(shapes)],
        ref_template="#/components/schemas/{model}",
        schema_generator=_Generator,
    )
    paths: dict[str, Json] = {}
    for route in routes:
        path = re.sub(r"<path:(\w+)>", lambda part: f"{{{_IN_PATH[part[1]]}}}", route.path)
        paths.setdefault(path, {})[route.method.lower()] = _operation(route, schemas)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "SIAA",
            "version": version,
            "summary": "Preguntas en español sobre documentos, con citas que se pueden comprobar.",
            "license": {"name": "GPL-3.0-or-later", "identifier": "GPL-3.0-or-later"},
        },
        "paths": paths,
        "components": {
            "schemas": made["$defs"],
            "securitySchemes": {"operador": {"type": "http", "scheme": "bearer"}},
        },
    }


class _Generator(GenerateJsonSchema):
    """Write schemas without titles; what goes out has the keys described and no other, what comes in may have more."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def typed_dict_schema(self, schema: core_schema.TypedDictSchema) -> Json:
        made = super().typed_dict_schema(schema)
        del made["title"]
        return made | ({"additionalProperties": False} if self.mode == OUTGOING else {})

    def nullable_schema(self, schema: core_schema.NullableSchema) -> Json:
        inner = self.generate_inner(schema["schema"])
        return {**inner, "type": [inner["type"], "null"]} if "type" in inner else {"oneOf": [inner, {"type": "null"}]}


def _operation(route: Route, schemas: Schemas) -> Json:
    failure = _json(schemas[ErrorOpenAI if route.path.startswith(OPENAI_PREFIX) else Error, OUTGOING])
    responses: Json = {str(route.status): {"description": route.summary, "content": _content(route, schemas)}}
    for status in route.failures:
        responses[str(status)] = {"description": _FAILURES[status], "content": failure}
    operation: Json = {
        "operationId": route.name,
        "summary": route.summary,
        "description": route.details,
        "parameters": [_parameter(parameter, route) for parameter in route.taken],
        "requestBody": {"required": True, "content": _json(schemas[route.body, INCOMING])} if route.body else None,
        "responses": responses,
        "security": [{"operador": []}, {}] if route.operator else None,
    }
    return {key: value for key, value in operation.items() if value}


def _content(route: Route, schemas: Schemas) -> Json:
    """Return what comes back, by its media type; which events come in which order is told in words."""
    content = _json(schemas[route.answered, OUTGOING]) if route.answered else {}
    content |= {route.text: {"schema": {"type": "string"}}} if route.text else {}
    return content | ({"text/event-stream": {}} if route.events else {})


def _json(schema: Json) -> Json:
    return {"application/json": {"schema": schema}}


def _parameter(parameter: Parameter, route: Route) -> Json:
    optional = parameter.default is None
    schema = TypeAdapter(get_args(parameter.annotation)[0] if optional else parameter.annotation).json_schema()
    told: Json = {"description": schema.pop("description"), "schema": schema}
    if route.is_in_path(parameter.name):  # which as a whole has the length of a parameter
        schema["maxLength"] = MAX_QUESTION_CHARS - len(route.path.partition("<")[0])
        return {"name": _IN_PATH[parameter.name], "in": "path", "required": True, **told}
    return {"name": parameter.name, "in": "query", "required": parameter.default is Parameter.empty, **told}
