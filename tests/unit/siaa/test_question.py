"""What is understood of a question."""

from __future__ import annotations

import unicodedata

import pytest

from siaa.errors import InvalidQuestionError
from siaa.question import Query, parse
from siaa.references import Reference
from tests.building import ANALYZER

# word -> occurrences in an imaginary index
WORDS = {"juzgado": 90, "periodicidad": 12, "procesos": 80, "año": 40, "reporte": 30, "termino": 9, "departamento": 7}


class _FewWords:
    """An index of a few words; near words are those that differ in one letter or have the ending given."""

    def has_word(self, word: str) -> bool:
        return word in WORDS

    def has_stem(self, stem: str) -> bool:
        return stem in {ANALYZER.stem(word) for word in WORDS}

    def near_words(self, word: str, *, max_distance: int) -> list[tuple[str, int, int]]:
        found = [(w, _differences(word, w), n) for w, n in WORDS.items()]
        return sorted((row for row in found if row[1] <= max_distance), key=lambda row: (row[1], -row[2]))


def _differences(one: str, other: str) -> int:
    if one.endswith("apartamento") and other == "departamento":
        return 2
    return sum(a != b for a, b in zip(one, other, strict=False)) + 9 * (len(one) != len(other))


def _parse(text: str, *held: str) -> Query:
    def holds(reference: Reference) -> bool:
        return reference.token in held

    return parse(text, analyzer=ANALYZER, index=_FewWords(), holds_norm=holds)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("¿Qué periodicidad tienen los procesos?", ("periodicidad", "procesos")),  # stop words go
        ("Señale la opción correcta sobre el reporte", ("reporte",)),  # so do the words of exams
        ("q hace el juz pa los procesos", ("juzgado", "procesos")),  # abbreviations are written out
        ("¿Qué hago?", ("hago",)),  # nothing but question words: they are all there is
    ],
)
def test_searched_words(text: str, words: tuple[str, ...]) -> None:
    assert _parse(text).words == words


@pytest.mark.parametrize(
    ("text", "addressee"),
    [
        ("Juzgado de procesos: ¿cómo registro el reporte?", ("juzg", "proces")),  # named before the question
        ("¿Cómo registro el reporte del juzgado?", ()),  # no colon
        ("¿Qué es esto? Respuesta: el reporte", ()),  # the colon comes after the question
        ("La respuesta es el reporte:", ()),  # nothing is asked after it
    ],
)
def test_addressee(text: str, addressee: tuple[str, ...]) -> None:
    assert _parse(text).addressee == addressee


@pytest.mark.parametrize(
    ("text", "corrections"),
    [
        ("periodicidae", {"periodicidae": "periodicidad"}),  # the last letter missed
        ("juzgqdo", {"juzgqdo": "juzgado"}),  # a letter in the middle
        ("huzgado", {"huzgado": "juzgado"}),  # the first letter, and nothing else
        ("apartamento", {}),  # another word, not an error of "departamento"
        ("juzg2do", {}),  # no word at all: an identifier
        ("ano", {"ano": "año"}),  # the n without its tilde
    ],
)
def test_corrections(text: str, corrections: dict[str, str]) -> None:
    assert dict(_parse(text).corrections) == corrections


def test_correction_is_searched_beside_the_typed_word() -> None:
    assert _parse("periodicidae").words == ("periodicidae", "periodicidad")


def test_word_that_nothing_explains_stays_as_it_is() -> None:
    query = _parse("procesos zzyzxq")
    assert (query.words, dict(query.corrections)) == (("procesos", "zzyzxq"), {})


def test_norm_that_the_index_holds_is_no_search_term() -> None:
    """Its number stands all over other documents; its own is found by its name."""
    query = _parse("reporte en la Ley 270 de 1996", "ley_270")
    assert query.stems == (ANALYZER.stem("reporte"),)
    assert query.names_document


def test_norm_that_the_index_lacks_stays_a_search_term() -> None:
    assert "270" in _parse("reporte en la Ley 270 de 1996").stems


def test_article_of_a_named_norm_chooses_inside_the_document_only() -> None:
    query = _parse("artículo 5 de la Ley 270 de 1996", "ley_270")
    assert query.articles == ("5",)
    assert "5" in query.local_stems
    assert "5" not in query.stems


def test_transitory_article_is_another_article() -> None:
    assert _parse("¿Qué dice el artículo transitorio 5?").articles == ("trans_5",)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("¿Cuáles son los deberes?", True), ("¿Qué requisitos hay?", True), ("¿Quién reporta?", False)],
)
def test_listing_questions(text: str, wanted: bool) -> None:
    assert _parse(text).wants_list is wanted


def test_writing_makes_no_difference() -> None:
    text = "¿Cuál es la periodicidad según el artículo 5º de la Ley 270 de 1996?"
    plain = _parse(text)
    for other in (text.upper(), unicodedata.normalize("NFD", text), text.replace("á", "a").replace("í", "i")):
        query = _parse(other)
        assert (query.stems, query.name_stems, query.articles) == (plain.stems, plain.name_stems, plain.articles)


@pytest.mark.parametrize("text", ["", "  \n ", "\u200b", "a" * 5000, "hola\x00mundo", "\x1b[31m"])
def test_text_that_is_no_question_is_refused(text: str) -> None:
    with pytest.raises(InvalidQuestionError):
        _parse(text)
