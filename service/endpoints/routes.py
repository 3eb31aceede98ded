"""The endpoints: parse, lease a generation, call, render."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING

from flask import Blueprint, Response, current_app, g, request

from service.context import Context
from service.endpoints import diagnostics, document_page
from service.endpoints.openapi import document_of
from service.http.admin import require_operator
from service.http.failures import InvalidParameterError
from service.http.params import Parameters, parse_query
from service.http.wire import json_response
from service.metrics import CONTENT_TYPE, Served
from siaa import __version__
from siaa.answering.refusal import judge
from siaa.answering.searching import route_question
from siaa.build_outcome import failed_build
from siaa.config import MAX_QUESTION_CHARS
from siaa.diagnosis import density_of, trace
from siaa.errors import GenerationError
from siaa.question_text import fault_of

if TYPE_CHECKING:
    from siaa.generation import Generation
    from siaa.retrieval import Retriever

endpoints = Blueprint("siaa", __name__)


@endpoints.get("/siaa/enrutar")
def enrutar() -> Response:
    """Show which documents a question reaches."""
    parameters = _parameters("q", "coleccion", "explicar")
    (raw,) = parameters.required("q")
    explained = parameters.switch("explicar")
    with _lease() as retriever:
        routed = route_question(retriever, raw, collection=parameters.optional("coleccion"))
        verdict = judge(retriever, routed.query, retriever.gather(routed).selections) if explained else None
        return json_response(diagnostics.routing(routed, verdict=verdict))


@endpoints.get("/siaa/fragmento")
def fragmento() -> Response:
    """Show the text of a document that a model is sent for a question."""
    parameters = _parameters("doc", "q", "explicar")
    name, raw = parameters.required("doc", "q")
    explained = parameters.switch("explicar")
    with _lease() as retriever:
        document = retriever.generation.find(name)
        query = retriever.ask(raw)
        selected = retriever.select(query, document)
        if not explained:
            return json_response(diagnostics.fragment(query, selected))
        missing, verdict = retriever.route(query).missing, judge(retriever, query, [selected])
        return json_response(diagnostics.fragment(query, selected, missing=missing, verdict=verdict))


@endpoints.get("/siaa/keywords/<path:name>")
def keywords(name: str) -> Response:
    """Show the keywords of a document."""
    with _lease() as retriever:
        return json_response(diagnostics.keywords(retriever.generation.find(name)))


@endpoints.get("/siaa/densidad/<path:term>")
def densidad(term: str) -> Response:
    """Show the documents in which a term is most frequent."""
    if fault := fault_of(term, limit=MAX_QUESTION_CHARS):
        raise InvalidParameterError(f"El término {fault}.")
    with _lease() as retriever:
        return json_response(diagnostics.density(term, density_of(term, retriever.generation)))


@endpoints.get("/siaa/debug_tokens")
def debug_tokens() -> Response:
    """Show what the analysis makes of a question."""
    (raw,) = _parameters("q").required("q")
    with _lease() as retriever:
        query = retriever.ask(raw)
        return json_response(diagnostics.tokens(query, trace(query, retriever)))


@endpoints.get("/siaa/ver/<path:name>")
def ver(name: str) -> Response:
    """Show a document as a page."""
    parameters = _parameters("sec", "q", "cita")
    section, raw = parameters.optional("sec"), parameters.optional("q")
    cited = _cited(parameters.optional("cita"))
    with _lease() as retriever:
        generation = retriever.generation
        document = generation.find(name)
        page = document_page.render_page(
            document.name,
            document.title,
            generation.text_of(document),
            section=section,
            cited=cited,
            matches=_matches(retriever, raw) if raw else None,
        )
    response = Response(page.html, content_type="text/html; charset=utf-8")
    response.headers["Content-Security-Policy"] = document_page.CONTENT_SECURITY_POLICY
    response.headers["Referrer-Policy"] = "no-referrer"
    return response


@endpoints.get(document_page.STYLE_PATH)
def estilo() -> Response:
    """Give the style sheet of the pages."""
    response = Response(document_page.STYLE, content_type="text/css; charset=utf-8")
    response.headers["Cache-Control"] = "public, max-age=3600"
    return response


@endpoints.get("/siaa/documentos")
def documentos() -> Response:
    """List the documents of the index."""
    parameters = _parameters("coleccion", "q")
    collection = parameters.optional("coleccion")
    with _lease() as retriever:
        generation = retriever.generation
        chosen = generation.find_collection(collection) if collection is not None else None
        listed = diagnostics.documents(generation, collection=chosen, text=parameters.optional("q"))
        return json_response(listed)


@endpoints.get("/siaa/estado")
@endpoints.get("/siaa/status")
def estado() -> Response:
    """Show what is served; answers without an index too."""
    context = _context()
    try:
        with _lease() as retriever:
            return _state(context, retriever.generation)
    except GenerationError:
        return _state(context, None)


@endpoints.post("/siaa/recargar")
def recargar() -> Response:
    """Look for a new generation now."""
    context = _context()
    require_operator(request.environ, context.settings)
    changed = context.holder.reload()
    problem = context.holder.problem
    with _lease() as retriever:
        message = problem or ("Se sirve una generación nueva." if changed else "No hay una generación nueva.")
        return json_response({"recargado": changed, "generacion": retriever.generation.name, "mensaje": message})


@endpoints.get("/healthz")
def healthz() -> Response:
    """Say that the process lives."""
    return json_response({"status": "ok"})


@endpoints.get("/readyz")
def readyz() -> Response:
    """Say that an index is served, and what keeps a newer one from being."""
    with _lease() as retriever:
        problem = _context().holder.problem
        answer = {"status": "degradado" if problem else "listo", "generacion": retriever.generation.name}
        return json_response({**answer, "problema": problem} if problem else answer)


@endpoints.get("/metrics")
def metrics() -> Response:
    """Show the figures to Prometheus."""
    context = _context()
    try:
        with _lease() as retriever:
            generation = retriever.generation
            name, created = generation.name, datetime.fromisoformat(generation.manifest.created)
    except GenerationError:
        name, created = "", None
    served = Served(
        name,
        created,
        problem=context.holder.problem is not None,
        streams=context.active.count,
        build_failed=failed_build(context.settings.index_dir) is not None,
    )
    return Response(context.metrics.render(served), content_type=CONTENT_TYPE)


@endpoints.get("/openapi.json")
def openapi() -> Response:
    """Describe the service to programs."""
    return json_response(document_of(__version__))


def _context() -> Context:
    context = current_app.extensions["siaa"]
    assert isinstance(context, Context)
    return context


def _parameters(*known: str) -> Parameters:
    return parse_query(str(request.environ.get("QUERY_STRING", "")), known=frozenset(known))


@contextmanager
def _lease() -> Iterator[Retriever]:
    """Lease the generation in service; the answer names it in its header."""
    with _context().holder.lease() as retriever:
        g.generation = retriever.generation.name
        yield retriever


def _state(context: Context, generation: Generation | None) -> Response:
    model = context.model
    return json_response(
        diagnostics.state(
            generation,
            version=__version__,
            model=model.name if model else None,
            model_available=bool(model and model.available()),
            active=context.active.count,
            since=context.holder.since,
            problem=context.holder.problem,
            failed=failed_build(context.settings.index_dir),
            figures=context.cache.figures(),
        )
    )


def _cited(value: str | None) -> tuple[int, int] | None:
    """Return the span that `cita=120-340` asks to mark."""
    if value is None:
        return None
    found = re.fullmatch(r"(\d{1,9})-(\d{1,9})", value)
    if found is None or int(found[1]) >= int(found[2]):
        raise InvalidParameterError("El parámetro 'cita' son dos posiciones del texto, como 120-340.")
    return int(found[1]), int(found[2])


def _matches(retriever: Retriever, raw: str) -> document_page.Matches:
    """Return what finds the words of a question in a text: the same stems, whatever their endings."""
    analyzer = retriever.generation.analyzer
    wanted = {analyzer.stem(word) for word in retriever.ask(raw).words}

    def spans(text: str) -> list[tuple[int, int]]:
        return [(t.start, t.end) for t in analyzer.tokens(text) if analyzer.stem(t.word) in wanted]

    return spans
