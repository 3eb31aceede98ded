"""The engines that are compared, each fed with the same ready terms, and each asked for its best passages."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Protocol

import bm25s
import tantivy
from whoosh.query import Or, Term
from whoosh.scoring import BM25F
from whoosh.searching import Searcher

from siaa.search import bm25f, whoosh_index
from tests.bench.terms import Terms
from tests.oracle.array_search import ArraySearch
from tests.oracle.field_impacts import SCORED

BODY, WORDS = whoosh_index.BODY, whoosh_index.WORDS
STEM_FIELDS = (whoosh_index.BODY, whoosh_index.HEADING, whoosh_index.TITLE)


class Engine(Protocol):
    """An engine under test. `prepare` writes its index once; the constructor opens it."""

    name: ClassVar[str]
    fields: ClassVar[tuple[str, ...]]

    @staticmethod
    def prepare(folder: Path, terms: Terms) -> None:
        """Write the index into the fresh `folder`."""

    def top(self, stems: Sequence[str], words: Sequence[str], count: int) -> list[int]:
        """Return the best passages."""


class SiaaField:
    """The arrays, over one field. They are made from the Whoosh index: that is the time they take beside it."""

    name, fields = "SIAA", (BODY,)

    @staticmethod
    def prepare(folder: Path, terms: Terms) -> None:
        terms.write_arrays(folder)

    def __init__(self, folder: Path) -> None:
        self._search = ArraySearch.open(folder / "arrays")

    def top(self, stems: Sequence[str], words: Sequence[str], count: int) -> list[int]:
        return [hit.passage for hit in self._search.top_in_field(BODY, stems, count)]

    def exhaustive_top(self, stems: Sequence[str], count: int) -> list[int]:
        """Rank every passage, as `WhooshField.exhaustive_top`."""
        hits = self._search.top_in_field(BODY, stems, self._search.index.passage_count)
        return _best(((hit.score, hit.passage) for hit in hits), count)


class SiaaAll(SiaaField):
    """The arrays, over all fields, as the service ranks."""

    name, fields = "SIAA", (*STEM_FIELDS, WORDS)

    def top(self, stems: Sequence[str], words: Sequence[str], count: int) -> list[int]:
        return [hit.passage for hit in self._search.top(stems, words, count)]


class WhooshField:
    """Whoosh as it comes, with the parameters of SIAA."""

    name, fields = "Whoosh", (BODY,)

    @staticmethod
    def prepare(folder: Path, terms: Terms) -> None:
        whoosh_index.write_index(folder / "whoosh", terms.passages())

    def __init__(self, folder: Path) -> None:
        self._opened = whoosh_index.open_reader(folder / "whoosh")
        b_of = {f"{name}_B": weight.b for name, weight in SCORED.items()}
        self._searcher = Searcher(self._opened.__enter__(), weighting=BM25F(K1=bm25f.K1, **b_of))

    def top(self, stems: Sequence[str], words: Sequence[str], count: int) -> list[int]:
        return self._ask([Term(BODY, stem) for stem in stems], count)

    def exhaustive_top(self, stems: Sequence[str], count: int) -> list[int]:
        """Rank every passage. With a limit Whoosh skips blocks by a bound that is at times too low, and loses some."""
        found = self._searcher.search(Or([Term(BODY, stem) for stem in stems]), limit=None).top_n
        return _best(found, count)

    def _ask(self, terms: list[Any], count: int) -> list[int]:
        return [passage for _, passage in self._searcher.search(Or(terms), limit=count).top_n]


def _best(found: Iterable[tuple[float, int]], count: int) -> list[int]:
    """Return the best passages, ties by position. Engines add up in different orders: their last bits differ."""
    return [passage for _, passage in sorted((-round(score, 9), passage) for score, passage in found)[:count]]


class WhooshAll(WhooshField):
    name, fields = "Whoosh", (*STEM_FIELDS, WORDS)

    def top(self, stems: Sequence[str], words: Sequence[str], count: int) -> list[int]:
        terms = [Term(field, stem) for stem in stems for field in STEM_FIELDS]
        return self._ask(terms + [Term(WORDS, word) for word in words], count)


class TantivyField:
    """tantivy with one segment and one thread; queries are built from terms, nothing is parsed."""

    name, fields = "tantivy", (BODY,)

    @staticmethod
    def prepare(folder: Path, terms: Terms) -> None:
        index = tantivy.Index(_tantivy_schema(), path=str(_fresh(folder / "tantivy")))
        writer = index.writer(heap_size=300_000_000, num_threads=1)
        for row in terms.rows():
            writer.add_document(tantivy.Document(**{field: [" ".join(found)] for field, found in row.items()}))
        writer.commit()
        writer.wait_merging_threads()

    def __init__(self, folder: Path) -> None:
        self._schema = _tantivy_schema()
        self._index = tantivy.Index(self._schema, path=str(folder / "tantivy"))
        self._searcher = self._index.searcher()

    def top(self, stems: Sequence[str], words: Sequence[str], count: int) -> list[int]:
        return self._ask([(BODY, stem) for stem in stems], count)

    def _ask(self, terms: list[tuple[str, str]], count: int) -> list[int]:
        parts = [
            (tantivy.Occur.Should, tantivy.Query.term_query(self._schema, field, term, "freq")) for field, term in terms
        ]
        query = tantivy.Query.boolean_query(parts)
        return [address.doc for _, address in self._searcher.search(query, limit=count, count=False).hits]


class TantivyAll(TantivyField):
    name, fields = "tantivy", (*STEM_FIELDS, WORDS)

    def top(self, stems: Sequence[str], words: Sequence[str], count: int) -> list[int]:
        terms = [(field, stem) for stem in stems for field in STEM_FIELDS]
        return self._ask(terms + [(WORDS, word) for word in words], count)


class Bm25sField:
    """bm25s with numba; its index holds scores computed beforehand, as SIAA's does."""

    name, fields = "bm25s (numba)", (BODY,)

    @staticmethod
    def prepare(folder: Path, terms: Terms) -> None:
        engine = bm25s.BM25(k1=bm25f.K1, b=bm25f.BODY_WEIGHT.b, backend="numba")
        engine.index([list(row[BODY]) or [""] for row in terms.rows()], show_progress=False)
        engine.save(str(_fresh(folder / "bm25s")))

    def __init__(self, folder: Path) -> None:
        self._engine = bm25s.BM25.load(str(folder / "bm25s"), mmap=True)
        self._engine.backend = "numba"
        self._engine.activate_numba_scorer()

    def top(self, stems: Sequence[str], words: Sequence[str], count: int) -> list[int]:
        found = self._engine.retrieve([list(stems)], k=count, show_progress=False, n_threads=0)
        return [int(passage) for passage in found.documents[0]]


