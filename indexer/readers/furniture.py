"""Find the lines that belong to the printed page and not to the text: headers, footers, tables of contents.

They stay in the text, since offsets and quotes count in it; they become no passage. A line is
furniture by its shape ("Hoja No. 3 ...", "Página 3 de 20") or because it repeats through the document **and** looks
like a page's (an address, a page number): manuals repeat whole sentences, and those are text.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import pairwise

from indexer.readers.lines import Line
from siaa.page_parts import MAX_PAGE_LINE, SHEET, ends_sentence_with_site, has_page_shape

_MAX_LENGTH = 250  # characters of a line of contents
_PAGE_WORDS = re.compile(r"\bpag(?:ina)?\b|\bhoja\b|\bfolio\b|www\.|\bconmutador\b|\btel(?:efonos?)?\b|\bfax\b")
_REPEATS = 3  # occurrences, digits folded, that make a line with a page word furniture
_DIGITS = re.compile(r"\d+")
_RANK_LINE = re.compile(r"(?:acuerdo|resolucion|circular|decreto|ley|oficio)\b.{0,40}\d")
_TITLE_LINE = re.compile(r'\W{0,3}"\s*por (?:el|la|medio|los|las)\b')
_HEADER_LINES = 5  # lines at most that a page header takes
_RULE = re.compile(r"(?:[-*_=~]\s*){3,}$")


def is_rule(line: Line) -> bool:
    """Tell whether the line is a horizontal rule: three or more of the same kind of mark and nothing else."""
    return len(line.raw) < _MAX_LENGTH and bool(_RULE.match(line.raw)) and len(set(line.raw.replace(" ", ""))) == 1


def mark_furniture(lines: list[Line]) -> set[int]:
    """Return the positions in `lines` of page headers and footers."""
    marked = {i for i, line in enumerate(lines) if len(line.raw) <= MAX_PAGE_LINE and has_page_shape(line.folded)}
    marked -= {i for i in marked if i and not marked & {i - 1, i + 1} and _ends_sentence(lines, i)}
    marked |= _repeated(lines)
    for i in sorted(marked):
        if SHEET.match(lines[i].folded):
            marked.update(_header_around(lines, i))
    return marked


def _ends_sentence(lines: list[Line], i: int) -> bool:
    return ends_sentence_with_site(lines[i - 1].raw, lines[i].folded)


def _repeated(lines: list[Line]) -> set[int]:
    places: defaultdict[str, list[int]] = defaultdict(list)
    for i, line in enumerate(lines):
        if 3 < len(line.raw) <= MAX_PAGE_LINE and line.raw[0] not in "#|>" and _PAGE_WORDS.search(line.folded):
            if line.folded.startswith(("url:", "fuente:", "- ")):
                continue
            places[_DIGITS.sub("0", line.folded)].append(i)
    return {i for found in places.values() if len(found) >= _REPEATS for i in found}


def _header_around(lines: list[Line], sheet: int) -> Iterator[int]:
    """Yield the lines of the page header that holds `Hoja No. n`: the act and its title, before or after it."""
    before = _run(lines, sheet, step=-1)
    if before and _RANK_LINE.match(lines[before[-1]].folded):
        yield from before
    after = _run(lines, sheet, step=1)
    if not after:  # the title may stand apart, under a blank line
        following = next((i for i in range(sheet + 1, min(sheet + 4, len(lines))) if lines[i].raw), None)
        after = [following, *_run(lines, following, step=1)] if following is not None else []
    opened = _open_quote(lines[sheet].raw)
    for i in after:
        if not opened and not _TITLE_LINE.match(lines[i].folded):
            return
        yield i
        opened = (opened or bool(_TITLE_LINE.match(lines[i].folded))) and not re.search(r"[”\"»]\W*$", lines[i].raw)


def _run(lines: list[Line], place: int, *, step: int) -> list[int]:
    """Return the filled lines next to `place` in one direction, nearest first."""
    found: list[int] = []
    i = place + step
    while 0 <= i < len(lines) and lines[i].raw and len(found) < _HEADER_LINES:
        found.append(i)
        i += step
    return found


def _open_quote(raw: str) -> bool:
    return raw.count("“") + raw.count("«") > raw.count("”") + raw.count("»") or raw.count('"') % 2 == 1


_CONTENTS_HEADINGS = frozenset(
    {"tabla de contenido", "tabla de contenidos", "contenido", "contenidos", "indice", "indice general", "sumario"}
    | {"indice de contenido", "indice de contenidos", "tabla de materias"}
)
_LEADER = re.compile(r"(?:\.{4,}|(?:\. ){4,}|…{2,}|_{4,})\s*(\d{1,4})$")
_TABBED = re.compile(r"\t\s*(\d{1,4})$")
_LINK = re.compile(r"(?:[-*+•]|\d{1,3}[.)])?\s*\[[^\]]+\]\(#[^)]*\)(?:\s*\([^)]{1,40}\))?$")
_NUMBERING = re.compile(r"^(?:[-*+•]\s*|\d{1,3}(?:\.\d{1,3})*[.)]?\s+)|[\s.…_]*\d{0,4}$")
_MIN_RUN = 5  # tabbed lines in a row, outside a heading of contents, that make a table of contents
_RISING = 0.8  # share of them whose number is not less than the one before: page numbers rise


def mark_contents(lines: list[Line]) -> set[int]:
    """Return the positions in `lines` of printed tables of contents, their heading included."""
    filled = [i for i, line in enumerate(lines) if line.raw]
    pages = {i: page for i in filled if (page := _page(lines[i])) is not None}
    marked = {i for i in pages if _LEADER.search(lines[i].raw)}
    marked |= set(_tabbed_runs(filled, pages))
    repeated = _last_places(lines, filled)
    for place, i in enumerate(filled):
        if lines[i].folded.rstrip(" :.") in _CONTENTS_HEADINGS:
            entries = list(_entries(lines, filled[place + 1 :], pages, repeated))
            marked.update([i, *entries] if entries else [])
    return marked


def _page(line: Line) -> int | None:
    if len(line.raw) > _MAX_LENGTH or not line.raw[-1].isdigit() or line.raw[0] == "|":
        return None
    found = _TABBED.search(line.raw) or _LEADER.search(line.raw)
    return int(found[1]) if found else None


def _tabbed_runs(filled: list[int], pages: dict[int, int]) -> Iterator[int]:
    run: list[int] = []
    for i in [*filled, -1]:
        if i in pages:
            run.append(i)
            continue
        rising = sum(pages[a] <= pages[b] for a, b in pairwise(run))
        if len(run) >= _MIN_RUN and rising >= _RISING * (len(run) - 1):
            yield from run
        run = []


def entry_key(folded: str) -> str:
    """Return the words of an entry of contents, or of the heading it names: no number before them, no page behind."""
    return _NUMBERING.sub("", _NUMBERING.sub("", folded)).strip()


def _last_places(lines: list[Line], filled: list[int]) -> dict[str, int]:
    """Return the last place of each text that repeats: an entry of contents comes again as a heading."""
    short = [i for i in filled if len(lines[i].raw) <= _MAX_LENGTH]
    counts = Counter(entry_key(lines[i].folded) for i in short)
    return {key: i for i in short if counts[key := entry_key(lines[i].folded)] > 1 and key}


def _entries(lines: list[Line], following: list[int], pages: dict[int, int], last: dict[str, int]) -> Iterator[int]:
    for i in following:
        line = lines[i]
        again = line.raw[0] != "#" and line.ends_open and last.get(entry_key(line.folded), -1) > i
        if not (i in pages or _LINK.match(line.raw) or again):
            return
        yield i
