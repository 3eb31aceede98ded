"""Gather, once per question, the evidence that routing and selection share."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from siaa.naming import Evidence, NameIndex
from siaa.question import Query
from siaa.search.bm25f import Floats, Ints
from siaa.search.index import SearchIndex, TermIds

WRITTEN_SHARE = 0.5  # of a question's own word, what a word counts that documents write for an everyday one
_PASSAGE_SHARES = (1.0, 0.5, 0.25)  # what a document's best, second and third passage count
_POOL = 400  # passages, best first, that speak for their documents
_MIN_LITERAL_WORDS = 3  # words from which a question is worth finding word for word
_MOST_LITERAL = 300  # passages searched for the question word for word


class Evidences:
    """A question's evidence over one generation, each part computed when first asked for."""

    def __init__(self, query: Query, index: SearchIndex, names: NameIndex, passages: Floats | None = None) -> None:
        self.query = query
        self.index = index
        self.names = names
        self.terms: TermIds = index.terms(query.stems, query.words)
        self._scores = passages

    @cached_property
    def scores(self) -> Floats:
        """Return the score of every passage, shape (P,)."""
        return self.index.passage_scores(self.terms) if self._scores is None else self._scores

    @cached_property
    def attainable(self) -> float:
        """Return the score that no passage can pass, at least a tiny number."""
        return max(self.index.attainable(self.terms), 1e-6)

    @cached_property
    def pool(self) -> Ints:
        """Return the best passages of the whole index, best first."""
        return self.index.top(self.scores, _POOL, self.terms)

    @cached_property
    def best_passages(self) -> Evidence:
        """Return what the three best passages of each document reach by the question's own words."""
        return self._of_best_passages(self.pool, self.scores, self.attainable)

    @cached_property
    def best_written_passages(self) -> Evidence:
        """Return what they reach with what documents write for the everyday ones, which may be all that is known."""
        own = self.attainable if self.terms.stems else WRITTEN_SHARE * self.index.attainable(self._written_terms)
        return self._of_best_passages(self.written_pool, self.written_scores, max(own, 1e-6))

    def _of_best_passages(self, pool: Ints, scores: Floats, attainable: float) -> Evidence:
        """Return, per document, its best passages among `pool`, weighed 1, 1/2, 1/4, as a share of `attainable`."""
        evidence = np.zeros(self.index.document_count, dtype=np.float32)
        seen: dict[int, int] = {}
        owners = self.index.arrays.passage_document[pool].tolist()
        for document, score in zip(owners, (scores[pool] / attainable).tolist(), strict=True):
            rank = seen.get(document, 0)
            seen[document] = rank + 1
            if rank < len(_PASSAGE_SHARES):
                evidence[document] += _PASSAGE_SHARES[rank] * score
        return evidence / np.float32(sum(_PASSAGE_SHARES))

    @cached_property
    def written_scores(self) -> Floats:
        """Return the scores with what documents write for everyday words, as far as the question's own find little.

        Where a passage holds all of the question, its words are those of the documents, and none is added.
        """
        lacking = max(0.0, 1 - float(self.scores.max(initial=0.0)) / self.attainable)
        added = self.index.passage_scores(self._written_terms)
        return self.scores + np.float32(WRITTEN_SHARE * lacking) * added

    @cached_property
    def written_pool(self) -> Ints:
        """Return the best passages by `written_scores`, best first."""
        terms = TermIds((*self.terms.stems, *self._written_terms.stems), ())
        return self.index.top(self.written_scores, _POOL, terms)

    @cached_property
    def _written_terms(self) -> TermIds:
        return self.index.terms(self.query.written, ())

    @cached_property
    def said(self) -> str:
        """Return the everyday expressions of the question for which the index has what is written, for a reason."""
        held = (e.said for e in self.query.everyday if any(self.index.has_stem(stem) for stem in e.written))
        return " o ".join(f"«{said}»" for said in dict.fromkeys(held))

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
