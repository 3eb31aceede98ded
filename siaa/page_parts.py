"""Know a line of a printed page's header or footer by its shape: "Hoja No. 3", "Página 3 de 20", "PBX 5"."""

from __future__ import annotations

import re

from siaa.text import fold, strip_markup

SHEET = re.compile(r"hoja\s+(?:n\s?[o.]{0,2}\s*)?\d{1,4}\b")  # on folded lines, as all of these
MAX_PAGE_LINE = 250  # characters of a header or footer

_NUMBER = r"\d+\s*\w?\s+(?:n[o.\s]{0,3}|#)\s*\d+\s*\w?\s*-\s*\d+"  # of a house: "12 No. 7 - 65"
_SIGN = r"(?:\W{0,3}\w{1,2}\W{1,2})?\s*"  # a small drawing as a scanner reads it: "O) Calle 12"
_SHAPES = (
    SHEET,
    re.compile(r"\W*(?:pagina|pag\.?)\s*(?:n\s?[o.]{0,2}\s*)?\d{1,4}(?:\s*(?:de|/)\s*\d{1,4})?\W*$"),
    re.compile(r"\d{1,4}\s+de\s+\d{1,4}$|[-|]\s*\d{1,4}\s*[-|]$"),
    re.compile(rf"{_SIGN}calle\s+{_NUMBER}"),
    # Other streets only where nothing but the rest of an address follows: a sentence may begin a line with one.
    re.compile(
        rf"{_SIGN}(?:carrera|cra\.?|kra\.?|avenida|av\.?|diagonal|transversal)\s+(?:calle\s+|carrera\s+)?{_NUMBER}\b\W*"
        r"(?:(?:piso|oficina|of|torre|bloque|tel|telefonos?|pbx|fax|ext|conmutador|bogota|d\.?\s?c|colombia|\d+)\b\W*)*$"
    ),
    re.compile(r"\W*(?:\w\W{1,2}\s*)?(?:conmutador|pbx)\W*\d"),
    re.compile(rf"{_SIGN}www\.[\w.-]+\.(?:co|com|org|es)\b"),
)


def has_page_shape(folded: str) -> bool:
    """Tell whether a folded line without outer white space and markup is part of a printed page's frame."""
    return 0 < len(folded) <= MAX_PAGE_LINE and any(shape.match(folded) for shape in _SHAPES)


def without_page_lines(text: str) -> str:
    """Return `text` without the lines that have such a shape."""
    return "\n".join(line for line in text.split("\n") if not _is_page_line(line))


def trim_page_lines(text: str, start: int, end: int) -> tuple[int, int]:
    """Return `text[start:end]` without such lines, and white space, at its ends; an empty span if nothing is left."""
    while start < end:
        first = text.find("\n", start, end)
        stop = end if first < 0 else first + 1
        if text[start:stop].strip() and not _is_page_line(text[start:stop]):
            break
        start = stop
    while start < end:
        begun = max(text.rfind("\n", start, end - 1) + 1, start)
        if text[begun:end].strip() and not _is_page_line(text[begun:end]):
            break
        end = begun
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())


def _is_page_line(line: str) -> bool:
    return len(line) <= 2 * MAX_PAGE_LINE and has_page_shape(fold(strip_markup(line)))
