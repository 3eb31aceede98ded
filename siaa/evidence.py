"""Gather, once per question, the evidence that routing and selection share."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from siaa.generation import Generation
from siaa.naming import Evidence, NameIndex
from siaa.question import Query
from siaa.search.bm25f import Floats, Ints
from siaa.search.index import TermIds

_POOL = 400  # passages, best first, that speak for their documents
_MIN_LITERAL_WORDS = 3  # words from which a question is worth finding word for word
_MOST_LITERAL = 300  # passages searched for the question word for word


class Evidences:
    """A question's evidence over one generation, each part computed when first asked for."""

    def __init__(self, query: Query, generation: Generation, names: NameIndex) -> None:
        self.query = query
        self.generation = generation
        self.index = generation.index
        self.names = names
        self.terms: TermIds = self.index.terms(query.stems, query.words)

    @cached_property
    def scores(self) -> Floats:
        """Return the score of every passage, shape (P,)."""
        return self.index.passage_scores(self.terms)

    @cached_property
    def attainable(self) -> float:
        """Return the score that no passage can pass, at least a tiny number."""
        return max(self.index.attainable(self.terms), 1e-6)

    @cached_property
    def pool(self) -> Ints:
        """Return the best passages of the whole index, best first."""
        return self.index.top(self.scores, _POOL, self.terms)

    @cached_property
    def norms(self) -> Evidence:
        """Return how surely each document is a norm the question names."""
        return self.names.norm_match(self.query.norms)

    @cached_property
    def literal(self) -> tuple[int, ...]:
        """Return the passages that hold the whole question, of at least three words, word for word.

        Where very many hold its words, only the best are looked at: they are copies of one text.
        """
        if len(self.query.sequence) < _MIN_LITERAL_WORDS:
            return ()
        content = [word for word in self.query.sequence if self.index.is_content(word)]
        holding = self.index.passages_with_words(content)
        if holding.size > _MOST_LITERAL:
            holding = np.sort(holding[np.argsort(-self.scores[holding], kind="stable")[:_MOST_LITERAL]])
        return tuple(self.index.holding_sequence(holding, self.query.sequence))

    @cached_property
    def idf(self) -> Mapping[str, float]:
        """Return the document idf of the question's stems."""
        ids = self.index.names.stems.ids
        return {s: float(self.index.arrays.document_idf[ids[s]]) for s in self.query.stems if s in ids}
