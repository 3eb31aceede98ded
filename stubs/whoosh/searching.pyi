from collections.abc import Set

from whoosh.query import Query
from whoosh.reading import IndexReader
from whoosh.scoring import WeightingModel

class Results:
    top_n: list[tuple[float, int]]

class Searcher:
    def __init__(self, reader: IndexReader, weighting: WeightingModel) -> None: ...
    def search(self, q: Query, *, limit: int, filter: Set[int] | None, optimize: bool) -> Results: ...
