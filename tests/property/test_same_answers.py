"""Accents, case and the form of Unicode make no difference to any answer (contract, common rules)."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Any

import pytest

from siaa.retrieval import Retriever
from siaa.text import fold


def _without_accents(text: str) -> str:
    """Take accents off vowels; the n with tilde is a letter, not an accent."""
    return "".join(
        letter if letter in "ñÑ" else unicodedata.normalize("NFD", letter)[0]
        for letter in unicodedata.normalize("NFC", text)
    )


WAYS: dict[str, Callable[[str], str]] = {
    "sin tildes": _without_accents,
    "en mayúsculas": str.upper,
    "en minúsculas": str.lower,
    "en NFD": lambda text: unicodedata.normalize("NFD", text),
    "con otras rayas y comillas": lambda text: text.replace("-", "–").replace('"', "”"),
    "con espacios de más": lambda text: f"  {text.replace(' ', '   ')} ",
}


@pytest.mark.parametrize("way", WAYS)
def test_writing_makes_no_difference(sample: Retriever, sample_questions: list[dict[str, Any]], way: str) -> None:
    for question in sample_questions:
        written, other = question["q"], WAYS[way](question["q"])
        asked = [sample.gather(sample.route(sample.ask(text))) for text in (written, other)]
        texts = [[fragment.text for fragment in gathered.fragments] for gathered in asked]
        assert texts[0] == texts[1], f"{written!r} != {other!r}"
        scores = [[round(item.score, 5) for item in gathered.routed.documents] for gathered in asked]
        assert scores[0] == scores[1], f"{written!r} != {other!r}"


def test_fragments_are_verbatim_and_within_the_budget(
    sample: Retriever, sample_questions: list[dict[str, Any]]
) -> None:
    for question in sample_questions:
        query = sample.ask(question["q"])
        for document in sample.generation.documents:
            fragment = sample.select(query, document).fragment
            text = sample.generation.text_of(document)
            assert fragment.chars == len(fragment.text) <= 2400
            for piece in fragment.pieces:
                assert text[piece.start : piece.end] == piece.text
                assert piece.text in fragment.text


@pytest.mark.parametrize("question", ["¿Cuáles son los roles?", "enumera los roles"])
def test_listing_question_gets_two_passages(sample: Retriever, question: str) -> None:
    document = sample.generation.find("acuerdo_no._psaa16-10476.md")
    assert len(sample.select(sample.ask(question), document).chosen) >= 2


@pytest.mark.parametrize("question", ["xilófono volador", "enumera los requisitos", "a"])
def test_only_an_empty_document_has_an_empty_fragment(sample: Retriever, question: str) -> None:
    for document in sample.generation.documents:
        assert sample.select(sample.ask(question), document).fragment.pieces


def test_score_is_the_sum_of_its_contributions(sample: Retriever, sample_questions: list[dict[str, Any]]) -> None:
    for question in sample_questions[:40]:
        routed = sample.route(sample.ask(question["q"]))
        for item in (*routed.documents, *routed.below):
            assert item.score == pytest.approx(sum(c.points for c in item.contributions))
            assert all(c.why for c in item.contributions)


def test_fold_keeps_length_and_the_letter_with_tilde() -> None:
    assert fold("Año ÁÉÍÓÚÜ ñandú") == "año aeiouu ñandu"
