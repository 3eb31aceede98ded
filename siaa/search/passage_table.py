"""Keep what the arrays need of every passage in a few bytes a word, while an index is built.

A list of words costs a pointer and often an object each; a hundred thousand passages of them would be the largest
thing in memory. Here a word is a number of four bytes, given in the order of appearance and replaced by its position in
the sorted vocabulary at the end. `siaa.search.splicing` takes the columns of an older generation in again.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from siaa.search.arrays import Arrays, Vocabularies
from siaa.search.bm25f import Ints
from siaa.search.entries import Longs


@dataclass(frozen=True, slots=True)
class PassageRow:
    """What the arrays need of one passage beside its postings; `words` and `offsets` hold stop words too."""

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


class Numbering(dict[str, int]):
    """Number terms in the order in which they are first asked for."""

    def __missing__(self, term: str) -> int:
        number = self[term] = len(self)
        return number

    def sorted_positions(self) -> npt.NDArray[np.int32]:
        """Return, for each number, the position of its term among the sorted terms."""
        order = sorted(self)
        positions = np.empty(len(order), dtype=np.int32)
        positions[[self[term] for term in order]] = np.arange(len(order), dtype=np.int32)
        return positions


@dataclass(frozen=True, slots=True)
class PassageColumns:
    """All passages in index order, column by column. Shapes: P passages, N words, M sentences.

    `articles`, `headings` and `words` are sorted; the columns hold positions in them. Each is in use by some passage.
    """

    document: Ints  # (P,)
    start: Ints
    end: Ints
    flags: npt.NDArray[np.uint8]
    digest: Longs
    article: Ints
    heading: Ints
    word_ptr: Longs  # (P + 1,)
    word: Ints  # (N,)
    offset: npt.NDArray[np.uint16]  # (N,)
    sentence_ptr: Longs  # (P + 1,)
    sentence: npt.NDArray[np.uint16]  # (M,)
    articles: tuple[str, ...]
    headings: tuple[str, ...]
    words: tuple[str, ...]
    heading_stems: tuple[tuple[str, ...], ...]  # one row per heading

    @classmethod
    def open(cls, folder: Path) -> PassageColumns:
        """Take the columns out of the arrays that a build wrote into `folder`."""
        arrays, names = Arrays.open(folder), Vocabularies.open(folder)
        stems = [names.stems.terms[stem] for stem in arrays.heading_stems.tolist()]
        bounds = arrays.heading_ptr.tolist()
        return cls(
            document=arrays.passage_document,
            start=arrays.passage_start,
            end=arrays.passage_end,
            flags=arrays.passage_flags,
            digest=arrays.passage_digest,
            article=arrays.passage_article,
            heading=arrays.passage_heading,
            word_ptr=arrays.forward_ptr,
            word=arrays.forward_words,
            offset=arrays.forward_offsets,
            sentence_ptr=arrays.sentence_ptr,
            sentence=arrays.sentence_starts,
            articles=names.articles.terms,
            headings=names.headings.terms,
            words=names.words.terms,
            heading_stems=tuple(tuple(stems[first:last]) for first, last in pairwise(bounds)),
        )


class PassageTable:
    """The rows of all passages, column by column."""

    def __init__(self) -> None:
        self.words = Numbering()
        self.articles = Numbering()
        self.headings = Numbering()
        self.heading_stems: dict[str, Sequence[str]] = {}
        self.columns = {name: array(code) for name, code in _COLUMNS.items()}

    @classmethod
    def of(cls, rows: Iterable[PassageRow]) -> PassageTable:
        """Return the table of `rows`, in their order."""
        table = cls()
        for row in rows:
            table.add(row)
        return table

    def __len__(self) -> int:
        return len(self.columns["document"])

    def add(self, row: PassageRow) -> None:
        """Append one passage."""
        columns = self.columns
        columns["document"].append(row.document)
        columns["start"].append(row.start)
        columns["end"].append(row.end)
        columns["flags"].append(row.flags)
        columns["digest"].append(row.body_digest)
        columns["article"].append(self.articles[row.article])
        columns["heading"].append(self.headings[row.heading])
        self.heading_stems[row.heading] = row.heading_stems
        columns["words"].extend(map(self.words.__getitem__, row.words))
        columns["offsets"].extend(row.offsets)
        columns["sentences"].extend(row.sentences)
        columns["words_end"].append(len(columns["words"]))
        columns["sentences_end"].append(len(columns["sentences"]))

    def finish(self) -> PassageColumns:
        """Return the columns with their terms sorted; the table cannot grow while those are in use."""
        headings = tuple(sorted(self.headings))
        return PassageColumns(
            document=self._column("document"),
            start=self._column("start"),
            end=self._column("end"),
            flags=self._column("flags"),
            digest=self._column("digest"),
            article=self.articles.sorted_positions()[self._column("article")],
            heading=self.headings.sorted_positions()[self._column("heading")],
            word_ptr=self._bounds("words"),
            word=self.words.sorted_positions()[self._column("words")],
            offset=self._column("offsets"),
            sentence_ptr=self._bounds("sentences"),
            sentence=self._column("sentences"),
            articles=tuple(sorted(self.articles)),
            headings=headings,
            words=tuple(sorted(self.words)),
            heading_stems=tuple(tuple(self.heading_stems[heading]) for heading in headings),
        )

    def _column(self, name: str) -> npt.NDArray[Any]:
        values = self.columns[name]
        return np.frombuffer(values, dtype=values.typecode) if values else np.zeros(0, dtype=values.typecode)

    def _bounds(self, name: str) -> Longs:
        """Return where the run of each passage begins in column `name`, and where the last ends."""
        return np.concatenate(([0], self._column(f"{name}_end"))).astype(np.int64)


_COLUMNS = {
    "document": "i",
    "start": "i",
    "end": "i",
    "article": "i",
    "heading": "i",
    "flags": "B",
    "digest": "q",
    "words": "i",
    "offsets": "H",
    "words_end": "q",
    "sentences": "H",
    "sentences_end": "q",
}
