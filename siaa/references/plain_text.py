"""See a text as references are compared: folded, without marks, with the way back to the offsets of the original."""

from __future__ import annotations

import re
from typing import NamedTuple

from siaa.text import fold

# Emphasis marks and hard spaces are spaces here; the ordinal signs, which `fold` would make spaces, are one sign.
_STAND_INS = (("º", "˚"), ("°", "˚"), ("ª", "˚"), ("_", " "), ("*", " "), ("\u00a0", " "), ("\u202f", " "))
_DROPPED = re.compile("[\u0300-\u036f\u00ad\u200b-\u200d\u2060\ufeff]")
_TILDE = "\u0303"


class View(NamedTuple):
    """A text as it is searched."""

    plain: str  # the text without combining and invisible characters
    folded: str  # the same, folded, with emphasis marks as spaces: same length as `plain`
    origin: list[int] | None  # offsets in the text given of the characters of `plain`; None: they are equal


def view_of(text: str) -> View:
    """Return `text` as it is searched; NFD text gives the same as NFC."""
    origin: list[int] | None = None
    plain = text
    if _DROPPED.search(text):
        # Only text that is not NFC, or that hides characters, comes here. The n with tilde is a letter: compose it.
        text = text.replace("n" + _TILDE, "ñ" + _TILDE).replace("N" + _TILDE, "Ñ" + _TILDE)
        origin = [index for index, character in enumerate(text) if not _DROPPED.match(character)]
        plain = _DROPPED.sub("", text)
    folded = plain
    for character, stand_in in _STAND_INS:
        folded = folded.replace(character, stand_in)
    return View(plain, fold(folded), origin)


def original_span(view: View, text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span of `text` that `plain[start:end]` stands for, trailing combining marks included."""
    if view.origin is None or start >= end:
        return start, end
    start = view.origin[start]
    end = view.origin[end - 1] + 1
    while end < len(text) and "\u0300" <= text[end] <= "\u036f":
        end += 1
    return start, end
