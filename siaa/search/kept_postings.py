"""Keep the postings of a Whoosh index beside it, so that the next build need not read what did not change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from siaa.search.entries import bounds_of, owners_of
from siaa.search.whoosh_index import FIELDS, FieldPostings


def save(folder: Path, postings: Mapping[str, FieldPostings]) -> None:
    """Write one `.npz` per field into `folder`."""
    for field, kept in postings.items():
        terms = np.frombuffer("".join(f"{term}\n" for term in kept.terms).encode(), dtype=np.uint8)
        # A passage is at most CHUNK_SIZE characters long: a count fits in 16 bits.
        np.savez(
            folder / f"{field}.npz",
            terms=terms,
            ptr=kept.ptr,
            passages=kept.passages,
            counts=kept.counts.astype(np.uint16),
            lengths=kept.lengths,
        )


def load(folder: Path) -> dict[str, FieldPostings]:
    """Read what `save` wrote for every indexed field."""
    return {field: _load(folder / f"{field}.npz") for field in FIELDS}


def _load(path: Path) -> FieldPostings:
    with np.load(path, allow_pickle=False) as kept:
        counts, lengths = kept["counts"].astype(np.float32), kept["lengths"]
        return FieldPostings(
            terms=tuple(kept["terms"].tobytes().decode().split("\n")[:-1]),
            ptr=kept["ptr"],
            passages=kept["passages"],
            counts=counts,
            lengths=lengths,
            average=float(counts.sum(dtype=np.float64)) / (lengths.size or 1),
        )


def terms_of_passages(postings: FieldPostings) -> Iterator[Sequence[str]]:
    """Yield the terms of each passage, one as often as it occurs; the order in which they stood is not kept."""
    owners = owners_of(postings.ptr)
    order = np.argsort(postings.passages, kind="stable")
    sizes = np.bincount(postings.passages, minlength=postings.lengths.size)
    bounds = bounds_of(sizes).tolist()
    owner, count = owners[order], postings.counts[order].astype(np.int64)
    for first, last in pairwise(bounds):
        yield [postings.terms[number] for number in np.repeat(owner[first:last], count[first:last]).tolist()]
