"""The arrays of a generation: derived from the Whoosh postings when indexing, memory-mapped when serving.

Each array is one `.npy` file and each vocabulary one sorted text file, so that the pages are shared by all workers and
opening costs nothing that grows with the corpus but the vocabularies. Shapes: S stems, W words, P passages,
D documents, E postings.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from siaa.search.bm25f import Floats, Ints
from siaa.search.entries import Longs

IS_LIST, OPENS_SECTION = 1, 2  # bits of `passage_flags`


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
    deletes_hash: npt.NDArray[np.uint64]  # sorted; see `siaa.search.spelling`
    deletes_word: Ints

    @classmethod
    def open(cls, folder: Path) -> Arrays:
        """Map every array read-only. `siaa.search.deriving` writes them."""
        # As plain arrays over the mapped pages: each access to a `memmap` costs a microsecond more.
        loaded: dict[str, Any] = {
            item.name: np.asarray(np.load(folder / f"{item.name}.npy", mmap_mode="r", allow_pickle=False))
            for item in fields(cls)
        }
        return cls(**loaded)


@dataclass(frozen=True, slots=True)
class Vocabularies:
    """The names behind the numbers of `Arrays`."""

    stems: Vocabulary
    words: Vocabulary
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
