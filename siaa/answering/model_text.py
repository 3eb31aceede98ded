"""Let through what a model says, piece by piece: never the refusal's own words, and as much as the passages allow."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto

from siaa.answering.citing.citations import SentenceBuffer
from siaa.answering.wording import REFUSAL

_REFUSAL_WORDS = REFUSAL.rstrip(".")  # models lose the full stop
_BEFORE_FIRST_WORD = " \t\r\n\"'«“*"


class Gate(Enum):
    """What a reader gets of an answer while it comes."""

    OPEN = auto()  # everything, at once
    ONCE_SUPPORTED = auto()  # everything, from when a passage holds up one of its sentences; nothing if none does
    ONLY_SUPPORTED = auto()  # the sentences that a passage holds up, each when it is complete


class ModelText:
    """The words of one model's answer on their way to the reader; `holds` tells whether a passage holds a sentence up.

    An answer that begins with the refusal is none: `refused` says so, and nothing more comes of it. Further on the
    refusal's words are left out: they appear in no other answer (contract). White space and quotation marks before the
    first word are dropped. `before` goes before the first that the reader gets; `text` is all of it but for that.
    """

    def __init__(self, gate: Gate, holds: Callable[[str], bool], *, before: str = "") -> None:
        self.refused = False
        self.text = ""
        self._before = before
        self._gate = gate
        self._holds = holds
        self._begun = False
        self._held = ""  # may become the refusal
        self._sentences = SentenceBuffer()
        self._unsupported = ""  # what waits for a sentence that a passage holds up

    def feed(self, piece: str) -> str:
        """Return what the reader gets with the next piece of the answer, "" for nothing yet."""
        if self.refused:
            return ""
        held = self._held + piece
        if not self._begun:
            held = held.lstrip(_BEFORE_FIRST_WORD)
            if held.startswith(_REFUSAL_WORDS):
                self.refused = True
                return ""
        while _REFUSAL_WORDS in held:  # what is left may be it again
            held = held.replace(_REFUSAL_WORDS, "")
        ready = len(held) - _overlap(held)
        self._held = held[ready:]
        self._begun = self._begun or ready > 0
        return self._told(self._passed(held[:ready]))

    def end(self) -> str:
        """Return what is left for the reader when the answer is complete."""
        if self.refused:
            return ""
        passed = self._passed(self._held)
        last = self._sentences.rest()
        if self._gate is Gate.OPEN or not last or not self._holds(last):
            return self._told(passed)
        return self._told(passed + (last if self._gate is Gate.ONLY_SUPPORTED else self._unsupported + last))

    def _told(self, passed: str) -> str:
        before = self._before if passed and not self.text else ""
        self.text += passed
        return before + passed

    def _passed(self, text: str) -> str:
        if self._gate is Gate.OPEN:
            return text
        whole = self._sentences.feed(text)
        if self._gate is Gate.ONLY_SUPPORTED:
            return "".join(sentence for sentence in whole if self._holds(sentence))
        self._unsupported += "".join(whole)
        if not any(self._holds(sentence) for sentence in whole):
            return ""
        self._gate = Gate.OPEN
        return self._unsupported + self._sentences.rest()


def _overlap(text: str) -> int:
    """Return how many characters at the end of `text` begin the refusal."""
    longest = min(len(text), len(_REFUSAL_WORDS) - 1)
    return next((size for size in range(longest, 0, -1) if _REFUSAL_WORDS.startswith(text[-size:])), 0)
