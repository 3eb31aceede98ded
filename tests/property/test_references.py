"""Legal references hold for any text: no exception, spans inside the text and in order, one spelling like another."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from siaa.references import find_references, opening_article
from siaa.text import fold
from tests.unit.siaa.cases_references import AGREED, ARTICLES, NORMS, UNITS

CASES = sorted({text for text, _ in AGREED + ARTICLES + UNITS + NORMS})
PIECES = [
    "artículo ", "artículos ", "ART. ", "parágrafo ", "numeral ", "literal ", "título ", "sección ", "anexo ", "Ley ",
    "leyes ", "acuerdo ", "decreto-ley ", "R.D. ", "circular ", "PSAA", "pcsja", "transitorio ", "único", "No. ",
    "n.º ", "5", "16", "10476", "1996", "270", "IV", "bis", " A", "c)", "º", ".", ",", "-", "–", "/", " y ", " a ",
    " de ", " del ", "primero", "décimo ", "tercero", "treinta y ", "siete", "marzo", "\n", "\n\n", "**", "_",
    "ñ", " ", "x",
]  # fmt: skip
legal_text = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)
any_text = st.one_of(legal_text, st.text(max_size=200), st.tuples(legal_text, st.text(max_size=20)).map("".join))


def tokens(text: str) -> list[str]:
    return [token for reference in find_references(text) for token in reference.tokens]


@given(any_text)
def test_spans_lie_in_the_text_and_are_in_order(text: str) -> None:
    found = find_references(text)
    spans = [(reference.start, reference.end) for reference in found]
    assert spans == sorted(spans)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(reference.token == reference.tokens[0] for reference in found)


@given(any_text)
def test_an_opening_lies_in_its_line(line: str) -> None:
    opening = opening_article(line)
    assert opening is None or (0 < opening.end <= len(line) and opening.number)


@given(any_text)
def test_the_way_accents_are_stored_makes_no_difference(text: str) -> None:
    text = unicodedata.normalize("NFC", text)
    assert tokens(unicodedata.normalize("NFD", text)) == tokens(text)


@given(legal_text)
def test_case_accents_and_dashes_make_no_difference(text: str) -> None:
    text = "x " + text.replace("\n", " ")  # a clause that opens a line counts in capitals only
    # `fold` makes ordinal signs spaces: keep them, they are not what is compared here.
    folded = "".join(c if c == "º" else fold(c) for c in text)
    assert tokens(text.upper()) == tokens(text) == tokens(folded) == tokens(text.replace("-", "–"))


@pytest.mark.parametrize("text", CASES)
def test_every_case_in_capitals_and_decomposed(text: str) -> None:
    inside = "x " + text.replace("\n", " ")
    assert tokens(inside.upper()) == tokens(inside)
    assert tokens(unicodedata.normalize("NFD", text)) == tokens(text)


@given(st.sampled_from(CASES), st.sampled_from(["\u00ad", "\u200b", "\ufeff"]), st.integers(0, 60))
def test_invisible_characters_make_no_difference(text: str, hidden: str, where: int) -> None:
    where = min(where, len(text))
    assert tokens(text[:where] + hidden + text[where:]) == tokens(text)
