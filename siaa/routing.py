"""Choose the documents that may answer: a table of levels, each giving every document evidence between 0 and 1.

A document's score is the sum of weight times evidence over the levels; the weights are the profile's. The levels of
the contract: 1 keywords, 2 density, 3 name, 4 passages. Preferences order documents that have evidence of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from siaa.evidence import Evidences
from siaa.model import Contribution
from siaa.naming import Evidence
from siaa.profile import Profile
from siaa.question import Query
from siaa.records import DocumentRecord

_ARTICLE_POOL = 60  # passages among which the article asked for is looked for
_SURE_NORM, _DOUBTFUL_NORM = 0.9, 0.7  # norm evidence: named for sure; below the second, another document
PREFERENCE = "preferencia"  # the level of signals that say nothing of the question, only which of two alike goes first
_BELOW = 3  # documents just below the line that an explanation shows
_DENSITY_FLOOR = 50  # stems: a shorter document does not gain density by being short


@dataclass(frozen=True, slots=True)
class RoutedDocument:
    """A document and why: its score is the sum of its contributions, by construction."""

    document: DocumentRecord
    contributions: tuple[Contribution, ...]

    @property
    def score(self) -> float:
        """Return the sum of the points."""
        return sum(contribution.points for contribution in self.contributions)


@dataclass(frozen=True, slots=True)
class Routed:
    """The documents chosen for a question, best first, those just below the line, and named norms not in the index.

    `evidences` is what was computed on the way, so that choosing passages need not compute it again.
    """

    query: Query
    documents: tuple[RoutedDocument, ...]
    max_docs: int
    below: tuple[RoutedDocument, ...]
    missing: tuple[str, ...]
    evidences: Evidences | None = field(default=None, repr=False, compare=False)


def passages_level(e: Evidences) -> Evidence:
    """Weigh a document's three best passages 1, 1/2, 1/4, each as a share of the score attainable."""
    return e.best_passages


def everyday_level(e: Evidences) -> Evidence:
    """Return what a document gains at the level of passages by words that documents write for everyday ones."""
    if not e.query.written:
        return np.zeros(e.index.document_count, dtype=np.float32)
    gained: Evidence = np.clip(e.best_written_passages - e.best_passages, np.float32(0), np.float32(1))
    return gained


def document_level(e: Evidences) -> Evidence:
    """Score documents as wholes with BM25, as a share of the score attainable."""
    attainable = 2.2 * sum(e.idf.values())
    return e.index.document_scores(e.terms) / np.float32(max(attainable, 1e-6))


def density_level(e: Evidences) -> Evidence:
    """Weigh how dense the question's terms are in a document by their idf, as a share of the densest one."""
    density = np.zeros(e.index.document_count, dtype=np.float32)
    arrays = e.index.arrays
    for stem in e.terms.stems:
        span = slice(arrays.document_ptr[stem], arrays.document_ptr[stem + 1])
        density[arrays.document_ids[span]] += arrays.document_counts[span] * arrays.document_idf[stem]
    density /= np.maximum(arrays.document_length, _DENSITY_FLOOR)
    return density / max(float(density.max(initial=0.0)), 1e-9)


def article_level(e: Evidences) -> Evidence:
    """Give a document the share of its best passage that belongs to the article asked for.

    When one document is the norm named for sure, the others get nothing for having an article of that number.
    """
    evidence = np.zeros(e.index.document_count, dtype=np.float32)
    if not e.query.articles:
        return evidence
    only_named = e.norms.size > 0 and float(e.norms.max()) >= _SURE_NORM
    for passage in e.pool[:_ARTICLE_POOL].tolist():
        document = int(e.index.arrays.passage_document[passage])
        if e.index.article(passage) in e.query.articles and not (only_named and e.norms[document] < _DOUBTFUL_NORM):
            evidence[document] = max(evidence[document], e.scores[passage] / e.attainable)
    return evidence


def literal_level(e: Evidences) -> Evidence:
    """Give 1 to a document with a passage that holds the whole question, word for word."""
    evidence = np.zeros(e.index.document_count, dtype=np.float32)
    evidence[[int(e.index.arrays.passage_document[p]) for p in e.literal]] = 1.0
    return evidence


@dataclass(frozen=True, slots=True)
class RoutingLevel:
    """A row of the routing table: the signal's name (its weight is in the profile), level, evidence and reason."""

    signal: str
    level: str
    evidence: Callable[[Evidences], Evidence]
    why: str  # Spanish, {value} is the evidence, {said} the everyday words of the question that led there


