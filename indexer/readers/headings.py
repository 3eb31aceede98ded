"""Recognise the headings that legal documents write without Markdown, and their ranks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from indexer.readers.lines import Line
from siaa.text import strip_markup

ARTICLE_LEVEL = 6  # of an article that stands alone on a plain line
_ACT_LEVEL = 2  # of the parts of an act: CONSIDERANDO, RESUELVE
_NUMBERED_LEVEL = 3  # added to the depth of a decimal number: "1." is 4, "1.2.3" is 6
_MAX_HEADING = 160  # characters
_MAX_NUMBERED = 100  # characters of a numbered heading

# Rank of a division of a law -> level. Letters may be spaced out ("T I T U L O").
_DIVISIONS = {"libro": 2, "parte": 2, "titulo": 3, "capitulo": 4, "seccion": 5, "subseccion": 5}
_SPACED = {word: r"\s?".join(word) for word in _DIVISIONS}
_ORDINALS = (
    "primer[oa]?|segund[oa]|tercer[oa]?|cuart[oa]|quint[oa]|sext[oa]|septim[oa]|octav[oa]|noven[oa]|decim[oa]\\w*|"
    "undecim[oa]|duodecim[oa]|vigesim[oa]|preliminar|unic[oa]|finale?s?|general|especial|transitori[oa]|adicional"
)
_DIVISION = re.compile(
    rf"(?P<rank>{'|'.join(sorted(_SPACED.values(), key=len, reverse=True))})\s+"
    rf"(?P<number>[ivxlcdm]+|\d{{1,3}}(?:\.\d{{1,3}})*(?:\s?[.ao])?|{_ORDINALS})(?:\s?(?:bis|ter|quater))?"
    r"(?P<rest>(?![a-zñ0-9]).*)$"
)
_RANK_OF = {re.sub(r"\s", "", word): level for word, level in _DIVISIONS.items()}
_ACT_WORDS = "considerando considerandos resuelve acuerda decreta dispone resolutiva ordena expide sanciona preambulo"
_ACT_PHRASES = (
    "parte resolutiva",
    "parte considerativa",
    "exposicion de motivos",
    "disposiciones transitorias",
    "disposiciones finales",
    "disposiciones adicionales",
    "disposiciones derogatorias",
    "disposiciones generales",
)
_ACTS = frozenset(_ACT_WORDS.split()) | set(_ACT_PHRASES)
_SPACED_LETTERS = re.compile(r"^(?:\w\s){3,}\w\W*$")
_NUMBERED = re.compile(r"(?P<number>\d{1,2}(?:\.\d{1,3}){0,5})\.?[\s\t]+(?=[A-ZÁÉÍÓÚÜÑ¿])(?P<title>.*)$")
ATX = re.compile(r"(#{1,6})(?:[ \t]+(.*))?$", re.S)  # Markdown's own
_SECTION_WORD = re.compile(r"(?:\d+\.?\s*)?SECCI[OÓ]N")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading recognised on a line: its level, and whether its epigraph may follow on the next line."""

    level: int
    wants_epigraph: bool = False


def find_division(line: Line) -> Heading | None:
    """Return the division of a law that the line heads ("**CAPÍTULO III**", "Título I. De los jueces"), else None."""
    if not line.raw or len(line.raw) > _MAX_HEADING:
        return None
    found = _DIVISION.match(line.folded)
    if not found:
        return None
    rest = line.plain[len(line.plain) - len(found["rest"]) :].strip(" .:-–—*_")
    if line.starts_lower and rest:
        return None
    # "Título II del Libro Tercero ..." is the middle of a sentence; so is "Capítulo I. Al entrar en vigor ... ."
    ends_sentence = not line.ends_open and not line.is_upper and not line.is_bold
    if rest and (rest[0].islower() or (ends_sentence and len(rest) > _MAX_NUMBERED)):
        return None
    return Heading(_RANK_OF[re.sub(r"\s", "", found["rank"])], wants_epigraph=not rest)


def find_act_part(line: Line) -> Heading | None:
    """Return the heading of a part of an act ("**CONSIDERANDO**", "RESUELVE:"), else None; only in capitals or bold."""
    if not line.raw or len(line.raw) > 40 or line.starts_lower or not (line.is_upper or line.is_bold):
        return None
    folded = line.folded.rstrip(" :.*_-")
    if _SPACED_LETTERS.match(line.folded):
        folded = re.sub(r"\s", "", folded)
    return Heading(_ACT_LEVEL) if folded in _ACTS else None


def find_numbered(line: Line) -> Heading | None:
    """Return the heading with a decimal number ("1.2.3 Clase de proceso"), else None.

    Whether it stands alone or in a list is for the caller to see.
    """
    if not line.raw or len(line.raw) > _MAX_NUMBERED or not line.ends_open or line.raw[-1] in ",;":
        return None
    found = _NUMBERED.match(line.plain)
    if not found or not any(c.isalpha() for c in found["title"][1:]):
        return None
    return Heading(min(_NUMBERED_LEVEL + found["number"].count(".") + 1, 8))


def is_single_numbered(line: Line) -> bool:
    """Tell whether the number has one part only ("1. Objeto"), as the items of a list have."""
    found = _NUMBERED.match(line.plain)
    return bool(found and "." not in found["number"])


def is_epigraph(line: Line, *, apart: bool) -> bool:
    """Tell whether the line can be the epigraph of the division above it: in capitals, bold, or short and alone.

    `apart` tells that a blank line or the end follows.
    """
    if not line.raw or len(line.raw) > _MAX_HEADING + 60 or line.raw[0] in "#|-" or line.starts_lower:
        return False
    if line.is_upper or line.is_bold:
        return True
    return apart and len(line.raw) <= _MAX_NUMBERED and line.ends_open and line.raw[-1] not in ",;"


def is_false_heading(text: str) -> bool:
    """Tell whether an ATX line is too long to be a heading: a paragraph that someone marked."""
    return len(text) > 2 * _MAX_HEADING


def label_of(*lines: Line) -> str:
    """Return the lines of a heading as one label without markup."""
    parts = (strip_markup(line.raw).strip().rstrip(":").strip() for line in lines)
    return " ".join(part for part in parts if part)


def is_section_word(text: str) -> bool:
    """Tell whether a heading is of the kind "3. SECCIÓN: ...", that stands above others of its own level."""
    return bool(_SECTION_WORD.match(strip_markup(text)))


def level_of_sections(lines: Iterable[Line]) -> int:
    """Return the ATX level at which "SECCIÓN: ..." stands beside other headings, 0 where there is none.

    Manuals converted from Word have all headings on one level; their sections then stand half a level above, so that
    "Salidas" belongs to "SECCIÓN: ACCIONES DE TUTELA".
    """
    found = [match for line in lines if line.raw[:1] == "#" and (match := ATX.match(line.raw))]
    sections = {len(match[1]) for match in found if is_section_word(match[2] or "")}
    others = {len(match[1]) for match in found if not is_section_word(match[2] or "")}
    return min(sections & others, default=0)
