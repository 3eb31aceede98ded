"""The arrays of a generation: derived from the Whoosh postings when indexing, memory-mapped when serving.

Each array is one `.npy` file and each vocabulary one sorted text file, so that the pages are shared by all workers and
opening costs nothing that grows with the corpus but the vocabularies. Shapes: S stems, W words, P passages,
D documents, E postings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from whoosh.reading import IndexReader

from siaa.search import bm25f, spelling, whoosh_index
from siaa.search.bm25f import Floats, Ints
from siaa.search.field_impacts import SCORED, FieldImpacts
from siaa.search.passage_table import PassageTable
from siaa.search.union import Union
from siaa.search.whoosh_index import FieldPostings

Longs = npt.NDArray[np.int64]

IS_LIST, OPENS_SECTION, LAST_IN_DOCUMENT = 1, 2, 4  # bits of `passage_flags`

DOCUMENT_K1, DOCUMENT_B = 1.2, 0.75  # BM25 of whole documents


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Sorted terms and their positions."""

    terms: tuple[str, ...]
    ids: Mapping[str, int]

    @classmethod
    def of(cls, terms: Iterable[str]) -> Vocabulary:
        """Sort `terms`, once each."""
        ordered = tuple(sorted(set(terms)))
        return cls(ordered, {term: position for position, term in enumerate(ordered)})

    def save(self, path: Path) -> None:
        """Write one term per line, each line with its end: the empty term is a line too."""
        path.write_text("".join(f"{term}\n" for term in self.terms), encoding="utf-8", newline="\n")

    @classmethod
    def load(cls, path: Path) -> Vocabulary:
        """Read what `save` wrote."""
        terms = tuple(path.read_bytes().decode("utf-8").split("\n")[:-1])
        return cls(terms, {term: position for position, term in enumerate(terms)})


@dataclass(frozen=True, slots=True)
class Arrays:
    """Everything numeric of a generation. See the field names for what a row means."""

    stem_ptr: Longs  # (S + 1,)
    stem_passages: Ints  # (E,) ascending within a stem
    stem_impacts: Floats  # (E,) BM25F of body, heading path and title, idf included
    stem_local: Floats  # (E,) saturated BM25F of body and heading path, without idf: for choosing inside a document
    stem_body: Floats  # (E,) frequency in the body
    stem_idf: Floats  # (S,)
    word_ptr: Longs  # (W + 1,)
    word_passages: Ints
    word_impacts: Floats  # BM25 of surface words, idf included
    word_idf: Floats  # (W,)
    word_count: Ints  # (W,) occurrences in the corpus
    word_stem: Ints  # (W,) the word's stem, -1 for a stop word
    document_ptr: Longs  # (S + 1,)
    document_ids: Ints  # documents of a stem
    document_impacts: Floats  # BM25 of whole documents, idf included
    document_counts: Floats  # frequency in the document
    document_idf: Floats  # (S,)
    document_length: Floats  # (D,) stems in the document's passages
    document_first: Longs  # (D + 1,) first passage of each document
    passage_document: Ints  # (P,)
    passage_start: Ints
    passage_end: Ints
    passage_article: Ints  # position in articles.txt
    passage_heading: Ints  # position in headings.txt
    passage_flags: npt.NDArray[np.uint8]
    passage_digest: Longs
    forward_ptr: Longs  # (P + 1,)
    forward_words: Ints
    forward_offsets: npt.NDArray[np.uint16]
    sentence_ptr: Longs  # (P + 1,)
    sentence_starts: npt.NDArray[np.uint16]
    heading_ptr: Longs  # (H + 1,)
    heading_stems: Ints
    reference_ptr: Longs  # (R + 1,)
    reference_passages: Ints
    deletes_hash: npt.NDArray[np.uint64]  # sorted; see `siaa.search.spelling`
    deletes_word: Ints

    def save(self, folder: Path) -> None:
        """Write one `.npy` per array."""
        for item in fields(self):
            np.save(folder / f"{item.name}.npy", getattr(self, item.name), allow_pickle=False)

    @classmethod
    def open(cls, folder: Path) -> Arrays:
        """Map every array read-only."""
        loaded: dict[str, Any] = {
            item.name: np.load(folder / f"{item.name}.npy", mmap_mode="r", allow_pickle=False) for item in fields(cls)
        }
        return cls(**loaded)


