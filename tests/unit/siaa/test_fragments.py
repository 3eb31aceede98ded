"""How chosen passages become one text."""

from __future__ import annotations

from siaa.fragments import choose
from siaa.model import Fragment
from tests.hand_made import HandMadePassage, assembled

TEXT = "## Uno\n" + "Primera frase del uno. Segunda frase del uno. " * 10 + "\n## Dos\n" + "Frase del dos. " * 30
DOS = TEXT.index("## Dos")


def _passage(
    start: int, end: int, heading: str = "Uno", article: str = "", digest: int | None = None
) -> HandMadePassage:
    sentences = tuple(start + i for i in range(end - start) if i == 0 or TEXT[start + i - 2 : start + i] == ". ")
    return HandMadePassage(start, end, heading, article, start if digest is None else digest, sentences)


def _assemble(*passages: HandMadePassage, budget: int = 2400) -> Fragment:
    return assembled(passages, TEXT, budget=budget)


def test_best_of_each_article_asked_for_comes_first() -> None:
    """Asked for two articles, one long article does not take all the places."""
    passages = [_passage(0, 50, article="19"), _passage(60, 100, article="19"), _passage(110, 150, article="20")]
    assert [p.article for p in choose(passages, limit=2, articles=("19", "20"))] == ["19", "20"]


def test_repeated_text_takes_one_place() -> None:
    passages = [_passage(0, 50, digest=7), _passage(200, 250, digest=7), _passage(300, 350)]
    assert [p.start for p in choose(passages, limit=2, articles=())] == [0, 300]


def test_passage_that_is_mostly_taken_is_passed_over() -> None:
    passages = [_passage(0, 100), _passage(20, 110), _passage(90, 190)]
    assert [p.start for p in choose(passages, limit=3, articles=())] == [0, 90]


def test_overlapping_neighbours_are_one_piece() -> None:
    fragment = _assemble(_passage(100, 200), _passage(7, 120))
    assert [(p.start, p.end) for p in fragment.pieces] == [(7, 200)]


def test_touching_passages_of_two_sections_stay_apart() -> None:
    fragment = _assemble(_passage(7, DOS), _passage(DOS, DOS + 100, heading="Dos"))
    assert [p.heading for p in fragment.pieces] == ["Uno", "Dos"]


def test_pieces_follow_the_document() -> None:
    fragment = _assemble(_passage(DOS, DOS + 60, heading="Dos"), _passage(7, 60))
    assert [p.heading for p in fragment.pieces] == ["Uno", "Dos"]


def test_heading_line_is_shown_once() -> None:
    fragment = _assemble(_passage(DOS, DOS + 100, heading="Dos"))
    assert fragment.text.startswith("[DOC:X.MD]\n\n### Dos\n\nFrase del dos.")


def test_passage_over_the_budget_ends_with_a_sentence() -> None:
    fragment = _assemble(_passage(7, 400), budget=250)
    assert fragment.chars <= 250
    assert fragment.pieces[0].text.endswith("del uno.")


def test_remainder_that_says_nothing_is_left_out() -> None:
    """Less than 120 characters of a second passage would fit."""
    fragment = _assemble(_passage(7, 200), _passage(DOS, DOS + 300, heading="Dos"), budget=300)
    assert [p.heading for p in fragment.pieces] == ["Uno"]