ROUTING_LEVELS: tuple[RoutingLevel, ...] = (
    RoutingLevel(
        "claves_automaticas",
        "palabras clave",
        lambda e: e.names.automatic_keywords(e.query.stems, e.idf),
        "sus palabras clave automáticas cubren {value:.0%} de la pregunta",
    ),
    RoutingLevel(
        "claves_manuales",
        "palabras clave",
        lambda e: e.names.manual_keywords(e.query.name_stems),
        "la pregunta contiene una de sus palabras clave manuales",
    ),
    RoutingLevel(
        "siglas",
        "palabras clave",
        lambda e: e.names.acronym_match(e.query.acronyms),
        "la pregunta lo nombra por sus siglas",
    ),
    RoutingLevel(
        "densidad",
        "densidad",
        lambda e: density_level(e),
        "densidad de los términos: {value:.0%} de la del documento más denso",
    ),
    RoutingLevel(
        "documento",
        "densidad",
        lambda e: document_level(e),
        "el documento entero reúne {value:.0%} de lo alcanzable",
    ),
    RoutingLevel(
        "nombre_archivo",
        "nombre",
        lambda e: e.names.file_cover(e.query.name_stems),
        "palabras de la pregunta en el nombre del archivo",
    ),
    RoutingLevel(
        "alias",
        "nombre",
        lambda e: e.names.alias_cover(e.query.name_stems),
        "la pregunta contiene palabras de su título o nombre",
    ),
    RoutingLevel(
        "alias_literal",
        "nombre",
        lambda e: e.names.alias_phrase(e.query.name_stems, e.query.name_sequence),
        "la pregunta contiene entero uno de sus nombres",
    ),
    RoutingLevel(
        "destinatario",
        "nombre",
        lambda e: e.names.addressed(e.query.addressee),
        "la pregunta empieza por su nombre y dos puntos",
    ),
    RoutingLevel("norma", "nombre", lambda e: e.norms, "es la norma que la pregunta nombra ({value:.0%} de certeza)"),
    RoutingLevel(
        "pasajes",
        "pasajes",
        lambda e: passages_level(e),
        "sus mejores pasajes reúnen {value:.0%} de lo alcanzable",
    ),
    RoutingLevel(
        "cotidianas", "pasajes", lambda e: everyday_level(e), "contiene lo que los documentos escriben por {said}"
    ),
    RoutingLevel("articulo", "pasajes", lambda e: article_level(e), "contiene el artículo pedido"),
    RoutingLevel("pregunta_literal", "pasajes", lambda e: literal_level(e), "un pasaje contiene la pregunta entera"),
    RoutingLevel(
        "rango", PREFERENCE, lambda e: e.names.supreme, "es la Constitución: va antes que las normas que la repiten"
    ),
    RoutingLevel(
        "edicion_anterior", PREFERENCE, lambda e: e.names.superseded, "hay una edición más nueva con el mismo nombre"
    ),
    RoutingLevel("derogado", PREFERENCE, lambda e: e.names.repealed, "consta como no vigente"),
    RoutingLevel("formulario", PREFERENCE, lambda e: e.names.forms, "es un formulario en blanco, no una explicación"),
)


def route(
    evidences: Evidences,
    documents: Sequence[DocumentRecord],
    *,
    profile: Profile,
    max_docs: int,
    collection: str | None = None,
) -> Routed:
    """Return the documents with the most evidence, at most `max_docs`, or one when the question names a document.

    Documents without any evidence are never returned; preferences only order those that have some. Ties go to the path
    that sorts first.
    """
    rows = [(level, profile.routing.get(level.signal, 0.0)) for level in ROUTING_LEVELS]
    parts = [(level, weight * level.evidence(evidences)) for level, weight in rows if weight]
    found = _sum((part for level, part in parts if level.level != PREFERENCE), len(documents)) > 0
    if collection is not None:
        found &= np.array([document.collection == collection for document in documents], dtype=bool)
    total = np.where(found, _sum((part for _, part in parts), len(documents)), -np.inf)
    limit = 1 if evidences.query.names_document else max_docs
    order = [int(d) for d in np.argsort(-total, kind="stable")[: limit + _BELOW] if found[d]]
    ranked = tuple(RoutedDocument(documents[d], _contributions(parts, d, profile, evidences)) for d in order)
    missing = tuple(r.token for r in evidences.query.norms if evidences.names.lacks_norm(r))
    return Routed(evidences.query, ranked[:limit], limit, ranked[limit:], missing, evidences)


def _sum(parts: Iterable[Evidence], documents: int) -> Evidence:
    return sum(parts, start=np.zeros(documents, dtype=np.float32))


def _contributions(
    parts: Sequence[tuple[RoutingLevel, Evidence]], document: int, profile: Profile, evidences: Evidences
) -> tuple[Contribution, ...]:
    return tuple(
        Contribution(
            level.signal,
            float(part[document]),
            level.why.format(value=float(part[document]) / profile.routing[level.signal], said=evidences.said),
        )
        for level, part in parts
        if part[document]
    )
