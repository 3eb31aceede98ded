"""Make the columns and postings of a new index out of those of a published one and of the documents that changed.

Passages keep their content and get new positions; terms that no passage holds any more vanish. The result equals, to
the byte, what indexing every document again would give (tests/property/test_splicing.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from siaa.search.bm25f import Ints
from siaa.search.entries import Longs, bounds_of, owners_of
from siaa.search.passage_table import PassageColumns
from siaa.search.whoosh_index import FieldPostings

Column = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Run:
    """Neighbouring passages `first` to `last - 1` of one source, which stay neighbours."""

    source: int
    first: int
    last: int


def new_positions(runs: Iterable[Run], sizes: Sequence[int]) -> list[Ints]:
    """Return, for each source of `sizes` passages, the new position of each of its passages, -1 when it is dropped."""
    positions = [np.full(size, -1, dtype=np.int32) for size in sizes]
    position = 0
    for run in runs:
        length = run.last - run.first
        positions[run.source][run.first : run.last] = np.arange(position, position + length, dtype=np.int32)
        position += length
    return positions


def splice_columns(sources: Sequence[PassageColumns], runs: Sequence[Run]) -> PassageColumns:
    """Return the passages of `runs`, one run per document, in their order."""
    splice = _Splice(sources, list(_join(runs)))
    articles, article = splice.unite("articles", splice.rows("article"))
    headings, heading = splice.unite("headings", splice.rows("heading"))
    words, word = splice.unite("words", splice.cells("word_ptr", "word"))
    stems = {name: row for source in sources for name, row in zip(source.headings, source.heading_stems, strict=True)}
    return PassageColumns(
        document=np.repeat(np.arange(len(runs), dtype=np.int32), [run.last - run.first for run in runs]),
        start=_concatenate(splice.rows("start"), np.int32),
        end=_concatenate(splice.rows("end"), np.int32),
        flags=_concatenate(splice.rows("flags"), np.uint8),
        digest=_concatenate(splice.rows("digest"), np.int64),
        article=article,
        heading=heading,
        word_ptr=splice.sizes("word_ptr"),
        word=word,
        offset=_concatenate(splice.cells("word_ptr", "offset"), np.uint16),
        sentence_ptr=splice.sizes("sentence_ptr"),
        sentence=_concatenate(splice.cells("sentence_ptr", "sentence"), np.uint16),
        articles=articles,
        headings=headings,
        words=words,
        heading_stems=tuple(stems[name] for name in headings),
    )


@dataclass(frozen=True, slots=True)
class _Splice:
    """Runs of passages of several sources: their columns, by name, come as one array per run."""

    sources: Sequence[PassageColumns]
    runs: Sequence[Run]

    def rows(self, name: str) -> list[Column]:
        """Return a column with one row per passage."""
        return [getattr(self.sources[run.source], name)[run.first : run.last] for run in self.runs]

    def cells(self, ptr: str, name: str) -> list[Column]:
        """Return a column with many rows per passage, which begin at `ptr`."""
        edges = [getattr(self.sources[run.source], ptr)[[run.first, run.last]].tolist() for run in self.runs]
        return [getattr(self.sources[r.source], name)[a:b] for r, (a, b) in zip(self.runs, edges, strict=True)]

    def sizes(self, ptr: str) -> Longs:
        """Return the `ptr` of all runs together."""
        lengths = [np.diff(getattr(self.sources[run.source], ptr)[run.first : run.last + 1]) for run in self.runs]
        return bounds_of(_concatenate(lengths, np.int64))

    def unite(self, names: str, parts: Sequence[Column]) -> tuple[tuple[str, ...], Ints]:
        """Return the terms of `names` in use, sorted, and `parts` as positions in those."""
        return _unite([getattr(source, names) for source in self.sources], [run.source for run in self.runs], parts)


def splice_postings(sources: Sequence[FieldPostings], positions: Sequence[Ints]) -> FieldPostings:
    """Return the postings of one field over the new positions; see `new_positions`."""
    passages = sum(int((new >= 0).sum()) for new in positions)
    lengths = np.zeros(passages, dtype=np.float32)
    owners, held, counts = [], [], []
    for source, new in zip(sources, positions, strict=True):
        kept = new >= 0
        lengths[new[kept]] = source.lengths[kept]
        moved = new[source.passages]
        live = moved >= 0
        owners.append(owners_of(source.ptr)[live])
        held.append(moved[live])
        counts.append(source.counts[live])
    terms, owner = _unite([source.terms for source in sources], range(len(sources)), owners)
    # Each source comes by term and position: sorting is merging.
    order = np.argsort(owner.astype(np.int64) * max(passages, 1) + np.concatenate(held), kind="stable")
    count = np.concatenate(counts)[order]
    return FieldPostings(
        terms=terms,
        ptr=bounds_of(np.bincount(owner, minlength=len(terms))),
        passages=np.concatenate(held)[order],
        counts=count,
        lengths=lengths,
        average=float(count.sum(dtype=np.float64)) / (passages or 1),
    )


def _join(runs: Iterable[Run]) -> Iterator[Run]:
    """Yield the runs with neighbours that continue one another made one."""
    last: Run | None = None
    for run in runs:
        if last is not None and (run.source, run.first) == (last.source, last.last):
            last = Run(run.source, last.first, run.last)
            continue
        if last is not None:
            yield last
        last = run
    if last is not None:
        yield last


def _unite(
    names: Sequence[Sequence[str]], owners: Sequence[int], parts: Sequence[Column]
) -> tuple[tuple[str, ...], Ints]:
    """Return the terms in use, sorted, and `parts`: no longer positions in their owners' `names` but in those terms."""
    used: list[set[int]] = [set() for _ in names]
    for owner, part in zip(owners, parts, strict=True):
        used[owner].update(np.unique(part).tolist())
    united = tuple(sorted({names[owner][number] for owner, numbers in enumerate(used) for number in numbers}))
    position = {term: number for number, term in enumerate(united)}
    maps = [np.zeros(len(source), dtype=np.int32) for source in names]
    for owner, numbers in enumerate(used):
        for number in numbers:
            maps[owner][number] = position[names[owner][number]]
    return united, _concatenate([maps[owner][part] for owner, part in zip(owners, parts, strict=True)], np.int32)


def _concatenate(parts: Sequence[Column], dtype: type[np.generic]) -> Column:
    return np.concatenate([np.zeros(0, dtype=dtype), *parts]).astype(dtype, copy=False)
