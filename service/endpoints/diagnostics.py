"""Show each step of a question's way, key by key; nothing is computed here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from service import shapes
from service.context import lease
from service.http.failures import InvalidParameterError
from siaa.answering.refusal import judge
from siaa.answering.searching import LEVEL_OF, route_question
from siaa.answering.wording import told
from siaa.config import MAX_QUESTION_CHARS
from siaa.diagnosis import density_of, trace
from siaa.question_text import fault_of

if TYPE_CHECKING:
    from siaa.answering.refusal import Verdict
    from siaa.model import Contribution
    from siaa.records import DocumentRecord
    from siaa.routing import RoutedDocument
    from siaa.selection import ScoredPassage

DENSITY_DECIMALS = 6  # contract, /siaa/densidad
SCORE_DECIMALS = 4  # of points shown by explicar=1


def enrutar(
    q: shapes.Question, coleccion: shapes.Collection | None = None, explicar: shapes.Explained = False
) -> shapes.Enrutado:
    """Show which documents a question reaches."""
    with lease() as retriever:
        routed = route_question(retriever, q, collection=coleccion)
        verdict = judge(retriever, routed.query, retriever.gather(routed).selections) if explicar else None
    answer = shapes.Enrutado(
        pregunta=routed.query.raw,
        doc_especifico=routed.query.names_document,
        max_docs_usados=routed.max_docs,
        docs_encontrados=[_found(found.document) for found in routed.documents],
    )
    if verdict:
        answer["explicacion"] = {
            "documentos": [_levels(found) for found in routed.documents],
            "por_debajo": [_levels(found) for found in routed.below],
            "normas_ausentes": routed.missing,
            "rechazo": _verdict(verdict),
        }
    return answer


def fragmento(doc: shapes.DocumentName, q: shapes.Question, explicar: shapes.Explained = False) -> shapes.Fragmento:
    """Show the text of a document that a model is sent for a question."""
    with lease() as retriever:
        document = retriever.generation.find(doc)
        query = retriever.ask(q)
        selected = retriever.select(query, document)
        text, chars = selected.fragment.text, selected.fragment.chars
        answer = shapes.Fragmento(documento=document.name, pregunta=query.raw, fragmento=text, chars=chars)
        if explicar:
            answer["explicacion"] = {
                "trozos": [_signals(scored) for scored in selected.chosen],
                "por_debajo": [_signals(scored) for scored in selected.below],
                "normas_ausentes": retriever.route(query).missing,
                "rechazo": _verdict(judge(retriever, query, [selected])),
            }
        return answer


def keywords(name: shapes.DocumentPath) -> shapes.PalabrasClave:
    """Show the keywords of a document."""
    with lease() as retriever:
        document = retriever.generation.find(name)
    return {
        "doc": document.name,
        "coleccion": document.collection,
        "keywords": [keyword.term for keyword in document.keywords],
        "detalle": [
            {"termino": keyword.term, "peso": round(keyword.weight, SCORE_DECIMALS), "origen": keyword.origin}
            for keyword in document.keywords
        ],
    }


def densidad(term: shapes.Term) -> shapes.Densidad:
    """Show the documents in which a term is most frequent."""
    if fault := fault_of(term, limit=MAX_QUESTION_CHARS):
        raise InvalidParameterError(f"El término {fault}.")
    with lease() as retriever:
        found = density_of(term, retriever.generation)
    return {
        "termino": term,
        "top_docs": [{"doc": row.document.name, "densidad": round(row.value, DENSITY_DECIMALS)} for row in found.rows],
        "total_docs": found.documents,
    }


def debug_tokens(q: shapes.Question) -> shapes.Tokens:
    """Show what the analysis makes of a question."""
    with lease() as retriever:
        query = retriever.ask(q)
        seen = trace(query, retriever)
    return {
        "pregunta_original": query.raw,
        "pregunta_normalizada": query.normalised,
        "tokens": query.words,
        "referencias": [reference.token for reference in query.references],
        "expansion": query.expansion,
        "correcciones": dict(query.corrections),
        "tokens_con_match": {term: [document.name for document in found] for term, found in seen.matches.items()},
        "tokens_sin_match": seen.unmatched,
        "docs_candidatos": [document.name for document in seen.candidates],
    }


def _found(document: DocumentRecord) -> shapes.Hallado:
    return shapes.Hallado(
        doc=document.name, tamano=document.size, coleccion=document.collection, chunks=document.passage_count
    )


def _verdict(verdict: Verdict) -> shapes.Veredicto:
    return shapes.Veredicto(
        valor=round(verdict.value, SCORE_DECIMALS), decision=verdict.decision.value, motivo=told(verdict.reason)
    )


def _levels(found: RoutedDocument) -> shapes.Puntuado:
    levels = [shapes.Nivel(nivel=LEVEL_OF[row["senal"]], **row) for row in _contributions(found.contributions)]
    return {"doc": found.document.name, "puntaje": round(found.score, SCORE_DECIMALS), "niveles": levels}


def _signals(scored: ScoredPassage) -> shapes.Trozo:
    passage = scored.passage
    return {
        "n": passage.ordinal,
        "inicio": passage.start,
        "fin": passage.end,
        "titulo": passage.heading,
        "articulo": passage.article,
        "puntaje": round(scored.score, SCORE_DECIMALS),
        "senales": _contributions(scored.contributions),
    }


def _contributions(contributions: Iterable[Contribution]) -> list[shapes.Aporte]:
    return [{"senal": c.signal, "puntos": round(c.points, SCORE_DECIMALS), "motivo": c.why} for c in contributions]
