"""Turn text into terms: one analyzer for documents and questions, with a fingerprint.

A word is folded (accents off, the n with tilde kept), numbers lose ordinal endings and leading zeros; its stem is
Snowball's Spanish stem of the folded word. Folding comes before stemming, so that text with and without accents gives
identical terms by construction.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import Stemmer

from siaa.everyday import EverydayIndex
from siaa.language import LanguageTables
from siaa.text import fold

ANALYZER_VERSION = "5"  # change it with every change of what terms come out of a text

# An address says nothing about what a document is about, and the same one may stand under every article.
_ADDRESS = re.compile(r"(?:\burl\b[\s:*_\[(]{0,8})?\b(?:https?://|www\.)[^\s\])>]+")
_WORD = re.compile(r"[^\W_]+")
_ORDINAL = re.compile(r"(\d+)(?:o|a|er|era|ro|ra|do|da|to|ta|mo|ma|vo|va|no)")


class Token(NamedTuple):
    """A word of a text: its folded form and its offsets, end exclusive."""

    word: str
    start: int
    end: int


class Analyzer:
    """Analyse text with the tables of one generation. Thread-safe: its caches only grow with equal values."""

    def __init__(self, tables: LanguageTables) -> None:
        self.tables = tables
        self._stemmer = Stemmer.Stemmer("spanish")
        self._stems: dict[str, str] = {}
        self.everyday = EverydayIndex(
            tables.everyday, stem=self.stem, stop_words=tables.stop_words, question_words=tables.question_words
        )

    @property
    def fingerprint(self) -> str:
        """Return a digest of everything that decides which terms come out of a document."""
        stops = " ".join(sorted(self.tables.stop_words))
        parts = (ANALYZER_VERSION, Stemmer.version(), stops)
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]

    def tokens(self, text: str) -> Iterator[Token]:
        """Yield every word of NFC `text`, stop words included: "Artículo 5o." gives articulo, 5."""
        folded = _ADDRESS.sub(lambda address: " " * len(address[0]), fold(text))
        for match in _WORD.finditer(folded):
            yield Token(_number(match[0]), match.start(), match.end())

    def words(self, text: str) -> list[str]:
        """Return the folded words of `text` that are not stop words."""
        return [token.word for token in self.tokens(text) if token.word not in self.tables.stop_words]

    def stems(self, text: str) -> list[str]:
        """Return the stems of `text`, without those of stop words."""
        return [self.stem(word) for word in self.words(text)]

    def stem(self, word: str) -> str:
        """Return the stem of a folded word; numbers stay as they are."""
        stem = self._stems.get(word)
        if stem is None:
            stem = word if word[0].isdigit() else self._stemmer.stemWord(word)
            self._stems[word] = stem
        return stem

    def expand_abbreviations(self, words: Sequence[str]) -> list[str]:
        """Return `words` with each known abbreviation replaced: `mpal` gives `municipal`."""
        table = self.tables.abbreviations
        return [full for word in words for full in table.get(word, (word,))]


def _number(word: str) -> str:
    if not word[0].isdigit():
        return word
    ordinal = _ORDINAL.fullmatch(word)
    digits = ordinal[1] if ordinal else word
    return digits.lstrip("0") or "0"
