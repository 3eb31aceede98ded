"""Scoring by hand-made answers: what counts as the document, the quote and the article."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.eval.__main__ import disagreements
from tests.eval.questions import OWN_SET, Question, UnknownSetError, articles_of, find_sets
from tests.eval.scoring import comparable, same_document, score, score_question, share, values
from tests.eval.serving import Official

BODY = "El despacho reporta cada trimestre y responde por lo que reporta."


class Fixed:
    """Answer always the same."""

    def __init__(self, routed: Sequence[str], fragments: Mapping[str, str]) -> None:
        self.routed = routed
        self.fragments = fragments

    def route(self, text: str) -> Sequence[str]:
        return self.routed

    def fragment(self, document: str, text: str) -> str:
        return self.fragments.get(document, "")


def equal(answered: str, gold: str) -> bool:
    return answered == gold


def test_the_accepted_document_second_counts_for_two_only() -> None:
    question = Question("1", "¿qué?", accepted=("a.md", "b.md"), strict=("a.md",))
    row = score_question(question, Fixed(["x.md", "b.md", "a.md"], {}), equal)
    assert row == {"doc@1": False, "doc@2": True, "strict@1": False, "strict@2": False}


def test_quotes_are_looked_for_in_all_routed_fragments_and_in_the_given_document() -> None:
    question = Question("1", "¿qué?", accepted=("a.md",), strict=("a.md",), quotes=("plazo de **tres** días", "otro"))
    row = score_question(question, Fixed(["x.md"], {"x.md": "nada", "a.md": "El Plazo  de\ntres días."}), equal)
    assert (row["quote"], row["quote_doc"], row["found"], row["found_doc"]) == (False, True, False, True)
    assert "article" not in row


@pytest.mark.parametrize(
    ("text", "body", "reached"),
    [
        (f"### Art. 6\n\n{BODY}", f"ARTÍCULO 6. {BODY}", True),  # a whole line of the fragment lies in the article
        ("El despacho reporta", BODY, False),  # too short a line to prove anything
        (f"Sobra. {BODY}", BODY, False),  # the line holds more than the article
        ("Art. 7. Derogado.", "Derogado.", True),  # a very short article stands inside the fragment
    ],
)
def test_an_article_is_reached_by_a_line_of_it(text: str, body: str, reached: bool) -> None:
    question = Question("1", "¿qué?", accepted=("a.md",), strict=("a.md",), article_body=body)
    assert score_question(question, Fixed(["a.md"], {"a.md": text}), equal)["article"] is reached


def test_questions_without_answer_are_not_scored() -> None:
    outcomes = score([Question("1", "a", accepted=("a.md",)), Question("2", "b")], Fixed(["a.md"], {}), equal)
    assert list(outcomes) == ["1"]
    assert share(outcomes, "doc@1") == 1
    assert share(outcomes, "quote") is None
    assert values(outcomes, "strict@1") == {"1": False}


def test_comparable_folds_marks_case_and_white_space() -> None:
    assert comparable("## Título\n\n  **Uno**\u00ad dos\tTRES") == "título uno dos tres"
    assert comparable("cafe\u0301") == "café"


@pytest.mark.parametrize(
    ("answered", "gold", "same"),
    [
        ("general/A.md", "a.md", True),  # the corpus' own folder is called general
        ("x/a.md", "x/A.md", True),  # case does not matter
        ("unico.md", "x/unico.md", True),  # a bare name that one document bears
        ("doble.md", "x/doble.md", False),  # a bare name that two bear says nothing
        ("y/unico.md", "x/unico.md", False),  # another folder is another document
    ],
)
def test_names_of_documents(tmp_path: Path, answered: str, gold: str, same: bool) -> None:
    for name in ("a.md", "x/unico.md", "x/doble.md", "y/doble.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("texto", encoding="utf-8")
    assert same_document(tmp_path)(answered, gold) is same


def test_a_difference_between_the_scorers_is_told() -> None:
    outcomes = {"1": {"doc@1": True}, "2": {"doc@1": False}, "3": {"doc@1": True}}
    assert disagreements(outcomes, Official({"doc@1": 0.667, "n": 3})) == []
    assert len(disagreements(outcomes, Official({"doc@1": 0.5}))) == 1


def test_articles_of_a_text() -> None:
    text = "# Ley\n\n**ARTÍCULO 1o.- Objeto.** Uno.\n\nsigue\n\nArtículo 4 bis. Dos.\nARTÍCULO TRANSITORIO 1. Tres.\n"
    found = articles_of(text)
    assert list(found) == ["1", "4_bis", "trans_1"]
    assert found["1"].endswith("sigue\n")
    assert articles_of("sin artículos") == {}


def test_an_unknown_set_is_refused_with_those_that_exist(tmp_path: Path) -> None:
    with pytest.raises(UnknownSetError, match=OWN_SET):
        find_sets(tmp_path, ["otro"])
