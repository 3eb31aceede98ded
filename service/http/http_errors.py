"""Render every failure once: one table from its class to its status, one shape for its body."""

from __future__ import annotations

import logging

from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException

from service.http.failures import (
    CacheError,
    CredentialsError,
    InvalidChatError,
    InvalidCompletionError,
    InvalidDraftError,
    InvalidOpinionError,
    InvalidParameterError,
    MissingParameterError,
    NotJsonError,
    NotLocalError,
    QualityLogError,
    TooManyRequestsError,
    UnknownModelError,
)
from service.http.wire import json_response
from service.shapes import Error, ErrorOpenAI
from siaa.answering.llm import ModelError
from siaa.answering.llm.protocol import ModelBusyError
from siaa.diagnosis import UnknownTermError
from siaa.errors import (
    AmbiguousDocumentError,
    ConfigError,
    GenerationError,
    InvalidQuestionError,
    SiaaError,
    StoppingError,
    UnknownCollectionError,
    UnknownDocumentError,
)

log = logging.getLogger(__name__)

RETRY_SECONDS = 5  # what a 503 asks a client to wait

# The class of a failure, or the nearest of its bases, decides the status.
STATUS: dict[type[SiaaError], int] = {
    MissingParameterError: 400,
    InvalidParameterError: 400,
    InvalidQuestionError: 400,
    InvalidChatError: 400,
    InvalidDraftError: 400,
    InvalidOpinionError: 400,
    InvalidCompletionError: 400,
    CredentialsError: 401,
    NotLocalError: 403,
    UnknownDocumentError: 404,
    UnknownTermError: 404,
    UnknownCollectionError: 404,
    UnknownModelError: 404,
    AmbiguousDocumentError: 409,
    NotJsonError: 415,
    TooManyRequestsError: 429,
    ConfigError: 503,
    GenerationError: 503,
    QualityLogError: 503,
    StoppingError: 503,
    CacheError: 503,
    ModelError: 503,
    ModelBusyError: 503,
    SiaaError: 500,
}

# What the server itself refuses: status -> code and sentence.
HTTP_FAILURES: dict[int, tuple[str, str]] = {
    400: ("peticion_invalida", "La petición está mal formada: revise la dirección y el cuerpo."),
    404: ("ruta_desconocida", "Esta dirección no existe. Las que hay están en /openapi.json."),
    405: ("metodo_no_permitido", "Esta dirección no admite ese método; los admitidos están en la cabecera Allow."),
    408: ("peticion_incompleta", "La petición no llegó completa a tiempo: vuelva a enviarla."),
    413: ("peticion_demasiado_grande", "El cuerpo pasa de {limit}: envíe menos mensajes o textos más cortos."),
    414: ("direccion_demasiado_larga", "La dirección o las cabeceras son demasiado largas: acorte la pregunta."),
    415: ("tipo_no_admitido", "El cuerpo debe ser JSON: envíe la cabecera «Content-Type: application/json»."),
    500: ("error_interno", "El servicio falló al atender la petición; el registro del servicio tiene los detalles."),
}

OPENAI_PREFIX = "/v1/"  # below it failures have OpenAI's shape
OPENAI_TYPES = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}


def status_of(error: SiaaError) -> int:
    """Return the HTTP status of a failure."""
    return next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)


def body_of(error: SiaaError) -> Error:
    """Return the object that tells a client about a failure."""
    body: Error = {"error": error.message, "codigo": error.code}
    if error.suggestions:
        body["sugerencias"] = error.suggestions
    return body


def internal_failure() -> Error:
    """Return the object for a failure that nobody foresaw; it says nothing of the exception."""
    code, sentence = HTTP_FAILURES[500]
    return {"error": sentence, "codigo": code}


def openai_failure(body: Error, status: int, *, param: str | None = None) -> ErrorOpenAI:
    """Return a failure in the shape that OpenAI's clients read; `param` names what is wrong in the request."""
    kind = OPENAI_TYPES.get(status, "server_error" if status >= 500 else "invalid_request_error")
    message = body["error"]
    if near := [name for name in body.get("sugerencias", ()) if name not in message]:
        message += f" Hay: {', '.join(near)}."  # this shape has no place of its own for them
    return {"error": {"message": message, "type": kind, "param": param, "code": body["codigo"]}}


def register(app: Flask) -> None:
    """Make `app` answer every failure in the shape of the contract."""
    app.register_error_handler(SiaaError, _expected)
    app.register_error_handler(HTTPException, _refused)
    app.register_error_handler(Exception, _unexpected)


def _expected(error: SiaaError) -> Response:
    status = status_of(error)
    if status == 500:
        log.error("fallo sin estado propio: %s", type(error).__name__)
        return _render(internal_failure(), 500)
    if isinstance(error, ModelError) and error.detail:
        log.warning("modelo: %s (%s)", error.code, error.detail)
    response = _render(body_of(error), status, param=getattr(error, "param", None))
    if status in (429, 503):
        response.headers["Retry-After"] = str(getattr(error, "retry_after", RETRY_SECONDS))
    if status == 401:
        response.headers["WWW-Authenticate"] = 'Bearer realm="SIAA"'
    return response


def _refused(error: HTTPException) -> Response:
    status = error.code or 500
    if status >= 500:
        return _render(internal_failure(), 500)
    code, sentence = HTTP_FAILURES.get(status, HTTP_FAILURES[400])
    sentence = sentence.format(limit=size_told(request.max_content_length or 0))
    response = _render({"error": sentence, "codigo": code}, status)
    for name, value in error.get_headers():
        if name == "Allow":
            response.headers[name] = value
    return response


def size_told(limit: int) -> str:
    """Return a number of bytes as people write it."""
    return f"{limit // 1024**2} MB" if limit >= 1024**2 else f"{limit // 1024} kB"


def _unexpected(error: Exception) -> Response:
    log.error("fallo inesperado en %s %s", request.method, request.url_rule, exc_info=error)
    return _render(internal_failure(), 500)


def _render(body: Error, status: int, *, param: str | None = None) -> Response:
    openai = request.path.startswith(OPENAI_PREFIX)
    return json_response(openai_failure(body, status, param=param) if openai else body, status)
