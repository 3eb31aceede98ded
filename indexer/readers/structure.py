"""Turn a text into blocks: headings, articles, paragraphs, list items, table rows, and what belongs to the page.

The rules are tried in the order of `_RULES` on every line; the first that recognises it says how many lines it took.
Blocks are sorted, do not overlap, and cover every line that is not blank.
"""

from __future__ import annotations

import re

from indexer.readers.articles import Opening, find_opening
from indexer.readers.furniture import is_rule
from indexer.readers.headings import (
    ARTICLE_LEVEL,
    ATX,
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
from indexer.readers.line_pass import LinePass, Rule
from indexer.readers.lines import Line, split_lines
from siaa.model import Block, BlockKind

_MAX_LEVEL = 9
_UNDERLINE = re.compile(r"(?:=+|-{3,})$")
_ITEM = re.compile(
    r"[*_]{0,3}(?:[-*+•·▪◦●○■➢✓§][ \t]+|\d{1,3}(?:\.\d{1,3}){0,4}[.)°º]{1,2}[-–—]?(?:[*_]{1,3})?\s+"
    r"|\d{1,2}[oa]\.[-–—]?\s+"
    r"|[A-Za-zñÑ][.)][.):-]*(?:[*_]{1,3})?\s+|[ivxIVX]{1,5}[.)]\s+|\([a-zA-Z0-9ñ]{1,3}\)\s+)"
)
_OWN_PARAGRAPH = re.compile(
    r"paragrafos?\b(?:\s+(?:\d|[ivx]+\b|primero|segundo|tercero|cuarto|quinto|unico|transitorio)|\s?[.:])"
)
_EPIGRAPH_LINES = 3  # lines in capitals at most that an epigraph takes


def read_structure(text: str) -> tuple[Block, ...]:
    """Return the blocks of a normalised `text`, in order.

    Example: "## Artículo 1\\n\\nArtículo 1°. Objeto. Esta ..." gives a heading and a paragraph, both of article 1.
    """
    reading = LinePass(split_lines(text))
    reading.run(_RULES)
    return tuple(reading.blocks)


def _blank(reading: LinePass, line: Line, i: int) -> int:
    if line.raw:
        return 0
    following = reading.line_after(i)
    if not (following and _continues_item(reading, following, i + 1)):
        reading.close()
    return 1


def _continues_item(reading: LinePass, following: Line, i: int) -> bool:
    """Tell whether a list item goes on after one blank line: in lower case, the item not ended by punctuation."""
    if reading.open_kind is not BlockKind.LIST_ITEM or not following.starts_lower or i in reading.furniture:
        return False
    return not reading.ends_sentence and not _ITEM.match(following.raw)


def _page_part(reading: LinePass, line: Line, i: int) -> int:
    if i not in reading.contents and i not in reading.furniture:
        return 0
    reading.add(BlockKind.CONTENTS if i in reading.contents else BlockKind.FURNITURE, i, i)
    return 1


def _rule_or_table_row(reading: LinePass, line: Line, i: int) -> int:
    if not is_rule(line) and line.raw[0] != "|":
        return 0
    reading.add(BlockKind.FURNITURE if is_rule(line) else BlockKind.TABLE_ROW, i, i)
    return 1


def _atx_heading(reading: LinePass, line: Line, i: int) -> int:
    found = ATX.match(line.raw)
    if not found or is_false_heading(line.raw):
        return 0
    opening = find_opening(line)
    level = _atx_level(reading, found)
    if opening:
        reading.close()
        if reading.articles.is_own(line, opening):
            level = min(max(level, reading.division_level + 1), _MAX_LEVEL)
            reading.add_heading(i, i, level, opening.number)
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
    reading.add_heading(i, last, level)
    return last - i + 1


def _atx_level(reading: LinePass, found: re.Match[str]) -> int:
    level = len(found[1])
    lowered = reading.raised and level >= reading.raised and not is_section_word(found[2] or "")
    return level + 1 if lowered else level


def _setext_heading(reading: LinePass, line: Line, i: int) -> int:
    following = reading.line_after(i)
    if following is None or not reading.begins_apart(i) or len(line.raw) > 160 or _ITEM.match(line.raw):
        return 0
    if not _UNDERLINE.match(following.raw) or not any(c.isalpha() for c in line.raw):
        return 0
    level = 1 if following.raw[0] == "=" else 2
    reading.add(BlockKind.HEADING, i, i + 1, level=level, label=label_of(line))
    reading.in_article = False
    return 2


def _division(reading: LinePass, line: Line, i: int) -> int:
    if not (reading.begins_apart(i) or line.is_upper or line.is_bold):
        return 0
    found = find_division(line)
    if not found:
        return 0
    if not line.is_upper and not line.is_bold and not found.wants_epigraph and not reading.is_apart(i):
        return 0
    return _plain_heading(reading, i, _epigraph_end(reading, i) if found.wants_epigraph else i, found)


def _plain_heading(reading: LinePass, first: int, last: int, found: Heading) -> int:
    reading.division_level = found.level
    reading.add_heading(first, last, found.level)
    return last - first + 1


def _epigraph_end(reading: LinePass, i: int) -> int:
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


def _can_be_epigraph(reading: LinePass, i: int) -> bool:
    line = reading.lines[i]
    if i in reading.furniture or i in reading.contents or not is_epigraph(line, apart=reading.is_apart(i)):
        return False
    return not (
        find_division(line) or find_act_part(line) or find_opening(line) or _ITEM.match(line.raw) or is_rule(line)
    )


def _act_part(reading: LinePass, line: Line, i: int) -> int:
    found = find_act_part(line)
    return _plain_heading(reading, i, i, found) if found else 0


def _article(reading: LinePass, line: Line, i: int) -> int:
    opening = find_opening(line, _rest_of_paragraph(reading, i))
    if not opening or reading.runs_on(line):
        return 0
    alone = _stands_alone(reading, line, i, opening)
    reading.close()
    if not reading.articles.is_own(line, opening):
        reading.begin(BlockKind.PARAGRAPH, line)
        return 1
    reading.in_article = True
    if alone:
        level = max(ARTICLE_LEVEL, reading.division_level + 1)
        reading.add_heading(i, i, level, opening.number)
    else:
        reading.begin(BlockKind.PARAGRAPH, line, label=opening.caption, article=opening.number)
    return 1


def _rest_of_paragraph(reading: LinePass, i: int) -> str:
    parts = []
    for line in reading.lines[i + 1 : i + 4]:
        if not line.raw:
            break
        parts.append(line.raw[:200])
    return " ".join(parts)


def _stands_alone(reading: LinePass, line: Line, i: int, opening: Opening) -> bool:
    """Tell whether the line is the heading of the article: number and epigraph only, with its text underneath."""
    if len(line.plain) > 120 or not opening.fills_line or not reading.is_apart(i) or not reading.begins_apart(i):
        return False
    if line.raw.rstrip("*_ ").endswith((":", ",", ";")):  # it goes on: "son deberes los siguientes:"
        return False
    following = reading.filled_after(i)
    if following is None or following.starts_lower or following.raw[0] == "#" or is_rule(following):
        return False
    return not (find_opening(following) or find_division(following) or find_act_part(following))


def _own_paragraph(reading: LinePass, line: Line, i: int) -> int:
    if not _OWN_PARAGRAPH.match(line.folded) or reading.runs_on(line):
        return 0
    reading.begin(BlockKind.PARAGRAPH, line)
    return 1


def _numbered_heading(reading: LinePass, line: Line, i: int) -> int:
    if reading.in_article or not reading.is_apart(i) or not reading.begins_apart(i):
        return 0
    found = find_numbered(line)
    following = reading.filled_after(i) if found else None
    if not found or following is None or following.starts_lower or _is_listed(reading, line, following):
        return 0
    reading.add_heading(i, i, max(found.level, reading.division_level + 1))
    return 1


def _is_listed(reading: LinePass, line: Line, following: Line) -> bool:
    """Tell whether the numbered line is an item among items: single numbers that follow each other without a text."""
    if not is_single_numbered(line):
        return bool(_ITEM.match(following.raw) and find_numbered(following) is None)
    before = reading.blocks[-1].kind if reading.blocks else None
    return before is BlockKind.LIST_ITEM or bool(_ITEM.match(following.raw)) or len(following.raw) < len(line.raw)


def _list_item(reading: LinePass, line: Line, i: int) -> int:
    if not _ITEM.match(line.raw):
        return 0
    reading.begin(BlockKind.LIST_ITEM, line)
    return 1


def _prose(reading: LinePass, line: Line, i: int) -> int:
    reading.extend(line)
    return 1


# Tried in this order on every line.
_RULES: tuple[Rule, ...] = (
    _blank,
    _page_part,
    _setext_heading,
    _rule_or_table_row,
    _atx_heading,
    _division,
    _act_part,
    _article,
    _own_paragraph,
    _numbered_heading,
    _list_item,
    _prose,
)
