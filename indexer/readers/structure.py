"""Turn a text into blocks: headings, articles, paragraphs, list items, table rows, and what belongs to the page.

The rules are tried in the order of `_RULES` on every line; the first that recognises it says how many lines it took.
Blocks are sorted, do not overlap, and cover every line that is not blank.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from indexer.readers.articles import ArticleSequence, Opening, find_opening
from indexer.readers.furniture import is_rule, mark_contents, mark_furniture
from indexer.readers.headings import (
    ARTICLE_LEVEL,
    Heading,
    find_act_part,
    find_division,
    find_numbered,
    is_epigraph,
    is_false_heading,
    is_section_word,
    is_single_numbered,
    label_of,
)
from indexer.readers.lines import Line, split_lines
from siaa.model import Block, BlockKind

_MAX_LEVEL = 9
_ATX = re.compile(r"(#{1,6})(?:[ \t]+(.*))?$", re.S)
_UNDERLINE = re.compile(r"(?:=+|-{3,})$")
_ITEM = re.compile(
    r"[*_]{0,3}(?:[-*+•·▪◦●○■➢✓§][ \t]+|\d{1,3}(?:\.\d{1,3}){0,4}[.)°º]{1,2}[-–—]?(?:[*_]{1,3})?\s+"
    r"|\d{1,2}[oa]\.[-–—]?\s+"
    r"|[A-Za-zñÑ][.)][.):-]*(?:[*_]{1,3})?\s+|[ivxIVX]{1,5}[.)]\s+|\([a-zA-Z0-9ñ]{1,3}\)\s+)"
)
_OWN_PARAGRAPH = re.compile(
    r"paragrafos?\b(?:\s+(?:\d|[ivx]+\b|primero|segundo|tercero|cuarto|quinto|unico|transitorio)|\s?[.:])"
)
_TERMINAL = (".", ":", ";")
_EPIGRAPH_LINES = 3  # lines in capitals at most that an epigraph takes


def read_structure(text: str) -> tuple[Block, ...]:
    """Return the blocks of a normalised `text`, in order.

    Example: "## Artículo 1\\n\\nArtículo 1°. Objeto. Esta ..." gives a heading and a paragraph, both of article 1.
    """
    reading = _Reading(split_lines(text))
    reading.run()
    return tuple(reading.blocks)


class _Reading:
    """The pass over the lines: the blocks so far, the paragraph that is open, and what the rules must remember."""

    def __init__(self, lines: list[Line]) -> None:
        self.lines = lines
        self.blocks: list[Block] = []
        self.contents = mark_contents(lines)
        self.furniture = mark_furniture(lines) - self.contents
        self.articles = ArticleSequence(_last_places(lines))
        self.in_article = False
        self.division_level = 0  # of the plain division in force: an article stands below it
        self.raised = _levels_of_sections(lines)
        self._open: Block | None = None
        self._parts: list[str] = []

    def run(self) -> None:
        """Apply the rules from the first line to the last."""
        i = 0
        while i < len(self.lines):
            line = self.lines[i]
            for rule in _RULES:
                taken = rule(self, line, i)
                if taken:
                    i += taken
                    break
        self.close()

    def add(
        self, kind: BlockKind, first: int, last: int, *, level: int = 0, label: str = "", article: str = ""
    ) -> None:
        """Close the open paragraph and add a block of whole lines."""
        self.close()
        self.blocks.append(Block(kind, self.lines[first].start, self.lines[last].end, level, label, article))

    def begin(self, kind: BlockKind, line: Line, *, label: str = "", article: str = "") -> None:
        """Open a block that following lines may extend."""
        self.close()
        self._open = Block(kind, line.start, line.end, 0, label, article)
        self._parts = [line.raw]

    def extend(self, line: Line) -> None:
        """Add a line to the open block, or begin a paragraph with it."""
        if self._open is None:
            self.begin(BlockKind.PARAGRAPH, line)
            return
        block = self._open
        self._open = Block(block.kind, block.start, line.end, 0, block.label, block.article)
        self._parts.append(line.raw)

    def close(self) -> None:
        """Finish the open block, if any."""
        if self._open is not None:
            self.blocks.append(self._open)
            self.articles.note("\n".join(self._parts))
        self._open, self._parts = None, []

    @property
    def open_kind(self) -> BlockKind | None:
        """Return the kind of the open block."""
        return self._open.kind if self._open else None

    @property
    def last_raw(self) -> str:
        """Return the last line of the open block, "" if none is open."""
        return self._parts[-1] if self._parts else ""

    def filled_after(self, i: int) -> Line | None:
        """Return the next line after `i` that is neither blank nor furniture."""
        following = range(i + 1, min(i + 40, len(self.lines)))
        return next((self.lines[j] for j in following if self.lines[j].raw and j not in self.furniture), None)

    def is_apart(self, i: int) -> bool:
        """Tell whether a blank line, furniture or the end follows line `i`."""
        return i + 1 >= len(self.lines) or self.lines[i + 1].is_blank or i + 1 in self.furniture

    def begins_apart(self, i: int) -> bool:
        """Tell whether no open paragraph runs into line `i`."""
        return self._open is None or not self.lines[i - 1].raw


def _last_places(lines: list[Line]) -> dict[str, int]:
    openings = ((find_opening(line), line.start) for line in lines if line.raw)
    return {opening.number: start for opening, start in openings if opening}


def _blank(reading: _Reading, line: Line, i: int) -> int:
    if line.raw:
        return 0
    following = reading.lines[i + 1] if i + 1 < len(reading.lines) else None
    if not (following and _continues_item(reading, following, i + 1)):
        reading.close()
    return 1


def _continues_item(reading: _Reading, following: Line, i: int) -> bool:
    """Tell whether a list item goes on after one blank line: in lower case, the item not ended by punctuation."""
    if reading.open_kind is not BlockKind.LIST_ITEM or not following.starts_lower or i in reading.furniture:
        return False
    return not reading.last_raw.rstrip("*_ ").endswith(_TERMINAL) and not _ITEM.match(following.raw)


def _page_part(reading: _Reading, line: Line, i: int) -> int:
    if i in reading.contents:
        reading.add(BlockKind.CONTENTS, i, i)
        return 1
    if i in reading.furniture:
        reading.add(BlockKind.FURNITURE, i, i)
        return 1
    return 0


def _rule(reading: _Reading, line: Line, i: int) -> int:
    if not is_rule(line):
        return 0
    reading.add(BlockKind.FURNITURE, i, i)
    return 1


def _table_row(reading: _Reading, line: Line, i: int) -> int:
    if line.raw[0] != "|":
        return 0
    reading.add(BlockKind.TABLE_ROW, i, i)
    return 1


def _atx_heading(reading: _Reading, line: Line, i: int) -> int:
    found = _ATX.match(line.raw)
    if not found or is_false_heading(line.raw):
        return 0
    opening = find_opening(line)
    level = _atx_level(reading, found)
    if opening:
        reading.close()
        if reading.articles.is_own(line, opening):
            level = min(max(level, reading.division_level + 1), _MAX_LEVEL)
            _heading(reading, i, i, level, opening.number)
        else:
            reading.add(BlockKind.PARAGRAPH, i, i)
        return 1
    if line.folded.startswith("articulo "):  # only mentioned: the middle of a sentence that a converter marked
        reading.extend(line)
        return 1
    if not (found[2] or "").strip("#*_ \t"):
        reading.add(BlockKind.FURNITURE, i, i)
        return 1
    division = find_division(line)
    last = _epigraph_end(reading, i) if division and division.wants_epigraph else i
    if level <= reading.division_level:
        reading.division_level = 0
    _heading(reading, i, last, level)
    return last - i + 1


def _atx_level(reading: _Reading, found: re.Match[str]) -> int:
    level = len(found[1])
    lowered = reading.raised and level >= reading.raised and not is_section_word(found[2] or "")
    return level + 1 if lowered else level


def _levels_of_sections(lines: list[Line]) -> int:
    """Return the ATX level at which "SECCIÓN: ..." stands beside other headings, 0 where there is none.

    Manuals converted from Word have all headings on one level; their sections then stand half a level above, so that
    "Salidas" belongs to "SECCIÓN: ACCIONES DE TUTELA".
    """
    found = [match for line in lines if line.raw[:1] == "#" and (match := _ATX.match(line.raw))]
    sections = {len(match[1]) for match in found if is_section_word(match[2] or "")}
    others = {len(match[1]) for match in found if not is_section_word(match[2] or "")}
    return min(sections & others, default=0)


def _heading(reading: _Reading, first: int, last: int, level: int, article: str = "") -> None:
    reading.add(
        BlockKind.HEADING, first, last, level=level, label=label_of(*_filled(reading, first, last)), article=article
    )
    if article:
        reading.in_article = True
    elif level <= ARTICLE_LEVEL - 1:
        reading.in_article = False


def _filled(reading: _Reading, first: int, last: int) -> list[Line]:
    return [line for line in reading.lines[first : last + 1] if line.raw]


def _setext_heading(reading: _Reading, line: Line, i: int) -> int:
    following = reading.lines[i + 1] if i + 1 < len(reading.lines) else None
    if following is None or not reading.begins_apart(i) or len(line.raw) > 160 or _ITEM.match(line.raw):
        return 0
    if not _UNDERLINE.match(following.raw) or not any(c.isalpha() for c in line.raw):
        return 0
    level = 1 if following.raw[0] == "=" else 2
    reading.add(BlockKind.HEADING, i, i + 1, level=level, label=label_of(line))
    reading.in_article = False
    return 2


def _division(reading: _Reading, line: Line, i: int) -> int:
    if not (reading.begins_apart(i) or line.is_upper or line.is_bold):
        return 0
    found = find_division(line)
    if not found:
        return 0
    if not line.is_upper and not line.is_bold and not found.wants_epigraph and not reading.is_apart(i):
        return 0
    last = _epigraph_end(reading, i) if found.wants_epigraph else i
    _plain_heading(reading, i, last, found)
    return last - i + 1


def _plain_heading(reading: _Reading, first: int, last: int, found: Heading) -> None:
    reading.division_level = found.level
    _heading(reading, first, last, found.level)


def _epigraph_end(reading: _Reading, i: int) -> int:
    """Return the last line of the epigraph under the division on line `i`, `i` itself if it has none."""
    first = next((j for j in range(i + 1, min(i + 4, len(reading.lines))) if reading.lines[j].raw), None)
    if first is None or not _can_be_epigraph(reading, first):
        return i
    last = first
    while last - first + 1 < _EPIGRAPH_LINES and last + 1 < len(reading.lines):
        following = reading.lines[last + 1]
        if not following.raw or not following.is_upper or not _can_be_epigraph(reading, last + 1):
            break
        last += 1
    return last


def _can_be_epigraph(reading: _Reading, i: int) -> bool:
    line = reading.lines[i]
    if i in reading.furniture or i in reading.contents or not is_epigraph(line, apart=reading.is_apart(i)):
        return False
    return not (
        find_division(line) or find_act_part(line) or find_opening(line) or _ITEM.match(line.raw) or is_rule(line)
    )


def _act_part(reading: _Reading, line: Line, i: int) -> int:
    found = find_act_part(line)
    if not found:
        return 0
    _plain_heading(reading, i, i, found)
    return 1


def _article(reading: _Reading, line: Line, i: int) -> int:
    opening = find_opening(line, _rest_of_paragraph(reading, i))
    if not opening or _runs_on(reading, line):
        return 0
    alone = _stands_alone(reading, line, i, opening)
    reading.close()
    if not reading.articles.is_own(line, opening):
        reading.begin(BlockKind.PARAGRAPH, line)
        return 1
    reading.in_article = True
    if alone:
        level = max(ARTICLE_LEVEL, reading.division_level + 1)
        _heading(reading, i, i, level, opening.number)
    else:
        reading.begin(BlockKind.PARAGRAPH, line, label=opening.caption, article=opening.number)
    return 1


def _rest_of_paragraph(reading: _Reading, i: int) -> str:
    parts = []
    for line in reading.lines[i + 1 : i + 4]:
        if not line.raw:
            break
        parts.append(line.raw[:200])
    return " ".join(parts)


def _runs_on(reading: _Reading, line: Line) -> bool:
    """Tell whether "artículo 6" in lower case is the continuation of the sentence on the line above."""
    return line.starts_lower and bool(reading.last_raw) and not reading.last_raw.rstrip("*_ ").endswith(_TERMINAL)


def _stands_alone(reading: _Reading, line: Line, i: int, opening: Opening) -> bool:
    """Tell whether the line is the heading of the article: number and epigraph only, with its text underneath."""
    if len(line.plain) > 120 or not opening.fills_line or not reading.is_apart(i) or not reading.begins_apart(i):
        return False
    if line.raw.rstrip("*_ ").endswith((":", ",", ";")):  # it goes on: "son deberes los siguientes:"
        return False
    following = reading.filled_after(i)
    if following is None or following.starts_lower or following.raw[0] == "#" or is_rule(following):
        return False
    return not (find_opening(following) or find_division(following) or find_act_part(following))


def _own_paragraph(reading: _Reading, line: Line, i: int) -> int:
    if not _OWN_PARAGRAPH.match(line.folded) or _runs_on(reading, line):
        return 0
    reading.begin(BlockKind.PARAGRAPH, line)
    return 1


def _numbered_heading(reading: _Reading, line: Line, i: int) -> int:
    if reading.in_article or not reading.is_apart(i) or not reading.begins_apart(i):
        return 0
    found = find_numbered(line)
    following = reading.filled_after(i) if found else None
    if not found or following is None or following.starts_lower or _is_listed(reading, line, following):
        return 0
    _heading(reading, i, i, max(found.level, reading.division_level + 1))
    return 1


def _is_listed(reading: _Reading, line: Line, following: Line) -> bool:
    """Tell whether the numbered line is an item among items: single numbers that follow each other without a text."""
    if not is_single_numbered(line):
        return bool(_ITEM.match(following.raw) and find_numbered(following) is None)
    before = reading.blocks[-1].kind if reading.blocks else None
    return before is BlockKind.LIST_ITEM or bool(_ITEM.match(following.raw)) or len(following.raw) < len(line.raw)


def _list_item(reading: _Reading, line: Line, i: int) -> int:
    if not _ITEM.match(line.raw):
        return 0
    reading.begin(BlockKind.LIST_ITEM, line)
    return 1


def _prose(reading: _Reading, line: Line, i: int) -> int:
    reading.extend(line)
    return 1


# Tried in this order; each returns the number of lines it took, 0 where the line is not its own.
_RULES: tuple[Callable[[_Reading, Line, int], int], ...] = (
    _blank,
    _page_part,
    _setext_heading,
    _rule,
    _table_row,
    _atx_heading,
    _division,
    _act_part,
    _article,
    _own_paragraph,
    _numbered_heading,
    _list_item,
    _prose,
)
