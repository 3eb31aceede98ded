"""Normalising and folding: what disappears, what stays, and that offsets hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from siaa.text import fold, normalise, squeeze, strip_markup


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("uno\r\ndos\rtres", "uno\ndos\ntres"),  # line breaks of Windows and of old Macs
        ("infor\u00admación", "información"),  # soft hyphen inside a word
        ("dere\u200bcho", "derecho"),  # zero-width space
        ("\ufeffTítulo", "Título"),  # byte order mark
        ("o\ufb01cina a\ufb02uente", "oficina afluente"),  # ligatures of a PDF
        ("n\u0303 a\u0301", "ñ á"),  # combining accents
        ("a\x00b", "ab"),  # NUL
        ("a\u00a0b", "a b"),  # hard space
        ("a\x0cb", "a\nb"),  # form feed: a new page is a new line
        ("5º 5° 5ª", "5º 5° 5ª"),  # ordinal signs are part of the text
    ],
)
def test_normalise(raw: str, clean: str) -> None:
    assert normalise(raw) == clean


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("ARTÍCULO", "articulo"),  # accents and capitals
        ("Año", "año"),  # the n with tilde is another letter
        ("pingüino", "pinguino"),  # diaeresis
        ("PCSJA19–11207", "pcsja19-11207"),  # typographic dash
        ("«a» “b” ‘c’", '"a" "b" \'c\''),  # typographic quotes
        ("5º", "5 "),  # an ordinal sign is no letter
        ("İ", "i"),  # its lower case has two characters: the length wins
    ],
)
def test_fold(text: str, folded: str) -> None:
    assert fold(text) == folded


@given(st.text())
def test_fold_preserves_length(text: str) -> None:
    assert len(fold(text)) == len(text)


@given(st.text())
def test_normalise_is_idempotent(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


@given(st.text())
def test_fold_is_idempotent(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@pytest.mark.parametrize(
    ("line", "plain"),
    [
        ("### ARTÍCULO 5º — OBJETO", "ARTÍCULO 5º — OBJETO"),  # heading mark
        ("## **Objeto**", "Objeto"),  # bold
        ("**ARTÍCULO 5°.-** _Definición._", "ARTÍCULO 5°.- Definición."),  # bold and italics
        ("# Título #", "Título"),  # closed heading
        ("acuerdo_no._psaa16", "acuerdo_no._psaa16"),  # underscores of a name are no emphasis
    ],
)
def test_strip_markup(line: str, plain: str) -> None:
    assert strip_markup(line) == plain


def test_squeeze() -> None:
    assert squeeze("  a \n\t b ") == "a b"
