"""What a reader gets of a model's words.

1. The refusal's words appear in no other answer, however they are cut; an answer that begins with them is a refusal.
2. A gate holds back what no passage holds up: until one sentence is, or each sentence for itself.
3. A notice goes before the first words, and before nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from siaa.answering.model_text import Gate, ModelText
from siaa.answering.wording import REFUSAL


def read(gate: Gate, pieces: Iterable[str], *, before: str = "") -> str:
    """Return what a reader gets when the passages hold up the sentences that say "consta"."""
    words = ModelText(gate, lambda sentence: "consta" in sentence, before=before)
    got = "".join(words.feed(piece) for piece in pieces) + words.end()
    assert got == (before + words.text if words.text else "")
    return got


# pieces of the model -> what a reader sees
FILTERED = [
    (["hola ", "mundo"], "hola mundo"),  # as it comes
    ([REFUSAL], ""),  # a refusal
    (list(REFUSAL), ""),  # letter by letter
    (["\n« " + REFUSAL + "»"], ""),  # in quotation marks
    (["No encontré nada raro."], "No encontré nada raro."),  # begins alike, is another sentence
    (["Sí. " + REFUSAL + " Fin."], "Sí. . Fin."),  # its words are in no other answer
    (["Sí. No encon", "tré otra cosa"], "Sí. No encontré otra cosa"),
    (["  \n", "Sí"], "Sí"),
    (["Sí. ", REFUSAL[:6] + REFUSAL[:-1] + REFUSAL[6:], " Fin."], "Sí. . Fin."),  # one within another
    (["Sí. No"], "Sí. No"),  # what was held back comes at the end
    ([], ""),
]


@pytest.mark.parametrize(("pieces", "seen"), FILTERED)
def test_refusal_words_appear_in_no_other_answer(pieces: list[str], seen: str) -> None:
    assert read(Gate.OPEN, pieces) == seen


@given(st.lists(st.sampled_from([REFUSAL, "No encontré ", "otra cosa. ", "x", " "]), max_size=6), st.data())
def test_the_refusal_is_found_however_it_is_cut(parts: list[str], data: st.DataObject) -> None:
    text = "".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    seen = read(Gate.OPEN, pieces)
    assert seen == read(Gate.OPEN, [text])
    assert REFUSAL.rstrip(".") not in seen


HELD_BACK = "Uno dice algo. "
HELD_UP = "Esto consta ya. "
# gate, pieces -> what a reader gets
GATES = [
    (Gate.ONCE_SUPPORTED, [HELD_BACK, HELD_UP, HELD_BACK], HELD_BACK + HELD_UP + HELD_BACK),
    (Gate.ONCE_SUPPORTED, [HELD_BACK, HELD_BACK], ""),
    (Gate.ONCE_SUPPORTED, [HELD_BACK, "Al fin consta"], HELD_BACK + "Al fin consta"),  # the last has no end
    (Gate.ONCE_SUPPORTED, [HELD_UP + HELD_BACK + HELD_BACK], HELD_UP + HELD_BACK + HELD_BACK),  # all in one piece
    (Gate.ONCE_SUPPORTED, [REFUSAL], ""),
    (Gate.ONLY_SUPPORTED, [HELD_BACK, HELD_UP, HELD_BACK], HELD_UP),
    (Gate.ONLY_SUPPORTED, [HELD_BACK, "Al fin consta"], "Al fin consta"),
    (Gate.ONLY_SUPPORTED, [HELD_BACK], ""),
]


@pytest.mark.parametrize(("gate", "pieces", "got"), GATES)
def test_gates(gate: Gate, pieces: list[str], got: str) -> None:
    assert read(gate, pieces) == got
    assert read(gate, "".join(pieces)) == got  # letter by letter


@pytest.mark.parametrize("gate", Gate)
def test_a_notice_goes_before_the_first_words_only(gate: Gate) -> None:
    assert read(gate, [HELD_UP, HELD_UP], before="Nota. ") == f"Nota. {HELD_UP}{HELD_UP}"
    assert read(gate, [REFUSAL], before="Nota. ") == ""


def test_a_refusal_is_known_as_soon_as_it_is_said() -> None:
    words = ModelText(Gate.OPEN, lambda sentence: True)
    assert words.feed(REFUSAL) == ""
    assert words.refused
    assert words.feed("y algo más") == ""
