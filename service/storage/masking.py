"""Mask personal identifiers before anything is written: e-mail addresses, identity numbers, telephones, case numbers.

What is masked, whatever separators stand between the digits:

1. e-mail addresses, also with "arroba" for the sign;
2. case numbers (`radicados`) of 21 to 23 digits;
3. any number of 5 digits or more that is announced as a cedula, NIT, passport or other identity document;
4. any number of 7 digits or more that is announced as a telephone, and any that begins with + and a country;
5. Colombian mobiles (10 digits from 3), fixed lines (10 digits from 60, 7 digits, or an area code in parentheses);
6. numbers of 7 digits or more in groups of three (1.020.345.678), unless they are money or a list of articles;
7. bare runs of 7 digits or more, unless they are money or the code of a norm written in one word (psaa1610476).

Numbers of articles, laws, agreements and years, and dates written with separators, are left as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from siaa.text import normalise

EMAIL, IDENTITY, TELEPHONE, CASE, NUMBER = "[correo]", "[documento]", "[teléfono]", "[radicado]", "[número]"

_GAP = r"(?:[\s.\-‐‑‒–—−·'’‘´`()_]{0,3}|,)"  # what people write between the digits of one number
# Where a word begins: an address of 256 characters and more is none, and the search stays linear.
_WORD_START = r'(?<![^\s@<>()\[\],;:"«»])'
_LOCAL_PART = r'[^\s@<>()\[\],;:"«»]{1,256}'
_DOMAIN = r'[^\s@<>()\[\],;:"«»]{1,255}\.[^\W_][\w\-]{0,62}'
_LEAD = (
    r"(?:[\s:.,;#()=\-–]|de\s(?:ciudadan[ií]a|extranjer[ií]a|identidad)|con|la|el|es|mi|su|al|n[uú]mero|n[uú]m|nro|no|n[°º]"
    r"|c\.?\s?c\.?|c[eé]dula){0,12}"
)
_IDENTITY_WORD = (
    r"(?<![^\W_])(?:c\.?\s?c|c\.?\s?e|t\.?\s?i|n\.?\s?i\.?\s?t|nuip|pasaporte|c[eé]dulas?|identificaci[oó]n|identificad[oa]s?"
    r"|documento\sde\sidentidad)"
)
_TELEPHONE_WORD = (
    r"(?<![^\W_])(?:tel[eé]fonos?|tels?|cel(?:ular(?:es)?)?|m[oó]vil|fijo|whats?app|pbx|fax|l[ií]nea"
    r"|ll[aá]m[a-z]+)"
)
_GROUPS = r"(?<![\d.,])\d{1,4}(?:(?:[.'’‘´`·]\s?|[,\s\-‐‑–])\d{3}){2,3}(?!\d)"
_LOCAL = r"(?<![\w\-./])[2-8]\d{2}[\s.\-–](?:\d{4}|\d{2}[\s.\-–]\d{2})(?![^\W_])(?!-\d)"

_MONEY_BEFORE = re.compile(r"(?:\$|\bCOP|\bUS[D$])\s?$")
_MONEY_AFTER = re.compile(r"\s?(?:de\s)?(?:pesos|d[oó]lares|euros|m/?cte|millones|COP|USD)\b", re.IGNORECASE)
_NORM_BEFORE = re.compile(
    r"\b(?:ley(?:es)?|decretos?|acuerdos?|circular(?:es)?|resoluci(?:[oó]n|ones)|sentencias?|autos?|ordenanzas?"
    r"|art[ií]culos?|arts?\.?|numeral(?:es)?|inciso|par[aá]grafos?)\s?(?:n[°º]\s?|no\.?\s?|n[uú]mero\s)?$",
    re.IGNORECASE,
)
_DATE = re.compile(r"\d{1,2}[-. ]\d{1,2}[-. ](?:19|20)\d\d(?!\d)")
_NORM_CODE = re.compile(r"[^\W\d_]{4,}$")  # what stands before the digits of psaa1610476 ...
_NORM_CODE_DIGITS = 7  # ... and how many they are
_CONTEXT = 24  # characters before a number that may say what it is

# Without this no rule can match: most texts are done here.
_SUSPECT = re.compile(rf"@|\barroba\b|[(\[]\s?at\s?[)\]]|\d(?:{_GAP}\d){{4}}", re.IGNORECASE)

_DECIMAL = re.compile(r"[^\W\D0-9]")  # decimal digits of other scripts, full width included


def _is_money(match: re.Match[str]) -> bool:
    return bool(_MONEY_BEFORE.search(_before(match)) or _MONEY_AFTER.match(match.string, match.end()))


def _is_norm(match: re.Match[str]) -> bool:
    return bool(_NORM_BEFORE.search(_before(match)))


def _is_list(match: re.Match[str]) -> bool:
    return "," in match[0] and _is_norm(match)


def _is_date(match: re.Match[str]) -> bool:
    return bool(_DATE.match(match[0]))


def _is_code(match: re.Match[str]) -> bool:
    return len(match[0]) == _NORM_CODE_DIGITS and bool(_NORM_CODE.search(_before(match)))


def _before(match: re.Match[str]) -> str:
    return match.string[max(0, match.start() - _CONTEXT) : match.start()]


_Spared = tuple[Callable[[re.Match[str]], bool], ...]

# Pattern, what takes its place, and what it spares; a group `keep` stays before the mask. Earlier rows go first.
_RULES: tuple[tuple[re.Pattern[str], str, _Spared], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), label, spared)
    for pattern, label, spared in (
        (rf"{_WORD_START}{_LOCAL_PART}\s?@\s?{_DOMAIN}", EMAIL, ()),
        (rf"{_WORD_START}{_LOCAL_PART}\s?(?:[(\[]\s?(?:arroba|at)\s?[)\]]|\barroba\b)\s?{_DOMAIN}", EMAIL, ()),
        (rf"(?<!\d)\d(?:{_GAP}\d){{20,22}}(?!\d)", CASE, ()),
        (rf"(?P<keep>{_IDENTITY_WORD}{_LEAD})\d(?:{_GAP}\d){{4,14}}(?!\d)", IDENTITY, ()),
        (rf"(?P<keep>{_TELEPHONE_WORD}{_LEAD})\d(?:{_GAP}\d){{6,13}}(?!\d)", TELEPHONE, ()),
        (rf"\+\s?\(?\d(?:{_GAP}\d){{6,14}}(?!\d)", TELEPHONE, ()),
        (rf"(?<!\d)\(?3(?:{_GAP}\d){{9}}(?!\d)", TELEPHONE, (_is_money, _is_date)),
        (rf"(?<!\d)\(?6{_GAP}0{_GAP}[1-8](?:{_GAP}\d){{7}}(?!\d)", TELEPHONE, (_is_money,)),
        (rf"\(\s?\d{{1,3}}\s?\){_GAP}\d(?:{_GAP}\d){{6}}(?!\d)", TELEPHONE, ()),
        (_GROUPS, IDENTITY, (_is_money, _is_list)),
        (_LOCAL, TELEPHONE, (_is_money, _is_norm)),
        (r"(?<!\d)\d{7,}(?!\d)", NUMBER, (_is_money, _is_code)),
    )
)


def mask(text: str) -> str:
    """Return `text`, normalised, with the identifiers that the rules of this module cover replaced by their kind.

    Idempotent.

    >>> mask("Soy Ana, C.C. 52.345.678, ana@correo.co. ¿Qué dice el artículo 5 de la Ley 270 de 1996?")
    'Soy Ana, C.C. [documento], [correo]. ¿Qué dice el artículo 5 de la Ley 270 de 1996?'
    """
    text = _plain(text)
    if not _SUSPECT.search(text):
        return text
    for pattern, label, spared in _RULES:
        text = pattern.sub(partial(_replace, label=label, spared=spared), text)
    return text


def holds_identifier(text: str) -> bool:
    """Tell whether masking would change more than the form of `text`."""
    return mask(text) != _plain(text)


def _plain(text: str) -> str:
    return _DECIMAL.sub(lambda match: str(int(match[0])), normalise(text))


def _replace(match: re.Match[str], label: str, spared: _Spared) -> str:
    if any(spares(match) for spares in spared):
        return match[0]
    return (match.groupdict().get("keep") or "") + label
