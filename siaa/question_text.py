"""Check what a person typed before anything else looks at it."""

from __future__ import annotations

import unicodedata
from enum import StrEnum

from siaa.text import normalise

_SPACES = frozenset("\t\n\r")  # control characters that count as spaces (contract, common rules)


class Fault(StrEnum):
    """Why a text cannot be used, as the end of a Spanish sentence."""

    BROKEN = "contiene caracteres Unicode incompletos (sustitutos sueltos); envíelo en UTF-8"
    CONTROLS = "contiene caracteres de control; escriba solo texto"
    LONG = "pasa de {limit} caracteres; acórtelo"


def find_fault(raw: str, *, limit: int) -> Fault | None:
    """Return why `raw` cannot be used, or None; blank text is not a fault here.

    `limit` counts characters of the NFC form, so that typing accents as combining marks costs nothing.
    """
    if any("\ud800" <= character <= "\udfff" for character in raw):
        return Fault.BROKEN
    if any(unicodedata.category(character) == "Cc" and character not in _SPACES for character in raw):
        return Fault.CONTROLS
    return Fault.LONG if len(unicodedata.normalize("NFC", raw)) > limit else None


def fault_of(raw: str, *, limit: int) -> str | None:
    """Return what `find_fault` finds as the end of a Spanish sentence, or None.

    >>> fault_of("a\\x00b", limit=10)
    'contiene caracteres de control; escriba solo texto'
    """
    fault = find_fault(raw, limit=limit)
    return fault.format(limit=limit) if fault else None


def is_blank(raw: str) -> bool:
    """Tell whether nothing visible is in `raw`."""
    return not normalise(raw).strip()
