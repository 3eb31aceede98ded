"""The endpoints of those who keep the service: its cache of answers, its quality log, and what readers think of it."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, current_app, request

from service.context import Context
from service.endpoints import diagnostics
from service.http.admin import require_operator
from service.http.conversation_body import parse_object
from service.http.failures import (
    CacheError,
    InvalidOpinionError,
    InvalidParameterError,
    MissingParameterError,
    NotJsonError,
    QualityLogError,
)
from service.http.http_errors import HTTP_FAILURES
from service.http.params import Parameters, parse_query
from service.http.wire import json_response, json_text
from siaa.answering.exchange import ALERTS, TALK, TYPES, LogLine
from siaa.config import MAX_QUESTION_CHARS
from siaa.model import Json
from siaa.question_text import fault_of, is_blank
from siaa.text import squeeze

DEFAULT_LINES, MAX_LINES = 50, 500  # of /siaa/log (contract)
FORMATS = ("json", "txt")
OPINION_SHAPE = '{"pregunta": "su pregunta", "util": true}'

operation_endpoints = Blueprint("operation", __name__)


@operation_endpoints.get("/siaa/cache")
def cache() -> Response:
    """Show how the cache of answers fares."""
    return json_response(diagnostics.cache(_context().cache.figures()))


@operation_endpoints.delete("/siaa/cache")
def empty_cache() -> Response:
    """Forget all answers."""
    context = _context()
    require_operator(request.environ, context.settings)
    count = context.cache.empty()
    if count is None:
        raise CacheError("La caché no se pudo vaciar; el registro del servicio dice por qué. Vuelva a intentarlo.")
    return json_response({"vaciado": True, "mensaje": f"Se olvidaron {count} respuestas."})


@operation_endpoints.get("/siaa/log")
def quality_log() -> Response:
    """Show the newest lines of the quality log."""
    context = _context()
    require_operator(request.environ, context.settings)
    parameters = parse_query(
        str(request.environ.get("QUERY_STRING", "")), known=frozenset({"n", "tipo", "alerta", "formato"})
    )
    shape = _one_of(parameters, "formato", FORMATS) or FORMATS[0]
    page = context.log.read(
        limit=_count(parameters), kind=_one_of(parameters, "tipo", TYPES), alert=_one_of(parameters, "alerta", ALERTS)
    )
    if page is None:
        raise QualityLogError("El registro de calidad no se puede leer ahora; el registro del servicio dice por qué.")
    if shape == "json":
        return json_response({"total": page.total, "registros": page.lines})
    text = "".join(f"{_line(line)}\n" for line in page.lines)
    return Response(text, content_type="text/plain; charset=utf-8")


@operation_endpoints.post("/siaa/opinion")
def opinion() -> Response:
    """Write down what a reader thinks of an answer."""
    if request.mimetype != "application/json":
        raise NotJsonError(HTTP_FAILURES[415][1])
    line = _opinion(parse_object(request.get_data(), failure=InvalidOpinionError, shape=OPINION_SHAPE))
    log = _context().log
    if not log.enabled:
        raise QualityLogError("No se lleva registro de calidad (SIAA_QUALITY_LOG_DAYS=0): la opinión no se guardó.")
    if not log.write(line):
        raise QualityLogError("La opinión no se pudo guardar: vuelva a intentarlo en unos momentos.")
    return json_response({"recibida": True, "mensaje": "Gracias: su opinión quedó registrada."}, 202)


def _context() -> Context:
    context = current_app.extensions["siaa"]
    assert isinstance(context, Context)
    return context


def _count(parameters: Parameters) -> int:
    raw = parameters.optional("n")
    if raw is None:
        return DEFAULT_LINES
    if not (raw.isascii() and raw.isdecimal() and len(raw) < 6 and 1 <= int(raw) <= MAX_LINES):
        raise InvalidParameterError(f"El parámetro 'n' debe ser un número entero entre 1 y {MAX_LINES}.")
    return int(raw)


def _one_of(parameters: Parameters, name: str, known: tuple[str, ...]) -> str | None:
    raw = parameters.optional(name)
    if raw is None:
        return None
    found = next((value for value in known if value.casefold() == raw.strip().casefold()), None)
    if found is None:
        raise InvalidParameterError(f"El parámetro '{name}' solo admite: {', '.join(known)}.")
    return found


def _line(line: Json) -> str:
    """Return a line of the log as one line of text: no text in it can begin another."""
    opinion_of = f" | opinión {json_text(line['opinion'])}" if line["opinion"] else ""
    told = f"{line['pregunta']} -> {line['respuesta']}" if line["respuesta"] else line["pregunta"]
    head = f"{line['momento']} {line['tipo']} {line['alerta']} {line['ms']} ms"
    return squeeze(f"{head} | {told}{opinion_of}")


def _opinion(data: dict[str, Any]) -> LogLine:
    question, useful = data.get("pregunta"), data.get("util")
    if question is None or useful is None:
        raise MissingParameterError(f"Faltan 'pregunta' o 'util': envíe {OPINION_SHAPE}.")
    if not isinstance(useful, bool):
        raise InvalidOpinionError("'util' debe ser true o false.")
    texts = {name: _text(name, data.get(name)) for name in ("pregunta", "esperado", "comentario")}
    if is_blank(texts["pregunta"]):
        raise InvalidOpinionError("'pregunta' está vacía: envíe la pregunta de la que opina.")
    return LogLine(TALK, texts["pregunta"], useful=useful, expected=texts["esperado"], comment=texts["comentario"])


def _text(name: str, value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InvalidOpinionError(f"'{name}' debe ser un texto.")
    if fault := fault_of(value, limit=MAX_QUESTION_CHARS):
        raise InvalidOpinionError(f"'{name}' {fault}.")
    return value
