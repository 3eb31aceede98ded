"""Decide how much of the documents fits a model, and how long its answers may be, before anything is asked."""

from __future__ import annotations

from itertools import product

from siaa.answering.llm.tokens import CHARS_PER_TOKEN, estimate_tokens
from siaa.answering.prompt import build_messages
from siaa.config import CHUNK_SIZE, MAX_QUESTION_CHARS, Settings
from siaa.published.index_holder import FragmentBudget
from siaa.question import Query

_LISTING_CHUNKS = 2  # passages of one document that a listing needs at least (contract, /siaa/fragmento)

# Kind of question -> share of SIAA_LLM_MAX_TOKENS. Small models do best with 120 to 200 tokens; a listing needs more.
LISTING_SHARE = 1.0
ANSWER_SHARES = {"cuando": 0.5, "quien": 0.5}
USUAL_SHARE = 2 / 3


def full_budget(settings: Settings) -> FragmentBudget:
    """Return what the settings allow, which is what is used without a model."""
    return FragmentBudget(settings.max_docs_contexto, settings.max_chunks_contexto)


def fragment_budget(context_tokens: int, settings: Settings) -> FragmentBudget:
    """Return the most that fits `context_tokens` with the instructions, the longest question and the longest answer.

    Several passages of one document go before several documents. At least one passage is always allowed: where even
    that does not fit the longest question, it fits the usual one (see `fits`).
    """
    full = full_budget(settings)
    room = _room(context_tokens, settings)
    fitting = [
        FragmentBudget(docs, chunks)
        for docs, chunks in product(range(1, full.max_docs + 1), range(1, full.max_chunks + 1))
        if docs * _fragment_tokens(chunks) <= room
    ]
    return max(fitting, key=_worth, default=FragmentBudget(1, 1))


def fits(context_tokens: int, settings: Settings) -> bool:
    """Tell whether one passage fits with the longest question and the longest answer."""
    return _fragment_tokens(1) <= _room(context_tokens, settings)


def answer_tokens(query: Query, settings: Settings) -> int:
    """Return the most tokens of an answer to this kind of question; at least 16."""
    shares = [ANSWER_SHARES.get(kind, USUAL_SHARE) for kind in query.kinds] or [USUAL_SHARE]
    share = LISTING_SHARE if query.wants_list else max(shares)
    return max(16, round(settings.llm_max_tokens * share))


def _room(context_tokens: int, settings: Settings) -> int:
    """Return the tokens left for documents."""
    empty = build_messages((), "x" * MAX_QUESTION_CHARS)
    return context_tokens - estimate_tokens(empty) - settings.llm_max_tokens


def _fragment_tokens(chunks: int) -> int:
    return -(-chunks * CHUNK_SIZE // CHARS_PER_TOKEN) + 1


def _worth(budget: FragmentBudget) -> tuple[int, int, int]:
    return min(budget.max_chunks, _LISTING_CHUNKS), budget.max_docs * budget.max_chunks, budget.max_docs
