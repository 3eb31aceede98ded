"""Everyday words lead to what documents write, one way only, whole expressions first."""

from __future__ import annotations

import tomllib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from siaa.analysis import Analyzer
from siaa.config import OWN_CONFIG_DIR
from siaa.everyday import EVERYDAY, Everyday, read_groups
from siaa.question import Query, parse
from tests.building import ANALYZER

TABLE = """
[[campo]]
nombre = "trabajo"
grupos = [
  { dicen = ["jefe", "patrón"], escriben = ["empleador", "superior jerárquico"] },
  { dicen = ["sacar", "sacaron"], escriben = ["expedir"] },
  { dicen = ["me sacaron del trabajo"], escriben = ["despido"] },
  { dicen = ["jefe"], escriben = ["el superior"] },
]
"""
TAUGHT = Analyzer(replace(ANALYZER.tables, everyday=read_groups(tomllib.loads(TABLE))))


def _found(text: str) -> tuple[Everyday, ...]:
    return TAUGHT.everyday.find([token.word for token in TAUGHT.tokens(text)])


def _written(text: str) -> list[str]:
    return [stem for found in _found(text) for stem in found.written]


def _stems(text: str) -> list[str]:
    return [TAUGHT.stem(word) for word in text.split()]


class _Words:
    """An index that holds what documents write and no everyday word."""

    def has_word(self, word: str) -> bool:
        return word in ("empleador", "votaron")

    def has_stem(self, stem: str) -> bool:
        return stem in _stems("empleador votaron")

    def near_words(self, word: str, *, max_distance: int) -> list[tuple[str, int, int]]:
        return [("padron", 1, 3)] if word == "patron" else []


def _parse(text: str, *, everyday: bool = True) -> Query:
    return parse(text, analyzer=TAUGHT, index=_Words(), holds_norm=lambda _: False, everyday=everyday)


@pytest.mark.parametrize("text", ["¿Mi jefe puede?", "los JEFES", "el patron", "mi patrón"])
def test_the_word_is_known_in_any_writing(text: str) -> None:
    assert _written(text)[:3] == _stems("empleador superior jerarquico")


def test_it_leads_one_way() -> None:
    assert _written("el empleador y el superior jerárquico") == []


def test_groups_of_one_word_add_up_without_stop_words() -> None:
    assert _written("mi jefe") == _stems("empleador superior jerarquico")


def test_an_expression_is_found_whole_and_before_its_words() -> None:
    assert _written("Ayer me sacaron del trabajo") == _stems("despido")
    assert _written("me sacaron una copia del trabajo") == _stems("expedir")


def test_words_of_form_and_short_stems_are_matched_as_they_are() -> None:
    table = '[[campo]]\ngrupos = [{ dicen = ["paro", "casarse", "pase"], escriben = ["huelga"] }]'
    index = Analyzer(replace(ANALYZER.tables, everyday=read_groups(tomllib.loads(table)))).everyday
    for text in ("para vender", "mi casa", "que pasa si vendo"):
        assert index.find(text.split()) == (), text
    for text in ("hacen paros", "casarse", "el pase"):
        assert index.find(text.split()), text


def test_the_question_says_which_words_led_there() -> None:
    (found,) = _parse("¿Por qué me sacaron del trabajo?").everyday
    assert found.said == "me sacaron del trabajo"
    assert found.asked == tuple(_stems("sacaron trabajo"))


def test_what_is_written_is_not_what_is_asked() -> None:
    assert _parse("¿Mi jefe es el empleador?").written == tuple(_stems("superior jerarquico"))


def test_an_everyday_word_is_no_typing_error() -> None:
    assert _parse("mi patrón").corrections == {}
    assert _parse("mi patrón", everyday=False).corrections == {"patron": "padron"}


def test_a_profile_without_it_understands_without_it() -> None:
    query = _parse("mi jefe", everyday=False)
    assert query.everyday == query.written == ()


@given(st.lists(st.sampled_from(["jefe", "me", "sacaron", "del", "trabajo", "ley", "empleador"]), max_size=9))
def test_what_is_found_stands_in_the_question_and_adds_other_words(words: list[str]) -> None:
    for found in TAUGHT.everyday.find(words):
        assert f" {found.said} " in f" {' '.join(words)} "
        assert set(found.asked) <= set(map(TAUGHT.stem, words))
        assert not set(found.written) & set(found.asked)


def test_every_row_of_the_project_adds_a_word_and_every_field_has_its_reason() -> None:
    table = tomllib.loads((OWN_CONFIG_DIR / EVERYDAY).read_text(encoding="utf-8"))
    assert all(field["razon"].strip() for field in table["campo"])
    for group in ANALYZER.tables.everyday:
        assert len(set(group.said)) == len(group.said), group
        assert any(ANALYZER.everyday.find(said)[0].written for said in group.said), group
