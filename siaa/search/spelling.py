"""Find words of the index near a mistyped one: SymSpell's symmetric deletes, as two arrays that need no loading.

Every dictionary word contributes the hashes of its prefix with up to `MAX_DISTANCE` letters deleted (Garbe, 2012). A
question's word does the same, and only words that share a hash are compared, by Damerau-Levenshtein distance.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from symspellpy.editdistance import DistanceAlgorithm, EditDistance

MAX_DISTANCE = 2
PREFIX = 7  # letters of a word that deletes are taken from
MIN_LETTERS = 4  # shorter words are no corrections
MIN_COUNT = 2  # a word seen once may itself be a typing error

_EDITS = EditDistance(DistanceAlgorithm.DAMERAU_OSA)

Hashes = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int32]


class Near(NamedTuple):
    """A near word: its position in the vocabulary and its distance in edits."""

    word: int
    distance: int


class KnownDeletes(NamedTuple):
    """What `build` returned for another vocabulary, and that vocabulary."""

    words: Sequence[str]
    hashes: Hashes
    owners: Ints


def build(words: Sequence[str], counts: Ints, *, known: KnownDeletes | None = None) -> tuple[Hashes, Ints]:
    """Return the hashes of all deletes, ascending, and the word each belongs to.

    The result is the same with `known`, which is faster.
    """
    wanted = {
        word: position
        for position, word in enumerate(words)
        if counts[position] >= MIN_COUNT and len(word) >= MIN_LETTERS and word.isalpha()
    }
    hashes, owners = [np.zeros(0, dtype=np.uint64)], [np.zeros(0, dtype=np.int32)]
    if known is not None:
        positions = np.full(len(known.words) + 1, -1, dtype=np.int32)
        for old in np.unique(known.owners).tolist():
            positions[old] = wanted.pop(known.words[old], -1)
        taken = positions[known.owners]
        hashes.append(known.hashes[taken >= 0])
        owners.append(taken[taken >= 0])
    pairs = [(hashed, position) for word, position in wanted.items() for hashed in _hashes(word, MAX_DISTANCE)]
    hashes.append(np.array([pair[0] for pair in pairs], dtype=np.uint64))
    owners.append(np.array([pair[1] for pair in pairs], dtype=np.int32))
    found, holders = np.concatenate(hashes), np.concatenate(owners)
    order = np.lexsort((holders, found))
    return found[order], holders[order]


def near(
    word: str,
    *,
    max_distance: int,
    hashes: Hashes,
    owners: Ints,
    word_at: Callable[[int], str],
) -> list[Near]:
    """Return the dictionary words within `max_distance` edits of `word`, nearest first."""
    asked = np.array(sorted(_hashes(word, max_distance)), dtype=np.uint64)
    lows, highs = np.searchsorted(hashes, asked), np.searchsorted(hashes, asked, side="right")
    candidates = {int(owner) for low, high in zip(lows, highs, strict=True) for owner in owners[low:high]}
    found = []
    for candidate in candidates:
        distance = _EDITS.compare(word, word_at(candidate), max_distance)
        if 0 <= distance <= max_distance:
            found.append(Near(candidate, distance))
    return sorted(found, key=lambda item: (item.distance, item.word))


def edits(one: str, other: str) -> int:
    """Return the Damerau-Levenshtein distance between two words; more than MAX_DISTANCE counts as MAX_DISTANCE + 1."""
    distance = _EDITS.compare(one, other, MAX_DISTANCE)
    return distance if distance >= 0 else MAX_DISTANCE + 1


def _hashes(word: str, distance: int) -> set[int]:
    prefix = word[:PREFIX]
    level = {prefix}
    forms = {prefix}
    for _ in range(min(distance, len(prefix) - 1)):
        level = {form[:i] + form[i + 1 :] for form in level for i in range(len(form))}
        forms |= level
    return {int.from_bytes(hashlib.blake2b(form.encode(), digest_size=8).digest(), "little") for form in forms}
