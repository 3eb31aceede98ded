"""Encode the passages of an index: what the store has is taken from it, the rest is made and kept at once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from siaa.meaning.embedder import Embedder
from siaa.meaning.store import VectorStore, key_of
from siaa.meaning.vectors import Fixed, to_fixed

Progress = Callable[[int, int, float], None]  # texts made, texts to make, seconds left

BATCH = 32  # texts, as many as servers take in one request by default; what is lost when a build is killed
_FIRST = 8  # texts of the first batch, which tells how long the rest will take


class TooSlowError(Exception):
    """Encoding would take longer than the caller said he can wait. What was made is kept; `seconds` are those left."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"{seconds:.0f} s left")
        self.seconds = seconds


def encode_passages(
    texts: Sequence[str],
    embedder: Embedder,
    store: VectorStore,
    *,
    progress: Progress | None = None,
    within: float = float("inf"),
) -> Fixed:
    """Return the vectors of `texts`, as `passage_text` makes them, shape (N, D), in their order.

    Each distinct text that `store` lacks is encoded once and kept before the next batch begins, so that whatever ends
    this (a kill, an exception out of `progress`) loses one batch. `progress` is called after each batch, and not at
    all when nothing is missing.

    Raises TooSlowError as soon as it is seen that `within` seconds will not do, EmbeddingError, VectorStoreError.
    """
    model = embedder.fingerprint
    places: dict[bytes, list[int]] = {}
    for place, text in enumerate(texts):
        places.setdefault(key_of(text), []).append(place)
    vectors = np.empty((len(texts), model.dimensions), dtype=np.int16)
    for key, vector in store.find(model, list(places)):
        vectors[places.pop(key)] = vector
    # The longest first: a batch of texts of one length wastes least, and the time left errs on the safe side.
    missing = sorted(places, key=lambda key: -len(texts[places[key][0]]))
    clock = _Clock(sum(len(texts[places[key][0]]) for key in missing))
    done = 0
    for batch in _batches(missing):
        wanted = [texts[places[key][0]] for key in batch]
        made = to_fixed(embedder.passages(wanted))
        store.add(model, batch, made)
        for key, vector in zip(batch, made, strict=True):
            vectors[places[key]] = vector
        done, left = done + len(batch), clock.left(sum(map(len, wanted)))
        if progress:
            progress(done, len(missing), left)
        if done < len(missing) and clock.spent + left > within:
            raise TooSlowError(left)
    return vectors


def _batches(keys: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    bounds = (0, *range(_FIRST, len(keys), BATCH), len(keys))
    return (keys[first:last] for first, last in pairwise(bounds) if first < last)


class _Clock:
    """Tells from the characters that are done how long the others will take."""

    def __init__(self, characters: int) -> None:
        self._done, self._left = 0, characters
        self._begun = time.monotonic()

    @property
    def spent(self) -> float:
        return time.monotonic() - self._begun

    def left(self, characters: int) -> float:
        """Count so many more as done; return the seconds that the rest takes."""
        self._done, self._left = self._done + characters, self._left - characters
        return self.spent * self._left / max(self._done, 1)
