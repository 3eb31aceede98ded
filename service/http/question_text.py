"""Check what a person typed before anything else looks at it."""

from __future__ import annotations

import unicodedata

from siaa.text import normalise

_SPACES = frozenset("\t\n\r")  # control characters that count as spaces (contract, common rules)


def fault_of(raw: str, *, limit: int) -> str | None:
    """Return why `raw` cannot be used, as the end of a Spanish sentence, or None; blank text is not a fault here.

    `limit` counts characters of the NFC form, so that typing accents as combining marks costs nothing.

    >>> fault_of("a\\x00b", limit=10)
    'contiene caracteres de control; escriba solo texto'
    """
    if any("\ud800" <= character <= "\udfff" for character in raw):
        return "contiene caracteres Unicode incompletos (sustitutos sueltos); envíelo en UTF-8"
    if any(unicodedata.category(character) == "Cc" and character not in _SPACES for character in raw):
        return "contiene caracteres de control; escriba solo texto"
    if len(unicodedata.normalize("NFC", raw)) > limit:
        return f"pasa de {limit} caracteres; acórtelo"
    return None


def is_blank(raw: str) -> bool:
    """Tell whether nothing visible is in `raw`."""
    return not normalise(raw).strip()
