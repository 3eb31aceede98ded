"""Which terms come out of a text."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from siaa.analysis import Analyzer
from siaa.config import OWN_CONFIG_DIR
from siaa.language import load_tables
from siaa.text import normalise

ANALYZER = Analyzer(load_tables(OWN_CONFIG_DIR))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("art. 5", ["art", "5"]),  # a single digit is a term
        ("no reportar sin firma", ["no", "reportar", "sin", "firma"]),  # negations change the meaning
        ("Artículo 5o. y 1er", ["articulo", "5", "1"]),  # ordinal endings
        ("Circular 019", ["circular", "19"]),  # leading zeros
        ("**Artículo**", ["articulo"]),  # no markup in terms
        ("el de la año", ["año"]),  # stop words go, the n with tilde stays
        ("**URL:** [http://www.x.gov.co/a#5] plazo", ["plazo"]),  # an address is no subject
        ("la url del sistema", ["url", "sistema"]),  # the word alone is one
        ("2.400 m²", ["2", "400", "m²"]),  # a superscript is part of its word
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert ANALYZER.words(text) == words


def test_stems_join_inflections_but_not_n_and_its_tilde() -> None:
    assert ANALYZER.stem("capacitacion") == ANALYZER.stem("capacitaciones")
    assert ANALYZER.stem("año") != ANALYZER.stem("ano")


def test_token_offsets_are_those_of_the_text() -> None:
    text = "El «Artículo 5º» rige."
    assert [text[token.start : token.end] for token in ANALYZER.tokens(text)] == ["El", "Artículo", "5", "rige"]


def test_fingerprint_changes_with_the_stop_list() -> None:
    tables = dataclasses.replace(ANALYZER.tables, stop_words=ANALYZER.tables.stop_words | {"reporte"})
    assert Analyzer(tables).fingerprint != ANALYZER.fingerprint


@given(st.text())
def test_case_makes_no_difference_where_it_can_be_undone(text: str) -> None:
    """Unicode has letters whose capital is not one letter; those of Spanish all are."""
    plain = normalise(text)
    if plain.upper().lower() == plain.lower() and len(plain.upper()) == len(plain):
        assert ANALYZER.stems(plain.upper()) == ANALYZER.stems(plain.lower())
