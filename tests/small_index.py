"""A tiny index of ready terms, written by the real writer: what the searches are compared on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from siaa.search import deriving, whoosh_index
from siaa.search.passage_table import PassageColumns, PassageRow, PassageTable
from siaa.search.whoosh_index import FieldPostings, PassageTerms
from tests.oracle.field_impacts import write_field_impacts


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of one passage, field by field; the words are the body's when not given."""

    body: Sequence[str]
    heading: Sequence[str] = ()
    title: Sequence[str] = ()
    words: Sequence[str] | None = None
    document: int = 0


def write_small_index(folder: Path, passages: Sequence[Terms]) -> None:
    """Write Whoosh index and arrays of `passages` into `folder`, as a generation holds them."""
    postings = postings_of(folder / "whoosh", passages)
    documents = 1 + max((passage.document for passage in passages), default=-1)
    # A word of this index may be no stem of it: such a word is a stop word here.
    stems = {stem for passage in passages for stem in (*passage.body, *passage.heading, *passage.title)}
    deriving.write_arrays(
        folder / "arrays",
        postings,
        columns_of(passages),
        documents=documents,
        stem_of=lambda word: word if word in stems else None,
    )
    write_field_impacts(folder / "arrays", postings)


def postings_of(folder: Path, passages: Sequence[Terms]) -> dict[str, FieldPostings]:
    """Write a Whoosh index of `passages` into `folder` and return its postings."""
    whoosh_index.write_index(folder, [_terms(passage) for passage in passages])
    return whoosh_index.read_all_postings(folder)


def columns_of(passages: Sequence[Terms]) -> PassageColumns:
    """Return the columns of `passages`."""
    return columns_of_rows(_row(passage) for passage in passages)


def columns_of_rows(rows: Iterable[PassageRow]) -> PassageColumns:
    """Return the columns of `rows`, in their order."""
    table = PassageTable()
    for row in rows:
        table.add(row)
    return table.finish()


def _words(passage: Terms) -> Sequence[str]:
    return passage.body if passage.words is None else passage.words


def _terms(passage: Terms) -> PassageTerms:
    return PassageTerms(
        doc_id=f"general/{passage.document}.md",
        start=0,
        end=1,
        article="",
        body=passage.body,
        heading=passage.heading,
        title=passage.title,
        words=_words(passage),
        references=(),
    )


def _row(passage: Terms) -> PassageRow:
    words = _words(passage)
    return PassageRow(
        document=passage.document,
        start=0,
        end=1,
        article="",
        heading=" ".join(passage.heading),
        heading_stems=passage.heading,
        flags=0,
        digest=0,
        words=words,
        offsets=range(len(words)),
        sentences=(0,),
    )
