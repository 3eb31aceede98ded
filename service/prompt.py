"""Build what the model is sent: one sentence of instruction, the passages inside a fence, the question last.

Documents come before the question, so that a second question on the same passages finds the server's cache warm. The
fragments stand in the prompt byte for byte as `/siaa/fragmento` shows them.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from service.llm.protocol import ChatMessage
from service.messages import QUESTION_LINE, REFUSAL, SYSTEM_SENTENCE
from siaa.model import Fragment

FENCE_BYTES = 8  # of randomness: a document cannot guess the mark that would end it


def build_messages(
    fragments: Sequence[Fragment], question: str, *, fence: str | None = None
) -> tuple[ChatMessage, ChatMessage]:
    """Return the system and the user message for `question` over `fragments`, in the order given.

    Without a `fence` a random one is drawn. A caller that keeps one for as long as it serves a generation of the index
    lets the server reuse its cache; a fence that any document contains is never used.
    """
    passages = "\n\n".join(fragment.text for fragment in fragments)
    mark = _mark(passages, fence)
    system = SYSTEM_SENTENCE.format(fence=mark, refusal=REFUSAL)
    asked = QUESTION_LINE.format(question=question)
    return ChatMessage("system", system), ChatMessage("user", f"{mark}\n{passages}\n{mark}\n\n{asked}")


def draw_fence() -> str:
    """Return a fresh random fence, hexadecimal."""
    return secrets.token_hex(FENCE_BYTES)


def _mark(passages: str, fence: str | None) -> str:
    while fence is None or fence in passages:
        fence = draw_fence()
    return f"=== {fence} ==="
