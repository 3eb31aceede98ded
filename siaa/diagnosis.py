"""Show how an index sees words: where a term is densest, and which documents hold each word of a question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from siaa.errors import SiaaError
from siaa.generation import Generation
from siaa.question import Query
from siaa.records import DocumentRecord
from siaa.retrieval import Retriever

_ROWS = 10  # documents shown per term
_SUGGESTIONS = 5


class UnknownTermError(SiaaError):
    """The term is in no document; `suggestions` holds the nearest terms of the index."""

    code = "termino_desconocido"


@dataclass(frozen=True, slots=True)
class DensityRow:
    """A document and the share of its terms that one term is."""

    document: DocumentRecord
    value: float


@dataclass(frozen=True, slots=True)
class Density:
    """Where a term is densest, best first, and how many documents hold it."""

    rows: tuple[DensityRow, ...]
    documents: int


@dataclass(frozen=True, slots=True)
class Trace:
    """How the index sees the words of a question: the documents that hold each, and the words no document holds."""

    matches: Mapping[str, tuple[DocumentRecord, ...]]
    unmatched: tuple[str, ...]
    candidates: tuple[DocumentRecord, ...]


def density_of(term: str, generation: Generation) -> Density:
    """Return the documents in which `term`, analysed as the index does, is densest.

    Raises UnknownTermError with near terms.
    """
    words = [token.word for token in generation.analyzer.tokens(term)]
    found = _densest(words[0], generation) if len(words) == 1 else None
    if found is None or not found.rows:
        raise UnknownTermError(_why_unknown(term, words, generation), suggestions=_near_terms(words, generation))
    return found


def trace(query: Query, retriever: Retriever) -> Trace:
    """Return how the index sees each word of a question."""
    found = {word: _densest(word, retriever.generation).rows for word in query.words}
    routed = retriever.route(query)
    return Trace(
        matches={word: tuple(row.document for row in rows) for word, rows in found.items() if rows},
        unmatched=tuple(word for word, rows in found.items() if not rows),
        candidates=tuple(item.document for item in (*routed.documents, *routed.below)),
    )


def _densest(word: str, generation: Generation) -> Density:
    """Return the documents in which the stem of a word is densest, ties in the order of the documents."""
    index = generation.index
    stem = index.names.stems.ids.get(generation.analyzer.stem(word))
    if stem is None:
        return Density((), 0)
    holders, densities = index.densities(stem)
    best = np.argsort(-densities, kind="stable")[:_ROWS].tolist()
    rows = (DensityRow(generation.documents[int(holders[place])], float(densities[place])) for place in best)
    return Density(tuple(rows), int(holders.size))


def _why_unknown(term: str, words: Sequence[str], generation: Generation) -> str:
    if not words:
        return "El término no tiene letras ni cifras: escriba una palabra."
    if len(words) > 1:
        return f"«{term}» son {len(words)} palabras y la densidad es la de una: pregunte por cada una."
    if words[0] in generation.analyzer.tables.stop_words:
        return f"«{term}» es una palabra vacía, que no se indexa: pregunte por otra."
    return f"El término «{term}» no está en ningún documento: pruebe con una palabra parecida."


def _near_terms(words: Sequence[str], generation: Generation) -> tuple[str, ...]:
    near = (row for word in words for row in generation.index.near_words(word[:40], max_distance=2))
    return tuple(dict.fromkeys(word for word, _, _ in near))[:_SUGGESTIONS]
