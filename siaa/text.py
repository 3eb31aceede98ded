"""Normalise and fold text. Everything else in SIAA compares folded text, and cites normalised text."""

from __future__ import annotations

import re
import unicodedata

# Joined to nothing: they are invisible, and hide a word from a search (soft hyphen, zero-width characters, BOM, NUL).
_INVISIBLE = dict.fromkeys([0x00, 0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF])
_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
_SPACES = dict.fromkeys(
    [0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000, 0x0B, 0x1C, 0x1D, 0x1E, 0x1F], " "
)
_BREAKS = {0x85: "\n", 0x2028: "\n", 0x2029: "\n", 0x0C: "\n"}
_CONTROLS = dict.fromkeys([*range(0x01, 0x09), *range(0x0E, 0x1C), *range(0x7F, 0x85), *range(0x86, 0xA0)], " ")
_CLEAN = {**_CONTROLS, **_INVISIBLE, **_LIGATURES, **_SPACES, **_BREAKS}

_DASHES = "‐‑‒–—―−﹘﹣－"
_DOUBLE_QUOTES = "“”„‟«»″＂"
_SINGLE_QUOTES = "‘’‚‛′´`＇"


def normalise(text: str) -> str:
    """Return `text` in NFC with plain line breaks and spaces, without invisible characters or ligatures.

    Idempotent. This is the text that offsets count in and that fragments quote.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").translate(_CLEAN)
    return unicodedata.normalize("NFC", text)


class _Folding(dict[int, str]):
    """Map one character to one folded character, learning the mapping as characters appear."""

    def __missing__(self, code: int) -> str:
        folded = _fold_character(chr(code))
        self[code] = folded
        return folded


def _fold_character(character: str) -> str:
    if character in "ñÑ":
        return "ñ"
    base = unicodedata.normalize("NFD", character)[0]
    lowered = base.lower()
    return lowered if len(lowered) == 1 else base


_FOLDING = _Folding(
    {ord(c): "-" for c in _DASHES}
    | {ord(c): '"' for c in _DOUBLE_QUOTES}
    | {ord(c): "'" for c in _SINGLE_QUOTES}
    | {ord(c): " " for c in "ºª°"}
)


def fold(text: str) -> str:
    """Return `text` in lower case without accents (the n with tilde stays a letter), with plain dashes and quotes.

    Length-preserving: `len(fold(t)) == len(t)`, so that offsets in folded text are offsets in `t`. Ordinal signs become
    spaces. Callers pass NFC text; `fold("Artículo 5º") == "articulo 5 "`.
    """
    return text.translate(_FOLDING)


_SPACE_RUN = re.compile(r"\s+")


def squeeze(text: str) -> str:
    """Return `text` with every run of white space as one space, and none at the ends."""
    return _SPACE_RUN.sub(" ", text).strip()


_MARKUP = re.compile(r"^\s*#{1,6}\s+|\*\*|__|(?<![\w.])[_*](?=\S)|(?<=\S)[_*](?!\w)|\s?(?<!#)#+$")


def strip_markup(line: str) -> str:
    """Return one line without Markdown heading marks and emphasis: `## **Objeto**` gives `Objeto`."""
    return squeeze(_MARKUP.sub("", squeeze(line)))  # squeezed first: no run of spaces is gone over twice