@dataclass(frozen=True, slots=True)
class Vocabularies:
    """The names behind the numbers of `Arrays`."""

    stems: Vocabulary
    words: Vocabulary
    references: Vocabulary
    articles: Vocabulary
    headings: Vocabulary

    def save(self, folder: Path) -> None:
        """Write one text file per vocabulary."""
        for item in fields(self):
            getattr(self, item.name).save(folder / f"{item.name}.txt")

    @classmethod
    def open(cls, folder: Path) -> Vocabularies:
        """Read what `save` wrote."""
        loaded: dict[str, Any] = {item.name: Vocabulary.load(folder / f"{item.name}.txt") for item in fields(cls)}
        return cls(**loaded)


def build(
    reader: IndexReader, table: PassageTable, *, documents: int, stem_of: Callable[[str], str | None]
) -> tuple[Arrays, Vocabularies, dict[str, FieldImpacts]]:
    """Derive the arrays from a committed index, and the impacts of each scored field by itself.

    `table` holds the passages in index order; `stem_of` gives the stem of a word, None for a stop word.
    """
    postings = {name: whoosh_index.read_postings(reader, name) for name in _FIELDS}
    names = Vocabularies(
        stems=Vocabulary.of(
            t for f in (whoosh_index.BODY, whoosh_index.HEADING, whoosh_index.TITLE) for t in postings[f].terms
        ),
        words=Vocabulary.of(table.words),
        references=Vocabulary.of(postings[whoosh_index.REFERENCES].terms),
        articles=Vocabulary.of(table.articles),
        headings=Vocabulary.of(table.headings),
    )
    values = {
        **_stem_arrays(postings, names.stems, table, documents),
        **_word_arrays(postings[whoosh_index.WORDS], names, stem_of),
        **_passage_arrays(table, names, documents),
        "reference_ptr": postings[whoosh_index.REFERENCES].ptr,
        "reference_passages": postings[whoosh_index.REFERENCES].passages,
    }
    values |= dict(
        zip(("deletes_hash", "deletes_word"), spelling.build(names.words.terms, values["word_count"]), strict=True)
    )
    impacts = {
        field: FieldImpacts.of(
            postings[field],
            (names.words if field == whoosh_index.WORDS else names.stems).ids,
            b=weight.b,
            k1=bm25f.K1,
        )
        for field, weight in SCORED.items()
    }
    return Arrays(**values), names, impacts


_FIELDS = (
    whoosh_index.BODY,
    whoosh_index.HEADING,
    whoosh_index.TITLE,
    whoosh_index.WORDS,
    whoosh_index.REFERENCES,
)


def _stem_arrays(
    postings: Mapping[str, FieldPostings], stems: Vocabulary, table: PassageTable, documents: int
) -> dict[str, Any]:
    body, heading, title = (postings[name] for name in _FIELDS[:3])
    weights = (bm25f.BODY_WEIGHT, bm25f.HEADING_WEIGHT, bm25f.TITLE_WEIGHT)
    parts = [bm25f.normalised(field, weight) for field, weight in zip((body, heading, title), weights, strict=True)]
    union = Union.of(stems.ids, (body, heading, title))
    counts = union.sum((body.counts, None, None))
    owners = np.repeat(np.arange(len(stems.terms)), np.diff(union.ptr))
    holding = np.bincount(owners[counts > 0], minlength=len(stems.terms)).astype(np.int64)
    idf = bm25f.whoosh_idf(len(table), holding)
    return {
        "stem_ptr": union.ptr,
        "stem_passages": union.passages,
        "stem_impacts": idf[owners] * bm25f.saturate(union.sum(parts)),
        "stem_local": bm25f.saturate(union.sum((*parts[:2], None))),
        "stem_body": counts,
        "stem_idf": idf,
        **_document_arrays(union, owners, counts, table, documents),
    }


