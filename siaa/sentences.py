"""Find the sentences of Spanish legal text, where a full stop ends fewer of them than it seems."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from siaa.text import fold

# A full stop after these words ends no sentence (folded, without the stop).
_ABBREVIATIONS = """
    art arts inc incs lit lits par pars pag pags pp cap tit sec cfr cf vs ss sgts fl fls fol exp rad ref vol ed dr
    dra drs dres sr sra sres srta ing lic mag hon prof tel cel ext av avda cra cl dpto depto ud uds vda ej aprox min
    max
"""
ABBREVIATIONS = frozenset(_ABBREVIATIONS.split())
# These are abbreviations of "number" only before something with a digit: "Acuerdo No. PSAA16", but "Respondió que no."
NUMBER_WORDS = frozenset({"no", "nos", "nro", "nros", "num", "nums", "n"})

OPENING_CHARS = 80  # characters before a full stop that are looked at; no name of a provision is longer
NEXT_WORD_CHARS = 60  # characters after a full stop that are looked at to tell what follows it

_BLANK_LINE = re.compile(r"\n[ \t]*\n\s*")
_LINE_START = re.compile(r"^[ \t]*(?=\S)", re.MULTILINE)
_ITEM = re.compile(r"(?:[-*+•·▪–—]|\(?(?:\d{1,3}|[a-zñ]|[ivx]{1,5})[.)]-?|\(\w{1,3}\))[ \t]+(?=\S)")
_NUMBERED = re.compile(r"(?:\d{1,3}|[a-zñ]|[ivx]{1,5})\.")
_OWN_LINE = re.compile(r"#{1,6}\s|\||(?:\*\*|__).*(?:\*\*|__)\s*$", re.MULTILINE)
_CLAUSE_END = re.compile(r"[;:,](?=\s)")
# From the first of a run only: from each of 20,000 stops in a row, looking for the end of the run would be quadratic.
_STOP = re.compile(r"(?<![.!?…])[.!?…]+[\"»”'’)\]*_]*(?=\s)")
_LAST_WORD = re.compile(r"((?:[^\W\d_]\.)*[^\W_]+)$")
# What a full stop may follow at the start of a sentence without ending it: a list marker, or the name of a provision.
_OPENING = re.compile(
    r"[\W_]*(?:\d{1,3}(?:\.\d{1,3})*|[a-zñ]|[ivxlc]{1,6}"
    r"|(?:articulo|art|paragrafo|numeral|literal|inciso|capitulo|titulo|seccion)s?\b\.?[^.\n]{0,25})"
)


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return `(start, end)` of each sentence of `text`, in order, without the white space around it.

    A blank line, a list item, a heading and a table row begin a new one; a line break in a paragraph does not, nor a
    blank line where the text plainly goes on (a page break: no stop before it, a small letter after it). The
    spans do not overlap and hold every character that is not white space. For "Según el art. 5. Los
    jueces\\nfirman." the second sentence is "Los jueces\\nfirman.".
    """
    return [span for start, end in _blocks(text) for span in _sentences(text, start, end)]


def is_list_item(text: str) -> bool:
    """Tell whether a sentence opens with the mark of a list item: `- `, `3. `, `b) `."""
    return bool(_ITEM.match(fold(text)))


def is_heading_line(text: str) -> bool:
    """Tell whether a sentence is a Markdown heading or a line that is bold as a whole."""
    return not text.startswith("|") and bool(_OWN_LINE.match(text))


def clause_spans(sentence: str, *, longest: int) -> list[tuple[int, int]]:
    """Return `(start, end)` of a sentence's clauses: up to a `;`, `:` or `,` followed by white space.

    A clause of more than `longest` characters is cut between words; one word of more is cut where it must.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for end in [*(match.end() for match in _CLAUSE_END.finditer(sentence)), len(sentence)]:
        while end - start > longest:
            space = sentence.rfind(" ", start + 1, start + longest + 1)
            stop = space if space > start else start + longest
            spans += _trimmed(sentence, start, stop)
            start = stop
        spans += _trimmed(sentence, start, end)
        start = end
    return spans


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Yield the stretches that sentences never cross."""
    folded = fold(text)
    cuts = {match.end() for match in _BLANK_LINE.finditer(text) if not _goes_on(text, folded, match)}
    for match in _LINE_START.finditer(text):
        start = match.end()
        if _OWN_LINE.match(text, start):
            line_end = text.find("\n", start)
            cuts |= {start, line_end + 1 if line_end >= 0 else len(text)}
        elif _opens_item(folded, start):
            cuts.add(start)
    edges = sorted({0, *cuts, len(text)})
    yield from pairwise(edges)


def _goes_on(text: str, folded: str, blank: re.Match[str]) -> bool:
    """Tell whether a sentence continues behind a blank line, as it does where a page ended."""
    before = text[max(0, blank.start() - 1) : blank.start()]
    if not (before.isalnum() or before == ",") or not text[blank.end() : blank.end() + 1].islower():
        return False
    last_line = text[text.rfind("\n", 0, blank.start()) + 1 : blank.start()]
    return not _OWN_LINE.match(last_line) and not _ITEM.match(folded, blank.end())


def _opens_item(folded: str, start: int) -> bool:
    if not _ITEM.match(folded, start):
        return False
    # "5. del Código" after a line that ends in "artículo" is the rest of a reference, not an item.
    before = folded[max(0, start - 10) : start].rstrip()
    return not (_NUMBERED.match(folded, start) and before and before[-1].isalnum())


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    begun = start
    for stop in _STOP.finditer(text, start, end):
        if _ends_sentence(text, begun, stop, end):
            yield from _trimmed(text, begun, stop.end())
            begun = stop.end()
    yield from _trimmed(text, begun, end)


def _ends_sentence(text: str, begun: int, stop: re.Match[str], end: int) -> bool:
    following = text[stop.end() : min(end, stop.end() + NEXT_WORD_CHARS)].lstrip()
    if following[:1].islower():
        return False
    if not stop.group().startswith(".") or stop.group().startswith(".."):
        return True
    before = fold(text[max(begun, stop.start() - OPENING_CHARS) : stop.start()])
    if stop.start() - begun <= OPENING_CHARS and _OPENING.fullmatch(before):
        return False
    last = _LAST_WORD.search(before)
    word = last.group(1) if last else ""
    if word in NUMBER_WORDS:
        return not any(character.isdigit() for character in following.split(maxsplit=1)[0]) if following else True
    return word not in ABBREVIATIONS and not _is_initial(word)


def _is_initial(word: str) -> bool:
    """Tell whether `word` is a single letter or letters with stops between them: "d", "d.c"."""
    return bool(word) and all(len(part) == 1 and part.isalpha() for part in word.split("."))


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[start:end]
    stripped = piece.strip()
    if stripped:
        begin = start + len(piece) - len(piece.lstrip())
        yield begin, begin + len(stripped)
