"""Make the columns and postings of a new index out of those of a published one and of the documents that changed.

Passages keep their content and get new positions; terms that no passage holds any more vanish. The result equals, to
the byte, what indexing every document again would give (tests/property/test_splicing.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from siaa.search.arrays import Longs
from siaa.search.bm25f import Ints
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
    joined = list(_join(runs))

    def rows(column: Callable[[PassageColumns], Column]) -> Column:
        return np.concatenate([column(sources[0])[:0], *(column(sources[r.source])[r.first : r.last] for r in joined)])

    def cells(ptr: Callable[[PassageColumns], Longs], column: Callable[[PassageColumns], Column]) -> list[Column]:
        """Return the cells of the runs, one array per run."""
        bounds = [ptr(sources[run.source])[[run.first, run.last]].tolist() for run in joined]
        return [column(sources[r.source])[first:last] for r, (first, last) in zip(joined, bounds, strict=True)]

    def sizes(ptr: Callable[[PassageColumns], Longs]) -> Longs:
        lengths = [np.diff(ptr(sources[run.source])[run.first : run.last + 1]) for run in joined]
        return np.concatenate(([0], np.cumsum(np.concatenate([np.zeros(0, dtype=np.int64), *lengths]))))

    def terms(
        names: Callable[[PassageColumns], Sequence[str]], parts: Sequence[Column]
    ) -> tuple[tuple[str, ...], Ints]:
        return _unite([names(source) for source in sources], [run.source for run in joined], parts)

    articles, article = terms(lambda s: s.articles, [sources[r.source].article[r.first : r.last] for r in joined])
    headings, heading = terms(lambda s: s.headings, [sources[r.source].heading[r.first : r.last] for r in joined])
    words, word = terms(lambda s: s.words, cells(lambda s: s.word_ptr, lambda s: s.word))
    stems = {name: row for source in sources for name, row in zip(source.headings, source.heading_stems, strict=True)}
    return PassageColumns(
        document=np.repeat(np.arange(len(runs), dtype=np.int32), [run.last - run.first for run in runs]),
        start=rows(lambda s: s.start),
        end=rows(lambda s: s.end),
        flags=rows(lambda s: s.flags),
        digest=rows(lambda s: s.digest),
        article=article,
        heading=heading,
        word_ptr=sizes(lambda s: s.word_ptr),
        word=word,
        offset=_concatenate(cells(lambda s: s.word_ptr, lambda s: s.offset), np.uint16),
        sentence_ptr=sizes(lambda s: s.sentence_ptr),
        sentence=_concatenate(cells(lambda s: s.sentence_ptr, lambda s: s.sentence), np.uint16),
        articles=articles,
        headings=headings,
        words=words,
        heading_stems=tuple(stems[name] for name in headings),
    )


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
        owners.append(np.repeat(np.arange(len(source.terms), dtype=np.int32), np.diff(source.ptr))[live])
        held.append(moved[live])
        counts.append(source.counts[live])
    terms, owner = _unite([source.terms for source in sources], range(len(sources)), owners)
    # Each source comes by term and position: sorting is merging.
    order = np.argsort(owner.astype(np.int64) * max(passages, 1) + np.concatenate(held), kind="stable")
    count = np.concatenate(counts)[order]
    return FieldPostings(
        terms=terms,
        ptr=np.concatenate(([0], np.cumsum(np.bincount(owner, minlength=len(terms))))).astype(np.int64),
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
