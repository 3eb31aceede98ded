"""Tie the pieces of an answer to the slot and the connection that they cost, so that every end gives both back."""

from __future__ import annotations

import threading
from collections.abc import Generator, Sequence
from contextlib import suppress
from types import TracebackType

from siaa.answering.llm.connection import Connection
from siaa.answering.llm.protocol import ChatMessage, LanguageModel, ReaderLeftError
from siaa.answering.llm.slots import Slot


class Call:
    """One call under way. `end` may come from any thread, at any moment, any number of times."""

    def __init__(self, slot: Slot) -> None:
        self._slot = slot
        self._lock = threading.Lock()
        self._connection: Connection | None = None
        self.ended = False
        self.limited = False  # the answer stopped at its limit of tokens

    def wait_turn(self) -> None:
        """Wait for the slot (see Slot.wait_turn)."""
        self._slot.wait_turn()

    def attach(self, connection: Connection) -> None:
        """Let `end` cut this connection.

        Raises ReaderLeftError if the call has ended already.
        """
        with self._lock:
            if self.ended:
                raise ReaderLeftError("the reader left")
            self._connection = connection

    def end(self) -> None:
        """Cut the connection, which frees the server, then free the slot."""
        with self._lock:
            self.ended = True
            connection = self._connection
        if connection is not None:
            connection.abort()
        self._slot.leave()


class Stream(Generator[str, None, None]):
    """The pieces of an answer, as a generator that any thread may close, also while another waits for a piece.

    Whoever asks for a piece after that, or waits for one, gets ReaderLeftError: an answer that was left is not whole.
    """

    def __init__(self, call: Call, pieces: Generator[str, None, None]) -> None:
        self._call = call
        self._pieces = pieces

    def __next__(self) -> str:
        """Return the next piece."""
        try:
            if self._call.ended:
                raise ReaderLeftError("the reader left")
            return next(self._pieces)
        except StopIteration:
            self._call.end()
            raise
        except BaseException as error:
            left = self._call.ended
            self._call.end()
            self._pieces.close()
            if left:  # what broke is what `close` cut
                raise ReaderLeftError("the reader left") from error
            raise

    @property
    def limited(self) -> bool:
        """Tell whether the answer stopped at its limit of tokens, perhaps in the middle of a sentence."""
        return self._call.limited

    def close(self) -> None:
        """End the call."""
        self._call.end()
        # ValueError: another thread waits in `next`. Its socket is cut, and it closes the rest itself.
        with suppress(ValueError):
            self._pieces.close()

    def send(self, value: None) -> str:
        """Return the next piece."""
        return next(self)

    def throw(
        self,
        kind: type[BaseException] | BaseException,
        value: BaseException | object = None,
        traceback: TracebackType | None = None,
    ) -> str:
        """End the call and raise what is given."""
        self.close()
        raise kind if isinstance(kind, BaseException) else kind()

    def __del__(self) -> None:
        self.close()


class Tether:
    """What one request asks of a model: `abandon` ends, from any thread, the calls it made and those it would make."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._streams: list[Generator[str, None, None]] = []
        self._abandoned = False

    @property
    def limited(self) -> bool:
        """Tell whether an answer of the model's stopped at its limit of tokens."""
        with self._lock:
            return any(getattr(stream, "limited", False) for stream in self._streams)

    def stream(
        self, model: LanguageModel, conversation: Sequence[ChatMessage], *, max_tokens: int
    ) -> Generator[str, None, None]:
        """Ask `model` (see LanguageModel.stream)."""
        stream = model.stream(conversation, max_tokens=max_tokens)
        with self._lock:
            self._streams.append(stream)
            abandoned = self._abandoned
        if abandoned:
            stream.close()
        return stream

    def abandon(self) -> None:
        """End the calls: nobody reads any more."""
        with self._lock:
            self._abandoned = True
            streams = tuple(self._streams)
        for stream in streams:
            stream.close()
