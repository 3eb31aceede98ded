"""Check an answer against the passages it was made from: which exact span holds up each of its sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from siaa.answering.citing.claims import each_claim, sentence_units, unclosed_quotation
from siaa.answering.citing.place import Place
from siaa.answering.citing.support import DOUBTFUL, State, Support, find_support, worst


@dataclass(frozen=True, slots=True)
class CheckedSentence:
    """A sentence of an answer, `answer[start:end]`, and what holds it up."""

    start: int
    end: int
    support: Support

    @property
    def holds(self) -> bool:
        """Tell whether a passage holds the sentence up, whole or in part."""
        return self.support.state not in DOUBTFUL


def check_answer(answer: str, places: Sequence[Place]) -> list[CheckedSentence]:
    """Return every sentence of `answer` that says something, with the span of `places` that holds it up.

    A sentence with several quotations stands as its worst one does.
    """
    if not places:
        return [CheckedSentence(*span, Support(State.UNSUPPORTED)) for span in sentence_units(answer)]
    stem = places[0].stem
    return [
        CheckedSentence(start, end, worst(find_support(claim, places) for claim in claims))
        for (start, end), claims in each_claim(answer, stem=stem)
    ]


class SentenceBuffer:
    """Cut a stream of pieces into whole sentences, with the white space around them; joined, they are the pieces."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, piece: str) -> list[str]:
        """Return the sentences that `piece` completes: another has begun behind them, and no quotation is open."""
        self._held += piece
        limit = unclosed_quotation(self._held)
        cuts = [0, *(start for start, _ in sentence_units(self._held)[1:] if start <= limit)]
        whole = [self._held[first:last] for first, last in pairwise(cuts)]
        self._held = self._held[cuts[-1] :]
        return whole

    def rest(self) -> str:
        """Return what is left when the stream ends."""
        held, self._held = self._held, ""
        return held
