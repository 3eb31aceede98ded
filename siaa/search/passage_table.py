"""Keep what the arrays need of every passage in a few bytes a word, while an index is built.

A list of words costs a pointer and often an object each; a hundred thousand passages of them would be the largest
thing in memory. Here a word is a number of four bytes, given in the order of appearance and replaced by its position in
the sorted vocabulary at the end.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt


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

    def column(self, name: str) -> npt.NDArray[Any]:
        """Return a column as numbers, without copying it; the table cannot grow while that is in use."""
        return (
            np.frombuffer(self.columns[name], dtype=self.columns[name].typecode)
            if len(self.columns[name])
            else (np.zeros(0, dtype=self.columns[name].typecode))
        )

    def bounds(self, name: str) -> npt.NDArray[np.int64]:
        """Return where the run of each passage begins in column `name`, and where the last ends."""
        return np.concatenate(([0], self.column(f"{name}_end"))).astype(np.int64)


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
