"""Know a line of a printed page's header or footer by its shape: "Hoja No. 3", "Página 3 de 20", "PBX 5"."""

from __future__ import annotations

import re

from siaa.text import fold, strip_markup

SHEET = re.compile(r"hoja\s+(?:n\s?[o.]{0,2}\s*)?\d{1,4}\b")  # on folded lines, as all of these
MAX_PAGE_LINE = 250  # characters of a header or footer

_NUMBER = r"\d+\s*\w?\s+(?:n[o.\s]{0,3}|#)\s*\d+\s*\w?\s*-\s*\d+"  # of a house: "12 No. 7 - 65"
_SIGN = r"(?:\W{0,3}\w{1,2}\W{1,2})?\s*"  # a small drawing as a scanner reads it: "O) Calle 12"
_SITE = re.compile(rf"{_SIGN}www\.[\w.-]+\.(?:co|com|org|es)\b")
_NUMBERS = (
    SHEET,
    re.compile(r"\W*(?:pagina|pag\.?)\s*(?:n\s?[o.]{0,2}\s*)?\d{1,4}(?:\s*(?:de|/)\s*\d{1,4})?\W*$"),
    re.compile(r"\d{1,4}\s+de\s+\d{1,4}$|[-|]\s*\d{1,4}\s*[-|]$"),
)
_ADDRESSES = (
    re.compile(rf"{_SIGN}calle\s+{_NUMBER}"),
    # Other streets only where nothing but the rest of an address follows: a sentence may begin a line with one.
    re.compile(
        rf"{_SIGN}(?:carrera|cra\.?|kra\.?|avenida|av\.?|diagonal|transversal)\s+(?:calle\s+|carrera\s+)?{_NUMBER}\b\W*"
        r"(?:(?:piso|oficina|of|torre|bloque|tel|telefonos?|pbx|fax|ext|conmutador|bogota|d\.?\s?c|colombia|\d+)\b\W*)*$"
    ),
    re.compile(r"\W*(?:\w\W{1,2}\s*)?(?:conmutador|pbx)\W*\d"),
    _SITE,
)
_ENDS = (".", ":", ";", "?", "!")


def has_page_shape(folded: str) -> bool:
    """Tell whether a folded line without outer white space and markup is part of a printed page's frame."""
    return _has_shape(folded, (*_NUMBERS, *_ADDRESSES))


def without_page_lines(text: str) -> str:
    """Return `text` without the lines that have such a shape."""
    return "\n".join(line for line in text.split("\n") if not _is_page_line(line))


def without_addresses(text: str) -> str:
    """Return `text` without the lines that give an office's address; "Hoja No. 2 Acuerdo 5" says what the text is."""
    return "\n".join(line for line in text.split("\n") if not _has_shape(_bare(line), _ADDRESSES))


def ends_sentence_with_site(before: str, folded: str) -> bool:
    """Tell whether a line that is a site's name ends the sentence of the line `before`: "consulte", "www.x.co"."""
    before = before.rstrip("*_ \n")
    return bool(before) and not before.endswith(_ENDS) and bool(_SITE.match(folded))


def trim_page_lines(text: str, start: int, end: int) -> tuple[int, int]:
    """Return `text[start:end]` without such lines, and white space, at its ends; an empty span if nothing is left.

    A site that ends a sentence stays with it.
    """
    lines = text[start:end].splitlines(keepends=True)
    kept = [place for place, line in enumerate(lines) if line.strip() and not _is_page_line(line)]
    if not kept:
        return start, start
    first, last = kept[0], kept[-1]
    dropped = [line for line in lines[last + 1 :] if line.strip()]
    if len(dropped) == 1 and ends_sentence_with_site(lines[last], _bare(dropped[0])):
        last = len(lines) - 1
    begun = start + sum(map(len, lines[:first]))
    piece = text[begun : begun + sum(map(len, lines[first : last + 1]))]
    return begun + len(piece) - len(piece.lstrip()), begun + len(piece.rstrip())


def _is_page_line(line: str) -> bool:
    return has_page_shape(_bare(line))


def _bare(line: str) -> str:
    return fold(strip_markup(line)) if len(line) <= 2 * MAX_PAGE_LINE else ""


def _has_shape(folded: str, shapes: tuple[re.Pattern[str], ...]) -> bool:
    return 0 < len(folded) <= MAX_PAGE_LINE and any(shape.match(folded) for shape in shapes)
