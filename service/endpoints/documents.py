"""Show the documents: the list of them, each as a page, and the style sheet of the pages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from flask import Response

from service import shapes
from service.context import lease
from service.endpoints import document_page
from service.http.failures import InvalidParameterError
from service.http.proxy import prefix
from siaa.text import fold

if TYPE_CHECKING:
    from siaa.records import DocumentRecord
    from siaa.retrieval import Retriever


def documentos(coleccion: shapes.Collection | None = None, q: shapes.TitleWords | None = None) -> shapes.Documentos:
    """List the documents of the index: those of a collection whose name or title holds every word of `q`."""
    with lease() as retriever:
        generation = retriever.generation
        collection = generation.find_collection(coleccion) if coleccion is not None else None
        words = fold(q or "").split()
        chosen = [
            document
            for document in generation.documents
            if (collection is None or document.collection == collection)
            and all(word in fold(f"{document.name} {document.title}") for word in words)
        ]
    return {"total": len(chosen), "documentos": [_listed(document) for document in chosen]}


def ver(
    name: shapes.DocumentPath,
    sec: shapes.Section | None = None,
    cita: shapes.Span | None = None,
    q: shapes.Marked | None = None,
) -> Response:
    """Show a document as a page."""
    cited = _cited(cita)
    with lease() as retriever:
        generation = retriever.generation
        document = generation.find(name)
        page = document_page.render_page(
            document.name,
            document.title,
            generation.text_of(document),
            section=sec,
            cited=cited,
            matches=_matches(retriever, q) if q else None,
            prefix=prefix(),
        )
    response = Response(page.html, content_type="text/html; charset=utf-8")
    response.headers["Content-Security-Policy"] = document_page.CONTENT_SECURITY_POLICY
    response.headers["Referrer-Policy"] = "no-referrer"
    return response


def estilo() -> Response:
    """Give the style sheet of the pages."""
    response = Response(document_page.STYLE, content_type="text/css; charset=utf-8")
    response.headers["Cache-Control"] = "public, max-age=3600"
    return response


def _listed(document: DocumentRecord) -> shapes.Listado:
    return {
        "doc": document.name,
        "titulo": document.title,
        "coleccion": document.collection,
        "tamano": document.size,
        "chunks": document.passage_count,
        "articulos": document.articles,
        "avisos": document.warnings,
    }


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
