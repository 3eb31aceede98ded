"""The endpoints of those who keep the service: its state, its cache of answers, its quality log, what readers say."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from flask import Response

from service import shapes
from service.context import current_context, lease
from service.http.conversation_body import parse_object
from service.http.failures import (
    CacheError,
    InvalidOpinionError,
    InvalidParameterError,
    MissingParameterError,
    QualityLogError,
)
from service.http.params import json_body
from service.http.wire import json_text
from service.metrics import CONTENT_TYPE, Served
from siaa import __version__
from siaa.answering.exchange import TALK, LogLine
from siaa.build_outcome import failed_build
from siaa.config import MAX_QUESTION_CHARS
from siaa.errors import GenerationError
from siaa.question_text import fault_of, is_blank
from siaa.text import squeeze

if TYPE_CHECKING:
    from siaa.generation import Generation

DEFAULT_LINES, MAX_LINES = 50, 500  # of /siaa/log (contract)
RATE_DECIMALS = 4  # of the cache's share of hits
OPINION_SHAPE = '{"pregunta": "su pregunta", "util": true}'


def estado() -> shapes.Estado:
    """Show what is served; answers without an index too."""
    context = current_context()
    generation = _served()
    manifest = generation.manifest if generation else None
    model = context.model
    return {
        "status": ("degradado" if context.holder.problem else "ok") if generation else "sin_indice",
        "version": __version__,
        "generacion": generation.name if generation else None,
        "documentos_cargados": manifest.documents if manifest else 0,
        "chunks": manifest.passages if manifest else 0,
        "colecciones": dict(manifest.collections) if manifest else {},
        "model": model.name if model else "extractivo",
        "modelo_disponible": bool(model and model.available()),
        "usuarios_activos": context.active.count,
        "cache": cache(),
        "indice": _index(manifest.created if manifest else None),
    }


def status() -> shapes.Estado:
    """Show the same as `estado`."""
    return estado()


def recargar() -> shapes.Recarga:
    """Look for a new generation now."""
    holder = current_context().holder
    changed, problem = holder.reload(), holder.problem
    message = problem or ("Se sirve una generación nueva." if changed else "No hay una generación nueva.")
    with lease() as retriever:
        return {"recargado": changed, "generacion": retriever.generation.name, "mensaje": message}


def healthz() -> shapes.Salud:
    """Say that the process lives."""
    return {"status": "ok"}


def readyz() -> shapes.Listo:
    """Say that an index is served, and what keeps a newer one from being."""
    with lease() as retriever:
        if problem := current_context().holder.problem:
            return {"status": "degradado", "generacion": retriever.generation.name, "problema": problem}
        return {"status": "listo", "generacion": retriever.generation.name}


def metrics() -> Response:
    """Show the figures to Prometheus."""
    context = current_context()
    generation = _served()
    served = Served(
        generation.name if generation else "",
        datetime.fromisoformat(generation.manifest.created) if generation else None,
        problem=context.holder.problem is not None,
        streams=context.active.count,
        build_failed=failed_build(context.settings.index_dir) is not None,
    )
    return Response(context.metrics.render(served), content_type=CONTENT_TYPE)


def cache() -> shapes.Cache:
    """Show how the cache of answers fares."""
    figures = current_context().cache.figures()
    return {
        "entradas": figures.entries,
        "max": figures.max_entries,
        "hits": figures.hits,
        "misses": figures.misses,
        "hit_rate": round(figures.hit_rate, RATE_DECIMALS),
        "ttl_seg": figures.ttl,
    }


def vaciar_cache() -> shapes.CacheVaciada:
    """Forget all answers."""
    count = current_context().cache.empty()
    if count is None:
        raise CacheError("La caché no se pudo vaciar; el registro del servicio dice por qué. Vuelva a intentarlo.")
    return {"vaciado": True, "mensaje": f"Se olvidaron {count} respuestas."}


def log(
    n: shapes.LineCount | None = None,
    tipo: shapes.LineKind | None = None,
    alerta: shapes.LineAlert | None = None,
    formato: shapes.LineFormat | None = None,
) -> shapes.Registro | Response:
    """Show the newest lines of the quality log."""
    shape = _one_of("formato", formato, shapes.FORMATS) or shapes.FORMATS[0]
    page = current_context().log.read(
        limit=_count(n), kind=_one_of("tipo", tipo, shapes.KINDS), alert=_one_of("alerta", alerta, shapes.ALERTS)
    )
    if page is None:
        raise QualityLogError("El registro de calidad no se puede leer ahora; el registro del servicio dice por qué.")
    if shape == "json":
        return {"total": page.total, "registros": page.lines}
    text = "".join(f"{_line(line)}\n" for line in page.lines)
    return Response(text, content_type="text/plain; charset=utf-8")


def opinion() -> shapes.OpinionRecibida:
    """Write down what a reader thinks of an answer."""
    line = _opinion(parse_object(json_body(), failure=InvalidOpinionError, shape=OPINION_SHAPE))
    lines = current_context().log
    if not lines.enabled:
        raise QualityLogError("No se lleva registro de calidad (SIAA_QUALITY_LOG_DAYS=0): la opinión no se guardó.")
    if not lines.write(line):
        raise QualityLogError("La opinión no se pudo guardar: vuelva a intentarlo en unos momentos.")
    return {"recibida": True, "mensaje": "Gracias: su opinión quedó registrada."}


def _served() -> Generation | None:
    """Return the generation in service, for what it says of itself; its files may close at any time."""
    with suppress(GenerationError), lease() as retriever:
        return retriever.generation
    return None


def _index(built: str | None) -> shapes.Indice:
    context = current_context()
    since = context.holder.since
    told: shapes.Indice = {
        "construido": built,
        "actualizado": datetime.fromtimestamp(since, UTC).isoformat(timespec="seconds") if since else None,
    }
    if problem := context.holder.problem:
        told["problema"] = problem
    if failed := failed_build(context.settings.index_dir):
        told["construccion_fallida"] = {"cuando": failed.when, "codigo": failed.code, "motivo": failed.why}
    return told


def _count(raw: str | None) -> int:
    if raw is None:
        return DEFAULT_LINES
    if not (raw.isascii() and raw.isdecimal() and len(raw) < 6 and 1 <= int(raw) <= MAX_LINES):
        raise InvalidParameterError(f"El parámetro 'n' debe ser un número entero entre 1 y {MAX_LINES}.")
    return int(raw)


def _one_of(name: str, raw: str | None, known: tuple[str, ...]) -> str | None:
    if raw is None:
        return None
    found = next((value for value in known if value.casefold() == raw.strip().casefold()), None)
    if found is None:
        raise InvalidParameterError(f"El parámetro '{name}' solo admite: {', '.join(known)}.")
    return found


def _line(line: shapes.Linea) -> str:
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
