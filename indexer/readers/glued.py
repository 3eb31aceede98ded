"""Give a heading its own line where a converter lost the line break before it: "...ni##### Artículo primero."."""

from __future__ import annotations

import re

_ORDINALS = (
    "primer[oa]?|segund[oa]|tercer[oa]?|cuart[oa]|quint[oa]|sext[oa]|s[eé]ptim[oa]|octav[oa]|noven[oa]|d[eé]cim[oa]|"
    "[uú]nic[oa]|transitorio"
)
# Before: a letter or what ends a sentence, and no space. An opening quotation mark or a bracket begins its own line.
_BEFORE = r"(?<=[a-záéíóúüñ0-9.:;…)\]”»])"
_GLUED = re.compile(
    rf"(?:{_BEFORE}|(?<=[A-ZÁÉÍÓÚÑ,]))(?=#{{2,6}}[ \t]+[*_]{{0,3}}[A-ZÁÉÍÓÚÑ¿])"
    rf"|{_BEFORE}(?=[*_]{{0,3}}(?:ART[IÍ]CULO|Art[ií]culo)\s+"
    rf"(?:\d{{1,4}}[ ]?[°ºªo]?\s?(?:[A-Z]\b|bis\b)?\s?[.:—–-]|(?i:{_ORDINALS})\s?[.:—–-]))"
    r"|(?<=[.:;”»])(?=[*_]{0,3}PAR[AÁ]GRAFO\b)"
)


def separate_glued(text: str) -> tuple[str, int]:
    """Return (`text` with a blank line before every heading that is glued to what precedes it, how many there are).

    Such headings are Markdown ones of two marks or more, and articles and parágrafos with the stop of a caption behind
    their number: a mention ("según elArtículo 5 de la ley") stays where it is, and so do addresses with a "#".
    """
    return _GLUED.subn("\n\n", text)
