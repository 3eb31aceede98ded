"""The arrays of a generation: derived from the Whoosh postings when indexing, memory-mapped when serving.

Each array is one `.npy` file and each vocabulary one sorted text file, so that the pages are shared by all workers and
opening costs nothing that grows with the corpus but the vocabularies. Shapes: S stems, W words, P passages,
D documents, E postings.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from whoosh.reading import IndexReader

from siaa.search import bm25f, spelling, whoosh_index
from siaa.search.bm25f import Floats, Ints, TermPassages
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
class PassageRow:
    """What the arrays need of one passage beside its postings; `words` and `offsets` hold every word, stop words too."""

    document: int
    start: int
    end: int
    article: str
    heading: str
    heading_stems: Sequence[str]
    flags: int
    body_digest: int  # 63 bits; equal for passages with equal text but white space
    words: Sequence[str]
    offsets: Sequence[int]  # characters from the passage's start
    sentences: Sequence[int]  # where its sentences begin, characters from the passage's start


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
    reader: IndexReader, rows: Sequence[PassageRow], *, documents: int, stem_of: Mapping[str, str]
) -> tuple[Arrays, Vocabularies]:
    """Derive the arrays from a committed index.

    `rows` are the passages in index order; `stem_of` maps every word that is not a stop word to its stem.
    """
    postings = {name: whoosh_index.read_postings(reader, name) for name in _FIELDS}
    names = Vocabularies(
        stems=Vocabulary.of(
            t for f in (whoosh_index.BODY, whoosh_index.HEADING, whoosh_index.TITLE) for t in postings[f].terms
        ),
        words=Vocabulary.of(word for row in rows for word in row.words),
        references=Vocabulary.of(postings[whoosh_index.REFERENCES].terms),
        articles=Vocabulary.of(row.article for row in rows),
        headings=Vocabulary.of(row.heading for row in rows),
    )
    values = {
        **_stem_arrays(postings, names.stems, rows, documents),
        **_word_arrays(postings[whoosh_index.WORDS], names, stem_of),
        **_passage_arrays(rows, names, documents),
        "reference_ptr": postings[whoosh_index.REFERENCES].ptr,
        "reference_passages": postings[whoosh_index.REFERENCES].passages,
    }
    values |= dict(
        zip(("deletes_hash", "deletes_word"), spelling.build(names.words.terms, values["word_count"]), strict=True)
    )
    return Arrays(**values), names


_FIELDS = (
    whoosh_index.BODY,
    whoosh_index.HEADING,
    whoosh_index.TITLE,
    whoosh_index.WORDS,
    whoosh_index.REFERENCES,
)


def _stem_arrays(
    postings: Mapping[str, FieldPostings], stems: Vocabulary, rows: Sequence[PassageRow], documents: int
) -> dict[str, Any]:
    body, heading, title = (postings[name] for name in _FIELDS[:3])
    body_part = (body, bm25f.normalised(body, bm25f.BODY_WEIGHT))
    heading_part = (heading, bm25f.normalised(heading, bm25f.HEADING_WEIGHT))
    title_part = (title, bm25f.normalised(title, bm25f.TITLE_WEIGHT))
    full = bm25f.combine(stems.ids, [body_part, heading_part, title_part])
    local = bm25f.combine(stems.ids, [body_part, heading_part, (title, np.zeros_like(title.counts))])
    counts = bm25f.combine(
        stems.ids, [(body, body.counts), (heading, np.zeros_like(heading.counts)), (title, np.zeros_like(title.counts))]
    )
    holding = _holding(counts)
    idf = bm25f.whoosh_idf(len(rows), holding)
    return {
        "stem_ptr": full.ptr,
        "stem_passages": full.passages,
        "stem_impacts": np.repeat(idf, np.diff(full.ptr)) * bm25f.saturate(full.values),
        "stem_local": bm25f.saturate(local.values),
        "stem_body": counts.values,
        "stem_idf": idf,
        **_document_arrays(counts, rows, documents),
    }


def _holding(counts: TermPassages) -> Longs:
    """Return how many passages hold each term in their body."""
    rows = np.repeat(np.arange(counts.ptr.size - 1), np.diff(counts.ptr))
    return np.bincount(rows[counts.values > 0], minlength=counts.ptr.size - 1).astype(np.int64)


def _document_arrays(counts: TermPassages, rows: Sequence[PassageRow], documents: int) -> dict[str, Any]:
    owner = np.array([row.document for row in rows], dtype=np.int64)
    stems = np.repeat(np.arange(counts.ptr.size - 1, dtype=np.int64), np.diff(counts.ptr))
    present = counts.values > 0
    keys, inverse = np.unique(stems[present] * max(documents, 1) + owner[counts.passages[present]], return_inverse=True)
    frequency = np.bincount(inverse, weights=counts.values[present], minlength=keys.size).astype(np.float32)
    ids = (keys % max(documents, 1)).astype(np.int32)
    holding = np.bincount(keys // max(documents, 1), minlength=counts.ptr.size - 1)
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


def _word_arrays(postings: FieldPostings, names: Vocabularies, stem_of: Mapping[str, str]) -> dict[str, Any]:
    combined = bm25f.combine(names.words.ids, [(postings, bm25f.normalised(postings, bm25f.WORDS_WEIGHT))])
    holding = np.diff(combined.ptr)
    idf = bm25f.robertson_idf(int(postings.lengths.size), holding)
    rows = np.repeat(np.arange(holding.size), holding)
    counts = bm25f.combine(names.words.ids, [(postings, postings.counts)])
    return {
        "word_ptr": combined.ptr,
        "word_passages": combined.passages,
        "word_impacts": np.repeat(idf, holding) * bm25f.saturate(combined.values),
        "word_idf": idf,
        "word_count": np.bincount(rows, weights=counts.values, minlength=holding.size).astype(np.int32),
        "word_stem": np.array([_stem_id(word, names.stems, stem_of) for word in names.words.terms], dtype=np.int32),
    }


def _stem_id(word: str, stems: Vocabulary, stem_of: Mapping[str, str]) -> int:
    stem = stem_of.get(word)
    return -1 if stem is None else stems.ids[stem]


def _passage_arrays(rows: Sequence[PassageRow], names: Vocabularies, documents: int) -> dict[str, Any]:
    headings: dict[int, Sequence[str]] = {names.headings.ids[row.heading]: row.heading_stems for row in rows}
    sizes = [len(headings[position]) for position in range(len(headings))]
    owner = np.array([row.document for row in rows], dtype=np.int32)
    word_ids = names.words.ids
    return {
        "document_first": np.searchsorted(owner, np.arange(documents + 1)).astype(np.int64),
        "passage_document": owner,
        "passage_start": np.array([row.start for row in rows], dtype=np.int32),
        "passage_end": np.array([row.end for row in rows], dtype=np.int32),
        "passage_article": np.array([names.articles.ids[row.article] for row in rows], dtype=np.int32),
        "passage_heading": np.array([names.headings.ids[row.heading] for row in rows], dtype=np.int32),
        "passage_flags": np.array([row.flags for row in rows], dtype=np.uint8),
        "passage_digest": np.array([row.body_digest for row in rows], dtype=np.int64),
        "forward_ptr": _offsets(len(row.words) for row in rows),
        "forward_words": np.array([word_ids[word] for row in rows for word in row.words], dtype=np.int32),
        "forward_offsets": np.array([offset for row in rows for offset in row.offsets], dtype=np.uint16),
        "sentence_ptr": _offsets(len(row.sentences) for row in rows),
        "sentence_starts": np.array([start for row in rows for start in row.sentences], dtype=np.uint16),
        "heading_ptr": _offsets(sizes),
        "heading_stems": np.array(
            [names.stems.ids[stem] for position in range(len(headings)) for stem in headings[position]], dtype=np.int32
        ),
    }


def _offsets(sizes: Iterable[int]) -> Longs:
    """Return where each of neighbouring runs begins, and where the last ends."""
    return np.concatenate(([0], np.cumsum(list(sizes), dtype=np.int64))).astype(np.int64)
