"""Describe the cache, the quality log, opinions and OpenAI's dialect: a part of the OpenAPI document."""

from __future__ import annotations

from service.endpoints.openapi_shapes import (
    COUNT,
    EVENT_MEDIA,
    NUMBER,
    TEXT,
    YES_NO,
    Schema,
    array,
    nullable,
    operation_of,
    or_null,
    plain_text,
    query,
    record,
    ref,
    written_text,
)
from siaa.answering.exchange import ALERTS, TYPES

ROLES = ("user", "assistant", "system", "developer", "tool", "function")
_FREE: Schema = {"type": "object"}
_REMARK = or_null(plain_text())
_OPINION = {"util": YES_NO, "esperado": TEXT, "comentario": TEXT}
_LINE = {
    "id": COUNT,
    "momento": TEXT,
    "tipo": {"type": "string", "enum": list(TYPES)},
    "alerta": {"type": "string", "enum": list(ALERTS)},
    "pregunta": TEXT,
    "pregunta_buscada": TEXT,
    "respuesta": TEXT,
    "documentos": array(TEXT),
    "coleccion": TEXT,
    "modelo": TEXT,
    "generacion": TEXT,
    "codigo": TEXT,
    "ms": COUNT,
    "completa": YES_NO,
    "opinion": {"oneOf": [record(_OPINION), {"type": "null"}]},
}
_PART = record({"type": {"type": "string", "enum": ["text"]}, "text": written_text()})
_CITATION = {"url": TEXT, "title": TEXT, "start_index": COUNT, "end_index": COUNT}
_ANNOTATION = record({"type": {"type": "string", "enum": ["url_citation"]}, "url_citation": record(_CITATION)})
_MESSAGE = record(
    {"role": TEXT, "content": TEXT, "refusal": nullable("string"), "annotations": array(_ANNOTATION)},
    optional=("annotations",),
)
_CHOICE = record({"index": COUNT, "message": _MESSAGE, "finish_reason": TEXT, "logprobs": {"type": "null"}})

DIALOGUE_SCHEMAS: dict[str, Schema] = {
    "Cache": record(
        {"entradas": COUNT, "max": COUNT, "hits": COUNT, "misses": COUNT, "hit_rate": NUMBER, "ttl_seg": COUNT}
    ),
    "CacheVaciada": record({"vaciado": YES_NO, "mensaje": TEXT}),
    "Registro": record({"total": COUNT, "registros": array(record(_LINE))}),
    "Opinion": record(
        {"pregunta": written_text(), "util": YES_NO, "esperado": _REMARK, "comentario": _REMARK},
        optional=("esperado", "comentario"),
    ),
    "OpinionRecibida": record({"recibida": YES_NO, "mensaje": TEXT}),
    "Modelos": record(
        {"object": TEXT, "data": array(record({"id": TEXT, "object": TEXT, "created": COUNT, "owned_by": TEXT}))}
    ),
    "SolicitudOpenAI": record(
        {
            "model": nullable("string"),
            "messages": {
                "type": "array",
                "minItems": 1,
                "items": record(
                    {
                        "role": {"type": "string", "enum": list(ROLES)},
                        "content": {"anyOf": [written_text(), {**array(_PART), "minItems": 1}]},
                    }
                ),
                "description": "El último es la pregunta, con role user.",
            },
            "stream": nullable("boolean"),
            "stream_options": {"description": "{include_usage: true} añade `usage`; lo demás se pasa por alto."},
            "coleccion": or_null(plain_text()),
        },
        optional=("model", "stream", "stream_options", "coleccion"),
    ),
    "RespuestaOpenAI": record(
        {
            "id": TEXT,
            "object": TEXT,
            "created": COUNT,
            "model": TEXT,
            "choices": array(_CHOICE),
            "usage": record({"prompt_tokens": COUNT, "completion_tokens": COUNT, "total_tokens": COUNT}),
            "siaa": _FREE,
        }
    ),
    "ErrorOpenAI": record(
        {"error": record({"message": TEXT, "type": TEXT, "param": nullable("string"), "code": nullable("string")})}
    ),
}

_OPENAI_TEXTS = {
    400: "Solicitud que no se entiende.",
    404: "El modelo o la colección no existen.",
    413: "Cuerpo demasiado grande.",
    415: "El cuerpo no es JSON.",
    429: "Demasiadas peticiones.",
    500: "Fallo del servicio.",
    503: "No hay índice o modelo.",
}
OPENAI_ERRORS: dict[str, Schema] = {
    f"V{status}": {"description": text, "content": {"application/json": {"schema": ref("ErrorOpenAI")}}}
    for status, text in _OPENAI_TEXTS.items()
}

_FILTERS = (
    query("n", "Líneas, de 1 a 500; por omisión, 50."),
    query("tipo", f"Solo las de este tipo: {', '.join(TYPES)}."),
    query("alerta", f"Solo las que tienen esta alerta: {', '.join(ALERTS)}."),
    query("formato", "json (por omisión) o txt."),
)


def _guarded(operation: Schema) -> Schema:
    """Return an operation of the operator's."""
    return {**operation, "security": [{"operador": []}, {}]}


def _completions() -> Schema:
    operation = operation_of(
        "completions",
        "La respuesta de /siaa/chat con la forma de OpenAI.",
        "RespuestaOpenAI",
        400,
        404,
        413,
        415,
        503,
        body="SolicitudOpenAI",
        error="V",
    )
    operation["responses"]["200"]["content"][EVENT_MEDIA] = {}
    operation["description"] = "Con `stream` llega como eventos `chat.completion.chunk` y al final `[DONE]`."
    return operation


def _log() -> Schema:
    operation = operation_of(
        "log", "Registro de calidad, lo último primero.", "Registro", 400, 401, 403, 503, parameters=_FILTERS
    )
    operation["responses"]["200"]["content"]["text/plain"] = {"schema": TEXT}
    return operation


DIALOGUE_PATHS: dict[str, dict[str, Schema]] = {
    "/siaa/cache": {
        "get": operation_of("cache", "Cifras de la caché de respuestas.", "Cache"),
        "delete": _guarded(operation_of("vaciar_cache", "Olvida todas las respuestas.", "CacheVaciada", 401, 403, 503)),
    },
    "/siaa/log": {"get": _guarded(_log())},
    "/siaa/opinion": {
        "post": operation_of(
            "opinion",
            "Guarda la opinión sobre una respuesta.",
            "OpinionRecibida",
            400,
            413,
            415,
            503,
            status=202,
            body="Opinion",
        )
    },
    "/v1/models": {"get": operation_of("modelos", "El modelo que hay.", "Modelos", error="V")},
    "/v1/chat/completions": {"post": _completions()},
}
