"""Know what an article announces and does not hold: "Son deberes los siguientes:", and then another article.

Conversions lose lists. Readers warn the operator of it, and the chat tells who asks for the list: both decide here.
"""

from __future__ import annotations

import re
from enum import StrEnum

from siaa.page_parts import without_page_lines
from siaa.text import fold

REST_CHARS = 1500  # characters after an announcement that decide: notes of editors are shorter
_TAIL = 240  # characters at the end of a sentence that say what it announces


class Announced(StrEnum):
    """What is announced, in the words of a reader."""

    LIST = "una lista"
    TEXT = "un texto"


_COLON = re.compile(r":\W{0,6}$")
# The words of another norm: "El artículo 5 quedará así:", "con un parágrafo del siguiente tenor:".
_TEXT = re.compile(
    r"\b(?:(?:quedara?n?|adicion\w+|modifi\w+)\b.{0,80}\basi|adicion\w+\b.{0,120}\b(?:ley|codigo|decreto|acuerdo)\b.{0,40}|"
    r"(?:tenor|texto)\b.{0,30}|diran?"
    r"|(?:siguientes?|nuev[oa]s?|un)\s+(?:articulo|paragrafo|inciso|numeral|literal)s?\b.{0,120}"
    r"|(?:articulo|paragrafo|inciso|numeral|literal)s?\s+(?:siguientes?|nuev[oa]s?|que)\b.{0,60}):\W{0,6}$"
)
_NOTE = re.compile(r"\s*(?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\[\]]*\])\W*(?=\n|$)")  # "(Modificado por ...)", alone
_PARAGRAPH = re.compile(r"\W*paragrafos?\b")


def announced(sentence: str) -> Announced | None:
    """Return what a sentence announces at its end, None if nothing: only a colon does."""
    tail = fold(sentence[-_TAIL:]).rstrip()
    if not _COLON.search(tail):
        return None
    return Announced.TEXT if _TEXT.search(tail) else Announced.LIST


def is_lost(what: Announced, rest: str) -> bool:
    """Tell whether `rest`, what the article holds after the announcement, is not what was announced.

    Notes of editors in brackets, and what a page prints, are no list; a parágrafo is none either, but may be the text.
    """
    left = without_page_lines(rest[:REST_CHARS])
    while note := _NOTE.match(left):
        left = left[note.end() :]
    if not any(character.isalnum() for character in left):
        return True
    return what is Announced.LIST and bool(_PARAGRAPH.match(fold(left[:40])))
