"""Find legal references in Spanish text: articles and other units, and the norms that are cited.

The same function reads documents and questions, so that "ARTICULO QUINTO" and "art. 5o" meet in one token. It guesses
nothing: a letter that a scanner misread is not mended here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from siaa.references.norms import RANK_HEADS, SERIES, norms_at, series_norms_at
from siaa.references.numerals import ordinal_value, roman_value
from siaa.references.plain_text import View, original_span, view_of
from siaa.references.reference import ArticleOpening, Reference
from siaa.references.units import MAX_RANGE, UNIT_HEADS, listed_at, units_at
from siaa.text import fold

__all__ = [
    "MAX_RANGE",
    "ArticleOpening",
    "Reference",
    "find_references",
    "opening_article",
    "ordinal_value",
    "roman_value",
]

_NAMES = [
    *(f"(?P<{kind}>{short}|(?:{full})(?![a-zñ]))" for kind, (full, short) in UNIT_HEADS.items()),
    *(f"(?P<{rank}>(?:{names})(?![a-zñ]))" for rank, names in RANK_HEADS.items()),
    f"(?P<series>(?:{SERIES})(?![a-zñ]))",
]
_HEADS = re.compile(f"(?<![a-z0-9ñ])(?:{'|'.join(_NAMES)})")
_OPENING_WINDOW = 300  # characters of a line that are looked at for its opening; no caption's number lies deeper
_OPENING = re.compile(r"""[\s#>"'\[]{0,24}(?P<word>art(?:iculo(?![a-zñ])|\.))""")
_CAPITALS = r"[A-ZÁÉÍÓÚ]{4,30}O"
_CLAUSE = re.compile(rf'(?m)^[ \t#>*_"“«]{{0,24}}({_CAPITALS}(?: {_CAPITALS}){{0,2}})[ \t*_]{{0,4}}[.:–—-]')
# What a mention goes on with in a line of capitals: "ARTICULO 5 DE LA LEY 270".
_GOES_ON = re.compile(r"(?:DE|DEL|Y|O|E|A|AL|QUE|EN)(?![^\W\d_])")
_CITED_NORM = re.compile(
    r"(?:real\s+decreto|ley|decreto|acuerdo|resolucion|circular|rd)\s[^\d]{0,14}\d|codigo|constituci|superior(?![a-z])|c\.\s?[a-z]"
)


def find_references(text: str) -> tuple[Reference, ...]:
    """Return the references in `text`, ordered by start and end. Linear in the length of `text`; never raises.

    "articulos 19 y 20 de la Ley 270 de 1996" gives art_19, art_20 and ley_270 (with ley_270_1996). Case, accents (in
    either form), dashes, emphasis and invisible characters make no difference to the tokens, with one exception: a line
    opened by a bare ordinal ("QUINTO.- FUNCIONARIOS") is an article only in capitals.
    """
    view = view_of(text)
    found = [*_clauses(view), *_named(view.folded)]
    if view.origin is not None:
        found = [_moved(reference, view, text) for reference in found]
    return tuple(sorted(found, key=lambda reference: (reference.start, reference.end)))


def opening_article(line: str) -> ArticleOpening | None:
    """Return the article that `line` opens, or None: "**ARTICULO 5o.- Funcionarios**" gives number "5".

    A caption is followed by punctuation, the end of the line or a capital letter; a mention by "de la", a comma or
    running text. A lower-case "articulo 5." before a capital or at the end of a line is a sentence that
    was wrapped there.
    """
    line = line[:_OPENING_WINDOW]
    view = view_of(line)
    head = _OPENING.match(view.folded)
    if head is None:
        clause = next(_clauses(view), None)
        opens = clause is not None and not view.plain[: clause.start].strip(' \t#>*_"“«')
        return _opening(view, line, clause.number, clause.end) if clause and opens else None
    listed = listed_at(view.folded, head.end(), "art", plural=False)
    if listed is None or not _is_caption(view, head, listed.opening_end):
        return None
    item = listed.items[0]
    number = f"{item.number}.{item.detail}" if item.detail else item.number
    if listed.transitory:
        number = f"trans_{number}" if number else "trans"
    return _opening(view, line, number, listed.opening_end)


def _named(folded: str) -> Iterator[Reference]:
    covered = 0
    for head in _HEADS.finditer(folded):
        if head.start() < covered:
            continue  # the series inside "Acuerdo No. PSAA16-10476"
        name = head.lastgroup or ""
        if name in UNIT_HEADS:
            yield from units_at(folded, head, name)
            continue
        for norm in series_norms_at(folded, head) if name == "series" else norms_at(folded, head, name):
            covered = norm.end
            yield norm


def _clauses(view: View) -> Iterator[Reference]:
    """Yield the resolutive clauses that a line opens with: "QUINTO.- FUNCIONARIOS". Not "PRIMERA INSTANCIA."."""
    for found in _CLAUSE.finditer(view.plain):
        value = "unico" if fold(found[1]) == "unico" else ordinal_value(found[1])
        if value:
            token = f"art_{value}"
            yield Reference("art", token, "", str(value), "", found.start(1), found.end(1), (token,))


def _is_caption(view: View, head: re.Match[str], end: int) -> bool:
    """Tell a caption from a mention, by what follows the number."""
    capital = view.plain[head.start("word")].isupper()
    rest = view.plain[end:].lstrip(" \t\r\n*_\"'”»]#º°ª")
    if not rest:
        return capital or "#" in head[0]
    if rest[0] in ".:-–—|(":
        goes_on = rest[1:].lstrip("*_ \t\r\n")
        # "según el" / "artículo 32. Las partes": a line that was wrapped, not a caption in a text without capitals.
        wrapped = rest[0] in ".(" and (not goes_on or goes_on[0].isupper())
        return capital or "#" in head[0] or not wrapped
    if not capital or not rest[0].isupper() or _GOES_ON.match(rest):
        return False
    return not _CITED_NORM.match(view.folded, len(view.plain) - len(rest))


def _opening(view: View, line: str, number: str, end: int) -> ArticleOpening:
    return ArticleOpening(number, original_span(view, line, 0, end)[1])


def _moved(reference: Reference, view: View, text: str) -> Reference:
    start, end = original_span(view, text, reference.start, reference.end)
    return replace(reference, start=start, end=end)