def _document_arrays(
    union: Union, owners: Longs, counts: Floats, table: PassageTable, documents: int
) -> dict[str, Any]:
    present = counts > 0
    document = table.column("document")[union.passages[present]]
    keys, inverse = np.unique(owners[present] * max(documents, 1) + document, return_inverse=True)
    frequency = np.bincount(inverse, weights=counts[present], minlength=keys.size).astype(np.float32)
    ids = (keys % max(documents, 1)).astype(np.int32)
    holding = np.bincount(keys // max(documents, 1), minlength=union.ptr.size - 1)
    length = np.bincount(ids, weights=frequency, minlength=documents).astype(np.float32)
    idf = bm25f.robertson_idf(documents, holding)
    average = float(length[length > 0].mean()) if (length > 0).any() else 1.0
    norm = 1 - DOCUMENT_B + DOCUMENT_B * length / average
    return {
        "document_ptr": np.concatenate(([0], np.cumsum(holding))).astype(np.int64),
        "document_ids": ids,
        "document_impacts": np.repeat(idf, holding)
        * bm25f.saturate(frequency / np.maximum(norm[ids], 0.05), k1=DOCUMENT_K1),
        "document_counts": frequency,
        "document_idf": idf,
        "document_length": length,
    }


def _word_arrays(postings: FieldPostings, names: Vocabularies, stem_of: Callable[[str], str | None]) -> dict[str, Any]:
    union = Union.of(names.words.ids, (postings,))
    holding = np.diff(union.ptr)
    idf = bm25f.robertson_idf(int(postings.lengths.size), holding)
    owners = np.repeat(np.arange(holding.size), holding)
    values = union.sum((bm25f.normalised(postings, bm25f.WORDS_WEIGHT),))
    counts = union.sum((postings.counts,))
    return {
        "word_ptr": union.ptr,
        "word_passages": union.passages,
        "word_impacts": idf[owners] * bm25f.saturate(values),
        "word_idf": idf,
        "word_count": np.bincount(owners, weights=counts, minlength=holding.size).astype(np.int32),
        "word_stem": np.array([_stem_id(word, names.stems, stem_of) for word in names.words.terms], dtype=np.int32),
    }


def _stem_id(word: str, stems: Vocabulary, stem_of: Callable[[str], str | None]) -> int:
    stem = stem_of(word)
    return -1 if stem is None else stems.ids[stem]


def _passage_arrays(table: PassageTable, names: Vocabularies, documents: int) -> dict[str, Any]:
    headings = [table.heading_stems[heading] for heading in names.headings.terms]
    return {
        "document_first": np.searchsorted(table.column("document"), np.arange(documents + 1)).astype(np.int64),
        "passage_document": table.column("document"),
        "passage_start": table.column("start"),
        "passage_end": table.column("end"),
        "passage_article": table.articles.sorted_positions()[table.column("article")],
        "passage_heading": table.headings.sorted_positions()[table.column("heading")],
        "passage_flags": table.column("flags"),
        "passage_digest": table.column("digest"),
        "forward_ptr": table.bounds("words"),
        "forward_words": table.words.sorted_positions()[table.column("words")],
        "forward_offsets": table.column("offsets"),
        "sentence_ptr": table.bounds("sentences"),
        "sentence_starts": table.column("sentences"),
        "heading_ptr": _offsets(len(stems) for stems in headings),
        "heading_stems": np.array([names.stems.ids[stem] for stems in headings for stem in stems], dtype=np.int32),
    }


def _offsets(sizes: Iterable[int]) -> Longs:
    """Return where each of neighbouring runs begins, and where the last ends."""
    return np.concatenate(([0], np.cumsum(list(sizes), dtype=np.int64))).astype(np.int64)
