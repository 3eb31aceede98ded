"""Estimate how many tokens a prompt takes, without asking: every model cuts text in its own way."""

from __future__ import annotations

from collections.abc import Iterable

from siaa.answering.llm.protocol import ChatMessage, ModelContextError

CHARS_PER_TOKEN = 3  # of Spanish text, on the safe side: Qwen2.5 on the sample corpus takes 3.5, at worst 3.1
MESSAGE_TOKENS = 8  # what a chat template writes around each message
LEAST_ANSWER_TOKENS = 32  # an answer with less room is not worth beginning


def estimate_tokens(conversation: Iterable[ChatMessage]) -> int:
    """Return about how many tokens the messages take with their template.

    For example, a question of 60 letters: 60 / 3 + 8 = 28.
    """
    return sum(-(-len(message.content) // CHARS_PER_TOKEN) + MESSAGE_TOKENS for message in conversation)


def fit_answer(conversation: Iterable[ChatMessage], *, max_tokens: int, context: int) -> int:
    """Return the tokens left for the answer, at most `max_tokens`. The prompt itself is never shortened.

    Raises ModelContextError when it leaves no room: a server that would cut it in silence is never asked.
    """
    needed = estimate_tokens(conversation)
    room = context - needed
    if room < min(max_tokens, LEAST_ANSWER_TOKENS):
        raise ModelContextError(f"about {needed} tokens for a context of {context}")
    return min(max_tokens, room)
