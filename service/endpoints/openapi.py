"""Describe the HTTP interface as OpenAPI 3.1, built from one table of operations."""

from __future__ import annotations

from service.endpoints.openapi_citations import CITATION_PATHS, CITATION_SCHEMAS
from service.endpoints.openapi_dialogue import DIALOGUE_PATHS, DIALOGUE_SCHEMAS, OPENAI_ERRORS
from service.endpoints.openapi_shapes import (
    COUNT,
    EVENT_MEDIA,
    JSON_MEDIA,
    NUMBER,
    TEXT,
    YES_NO,
    Schema,
    array,
    nullable,
    operation_of,
    or_null,
    path_part,
    plain_text,
    query,
    record,
    ref,
    written_text,
)
from siaa.answering.citing.support import State

_FREE: Schema = {"type": "object", "description": "Solo con explicar=1: aportes de cada nivel o señal."}
_STATE: Schema = {"type": "string", "enum": [state.value for state in State]}
_ROUTED = {"doc": TEXT, "tamano": COUNT, "coleccion": TEXT, "chunks": COUNT}
_LISTED = {
    "doc": TEXT,
    "titulo": TEXT,
    "coleccion": TEXT,
    "tamano": COUNT,
    "chunks": COUNT,
    "articulos": array(TEXT),
    "avisos": array(TEXT),
}
_SOURCE = {
    "n": COUNT,
    "doc": TEXT,
    "coleccion": TEXT,
    "titulo": TEXT,
    "articulo": TEXT,
    "cita": TEXT,
    "inicio": COUNT,
    "fin": COUNT,
    "estado": _STATE,
    "enlace": TEXT,
}

SCHEMAS: dict[str, Schema] = {
    "Error": record({"error": TEXT, "codigo": TEXT, "sugerencias": array(TEXT)}, optional=("sugerencias",)),
    "Enrutado": record(
        {
            "pregunta": TEXT,
            "doc_especifico": YES_NO,
            "max_docs_usados": COUNT,
            "docs_encontrados": array(record(_ROUTED)),
            "explicacion": _FREE,
        },
        optional=("explicacion",),
    ),
    "Fragmento": record(
        {"documento": TEXT, "pregunta": TEXT, "fragmento": TEXT, "chars": COUNT, "explicacion": _FREE},
        optional=("explicacion",),
    ),
    "PalabrasClave": record(
        {
            "doc": TEXT,
            "coleccion": TEXT,
            "keywords": array(TEXT),
            "detalle": array(
                record({"termino": TEXT, "peso": NUMBER, "origen": {"type": "string", "enum": ["auto", "manual"]}})
            ),
        }
    ),
    "Densidad": record(
        {"termino": TEXT, "top_docs": array(record({"doc": TEXT, "densidad": NUMBER})), "total_docs": COUNT}
    ),
    "Tokens": record(
        {
            "pregunta_original": TEXT,
            "pregunta_normalizada": TEXT,
            "tokens": array(TEXT),
            "referencias": array(TEXT),
            "expansion": array(TEXT),
            "correcciones": {"type": "object", "additionalProperties": TEXT},
            "tokens_con_match": {"type": "object", "additionalProperties": array(TEXT)},
            "tokens_sin_match": array(TEXT),
            "docs_candidatos": array(TEXT),
        }
    ),
    "Documentos": record({"total": COUNT, "documentos": array(record(_LISTED))}),
    "Estado": record(
        {
            "status": {"type": "string", "enum": ["ok", "degradado", "sin_indice"]},
            "version": TEXT,
            "generacion": nullable("string"),
            "documentos_cargados": COUNT,
            "chunks": COUNT,
            "colecciones": {"type": "object", "additionalProperties": COUNT},
            "model": TEXT,
            "modelo_disponible": YES_NO,
            "usuarios_activos": COUNT,
            "cache": ref("Cache"),
            "indice": record(
                {
                    "construido": nullable("string"),
                    "actualizado": nullable("string"),
                    "problema": TEXT,
                    "construccion_fallida": record({"cuando": TEXT, "codigo": COUNT, "motivo": TEXT}),
                },
                optional=("problema", "construccion_fallida"),
            ),
        }
    ),
    "Recarga": record({"recargado": YES_NO, "generacion": TEXT, "mensaje": TEXT}),
    "Libre": {"type": "object"},
    "Salud": record({"status": TEXT}),
    "Listo": record(
        {"status": {"type": "string", "enum": ["listo", "degradado"]}, "generacion": TEXT, "problema": TEXT},
        optional=("problema",),
    ),
    "Conversacion": record(
        {
            "messages": {
                "type": "array",
                "minItems": 1,
                "maxItems": 50,
                "items": record({"role": {"type": "string", "enum": ["user", "assistant"]}, "content": written_text()}),
                "description": "El último es la pregunta, con role user; entre todos, hasta 32 kB.",
            },
            "coleccion": or_null(plain_text()),
        },
        optional=("coleccion",),
    ),
    "EventoDocumentos": record(
        {"documentos": array(record({"doc": TEXT, "coleccion": TEXT})), "pregunta_buscada": TEXT}
    ),
    "EventoTexto": record({"choices": array(record({"delta": record({"content": TEXT})}))}),
    "EventoFuentes": record(
        {
            "fuentes": array(record(_SOURCE)),
            "oraciones": array(record({"inicio": COUNT, "fin": COUNT, "estado": _STATE, "fuente": COUNT})),
        }
    ),
    "EventoCercano": record(
        {
            "cercano": {
                "oneOf": [
                    record({"doc": TEXT, "articulo": TEXT, "cita": TEXT, "motivo": TEXT}),
                    {"type": "null"},
                ]
            }
        }
    ),
    **CITATION_SCHEMAS,
    **DIALOGUE_SCHEMAS,
}


