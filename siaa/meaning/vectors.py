"""Vectors as whole numbers of 16 bits, and the exact search over them.

A number of a vector of unit length lies in -1..1 and is kept as a multiple of 1/32767: as small as half a float, as
exact, and numpy turns it into a float four times faster (docs/adr/0012).
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import numpy.typing as npt

from siaa.meaning.embedder import Fingerprint, Floats

Ints = npt.NDArray[np.int32]
Fixed = npt.NDArray[np.int16]

_ONE = np.iinfo(np.int16).max  # stands for 1.0
_BLOCK = 131_072  # numbers that are turned into floats at a time: half a megabyte, which stays near the processor
_VECTORS, _MODEL = "vectors.npy", "model.json"


def to_fixed(vectors: Floats) -> Fixed:
    """Return vectors of unit length as whole numbers of 16 bits."""
    return np.rint(np.clip(vectors, -1, 1) * _ONE).astype(np.int16)


class Vectors:
    """The vectors of the passages of a generation, shape (P, D), mapped. Read-only, hence shared by all threads."""

    def __init__(self, model: Fingerprint, rows: Fixed) -> None:
        self.model = model
        self.rows = rows

    @classmethod
    def open(cls, folder: Path) -> Vectors:
        """Map what `save` wrote."""
        model = Fingerprint(**json.loads((folder / _MODEL).read_text(encoding="utf-8")))
        # As a plain array over the mapped pages: each access to a `memmap` costs a microsecond more.
        return cls(model, np.asarray(np.load(folder / _VECTORS, mmap_mode="r", allow_pickle=False)))

    def save(self, folder: Path) -> None:
        """Write them into the fresh folder `folder`."""
        folder.mkdir()
        np.save(folder / _VECTORS, self.rows, allow_pickle=False)
        (folder / _MODEL).write_text(json.dumps(asdict(self.model), indent=1), encoding="utf-8")

    def __len__(self) -> int:
        return int(self.rows.shape[0])

    def similarities(self, question: Floats) -> Floats:
        """Return the cosine of a question's vector, shape (D,), and each passage, shape (P,)."""
        scaled = question.astype(np.float32) / _ONE
        found = np.empty(len(self), dtype=np.float32)
        height = max(1, _BLOCK // self.rows.shape[1])
        floats = np.empty((height, self.rows.shape[1]), dtype=np.float32)
        for first in range(0, len(self), height):
            block = self.rows[first : first + height]
            np.copyto(floats[: len(block)], block)
            np.dot(floats[: len(block)], scaled, out=found[first : first + height])
        return found

    def top(self, similarities: Floats, count: int) -> Ints:
        """Return the `count` passages of the greatest similarity, the greatest first, ties by position."""
        count = min(count, similarities.size)
        if count <= 0:
            return np.zeros(0, dtype=np.int32)
        floor = np.partition(similarities, similarities.size - count)[similarities.size - count]
        found = np.flatnonzero(similarities >= floor)
        return found[np.lexsort((found, -similarities[found]))][:count].astype(np.int32)
