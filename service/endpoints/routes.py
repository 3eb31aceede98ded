"""The table of all routes: what is served, and what /openapi.json says of it."""

from __future__ import annotations

from functools import cache
from typing import Any

from flask import Flask

from service import shapes
from service.endpoints import diagnostics, documents, openai_api, operation
from service.endpoints.chat import chat
from service.endpoints.citation_endpoint import verificar_citas
from service.endpoints.document_page import STYLE_PATH
from service.endpoints.openapi import describe
from service.endpoints.route import Route
from service.http.proxy import prefix
from siaa import __version__
from siaa.model import Json

_EVENTS = (shapes.EventoDocumentos, shapes.EventoTexto, shapes.EventoFuentes, shapes.EventoCercano)
_ORDER = (
    "Cada línea `data:` lleva un objeto, en este orden: EventoDocumentos, EventoTexto (uno por trozo), EventoFuentes "
    "o, tras una negativa, EventoCercano, y al final `[DONE]`. Un fallo llega como Error antes de `[DONE]`."
)
_CHUNKS = "Con `stream` llega como eventos TrozoOpenAI (`chat.completion.chunk`) y al final `[DONE]`."


def openapi() -> dict[str, Any]:
    """Describe the service to programs."""
    described, below = document_of(__version__), prefix()
    return {**described, "servers": [{"url": below}]} if below else described


# fmt: off
ROUTES = (
    Route("GET", "/siaa/enrutar", diagnostics.enrutar, "Documentos que alcanza una pregunta.", (404, 503)),
    Route("GET", "/siaa/fragmento", diagnostics.fragmento, "Texto de un documento que recibe el modelo.",
          (404, 409, 503)),
    Route("GET", "/siaa/keywords/<path:name>", diagnostics.keywords, "Palabras clave de un documento.",
          (404, 409, 503)),
    Route("GET", "/siaa/densidad/<path:term>", diagnostics.densidad, "Documentos en que un término es más frecuente.",
          (404, 503)),
    Route("GET", "/siaa/debug_tokens", diagnostics.debug_tokens, "Análisis de una pregunta.", (503,)),
    Route("GET", "/siaa/ver/<path:name>", documents.ver, "El documento como página.", (404, 409, 503),
          text="text/html"),
    Route("GET", STYLE_PATH, documents.estilo, "Estilo de las páginas.", text="text/css"),
    Route("POST", "/siaa/chat", chat, "Respuesta con sus fuentes, como eventos.", (404, 503),
          body=shapes.Conversacion, events=_EVENTS, reads={"coleccion": shapes.Collection}, details=_ORDER),
    Route("GET", "/siaa/documentos", documents.documentos, "Documentos del índice.", (404, 503)),
    Route("GET", "/siaa/estado", operation.estado, "Qué se sirve."),
    Route("GET", "/siaa/status", operation.status, "Lo mismo que /siaa/estado."),
    Route("POST", "/siaa/recargar", operation.recargar, "Busca una generación nueva del índice.", (503,),
          operator=True),
    Route("POST", "/siaa/citas/verificar", verificar_citas, "Revisa las citas de un texto contra todo el corpus.",
          (503,), body=shapes.Borrador),
    Route("GET", "/siaa/cache", operation.cache, "Cifras de la caché de respuestas."),
    Route("DELETE", "/siaa/cache", operation.vaciar_cache, "Olvida todas las respuestas.", (503,), operator=True),
    Route("GET", "/siaa/log", operation.log, "Registro de calidad, lo último primero.", (503,), text="text/plain",
          operator=True),
    Route("POST", "/siaa/opinion", operation.opinion, "Guarda la opinión sobre una respuesta.", (503,),
          body=shapes.Opinion, status=202),
    Route("GET", "/v1/models", openai_api.modelos, "El modelo que hay."),
    Route("POST", openai_api.COMPLETIONS_PATH, openai_api.completions,
          "La respuesta de /siaa/chat con la forma de OpenAI.", (404, 503), body=shapes.SolicitudOpenAI,
          answer=shapes.RespuestaOpenAI, events=(shapes.TrozoOpenAI,), details=_CHUNKS),
    Route("GET", "/healthz", operation.healthz, "El proceso vive."),
    Route("GET", "/readyz", operation.readyz, "Se sirve un índice.", (503,)),
    Route("GET", "/metrics", operation.metrics, "Cifras para Prometheus.", text="text/plain"),
    Route("GET", "/openapi.json", openapi, "Esta descripción."),
)
# fmt: on


@cache
def document_of(version: str) -> Json:
    """Return the OpenAPI document of the service at `version`."""
    return describe(ROUTES, version=version)


def add_routes(app: Flask) -> None:
    """Serve every route."""
    for route in ROUTES:
        app.add_url_rule(route.path, endpoint=route.name, view_func=route.handler(), methods=[route.method])
