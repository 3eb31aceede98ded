"""An embedder for tests: quick, without a model, the same everywhere; it holds to the contract of all embedders."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from siaa.meaning import EmbeddingError, Fingerprint
from siaa.meaning.embedder import QUESTION_CHARS, Floats, plain, take_fingerprint
from siaa.text import fold


class FakeEmbedder:
    """Texts are as near as they share words; `same` names words that are another's equal. `calls` holds what was asked.

    `fails` makes it fail, as a server that is gone.
    """

    def __init__(self, *, name: str = "fingido", dimensions: int = 64, same: Mapping[str, str] | None = None) -> None:
        self.name = name
        self.dimensions = dimensions
        self.fails = False
        self.calls: list[tuple[str, ...]] = []
        self._same = same or {}

    @cached_property
    def fingerprint(self) -> Fingerprint:
        """What tells the model from others."""
        return take_fingerprint(self)

    def question(self, text: str) -> Floats:
        """Return the vector of a question."""
        return self._made([text[:QUESTION_CHARS]])[0]

    def passages(self, texts: Sequence[str]) -> Floats:
        """Return the vectors of passages."""
        return self._made(texts) if texts else np.zeros((0, self.dimensions), dtype=np.float32)

    def _made(self, texts: Sequence[str]) -> Floats:
        if self.fails:
            raise EmbeddingError("el modelo fingido no responde")
        self.calls.append(tuple(texts))
        sums = np.vstack([self._sum(plain(text)) for text in texts])
        return np.asarray(sums / np.linalg.norm(sums, axis=1, keepdims=True), dtype=np.float32)

    def _sum(self, text: str) -> Floats:
        words = [self._same.get(word, word) for word in fold(text).split()]
        # A little of the whole text, so that no two have the same vector.
        return np.asarray(sum(map(self._word, words)) + 0.1 * self._word(text), dtype=np.float32)

    def _word(self, word: str) -> Floats:
        seed = hashlib.sha256(f"{self.name} {word}".encode()).digest()[:8]
        drawn = np.random.default_rng(int.from_bytes(seed, "little")).standard_normal(self.dimensions)
        return np.asarray(drawn, dtype=np.float32)
