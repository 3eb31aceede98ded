"""Choose the passages of one document that answer: a base score inside the document, then a table of signals.

The base of `calibrado` is BM25F over body and heading path with the idf computed inside the document: a word that is
all over this document says nothing about which of its passages is meant. Each signal may add a contribution; the
score is their sum, by construction.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from siaa.candidates import Candidates
from siaa.generation import Passage
from siaa.model import Contribution, Scored
from siaa.profile import Profile
from siaa.search.arrays import IS_LIST


@dataclass(frozen=True, slots=True)
class ScoredPassage(Scored):
    """A passage and why."""

    passage: Passage
    contributions: tuple[Contribution, ...]


Signal = Callable[[Candidates, int, float], Contribution | None]  # candidates, passage, weight


def _measured(name: str, measure: Callable[[Candidates, int], float], why: str) -> Signal:
    """Return the signal that adds its weight times what is measured of a passage; nothing for 0."""

    def signal(c: Candidates, passage: int, weight: float) -> Contribution | None:
        value = measure(c, passage)
        return Contribution(name, weight * value, why.format(value=value)) if value else None

    return signal


def _own_article(c: Candidates, passage: int, weight: float) -> Contribution | None:
    """Add `weight` when the passage belongs to the article asked for."""
    article = c.index.article(passage)
    if article not in c.query.articles:
        return None
    return Contribution("articulo_propio", weight, f"pertenece al artículo pedido ({article})")


def _mention(name: str, *, degree: bool) -> Signal:
    """Return the signal that adds its weight when the passage of another article mentions the one asked for."""

    def signal(c: Candidates, passage: int, weight: float) -> Contribution | None:
        numbers = [a for a in c.query.articles if a[0].isdigit() and a != c.index.article(passage)]
        text = c.generation.passage(passage).text if numbers else ""
        for number in numbers:
            mention = re.search(rf"\bart(?:[íi]culo|\.)\s*0*{re.escape(number)}(?!\d)\s?([º°])?", text, re.IGNORECASE)
            if mention and bool(mention[1]) == degree:
                return Contribution(name, weight, f"menciona el artículo {number}{'°' if degree else ''}")
        return None

    return signal


_MEASURES: tuple[tuple[str, Callable[[Candidates, int], float], str], ...] = (
    ("pregunta_literal", lambda c, p: p in c.literal, "contiene la pregunta entera"),  # contract: +15
    ("lista", lambda c, p: c.flag(p, IS_LIST), "contiene una lista"),  # contract: +4
    # contract: up to +20
    ("proximidad", lambda c, p: c.proximity.get(p, 0.0), "{value:.0%} de la pregunta junta en 150 caracteres"),
    ("encabezado", Candidates.heading_cover, "la pregunta cubre {value:.0%} de su encabezado"),
    ("inicio", Candidates.opens_article, "abre un artículo o el documento"),
    ("extremos", lambda c, p: p in c.ends, "abre o cierra el documento nombrado"),
    ("sinonimos", lambda c, p: c.at(c.synonyms, p), "contiene sinónimos de la pregunta"),
    ("parientes", lambda c, p: c.at(c.kindred, p), "contiene palabras de la misma familia"),
    ("vecino", lambda c, p: c.at(c.beside, p), "continúa un pasaje que responde"),
    ("expansion", Candidates.expansion_share, "contiene palabras de esa clase de pregunta"),  # contract
)

SIGNALS: dict[str, Signal] = {
    **{name: _measured(name, measure, why) for name, measure, why in _MEASURES},
    "articulo_propio": _own_article,
    "articulo_grado": _mention("articulo_grado", degree=True),
    "articulo_mencion": _mention("articulo_mencion", degree=False),
}


def rank_passages(candidates: Candidates, profile: Profile) -> list[ScoredPassage]:
    """Return the candidates with a score, best first, ties in document order."""
    active = [(SIGNALS[name], weight) for name, weight in profile.selection.items() if weight]
    scored = []
    for number in candidates.passages.tolist():
        base = candidates.at(candidates.base, number)
        contributions = [Contribution("base", base, "términos de la pregunta en el pasaje")] if base else []
        contributions += [c for signal, weight in active if (c := signal(candidates, number, weight))]
        scored.append(ScoredPassage(candidates.generation.passage(number), tuple(contributions)))
    return sorted((s for s in scored if s.score > 0), key=lambda s: (-s.score, s.passage.number))
