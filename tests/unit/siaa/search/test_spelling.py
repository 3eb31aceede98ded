"""Near words: found by their deletes, compared by their edits."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from symspellpy.editdistance import DistanceAlgorithm, EditDistance

from siaa.search import spelling

WORDS = ["estadistica", "juzgado", "juzgados", "periodicidad", "reparto", "reporte", "ano"]
COUNTS = np.array([9, 9, 9, 9, 9, 1, 9], dtype=np.int32)
HASHES, OWNERS = spelling.build(WORDS, COUNTS)
EDITS = EditDistance(DistanceAlgorithm.DAMERAU_OSA)


def near(word: str, distance: int = 2) -> list[str]:
    """Return the near words."""
    found = spelling.near(word, max_distance=distance, hashes=HASHES, owners=OWNERS, word_at=WORDS.__getitem__)
    return [WORDS[item.word] for item in found]


def test_one_letter_less_more_other_or_swapped() -> None:
    for typed in ("estadstica", "estadisticca", "estadistida", "estadisitca"):
        assert near(typed) == ["estadistica"]


def test_nearest_comes_first() -> None:
    assert near("juzgadoss") == ["juzgados", "juzgado"]


def test_rare_and_short_words_are_no_corrections() -> None:
    assert near("reportte") == []  # "reporte" was seen once: it may itself be a typing error
    assert near("anno") == []  # three letters have too many neighbours


def test_nothing_near() -> None:
    assert near("xilofono") == []


@given(st.sampled_from([w for w, n in zip(WORDS, COUNTS, strict=True) if n > 1 and len(w) > 3]), st.data())
def test_every_single_edit_is_found(word: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(word) - 1))
    letter = data.draw(st.sampled_from("abcdeimnorst"))
    kind = data.draw(st.sampled_from(("delete", "insert", "replace")))
    tail = word[place:] if kind == "insert" else word[place + 1 :]
    typed = word[:place] + ("" if kind == "delete" else letter) + tail
    if EDITS.compare(typed, word, 2) in (0, 1):
        assert word in near(typed)