class Fts5Field:
    """SQLite FTS5, ranked by its bm25()."""

    name, fields = "SQLite FTS5", (BODY,)

    @staticmethod
    def prepare(folder: Path, terms: Terms) -> None:
        with sqlite3.connect(_fresh(folder / "fts5") / "index.db") as base:
            base.execute(
                "CREATE VIRTUAL TABLE p USING fts5(body, content='', tokenize='unicode61 remove_diacritics 0')"
            )
            rows = ((number, " ".join(row[BODY])) for number, row in enumerate(terms.rows()))
            base.executemany("INSERT INTO p(rowid, body) VALUES (?, ?)", rows)
            base.execute("INSERT INTO p(p) VALUES ('optimize')")
        base.close()

    def __init__(self, folder: Path) -> None:
        self._base = sqlite3.connect(folder / "fts5" / "index.db")

    def top(self, stems: Sequence[str], words: Sequence[str], count: int) -> list[int]:
        query = " OR ".join(f'"{stem}"' for stem in stems)
        rows = self._base.execute("SELECT rowid FROM p WHERE p MATCH ? ORDER BY rank LIMIT ?", (query, count))
        return [row[0] for row in rows]


ENGINES: Mapping[str, type[Any]] = {
    "siaa_campo": SiaaField,
    "tantivy_campo": TantivyField,
    "bm25s_campo": Bm25sField,
    "fts5_campo": Fts5Field,
    "whoosh_campo": WhooshField,
    "siaa_todos": SiaaAll,
    "tantivy_todos": TantivyAll,
    "whoosh_todos": WhooshAll,
}
PREPARED = ("whoosh_campo", "siaa_campo", "tantivy_campo", "bm25s_campo", "fts5_campo")  # the others share their index
FILES = {"siaa": "arrays", "whoosh": "whoosh", "tantivy": "tantivy", "bm25s": "bm25s", "fts5": "fts5"}


def _tantivy_schema() -> Any:
    builder = tantivy.SchemaBuilder()
    for field in (*STEM_FIELDS, WORDS):
        builder.add_text_field(field, stored=False, tokenizer_name="whitespace", index_option="freq")
    return builder.build()


def _fresh(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder
