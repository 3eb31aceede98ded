"""Read numbers in words and Roman numerals."""

from __future__ import annotations

import re
import unicodedata

from siaa.text import fold

_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
_ROMAN_NUMERAL = re.compile(r"m{0,3}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})")
_UNITS = {
    "primer": 1, "segund": 2, "tercer": 3, "cuart": 4, "quint": 5, "sext": 6, "septim": 7, "setim": 7, "octav": 8,
    "noven": 9,
}  # fmt: skip
_TENS = {
    "decim": 10, "vigesim": 20, "trigesim": 30, "cuadragesim": 40, "quincuagesim": 50, "sexagesim": 60,
    "septuagesim": 70, "octogesim": 80, "nonagesim": 90, "centesim": 100,
}  # fmt: skip
_TO_THIRTY = """
    uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis diecisiete dieciocho
    diecinueve veinte veintiuno veintidos veintitres veinticuatro veinticinco veintiseis veintisiete veintiocho
    veintinueve treinta
"""
_CARDINALS = {word: value for value, word in enumerate(_TO_THIRTY.split(), start=1)} | {
    "cuarenta": 40, "cincuenta": 50, "sesenta": 60, "setenta": 70, "ochenta": 80, "noventa": 90, "cien": 100,
    "ciento": 100, "doscientos": 200, "trescientos": 300, "cuatrocientos": 400, "quinientos": 500, "seiscientos": 600,
    "setecientos": 700, "ochocientos": 800, "novecientos": 900,
}  # fmt: skip


def _ordinal_words() -> dict[str, int]:
    words = {stem + ending: value for stem, value in (_UNITS | _TENS).items() for ending in "oa"}
    words |= {"primer": 1, "tercer": 3} | {stem + e: v for stem, v in (("undecim", 11), ("duodecim", 12)) for e in "oa"}
    for tens, ten in _TENS.items():
        for unit, one in _UNITS.items():
            words |= {tens + link + unit + ending: ten + one for link in ("o", "") for ending in "oa"}
    return words


_ORDINALS = _ordinal_words()
_WORD_VALUES = _ORDINALS | _CARDINALS
_ONE_WORD = "(?:" + "|".join(sorted(_WORD_VALUES, key=len, reverse=True)) + ")(?![a-z0-9ñ])"
_WORD = re.compile(_ONE_WORD)
_NEXT_WORD = re.compile(rf"(?:[ -]|\s(?P<and>y)\s)(?P<word>{_ONE_WORD})")


def ordinal_value(words: str) -> int | None:
    """Return the value of a number in words, or None: "vigesimo primero" is 21, "decimotercera" 13, "treinta y uno" 31.

    Ordinals to 199, masculine, feminine or shortened, and cardinals to 999.
    """
    folded = " ".join(fold(unicodedata.normalize("NFC", words)).split())
    found = words_at(folded, 0)
    return found[0] if found and found[1] == len(folded) else None


def roman_value(numeral: str) -> int | None:
    """Return the value of a well-formed Roman numeral from 1 to 3999, or None: "XIV" is 14, "civil" none."""
    folded = numeral.lower()
    if not folded or not _ROMAN_NUMERAL.fullmatch(folded):
        return None
    values = [_ROMAN_VALUES[letter] for letter in folded]
    following = [*values[1:], 0]
    return sum(-one if one < after else one for one, after in zip(values, following, strict=True))


def words_at(folded: str, start: int) -> tuple[int, int] | None:
    """Return the value and the end of the longest number in words at `start` of a folded text, or None."""
    first = _WORD.match(folded, start)
    if first is None:
        return None
    last, total, end = first[0], _WORD_VALUES[first[0]], first.end()
    while (following := _NEXT_WORD.match(folded, end)) and _joins(last, following):
        last, end = following["word"], following.end()
        total += _WORD_VALUES[last]
    return total, end


def _joins(last: str, following: re.Match[str]) -> bool:
    ten, one = _WORD_VALUES[last], _WORD_VALUES[following["word"]]
    fits = one < ten and ((ten % 100 == 0 and one < 100) or (ten % 10 == 0 and one < 10))
    if last in _ORDINALS or following["word"] in _ORDINALS:
        return fits and last in _ORDINALS and following["word"] in _ORDINALS and not following["and"]
    # "treinta y uno" and "ciento dos" are one number, "veinte y treinta" and "cien y dos" two.
    return fits and (ten > 20 if ten < 100 else last != "cien") and bool(following["and"]) == (ten < 100)
