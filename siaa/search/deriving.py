"""Derive the arrays of a generation from the postings of its Whoosh index, when indexing.

Each group of arrays is written and forgotten before the next is made: what a build holds in memory at a time is the
postings and one group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from siaa.search import bm25f, spelling, whoosh_index
from siaa.search.arrays import Vocabularies, Vocabulary
from siaa.search.bm25f import Floats, Ints
from siaa.search.entries import bounds_of, owners_of, starts_of_equal
from siaa.search.passage_table import ARRAY_OF, PassageColumns
from siaa.search.spelling import KnownDeletes
from siaa.search.union import Union
from siaa.search.whoosh_index import FieldPostings

DOCUMENT_K1, DOCUMENT_B = 1.2, 0.75  # BM25 of whole documents

_LEAST_NORM = 0.05
_STEM_FIELDS = (whoosh_index.BODY, whoosh_index.HEADING, whoosh_index.TITLE)

StemOf = Callable[[str], str | None]


def write_arrays(
    folder: Path,
    postings: Mapping[str, FieldPostings],
    columns: PassageColumns,
    *,
    documents: int,
    stem_of: StemOf,
    known: KnownDeletes | None = None,
) -> None:
    """Write the arrays and their vocabularies into the fresh `folder`.

    `postings` are those of every indexed field; `columns` the passages in index order; `stem_of` gives the stem of a
    word, None for a stop word. `known` spares working out the deletes of words that another generation had.
    """
    folder.mkdir()
    names = _vocabularies(postings, columns)
    names.save(folder)
    _save(folder, _passage_arrays(columns, names, documents))
    words = _word_arrays(postings[whoosh_index.WORDS], names, stem_of)
    _save(folder, words)
    hashes, owners = spelling.build(names.words.terms, words["word_count"], known=known)
    del words
    _save(folder, {"deletes_hash": hashes, "deletes_word": owners})
    del hashes, owners
    _write_stem_arrays(folder, [postings[name] for name in _STEM_FIELDS], names.stems, columns.document, documents)


def _save(folder: Path, arrays: Mapping[str, Any]) -> None:
    for name, values in arrays.items():
        np.save(folder / f"{name}.npy", values, allow_pickle=False)


def _vocabularies(postings: Mapping[str, FieldPostings], columns: PassageColumns) -> Vocabularies:
    return Vocabularies(
        stems=Vocabulary.of(term for name in _STEM_FIELDS for term in postings[name].terms),
        words=Vocabulary.of(columns.words),
        articles=Vocabulary.of(columns.articles),
        headings=Vocabulary.of(columns.headings),
    )


def _write_stem_arrays(
    folder: Path, fields: list[FieldPostings], stems: Vocabulary, owners: Ints, documents: int
) -> None:
    union = Union.of(stems.ids, fields)
    counts = union.sum((fields[0].counts, None, None))
    for name, values in _stem_arrays(union, counts, fields, owners.size):
        _save(folder, {name: values})
    _save(folder, _document_arrays(union, counts, owners, documents))


def _stem_arrays(union: Union, counts: Floats, fields: list[FieldPostings], passages: int) -> Iterator[tuple[str, Any]]:
    """Yield one array after the other: they are the largest of all."""
    weights = (bm25f.BODY_WEIGHT, bm25f.HEADING_WEIGHT, bm25f.TITLE_WEIGHT)
    parts = [bm25f.normalised(field, weight) for field, weight in zip(fields, weights, strict=True)]
    owners = owners_of(union.ptr)
    holding = np.bincount(owners[counts > 0], minlength=union.ptr.size - 1).astype(np.int64)
    idf = bm25f.whoosh_idf(passages, holding)
    yield "stem_ptr", union.ptr
    yield "stem_passages", union.passages
    yield "stem_body", counts
    yield "stem_idf", idf
    yield "stem_local", bm25f.saturate(union.sum((*parts[:2], None)))
    yield "stem_impacts", idf[owners] * bm25f.saturate(union.sum(parts))


def _document_arrays(union: Union, counts: Floats, owners: Ints, documents: int) -> dict[str, Any]:
    present = counts > 0
    stride = max(documents, 1)
    # Ascending as they are: passages ascend within a stem, and those of a document are neighbours.
    keys = owners_of(union.ptr)[present].astype(np.int64) * stride
    keys += owners[union.passages[present]]
    opens = starts_of_equal(keys)
    frequency = np.add.reduceat(counts[present], opens).astype(np.float32) if keys.size else counts[present]
    keys = keys[opens]
    ids = (keys % stride).astype(np.int32)
    holding = np.bincount(keys // stride, minlength=union.ptr.size - 1)
    length = np.bincount(ids, weights=frequency, minlength=documents).astype(np.float32)
    idf = bm25f.robertson_idf(documents, holding)
    average = float(length[length > 0].mean()) if (length > 0).any() else 1.0
    norm = 1 - DOCUMENT_B + DOCUMENT_B * length / average
    return {
        "document_ptr": bounds_of(holding),
        "document_ids": ids,
        "document_impacts": np.repeat(idf, holding)
        * bm25f.saturate(frequency / np.maximum(norm[ids], _LEAST_NORM), k1=DOCUMENT_K1),
        "document_counts": frequency,
        "document_idf": idf,
        "document_length": length,
    }


def _word_arrays(postings: FieldPostings, names: Vocabularies, stem_of: StemOf) -> dict[str, Any]:
    union = Union.of(names.words.ids, (postings,))
    holding = np.diff(union.ptr)
    idf = bm25f.robertson_idf(int(postings.lengths.size), holding)
    owners = owners_of(union.ptr)
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


def _stem_id(word: str, stems: Vocabulary, stem_of: StemOf) -> int:
    stem = stem_of(word)
    return -1 if stem is None else stems.ids[stem]


def _passage_arrays(columns: PassageColumns, names: Vocabularies, documents: int) -> dict[str, Any]:
    return {
        "document_first": np.searchsorted(columns.document, np.arange(documents + 1)).astype(np.int64),
        **{name: getattr(columns, column) for column, name in ARRAY_OF.items()},
        "heading_ptr": bounds_of([len(stems) for stems in columns.heading_stems]),
        "heading_stems": np.array(
            [names.stems.ids[stem] for stems in columns.heading_stems for stem in stems], dtype=np.int32
        ),
    }
