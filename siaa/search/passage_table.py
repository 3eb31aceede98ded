"""Keep what the arrays need of every passage in a few bytes a word, while an index is built.

A list of words costs a pointer and often an object each; a hundred thousand passages of them would be the largest
thing in memory. Here a word is a number of four bytes, given in the order of appearance and replaced by its position in
the sorted vocabulary at the end. `siaa.search.splicing` takes the columns of an older generation in again.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from siaa.search.arrays import Arrays, Vocabularies
from siaa.search.bm25f import Ints
from siaa.search.entries import Longs, as_array


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
    digest: int  # 63 bits; equal for passages with equal text but white space
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
        columns: dict[str, Any] = {column: getattr(arrays, name) for column, name in ARRAY_OF.items()}
        return cls(
            **columns,
            articles=names.articles.terms,
            headings=names.headings.terms,
            words=names.words.terms,
            heading_stems=tuple(tuple(stems[first:last]) for first, last in pairwise(bounds)),
        )


# column -> the array that holds it in a generation
ARRAY_OF = {
    **{name: f"passage_{name}" for name in ("document", "start", "end", "article", "heading", "flags", "digest")},
    **{"word_ptr": "forward_ptr", "word": "forward_words", "offset": "forward_offsets"},
    **{"sentence_ptr": "sentence_ptr", "sentence": "sentence_starts"},
}


class PassageTable:
    """The rows of all passages, column by column."""

    def __init__(self) -> None:
        self.words = Numbering()
        self.articles = Numbering()
        self.headings = Numbering()
        self.heading_stems: dict[str, Sequence[str]] = {}
        self.columns = {name: array(code) for name, code in _COLUMNS.items()}

    def add(self, row: PassageRow) -> None:
        """Append one passage."""
        columns = self.columns
        for name in _PLAIN:
            columns[name].append(getattr(row, name))
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
        plain: dict[str, Any] = {name: self._column(name) for name in _PLAIN}
        return PassageColumns(
            **plain,
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
        return as_array(self.columns[name])

    def _bounds(self, name: str) -> Longs:
        """Return where the run of each passage begins in column `name`, and where the last ends."""
        return np.concatenate(([0], self._column(f"{name}_end"))).astype(np.int64)


_PLAIN = {"document": "i", "start": "i", "end": "i", "flags": "B", "digest": "q"}
_COLUMNS = _PLAIN | {
    **{"article": "i", "heading": "i"},
    **{"words": "i", "offsets": "H", "words_end": "q"},
    **{"sentences": "H", "sentences_end": "q"},
}
