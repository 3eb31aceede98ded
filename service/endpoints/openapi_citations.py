"""Describe the check of citations: a part of the OpenAPI document."""

from __future__ import annotations

from service.endpoints.openapi_shapes import COUNT, TEXT, Schema, array, operation_of, record, written_text
from siaa.answering.citing.support import State

_STATE: Schema = {"type": "string", "enum": [state.value for state in State]}
_PLACE = {
    "doc": TEXT,
    "coleccion": TEXT,
    "titulo": TEXT,
    "articulo": TEXT,
    "cita": TEXT,
    "inicio": COUNT,
    "fin": COUNT,
    "enlace": TEXT,
}

CITATION_SCHEMAS: dict[str, Schema] = {
    "Borrador": record({"texto": written_text(20_000)}),
    "CitasVerificadas": record(
        {
            "citas": array(
                record(
                    {
                        "n": COUNT,
                        "inicio": COUNT,
                        "fin": COUNT,
                        "texto": TEXT,
                        "referencias": array(TEXT),
                        "estado": _STATE,
                        "motivo": TEXT,
                        "fuente": {"oneOf": [record(_PLACE), {"type": "null"}]},
                    }
                )
            ),
            "resumen": record({state.value: COUNT for state in State}),
        }
    ),
}

CITATION_PATHS: dict[str, dict[str, Schema]] = {
    "/siaa/citas/verificar": {
        "post": operation_of(
            "verificar_citas",
            "Revisa las citas de un texto contra todo el corpus.",
            "CitasVerificadas",
            400,
            413,
            415,
            503,
            body="Borrador",
        )
    }
}
