"""Build the parts that the OpenAPI document is made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
COUNT: Schema = {"type": "integer", "minimum": 0}
NUMBER: Schema = {"type": "number"}
YES_NO: Schema = {"type": "boolean"}
JSON_MEDIA = "application/json"
MAX_PARAMETER_CHARS = 2000  # contract, common rules


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
    """Return a parameter of the query string; `explicar` is a switch, anything else text."""
    schema: Schema = {"type": "string", "maxLength": MAX_PARAMETER_CHARS}
    if name == "explicar":
        schema = {"type": "string", "enum": ["0", "1"], "default": "0"}
    return {"name": name, "in": "query", "required": required, "description": description, "schema": schema}


def path_part(name: str, description: str) -> Schema:
    """Return a parameter of the path."""
    return {"name": name, "in": "path", "required": True, "description": description, "schema": TEXT}


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
    content = {media: {"schema": ref(answer) if answer else TEXT}}
    responses: Schema = {str(status): {"description": summary, "content": content}}
    responses |= {str(code): {"$ref": f"#/components/responses/{error}{code}"} for code in (*errors, 429, 500)}
    operation: Schema = {"operationId": operation_id, "summary": summary, "responses": responses}
    if parameters:
        operation["parameters"] = list(parameters)
    if body:
        operation["requestBody"] = {"required": True, "content": {JSON_MEDIA: {"schema": ref(body)}}}
    return operation
