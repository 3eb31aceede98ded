"""Fragments of any choice of passages: within the budget, verbatim, and the best passage is in."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from siaa.config import CHUNK_SIZE
from siaa.fragments import choose
from siaa.text import squeeze
from tests.hand_made import HandMadePassage, assembled

_BUDGET = 3 * CHUNK_SIZE
_SENTENCE = "Una frase de treinta letras. "
TEXT = _SENTENCE * 400


@st.composite
def passages(draw: st.DrawFn) -> list[HandMadePassage]:
    """Return ranked passages anywhere in TEXT, as the index holds them."""
    found = []
    for digest in range(draw(st.integers(1, 8))):
        start = draw(st.integers(0, len(TEXT) - CHUNK_SIZE))
        end = start + draw(st.integers(30, CHUNK_SIZE))
        sentences = tuple(range(-(-start // len(_SENTENCE)) * len(_SENTENCE), end, len(_SENTENCE)))
        heading = draw(st.sampled_from(("Uno", "Dos", "Un encabezado largo " * 12)))
        article = draw(st.sampled_from(("", "5", "6")))
        found.append(HandMadePassage(start, end, squeeze(heading), article, digest, sentences))
    return found


@given(passages(), st.sampled_from(((), ("5",), ("5", "6"))))
def test_fragment(ranked: list[HandMadePassage], articles: tuple[str, ...]) -> None:
    chosen = choose(ranked, limit=3, articles=articles)
    fragment = assembled(chosen, TEXT, budget=_BUDGET)
    assert fragment.chars <= _BUDGET
    assert fragment.chars == len(fragment.text)
    assert all(piece.text == TEXT[piece.start : piece.end] for piece in fragment.pieces)
    best = chosen[0]
    assert any(p.start <= best.start + 1 and p.end >= best.end - 1 for p in fragment.pieces)
    assert all(a.end <= b.start for a, b in pairwise(fragment.pieces))
