"""Build the parts that the OpenAPI document is made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from siaa.answering.exchange import ALERTS, TYPES

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
COUNT: Schema = {"type": "integer", "minimum": 0}
NUMBER: Schema = {"type": "number"}
YES_NO: Schema = {"type": "boolean"}
JSON_MEDIA = "application/json"
EVENT_MEDIA = "text/event-stream"
MAX_PARAMETER_CHARS = 2000  # contract, common rules

# What `siaa.question_text` lets pass, as regular expressions: no control characters, and something visible.
_CONTROL = r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
_BLANK = r"\x00-\x20\x7f-\xa0\xad\u1680\u2000-\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff"
_PLAIN = f"^[^{_CONTROL}]*$"
_WRITTEN = f"^[^{_CONTROL}]*[^{_BLANK}][^{_CONTROL}]*$"


def plain_text(limit: int = MAX_PARAMETER_CHARS) -> Schema:
    """Return text without control characters, at most `limit` of them; it may be empty."""
    return {"type": "string", "maxLength": limit, "pattern": _PLAIN}


def written_text(limit: int = MAX_PARAMETER_CHARS) -> Schema:
    """Return text without control characters, at most `limit` of them, with something to read in it."""
    return {"type": "string", "minLength": 1, "maxLength": limit, "pattern": _WRITTEN}


def or_null(schema: Schema) -> Schema:
    """Return what `schema` describes, or null."""
    return {**schema, "type": [schema["type"], "null"]}


def array(items: Schema) -> Schema:
    """Return a list of `items`."""
    return {"type": "array", "items": items}


def record(properties: Mapping[str, Schema], *, optional: tuple[str, ...] = ()) -> Schema:
    """Return an object with `properties`, all required but the `optional` ones."""
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": dict(properties), "required": required}


def ref(name: str) -> Schema:
    """Return a reference to the schema `name`."""
    return {"$ref": f"#/components/schemas/{name}"}


def nullable(kind: str) -> Schema:
    """Return a value of `kind`, or null."""
    return {"type": [kind, "null"]}


def query(name: str, description: str, *, required: bool = False) -> Schema:
    """Return a parameter of the query string: text, unless it is one of QUERY_SCHEMAS."""
    schema = QUERY_SCHEMAS.get(name) or (written_text() if required else plain_text())
    return {"name": name, "in": "query", "required": required, "description": description, "schema": schema}


def choice(*values: str) -> Schema:
    """Return one of `values`, or nothing."""
    return {"type": "string", "enum": [*values, ""]}


# Parameters that are more than text, by name.
QUERY_SCHEMAS: dict[str, Schema] = {
    "explicar": {"type": "string", "enum": ["0", "1"], "default": "0"},
    "cita": {"type": "string", "pattern": r"^([0-9]{1,9}-[0-9]{1,9})?$"},
    "n": {"type": "string", "pattern": r"^([1-9][0-9]?|[1-4][0-9]{2}|500)?$"},
    "tipo": choice(*TYPES),
    "alerta": choice(*ALERTS),
    "formato": choice("json", "txt"),
}


def path_part(name: str, description: str, *, after: str) -> Schema:
    """Return a parameter of the path, `after` its fixed part: together they have the length of a parameter."""
    schema = written_text(MAX_PARAMETER_CHARS - len(after))
    return {"name": name, "in": "path", "required": True, "description": description, "schema": schema}


def operation_of(
    operation_id: str,
    summary: str,
    answer: str,
    *errors: int,
    parameters: tuple[Schema, ...] = (),
    media: str = JSON_MEDIA,
    status: int = 200,
    body: str = "",
    error: str = "E",
) -> Schema:
    """Return an operation that answers with the schema `answer` (text when "") or one of `errors`.

    `body` names the schema of the request's body, `error` begins the names of the responses that the errors have.
    """
    # Of events a schema would describe each; which come in which order is told in words.
    content: Schema = {media: {} if media == EVENT_MEDIA else {"schema": ref(answer) if answer else TEXT}}
    responses: Schema = {str(status): {"description": summary, "content": content}}
    responses |= {str(code): {"$ref": f"#/components/responses/{error}{code}"} for code in (*errors, 429, 500)}
    operation: Schema = {"operationId": operation_id, "summary": summary, "responses": responses}
    if parameters:
        operation["parameters"] = list(parameters)
    if body:
        operation["requestBody"] = {"required": True, "content": {JSON_MEDIA: {"schema": ref(body)}}}
    return operation
