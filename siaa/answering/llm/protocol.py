"""Say what a language model is to SIAA: text comes out of it in pieces, or one of five failures does."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

from siaa.answering import wording
from siaa.errors import SiaaError


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One turn of a conversation as models take it."""

    role: Literal["system", "user", "assistant"]
    content: str


class LanguageModel(Protocol):
    """What every client of a model offers; `tests/contract/test_language_model.py` holds clients to it."""

    @property
    def name(self) -> str:
        """Return the model's name as the server gives it; "" until it is known."""

    @property
    def context_tokens(self) -> int:
        """Return how many tokens prompt and answer may take together: the server's word once asked, else a guess."""

    def available(self) -> bool:
        """Ask the server whether it can answer now, and for its name and context. Never raises, takes a few seconds."""

    def stream(self, conversation: Sequence[ChatMessage], *, max_tokens: int) -> Generator[str, None, None]:
        """Yield the answer's non-empty pieces as the model makes them; joined, they are the answer.

        A slot, or a place in the queue for one, is taken at the call (ModelBusyError is raised here when the queue is
        full, before a reader has been sent anything); the turn is awaited and the server asked at the first `next`.
        Slot and connection are free once the generator ends, fails, is closed or is dropped. Any thread may close it,
        also while another waits in `next`, which then raises ReaderLeftError. The generator ends normally only if the
        server said that the answer is complete.

        Raises a ModelError.
        """


class ModelError(SiaaError):
    """A model gave no answer, or not all of it. The text is stable; `detail` is for the log and never for a reader."""

    code = "modelo_no_disponible"
    text: ClassVar[str] = wording.MODEL_UNAVAILABLE

    def __init__(self, detail: str = "") -> None:
        super().__init__(self.text)
        self.detail = detail


class ModelUnavailableError(ModelError):
    """The server cannot be reached, is loading, refuses the request or fails."""


class ModelBusyError(ModelError):
    """All the calls allowed at once are taken, here or at the server."""

    code = "modelo_ocupado"
    text = wording.MODEL_BUSY


class ModelSilentError(ModelError):
    """The server took the question and sent nothing, or nothing more, in the time allowed; or ended with no text."""

    code = "modelo_sin_respuesta"
    text = wording.MODEL_SILENT


class ModelCutError(ModelError):
    """The stream ended, broke or turned to garbage before the server said that the answer is complete."""

    code = "modelo_cortado"
    text = wording.MODEL_CUT


class ReaderLeftError(ModelCutError):
    """Nobody reads the answer any more: no fault of the model's, and nothing that a reader is told."""


class ModelContextError(ModelError):
    """The prompt does not fit the model's context."""

    code = "modelo_contexto"
    text = wording.MODEL_CONTEXT
