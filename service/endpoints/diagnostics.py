"""Turn the values of the core into the objects of the contract, key by key; nothing is computed here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import quote

from service.endpoints.cited_span import CITED_ANCHOR
from siaa.answering.events import Delta, Event, Found, Nearest, Sentence, Source, Sources
from siaa.answering.searching import LEVEL_OF
from siaa.answering.wording import told, told_all, why_nearest
from siaa.model import Contribution, Json
from siaa.text import fold

if TYPE_CHECKING:
    from service.storage.answer_cache import CacheFigures
    from siaa.answering.drafts import Citation
    from siaa.answering.refusal import Verdict
    from siaa.build_outcome import BuildOutcome
    from siaa.diagnosis import Density, Trace
    from siaa.generation import Generation
    from siaa.question import Query
    from siaa.records import DocumentRecord
    from siaa.retrieval import Selected
    from siaa.routing import Routed, RoutedDocument
    from siaa.selection import ScoredPassage

DENSITY_DECIMALS = 6  # contract, /siaa/densidad
SCORE_DECIMALS = 4  # of points shown by explicar=1


def routing(routed: Routed, *, verdict: Verdict | None) -> Json:
    """Return the answer of /siaa/enrutar, explained if `verdict`, whether the chat would answer, is given."""
    answer: Json = {
        "pregunta": routed.query.raw,
        "doc_especifico": routed.query.names_document,
        "max_docs_usados": routed.max_docs,
        "docs_encontrados": [_document(found.document) for found in routed.documents],
    }
    if verdict is not None:
        answer["explicacion"] = {
            "documentos": [_levels(found) for found in routed.documents],
            "por_debajo": [_levels(found) for found in routed.below],
            "normas_ausentes": list(routed.missing),
            "rechazo": _verdict(verdict),
        }
    return answer


def fragment(query: Query, selected: Selected, *, missing: Sequence[str] = (), verdict: Verdict | None = None) -> Json:
    """Return the answer of /siaa/fragmento, explained if `verdict` is given: whether this fragment can answer.

    `missing` are the named norms that the index lacks.
    """
    answer: Json = {
        "documento": selected.document.name,
        "pregunta": query.raw,
        "fragmento": selected.fragment.text,
        "chars": selected.fragment.chars,
    }
    if verdict is not None:
        answer["explicacion"] = {
            "trozos": [_signals(scored) for scored in selected.chosen],
            "por_debajo": [_signals(scored) for scored in selected.below],
            "normas_ausentes": list(missing),
            "rechazo": _verdict(verdict),
        }
    return answer


def keywords(document: DocumentRecord) -> Json:
    """Return the answer of /siaa/keywords."""
    return {
        "doc": document.name,
        "coleccion": document.collection,
        "keywords": [keyword.term for keyword in document.keywords],
        "detalle": [
            {"termino": keyword.term, "peso": round(keyword.weight, SCORE_DECIMALS), "origen": keyword.origin}
            for keyword in document.keywords
        ],
    }


def density(term: str, found: Density) -> Json:
    """Return the answer of /siaa/densidad."""
    return {
        "termino": term,
        "top_docs": [{"doc": row.document.name, "densidad": round(row.value, DENSITY_DECIMALS)} for row in found.rows],
        "total_docs": found.documents,
    }


def tokens(query: Query, trace: Trace) -> Json:
    """Return the answer of /siaa/debug_tokens."""
    return {
        "pregunta_original": query.raw,
        "pregunta_normalizada": query.normalised,
        "tokens": list(query.words),
        "referencias": [reference.token for reference in query.references],
        "expansion": list(query.expansion),
        "correcciones": dict(query.corrections),
        "tokens_con_match": {term: [d.name for d in found] for term, found in trace.matches.items()},
        "tokens_sin_match": list(trace.unmatched),
        "docs_candidatos": [document.name for document in trace.candidates],
    }


def documents(generation: Generation, *, collection: str | None, text: str | None) -> Json:
    """Return the answer of /siaa/documentos: those of `collection` whose name or title holds every word of `text`."""
    words = fold(text or "").split()
    chosen = [
        document
        for document in generation.documents
        if (collection is None or document.collection == collection)
        and all(word in fold(f"{document.name} {document.title}") for word in words)
    ]
    return {"total": len(chosen), "documentos": [_listed(document) for document in chosen]}


def state(
    generation: Generation | None,
    *,
    version: str,
    model: str | None,
    model_available: bool,
    active: int,
    since: float | None,
    problem: str | None,
    failed: BuildOutcome | None,
    figures: CacheFigures,
) -> Json:
    """Return the answer of /siaa/estado.

    `model` None means the extractive answer; `since` is seconds of the epoch; `problem` says why the published
    generation is not the one in service, `failed` how the last build ended when it published nothing.
    """
    manifest = generation.manifest if generation else None
    return {
        "status": ("degradado" if problem else "ok") if generation else "sin_indice",
        "version": version,
        "generacion": generation.name if generation else None,
        "documentos_cargados": manifest.documents if manifest else 0,
        "chunks": manifest.passages if manifest else 0,
        "colecciones": dict(manifest.collections) if manifest else {},
        "model": model if model is not None else "extractivo",
        "modelo_disponible": model_available,
        "usuarios_activos": active,
        "cache": cache(figures),
        "indice": {
            "construido": manifest.created if manifest else None,
            "actualizado": datetime.fromtimestamp(since, UTC).isoformat(timespec="seconds") if since else None,
            **({"problema": problem} if problem else {}),
            **({"construccion_fallida": failed.to_json()} if failed else {}),
        },
    }


def cache(figures: CacheFigures) -> Json:
    """Return the figures of the answer cache."""
    return {
        "entradas": figures.entries,
        "max": figures.max_entries,
        "hits": figures.hits,
        "misses": figures.misses,
        "hit_rate": round(figures.hit_rate, SCORE_DECIMALS),
        "ttl_seg": figures.ttl,
    }


def chat_event(event: Event) -> Json:
    """Return one event of /siaa/chat."""
    match event:
        case Found():
            listed = [{"doc": name, "coleccion": collection} for name, collection in event.documents]
            return {"documentos": listed, "pregunta_buscada": event.searched}
        case Delta():
            return {"choices": [{"delta": {"content": event.text}}]}
        case Sources():
            return {
                "fuentes": [_source(number, source) for number, source in enumerate(event.sources, start=1)],
                "oraciones": [_sentence(sentence) for sentence in event.sentences],
            }
        case Nearest():
            return {"cercano": _nearest(event)}


def citation(number: int, found: Citation) -> Json:
    """Return one citation of /siaa/citas/verificar."""
    source = found.source
    return {
        "n": number,
        "inicio": found.start,
        "fin": found.end,
        "texto": found.text,
        "referencias": list(found.references),
        "estado": found.state.value,
        "motivo": told_all(found.reasons),
        "fuente": {key: value for key, value in _source(0, source).items() if key not in ("n", "estado")}
        if source
        else None,
    }


def link(source: Source) -> str:
    """Return where /siaa/ver shows a source: at its article or its heading, with its very words marked."""
    section = f"art-{source.article}" if source.article else source.heading
    place = f"sec={quote(section, safe='')}&" if section else ""
    return f"/siaa/ver/{quote(source.name)}?{place}cita={source.start}-{source.end}#{CITED_ANCHOR}"


def _verdict(verdict: Verdict) -> Json:
    return {
        "valor": round(verdict.value, SCORE_DECIMALS),
        "decision": verdict.decision.value,
        "motivo": told(verdict.reason),
    }


def _document(document: DocumentRecord) -> Json:
    return {
        "doc": document.name,
        "tamano": document.size,
        "coleccion": document.collection,
        "chunks": document.passage_count,
    }


def _listed(document: DocumentRecord) -> Json:
    return {
        "doc": document.name,
        "titulo": document.title,
        "coleccion": document.collection,
        "tamano": document.size,
        "chunks": document.passage_count,
        "articulos": list(document.articles),
        "avisos": list(document.warnings),
    }


def _levels(found: RoutedDocument) -> Json:
    return {
        "doc": found.document.name,
        "puntaje": round(found.score, SCORE_DECIMALS),
        "niveles": [{"nivel": LEVEL_OF[row["senal"]], **row} for row in _contributions(found.contributions)],
    }


def _signals(scored: ScoredPassage) -> Json:
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


def _contributions(contributions: Iterable[Contribution]) -> list[Json]:
    return [{"senal": c.signal, "puntos": round(c.points, SCORE_DECIMALS), "motivo": c.why} for c in contributions]


def _source(number: int, source: Source) -> Json:
    return {
        "n": number,
        "doc": source.name,
        "coleccion": source.collection,
        "titulo": source.title,
        "articulo": source.article,
        "cita": source.text,
        "inicio": source.start,
        "fin": source.end,
        "estado": source.state,
        "enlace": link(source),
    }


def _sentence(sentence: Sentence) -> Json:
    return {"inicio": sentence.start, "fin": sentence.end, "estado": sentence.state, "fuente": sentence.source}


def _nearest(event: Nearest) -> Json | None:
    if event.source is None:
        return None
    source = event.source
    return {"doc": source.name, "articulo": source.article, "cita": source.text, "motivo": why_nearest(event.reasons)}
