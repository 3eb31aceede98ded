"""What a reader is told: every reason has its sentence, and articles are named as people write them."""

from __future__ import annotations

import pytest

from siaa.answering.reasons import REFUSALS, Code, Reason
from siaa.answering.wording import article_name, told, told_all, why_nearest


@pytest.mark.parametrize("code", Code)
def test_every_reason_is_a_whole_sentence(code: Code) -> None:
    sentence = told(Reason(code, document="ley_9.md", article="5", norms=("Ley 9",), words=("lista",)))
    assert sentence[0].isupper()
    assert sentence.endswith(".")
    assert "{" not in sentence


# number of an article -> how it is told
ARTICLES = [
    ("5", "5"),
    ("14_bis", "14 bis"),
    ("trans_99", "transitorio 99"),  # not "trans 99"
    ("unico", "único"),
]


@pytest.mark.parametrize(("number", "name"), ARTICLES)
def test_articles_are_named_as_people_write_them(number: str, name: str) -> None:
    assert article_name(number) == name
    missing = Reason(Code.MISSING_ARTICLE, document="ley_9.md", article=number)
    assert told(missing) == f"El documento ley_9.md no tiene el artículo {name}."


def test_the_words_that_are_missing_are_shown_up_to_five() -> None:
    five = told(Reason(Code.MISSING_WORDS, words=tuple("abcde")))
    assert five == "Los pasajes encontrados no hablan de «a», «b», «c», «d», «e»."
    assert told(Reason(Code.MISSING_WORDS, words=tuple("abcdef"))) == five[:-1] + " y otras palabras."
    assert told(Reason(Code.MISSING_WORDS)) == "Ningún pasaje reúne lo que se pregunta."


def test_a_place_is_told_with_its_article_or_without() -> None:
    assert told(Reason(Code.STANDS_IN, "ley_9.md", "trans_5")).endswith("el artículo transitorio 5 de ley_9.md.")
    assert told(Reason(Code.STANDS_IN, "ley_9.md")).endswith("están en ley_9.md.")


def test_the_nearest_passage_is_announced_once() -> None:
    for code in REFUSALS:
        sentence = why_nearest(
            (Reason(code, norms=("Ley 9",)), Reason(Code.LOST_LIST, "a.md", "4", words=("una lista",)))
        )
        assert sentence.count("el pasaje más parecido") == 1
        assert sentence.endswith("El artículo 4 de a.md anuncia una lista que no está en ese documento.")
    assert told_all(()) == ""
