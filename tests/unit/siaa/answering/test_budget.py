"""What fits a model is decided before anything is asked, for the longest question, and the question is never cut."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from siaa.answering.budget import FragmentBudget, answer_tokens, fits, fragment_budget
from siaa.answering.llm.protocol import ChatMessage, ModelContextError
from siaa.answering.llm.tokens import estimate_tokens, fit_answer
from siaa.answering.prompt import build_messages
from siaa.config import MAX_QUESTION_CHARS, Settings
from siaa.model import Fragment

SETTINGS = Settings()

# tokens of context -> documents and passages of each
BUDGETS = [
    (131_072, FragmentBudget(2, 3)),  # what the settings allow, never more
    (4096, FragmentBudget(2, 3)),
    (2048, FragmentBudget(1, 3)),  # a listing needs two passages of one document
    (1700, FragmentBudget(1, 2)),
    (1024, FragmentBudget(1, 1)),  # the least; a long question does not fit
    (0, FragmentBudget(1, 1)),
]


@pytest.mark.parametrize(("context", "budget"), BUDGETS)
def test_budget(context: int, budget: FragmentBudget) -> None:
    assert fragment_budget(context, SETTINGS) == budget


@pytest.mark.parametrize("context", range(600, 6000, 50))
def test_what_fits_leaves_room_for_question_and_answer(context: int) -> None:
    budget = fragment_budget(context, SETTINGS)
    # A name that brings the fragment to its limit: header and headings count.
    passage = Fragment(doc_id="a", name="x" * (800 * budget.max_chunks - len("[DOC:]")), pieces=())
    prompt = build_messages([passage] * budget.max_docs, "¿" * MAX_QUESTION_CHARS)
    if fits(context, SETTINGS):
        assert estimate_tokens(prompt) + SETTINGS.llm_max_tokens <= context


def test_a_bigger_context_never_gives_less() -> None:
    sizes = [fragment_budget(context, SETTINGS) for context in range(0, 5000, 10)]
    worth = [(min(size.max_chunks, 2), size.max_docs * size.max_chunks) for size in sizes]
    assert worth == sorted(worth)


def message(tokens: int) -> ChatMessage:
    return ChatMessage("user", "x" * 3 * (tokens - 8))


# tokens of the prompt, tokens wanted, context -> tokens allowed; None: refused
ROOMS = [
    (500, 300, 4096, 300),
    (3900, 300, 4096, 196),  # the answer gets what is left
    (4064, 300, 4096, 32),  # the least that is worth it
    (4065, 300, 4096, None),
    (5000, 300, 4096, None),
    (4080, 16, 4096, 16),  # a short answer was wanted
]


@pytest.mark.parametrize(("prompt", "wanted", "context", "room"), ROOMS)
def test_room_for_the_answer(prompt: int, wanted: int, context: int, room: int | None) -> None:
    if room is None:
        with pytest.raises(ModelContextError):
            fit_answer([message(prompt)], max_tokens=wanted, context=context)
    else:
        assert fit_answer([message(prompt)], max_tokens=wanted, context=context) == room


# kinds of question, whether it asks for a list -> tokens of the answer, of 300
LENGTHS: list[tuple[tuple[str, ...], bool, int]] = [
    ((), False, 200),
    (("cuando",), False, 150),
    (("quien",), False, 150),
    (("que_es",), False, 200),
    (("cuando", "que_pasa_si"), False, 200),  # the longest of its kinds
    (("quien",), True, 300),  # "quiénes son los ..."
]


@pytest.mark.parametrize(("kinds", "listing", "tokens"), LENGTHS)
def test_answers_are_as_long_as_their_question_needs(kinds: tuple[str, ...], listing: bool, tokens: int) -> None:
    query: Any = SimpleNamespace(kinds=kinds, wants_list=listing)
    assert answer_tokens(query, SETTINGS) == tokens
