"""Describe the HTTP interface as OpenAPI 3.1, built from one table of operations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_NUMBER: Schema = {"type": "number"}
_YES_NO: Schema = {"type": "boolean"}


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _object(properties: Mapping[str, Schema], *, optional: tuple[str, ...] = ()) -> Schema:
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": dict(properties), "required": required}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _nullable(kind: str) -> Schema:
    return {"type": [kind, "null"]}


_FREE: Schema = {"type": "object", "description": "Solo con explicar=1: aportes de cada nivel o señal."}
_STATE: Schema = {"type": "string", "enum": ["verificada", "parcial", "sin_sustento", "mal_atribuida"]}
_ROUTED = {"doc": _TEXT, "tamano": _COUNT, "coleccion": _TEXT, "chunks": _COUNT}
_LISTED = {
    "doc": _TEXT,
    "titulo": _TEXT,
    "coleccion": _TEXT,
    "tamano": _COUNT,
    "chunks": _COUNT,
    "articulos": _list(_TEXT),
    "avisos": _list(_TEXT),
}
_SOURCE = {
    "n": _COUNT,
    "doc": _TEXT,
    "coleccion": _TEXT,
    "titulo": _TEXT,
    "articulo": _TEXT,
    "cita": _TEXT,
    "inicio": _COUNT,
    "fin": _COUNT,
    "estado": _STATE,
    "enlace": _TEXT,
}

SCHEMAS: dict[str, Schema] = {
    "Error": _object({"error": _TEXT, "codigo": _TEXT, "sugerencias": _list(_TEXT)}, optional=("sugerencias",)),
    "Enrutado": _object(
        {
            "pregunta": _TEXT,
            "doc_especifico": _YES_NO,
            "max_docs_usados": _COUNT,
            "docs_encontrados": _list(_object(_ROUTED)),
            "explicacion": _FREE,
        },
        optional=("explicacion",),
    ),
    "Fragmento": _object(
        {"documento": _TEXT, "pregunta": _TEXT, "fragmento": _TEXT, "chars": _COUNT, "explicacion": _FREE},
        optional=("explicacion",),
    ),
    "PalabrasClave": _object(
        {
            "doc": _TEXT,
            "coleccion": _TEXT,
            "keywords": _list(_TEXT),
            "detalle": _list(
                _object({"termino": _TEXT, "peso": _NUMBER, "origen": {"type": "string", "enum": ["auto", "manual"]}})
            ),
        }
    ),
    "Densidad": _object(
        {"termino": _TEXT, "top_docs": _list(_object({"doc": _TEXT, "densidad": _NUMBER})), "total_docs": _COUNT}
    ),
    "Tokens": _object(
        {
            "pregunta_original": _TEXT,
            "pregunta_normalizada": _TEXT,
            "tokens": _list(_TEXT),
            "referencias": _list(_TEXT),
            "expansion": _list(_TEXT),
            "correcciones": {"type": "object", "additionalProperties": _TEXT},
            "tokens_con_match": {"type": "object", "additionalProperties": _list(_TEXT)},
            "tokens_sin_match": _list(_TEXT),
            "docs_candidatos": _list(_TEXT),
        }
    ),
    "Documentos": _object({"total": _COUNT, "documentos": _list(_object(_LISTED))}),
    "Estado": _object(
        {
            "status": {"type": "string", "enum": ["ok", "sin_indice"]},
            "version": _TEXT,
            "generacion": _nullable("string"),
            "documentos_cargados": _COUNT,
            "chunks": _COUNT,
            "colecciones": {"type": "object", "additionalProperties": _COUNT},
            "model": _TEXT,
            "modelo_disponible": _YES_NO,
            "usuarios_activos": _COUNT,
            "cache": {"type": "object"},
            "indice": _object({"construido": _nullable("string"), "actualizado": _nullable("string")}),
        }
    ),
    "Recarga": _object({"recargado": _YES_NO, "generacion": _TEXT, "mensaje": _TEXT}),
    "Libre": {"type": "object"},
    "Salud": _object({"status": _TEXT}),
    "Listo": _object({"status": _TEXT, "generacion": _TEXT, "problema": _TEXT}, optional=("problema",)),
    "Conversacion": _object(
        {
            "messages": {
                "type": "array",
                "minItems": 1,
                "maxItems": 50,
                "items": _object(
                    {
                        "role": {"type": "string", "enum": ["user", "assistant"]},
                        "content": {"type": "string", "minLength": 1},
                    }
                ),
            },
            "coleccion": _TEXT,
        },
        optional=("coleccion",),
    ),
    "EventoDocumentos": _object(
        {"documentos": _list(_object({"doc": _TEXT, "coleccion": _TEXT})), "pregunta_buscada": _TEXT}
    ),
    "EventoTexto": _object({"choices": _list(_object({"delta": _object({"content": _TEXT})}))}),
    "EventoFuentes": _object(
        {
            "fuentes": _list(_object(_SOURCE)),
            "oraciones": _list(_object({"inicio": _COUNT, "fin": _COUNT, "estado": _STATE, "fuente": _COUNT})),
        }
    ),
    "EventoCercano": _object(
        {
            "cercano": {
                "oneOf": [
                    _object({"doc": _TEXT, "articulo": _TEXT, "cita": _TEXT, "motivo": _TEXT}),
                    {"type": "null"},
                ]
            }
        }
    ),
}


def _query(name: str, description: str, *, required: bool = False) -> Schema:
    schema: Schema = {"type": "string", "maxLength": 2000}
    if name == "explicar":
        schema = {"type": "string", "enum": ["0", "1"], "default": "0"}
    return {"name": name, "in": "query", "required": required, "description": description, "schema": schema}


def _path(name: str, description: str) -> Schema:
    return {"name": name, "in": "path", "required": True, "description": description, "schema": _TEXT}


_Q = _query("q", "Pregunta, hasta 2000 caracteres.", required=True)
_EXPLAIN = _query("explicar", "1 añade la clave `explicacion`.")
_COLLECTION = _query("coleccion", "Busca solo en esta colección.")
_DOC = _path("doc", "Nombre del documento o su ruta; la barra de la ruta va tal cual o como %2F.")
_JSON = "application/json"


def _operation(
    operation_id: str,
    summary: str,
    answer: str,
    *errors: int,
    parameters: tuple[Schema, ...] = (),
    media: str = _JSON,
) -> Schema:
    content = {media: {"schema": _ref(answer) if answer in SCHEMAS else _TEXT}}
    responses: Schema = {"200": {"description": summary, "content": content}}
    responses |= {str(status): {"$ref": f"#/components/responses/E{status}"} for status in (*errors, 500)}
    operation: Schema = {"operationId": operation_id, "summary": summary, "responses": responses}
    if parameters:
        operation["parameters"] = list(parameters)
    return operation


def _chat() -> Schema:
    operation = _operation(
        "chat",
        "Respuesta con sus fuentes, como eventos.",
        "",
        400,
        404,
        413,
        415,
        503,
        parameters=(_COLLECTION,),
        media="text/event-stream",
    )
    operation["description"] = (
        "Cada línea `data:` lleva un objeto, en este orden: EventoDocumentos, EventoTexto (uno por trozo), "
        "EventoFuentes o, tras una negativa, EventoCercano, y al final `[DONE]`. "
        "Un fallo llega como Error antes de `[DONE]`."
    )
    operation["requestBody"] = {"required": True, "content": {_JSON: {"schema": _ref("Conversacion")}}}
    return operation


def _reload() -> Schema:
    operation = _operation("recargar", "Busca una generación nueva del índice.", "Recarga", 401, 403, 503)
    operation["security"] = [{"operador": []}, {}]
    return operation


_FILTERS = (_COLLECTION, _query("q", "Palabras del nombre o del título."))
_VIEW = (_DOC, _query("sec", "Ancla, artículo o título que se muestra."), _query("q", "Palabras que se marcan."))

PATHS: dict[str, dict[str, Schema]] = {
    "/siaa/enrutar": {
        "get": _operation(
            "enrutar",
            "Documentos que alcanza una pregunta.",
            "Enrutado",
            400,
            404,
            503,
            parameters=(_Q, _COLLECTION, _EXPLAIN),
        )
    },
    "/siaa/fragmento": {
        "get": _operation(
            "fragmento",
            "Texto de un documento que recibe el modelo.",
            "Fragmento",
            400,
            404,
            409,
            503,
            parameters=(_query("doc", "Nombre del documento o su ruta.", required=True), _Q, _EXPLAIN),
        )
    },
    "/siaa/keywords/{doc}": {
        "get": _operation(
            "keywords", "Palabras clave de un documento.", "PalabrasClave", 400, 404, 409, 503, parameters=(_DOC,)
        )
    },
    "/siaa/densidad/{termino}": {
        "get": _operation(
            "densidad",
            "Documentos en que un término es más frecuente.",
            "Densidad",
            400,
            404,
            503,
            parameters=(_path("termino", "Palabra."),),
        )
    },
    "/siaa/debug_tokens": {
        "get": _operation("debug_tokens", "Análisis de una pregunta.", "Tokens", 400, 503, parameters=(_Q,))
    },
    "/siaa/ver/{doc}": {
        "get": _operation(
            "ver", "El documento como página.", "", 400, 404, 409, 503, parameters=_VIEW, media="text/html"
        )
    },
    "/siaa/estilo/ver.css": {"get": _operation("estilo", "Estilo de las páginas.", "", media="text/css")},
    "/siaa/chat": {"post": _chat()},
    "/siaa/documentos": {
        "get": _operation("documentos", "Documentos del índice.", "Documentos", 400, 404, 503, parameters=_FILTERS)
    },
    "/siaa/estado": {"get": _operation("estado", "Qué se sirve.", "Estado")},
    "/siaa/status": {"get": _operation("status", "Lo mismo que /siaa/estado.", "Estado")},
    "/siaa/recargar": {"post": _reload()},
    "/healthz": {"get": _operation("healthz", "El proceso vive.", "Salud")},
    "/readyz": {"get": _operation("readyz", "Se sirve un índice.", "Listo", 503)},
    "/openapi.json": {"get": _operation("openapi", "Esta descripción.", "Libre")},
}

_ERRORS = {
    400: "Petición que no se entiende; el texto dice qué corregir.",
    401: "Falta la clave de operador o no es la correcta.",
    403: "Solo se admite desde el propio equipo.",
    404: "No existe; `sugerencias` trae lo más parecido.",
    409: "Varios documentos se llaman así; `sugerencias` trae sus rutas.",
    413: "Cuerpo demasiado grande.",
    415: "El cuerpo no es JSON.",
    500: "Fallo del servicio.",
    503: "No hay índice o modelo; la cabecera Retry-After dice cuándo volver a intentarlo.",
}


def document_of(version: str) -> Schema:
    """Return the OpenAPI document of the service at `version`."""
    error = {_JSON: {"schema": _ref("Error")}}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "SIAA",
            "version": version,
            "summary": "Preguntas en español sobre documentos, con citas que se pueden comprobar.",
            "license": {"name": "GPL-3.0-or-later", "identifier": "GPL-3.0-or-later"},
        },
        "paths": PATHS,
        "components": {
            "schemas": SCHEMAS,
            "responses": {f"E{status}": {"description": text, "content": error} for status, text in _ERRORS.items()},
            "securitySchemes": {"operador": {"type": "http", "scheme": "bearer"}},
        },
    }
