"""The question that any search engine behind SIAA answers: which passages hold these terms best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol


class Hit(NamedTuple):
    """A passage, by its position in the index, and its score, above 0."""

    passage: int
    score: float


class PassageSearch(Protocol):
    """Rank passages by ready terms. Unknown terms count nothing; a repeated term counts once; ties go by position.

    `within` are the passages that may be returned, as runs of positions (a document, the documents of a collection);
    None stands for all. A filter never changes a score.
    """

    def top_in_field(
        self, field: str, terms: Sequence[str], count: int, *, within: Sequence[range] | None = None
    ) -> list[Hit]:
        """Return the `count` best passages by Whoosh's BM25F over one scored field.

        Raises KeyError for a field that is not scored.
        """

    def top(
        self, stems: Sequence[str], words: Sequence[str], count: int, *, within: Sequence[range] | None = None
    ) -> list[Hit]:
        """Return the `count` best passages by true BM25F over body, heading path and title, and surface words."""
