"""The checker of answers.

1. `verificada` is never given to what a document does not say: the table has a row for every way of being wrong.
2. A span is a slice of its passage; every quotation called exact stands in it.
3. What is cut into sentences and put together again is the text that came in.
"""

from __future__ import annotations

import pytest
import Stemmer
from hypothesis import given
from hypothesis import strategies as st

from siaa.answering.citing.citations import SentenceBuffer, check_answer
from siaa.answering.citing.claims import quotation_spans, read_words, sentence_units
from siaa.answering.citing.place import Place, flatten
from siaa.answering.citing.support import State
from siaa.references import Reference
from tests.unit.siaa.answering.citing.cases_citations import CASES, PASSAGES, N, P, V

STEM = Stemmer.Stemmer("spanish").stemWord
NORMS = {"acuerdo": "psaa16-10476", "reglamento": "decreto_1"}


def place(document: str, article: str, text: str, start: int = 0) -> Place:
    def is_norm(reference: Reference) -> bool:
        return NORMS.get(document) in reference.tokens

    def is_file(name: str) -> bool:
        return name == f"{document}.md"

    return Place(text, start=start, article=article, stem=STEM, is_norm=is_norm, is_file=is_file)


PLACES = [place(*passage) for passage in PASSAGES]


@pytest.mark.parametrize(("sentence", "state", "passage"), CASES)
def test_table(sentence: str, state: str, passage: int | None) -> None:
    (checked,) = check_answer(sentence, PLACES)
    assert (checked.support.state, checked.support.place if passage is not None else None) == (state, passage)


def test_there_are_enough_cases() -> None:
    assert len(CASES) >= 60
    assert {state for _, state, _ in CASES} == set(State)


SENTENCES = [sentence for sentence, state, _ in CASES if state == V and "«" not in sentence and "“" not in sentence]
EXTRA = ["sin", "salvo", "99", "diputados", "nunca", "Ley 5 de 1990", "solo", "y/o", "jamás", "menos"]


@given(st.sampled_from(SENTENCES), st.sampled_from(EXTRA), st.integers(0, 30))
def test_a_word_more_is_never_verified(sentence: str, extra: str, at: int) -> None:
    words = sentence.split()
    words.insert(at % (len(words) + 1), extra)
    changed = " ".join(words)
    for checked in check_answer(changed, PLACES):
        said = changed[checked.start : checked.end]
        assert checked.support.state is not State.VERIFIED or extra not in said


PARTS = [*'abc15 .,;«»“”"\n-()', "no ", "artículo ", "El ", "plazo ", "Ley 5 de ", "según "]
TEXT = st.lists(st.sampled_from(PARTS), max_size=60).map("".join)


@given(TEXT)
def test_spans_are_slices_in_order(text: str) -> None:
    at = 0
    for checked in check_answer(text, PLACES):
        assert at <= checked.start < checked.end <= len(text)
        at = checked.end
        if checked.support.place >= 0:
            source = PLACES[checked.support.place].text[checked.support.start : checked.support.end]
            assert source.strip()


@given(st.sampled_from(range(len(PASSAGES))), st.integers(0, 300), st.integers(1, 120))
def test_an_exact_quotation_stands_in_its_span(passage: int, start: int, size: int) -> None:
    text = PASSAGES[passage][2]
    quoted = text[start : start + size]
    if any(mark in quoted for mark in '«»“”"') or len(read_words(quoted, stem=STEM)) < 3:
        return
    for checked in check_answer(f"«{quoted}»", PLACES):
        if checked.support.state is State.VERIFIED:
            found = PLACES[checked.support.place].text[checked.support.start : checked.support.end]
            assert flatten(quoted)[0].strip() == flatten(found)[0].strip()


@given(st.lists(TEXT, max_size=12))
def test_sentences_of_a_stream_join_to_the_stream(pieces: list[str]) -> None:
    buffer = SentenceBuffer()
    out = [sentence for piece in pieces for sentence in buffer.feed(piece)]
    assert "".join([*out, buffer.rest()]) == "".join(pieces)


def test_a_stream_is_cut_between_sentences_and_never_inside_a_quotation() -> None:
    buffer = SentenceBuffer()
    text = "El plazo vence. El artículo 1 dice: «No se prorroga. Nunca.» Y más. Fin"
    out = [sentence for letter in text for sentence in buffer.feed(letter)]
    assert [*out, buffer.rest()] == [
        "El plazo vence. ",
        "El artículo 1 dice: «No se prorroga. Nunca.» ",
        "Y más. ",
        "Fin",
    ]


# text -> what stands between its quotation marks
QUOTED = [
    ("«a»", ["a"]),
    ("«a «b» c»", ["a «b» c"]),
    ("“a” y “b”", ["a", "b"]),
    ('"a" y "b"', ["a", "b"]),
    ("«a", []),
    ("a»", []),
    ('un " solo', []),
    ("«a “b” c»", ["a “b” c"]),
]


@pytest.mark.parametrize(("text", "quoted"), QUOTED)
def test_quotation_marks(text: str, quoted: list[str]) -> None:
    assert [text[a:b] for a, b in quotation_spans(text)] == quoted


# text -> keys of its numbers
NUMBERS = [
    ("cinco (5) días", ["#5"]),
    ("dos mil (2.000) pesos", ["#2000"]),
    ("dos mil quinientos", ["#2500"]),
    ("1.000,50", ["#1000.50"]),
    ("7,5 %", ["#7.5"]),
    ("treinta días y 30 horas", ["#30", "#30"]),
    ("el segundo día", []),
    ("5o. y 5º", ["#5", "#5"]),
    ("007", ["#7"]),
]


@pytest.mark.parametrize(("text", "keys"), NUMBERS)
def test_numbers_by_value(text: str, keys: list[str]) -> None:
    assert [word.key for word in read_words(text, stem=STEM) if word.is_number] == keys


def test_sentences_that_a_quotation_holds_are_one() -> None:
    text = "Dice: «El plazo vence. No se prorroga.» Otra frase."
    assert [text[a:b] for a, b in sentence_units(text)] == ["Dice: «El plazo vence. No se prorroga.»", "Otra frase."]


def test_without_passages_nothing_is_supported() -> None:
    assert [c.support.state for c in check_answer("El plazo no se prorroga.", [])] == [N]
    assert P != V
