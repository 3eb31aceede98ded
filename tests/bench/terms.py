"""Take the analysed terms of a generation back out of its Whoosh index, to feed every engine with the same ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from siaa.generation import WHOOSH, Generation
from siaa.search import deriving, whoosh_index
from siaa.search.kept_postings import terms_of_passages
from siaa.search.passage_table import PassageRow
from siaa.search.whoosh_index import PassageTerms
from tests.oracle.field_impacts import SCORED, write_field_impacts
from tests.small_index import columns_of_rows


class Terms:
    """The terms of every passage, field by field. The order within a field is lost; no engine here looks at it."""

    def __init__(self, generation: Generation) -> None:
        self._generation = generation
        self.count = generation.index.passage_count
        with whoosh_index.open_reader(generation.folder / WHOOSH) as reader:
            self._fields = {field: _terms(whoosh_index.read_postings(reader, field)) for field in SCORED}

    def rows(self) -> Iterator[Mapping[str, Sequence[str]]]:
        """Yield the terms of each passage."""
        for passage in range(self.count):
            yield {field: rows[passage] for field, rows in self._fields.items()}

    def passages(self) -> Iterator[PassageTerms]:
        """Yield what SIAA gives to Whoosh."""
        for row in self.rows():
            yield PassageTerms(doc_id="x", start=0, end=1, article="", references=(), **row)

    def write_arrays(self, folder: Path) -> None:
        """Derive SIAA's arrays from the Whoosh index in `folder`."""
        owners = self._generation.index.arrays.passage_document.tolist()
        rows = (_row(row["words"], owner) for row, owner in zip(self.rows(), owners, strict=True))
        postings = whoosh_index.read_all_postings(folder / "whoosh")
        deriving.write_arrays(
            folder / "arrays",
            postings,
            columns_of_rows(rows),
            documents=self._generation.index.document_count,
            stem_of=self._generation.analyzer.stem,
        )
        write_field_impacts(folder / "arrays", postings)


def _terms(postings: whoosh_index.FieldPostings) -> list[Sequence[str]]:
    return list(terms_of_passages(postings))


def _row(words: Sequence[str], document: int) -> PassageRow:
    return PassageRow(document, 0, 1, "", "", (), 0, 0, words, range(len(words)), (0,))
