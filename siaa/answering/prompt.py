"""Build what the model is sent: one sentence of instruction, the passages inside a fence, the question last.

Documents come before the question, so that a second question on the same passages finds the server's cache warm. The
fragments stand in the prompt byte for byte as `/siaa/fragmento` shows them.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Sequence

from siaa.answering.llm.protocol import ChatMessage
from siaa.answering.wording import DOUBTFUL, QUESTION_LINE, REFUSAL, SYSTEM_SENTENCE
from siaa.model import Fragment

FENCE_BYTES = 8  # of the mark: a document cannot guess what would end it

_SECRET = secrets.token_bytes(32)  # drawn by each process; what was derived from it is gone with it


def build_messages(
    fragments: Sequence[Fragment], question: str, *, doubtful: bool = False, fence: str | None = None
) -> tuple[ChatMessage, ChatMessage]:
    """Return the system and the user message for `question` over `fragments`, in the order given.

    `doubtful` asks for an answer only if the passages plainly hold it. The fence is random to whoever wrote the
    documents, and the same for the same passages, so that a second question on them finds the server's cache warm. A
    `fence` that any document contains is never used.
    """
    passages = "\n\n".join(fragment.text for fragment in fragments)
    mark = _mark(passages, fence)
    system = SYSTEM_SENTENCE.format(fence=mark, refusal=REFUSAL)
    asked = QUESTION_LINE.format(question=question)
    doubt = f"\n{DOUBTFUL}" if doubtful else ""
    return ChatMessage("system", system), ChatMessage("user", f"{mark}\n{passages}\n{mark}\n\n{asked}{doubt}")


def draw_fence(passages: str, attempt: int = 0) -> str:
    """Return the fence for `passages`, hexadecimal: derived from them and a secret of this process."""
    message = f"{attempt}\n{passages}".encode("utf-8", "surrogatepass")
    return hmac.new(_SECRET, message, hashlib.sha256).hexdigest()[: 2 * FENCE_BYTES]


def _mark(passages: str, fence: str | None) -> str:
    attempt = 0
    while fence is None or fence in passages:
        fence, attempt = draw_fence(passages, attempt), attempt + 1
    return f"=== {fence} ==="
