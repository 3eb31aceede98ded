"""How chosen passages become one text."""

from __future__ import annotations

from siaa.fragments import Span, assemble, choose
from siaa.model import Fragment

TEXT = "## Uno\n" + "Primera frase del uno. Segunda frase del uno. " * 10 + "\n## Dos\n" + "Frase del dos. " * 30
DOS = TEXT.index("## Dos")


def _span(start: int, end: int, heading: str = "Uno", article: str = "", digest: int | None = None) -> Span:
    sentences = tuple(start + i for i in range(end - start) if i == 0 or TEXT[start + i - 2 : start + i] == ". ")
    return Span(start, end, heading, article, start if digest is None else digest, sentences)


def _assemble(*spans: Span, budget: int = 2400) -> Fragment:
    return assemble(spans, doc_id="general/x.md", name="x.md", budget=budget, slice_text=lambda a, b: TEXT[a:b])


def test_best_of_each_article_asked_for_comes_first() -> None:
    """Asked for two articles, one long article does not take all the places."""
    spans = [_span(0, 50, article="19"), _span(60, 100, article="19"), _span(110, 150, article="20")]
    assert [s.article for s in choose(spans, limit=2, articles=("19", "20"))] == ["19", "20"]


def test_repeated_text_takes_one_place() -> None:
    spans = [_span(0, 50, digest=7), _span(200, 250, digest=7), _span(300, 350)]
    assert [s.start for s in choose(spans, limit=2, articles=())] == [0, 300]


def test_passage_that_is_mostly_taken_is_passed_over() -> None:
    spans = [_span(0, 100), _span(20, 110), _span(90, 190)]
    assert [s.start for s in choose(spans, limit=3, articles=())] == [0, 90]


def test_overlapping_neighbours_are_one_piece() -> None:
    fragment = _assemble(_span(100, 200), _span(7, 120))
    assert [(p.start, p.end) for p in fragment.pieces] == [(7, 200)]


def test_touching_passages_of_two_sections_stay_apart() -> None:
    fragment = _assemble(_span(7, DOS), _span(DOS, DOS + 100, heading="Dos"))
    assert [p.heading for p in fragment.pieces] == ["Uno", "Dos"]


def test_pieces_follow_the_document() -> None:
    fragment = _assemble(_span(DOS, DOS + 60, heading="Dos"), _span(7, 60))
    assert [p.heading for p in fragment.pieces] == ["Uno", "Dos"]


def test_heading_line_is_shown_once() -> None:
    fragment = _assemble(_span(DOS, DOS + 100, heading="Dos"))
    assert fragment.text.startswith("[DOC:X.MD]\n\n### Dos\n\nFrase del dos.")


def test_passage_over_the_budget_ends_with_a_sentence() -> None:
    fragment = _assemble(_span(7, 400), budget=250)
    assert fragment.chars <= 250
    assert fragment.pieces[0].text.endswith("del uno.")


def test_remainder_that_says_nothing_is_left_out() -> None:
    """Less than 120 characters of a second passage would fit."""
    fragment = _assemble(_span(7, 200), _span(DOS, DOS + 300, heading="Dos"), budget=300)
    assert [p.heading for p in fragment.pieces] == ["Uno"]