_Q = query("q", "Pregunta, hasta 2000 caracteres.", required=True)
_EXPLAIN = query("explicar", "1 añade la clave `explicacion`.")
_COLLECTION = query("coleccion", "Busca solo en esta colección.")
_DOC_TEXT = "Nombre del documento o su ruta; la barra de la ruta va tal cual o como %2F."


def _chat() -> Schema:
    operation = operation_of(
        "chat",
        "Respuesta con sus fuentes, como eventos.",
        "",
        400,
        404,
        413,
        415,
        503,
        parameters=(_COLLECTION,),
        media=EVENT_MEDIA,
        body="Conversacion",
    )
    operation["description"] = (
        "Cada línea `data:` lleva un objeto, en este orden: EventoDocumentos, EventoTexto (uno por trozo), "
        "EventoFuentes o, tras una negativa, EventoCercano, y al final `[DONE]`. "
        "Un fallo llega como Error antes de `[DONE]`."
    )
    return operation


def _reload() -> Schema:
    operation = operation_of("recargar", "Busca una generación nueva del índice.", "Recarga", 401, 403, 503)
    operation["security"] = [{"operador": []}, {}]
    return operation


_FILTERS = (_COLLECTION, query("q", "Palabras del nombre o del título."))
_VIEW = (
    path_part("doc", _DOC_TEXT, after="/siaa/ver/"),
    query("sec", "Ancla, artículo o título que se muestra."),
    query("cita", "Posiciones del texto que se marcan, como 120-340."),
    query("q", "Palabras que se marcan."),
)

PATHS: dict[str, dict[str, Schema]] = {
    "/siaa/enrutar": {
        "get": operation_of(
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
        "get": operation_of(
            "fragmento",
            "Texto de un documento que recibe el modelo.",
            "Fragmento",
            400,
            404,
            409,
            503,
            parameters=(query("doc", "Nombre del documento o su ruta.", required=True), _Q, _EXPLAIN),
        )
    },
    "/siaa/keywords/{doc}": {
        "get": operation_of(
            "keywords",
            "Palabras clave de un documento.",
            "PalabrasClave",
            400,
            404,
            409,
            503,
            parameters=(path_part("doc", _DOC_TEXT, after="/siaa/keywords/"),),
        )
    },
    "/siaa/densidad/{termino}": {
        "get": operation_of(
            "densidad",
            "Documentos en que un término es más frecuente.",
            "Densidad",
            400,
            404,
            503,
            parameters=(path_part("termino", "Palabra.", after="/siaa/densidad/"),),
        )
    },
    "/siaa/debug_tokens": {
        "get": operation_of("debug_tokens", "Análisis de una pregunta.", "Tokens", 400, 503, parameters=(_Q,))
    },
    "/siaa/ver/{doc}": {
        "get": operation_of(
            "ver", "El documento como página.", "", 400, 404, 409, 503, parameters=_VIEW, media="text/html"
        )
    },
    "/siaa/estilo/ver.css": {"get": operation_of("estilo", "Estilo de las páginas.", "", media="text/css")},
    "/siaa/chat": {"post": _chat()},
    "/siaa/documentos": {
        "get": operation_of("documentos", "Documentos del índice.", "Documentos", 400, 404, 503, parameters=_FILTERS)
    },
    "/siaa/estado": {"get": operation_of("estado", "Qué se sirve.", "Estado")},
    "/siaa/status": {"get": operation_of("status", "Lo mismo que /siaa/estado.", "Estado")},
    "/siaa/recargar": {"post": _reload()},
    **CITATION_PATHS,
    **DIALOGUE_PATHS,
    "/healthz": {"get": operation_of("healthz", "El proceso vive.", "Salud")},
    "/readyz": {"get": operation_of("readyz", "Se sirve un índice.", "Listo", 503)},
    "/metrics": {"get": operation_of("metrics", "Cifras para Prometheus.", "", media="text/plain")},
    "/openapi.json": {"get": operation_of("openapi", "Esta descripción.", "Libre")},
}

_ERRORS = {
    400: "Petición que no se entiende; el texto dice qué corregir.",
    401: "Falta la clave de operador o no es la correcta.",
    403: "Solo se admite desde el propio equipo.",
    404: "No existe; `sugerencias` trae lo más parecido.",
    409: "Varios documentos se llaman así; `sugerencias` trae sus rutas.",
    413: "Cuerpo demasiado grande.",
    415: "El cuerpo no es JSON.",
    429: "Demasiadas peticiones; la cabecera Retry-After dice cuándo volver a intentarlo.",
    500: "Fallo del servicio.",
    503: "No hay índice o modelo; la cabecera Retry-After dice cuándo volver a intentarlo.",
}


def document_of(version: str) -> Schema:
    """Return the OpenAPI document of the service at `version`."""
    error = {JSON_MEDIA: {"schema": ref("Error")}}
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
            "responses": {
                **{f"E{status}": {"description": text, "content": error} for status, text in _ERRORS.items()},
                **OPENAI_ERRORS,
            },
            "securitySchemes": {"operador": {"type": "http", "scheme": "bearer"}},
        },
    }
