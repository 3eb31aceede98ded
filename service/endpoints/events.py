"""Turn what an answer is made of into the objects of the contract.

`prefix` is the path below which the client knows the service (`service.http.proxy.prefix`): links begin with it. It is
handed in because the events of a stream are written when its request is over.
"""

from __future__ import annotations

from urllib.parse import quote

from service import shapes
from service.endpoints.cited_span import CITED_ANCHOR
from siaa.answering.events import Delta, Event, Found, Nearest, Source, Sources
from siaa.answering.wording import why_nearest

Telling = shapes.EventoDocumentos | shapes.EventoFuentes | shapes.EventoCercano


def chat_event(event: Event, prefix: str) -> shapes.EventoTexto | Telling:
    """Return one event of /siaa/chat."""
    return {"choices": [{"delta": {"content": event.text}}]} if isinstance(event, Delta) else told_event(event, prefix)


def told_event(event: Found | Sources | Nearest, prefix: str) -> Telling:
    """Return one event of those that tell of the answer and hold nothing of its text."""
    match event:
        case Found():
            searched = [shapes.Buscado(doc=name, coleccion=collection) for name, collection in event.documents]
            return {"documentos": searched, "pregunta_buscada": event.searched}
        case Sources():
            sources = [
                shapes.Fuente(n=number, **_passage(each), estado=each.state, enlace=_link(each, prefix))
                for number, each in enumerate(event.sources, start=1)
            ]
            sentences = [
                shapes.Oracion(inicio=each.start, fin=each.end, estado=each.state, fuente=each.source)
                for each in event.sentences
            ]
            return {"fuentes": sources, "oraciones": sentences}
        case Nearest():
            if (near := event.source) is None:
                return {"cercano": None}
            told = shapes.Cercano(
                doc=near.name, articulo=near.article, cita=near.text, motivo=why_nearest(event.reasons)
            )
            return {"cercano": told}


def place(source: Source, prefix: str) -> shapes.Lugar:
    """Return where a citation stands."""
    return {**_passage(source), "enlace": _link(source, prefix)}


def _passage(source: Source) -> shapes.Pasaje:
    return {
        "doc": source.name,
        "coleccion": source.collection,
        "titulo": source.title,
        "articulo": source.article,
        "cita": source.text,
        "inicio": source.start,
        "fin": source.end,
    }


def _link(source: Source, prefix: str) -> str:
    """Return where /siaa/ver shows a source: at its article or its heading, with its very words marked."""
    section = f"art-{source.article}" if source.article else source.heading
    at = f"sec={quote(section, safe='')}&" if section else ""
    return f"{prefix}/siaa/ver/{quote(source.name)}?{at}cita={source.start}-{source.end}#{CITED_ANCHOR}"
