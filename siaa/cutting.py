"""Cut a document into passages that respect its structure.

A heading, or the line that opens an article, starts a section; its own line stays inside the passage, because the
words people ask with are often only there. Inside a section whole units (paragraph, list item, table row) are packed
up to CHUNK_SIZE; where a section has to be cut, whole trailing units of at most CHUNK_OVERLAP characters are repeated.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from siaa.config import CHUNK_OVERLAP, CHUNK_SIZE
from siaa.model import Block, BlockKind, CutPassage, Document
from siaa.text import fold

CUTTER_VERSION = "5"  # change it with every change of where passages begin and end

_ARTICLE_LEVEL = 8  # an article that opens inside a paragraph is deeper than any heading
_KEEPS_ARTICLE = re.compile(r"(?:paragrafo|inciso|numeral|literal)\b")
_BREAK = re.compile(r'\n\s*\n|(?<=[.;:])\s+(?=[A-ZÁÉÍÓÚÑÜ¿¡“"«(\-0-9])|\n')
_MIN_CUT = 0.35  # share of CHUNK_SIZE before which a sentence end is not taken as the place to cut


@dataclass(frozen=True, slots=True)
class _Section:
    path: tuple[str, ...]
    article: str
    units: tuple[Block, ...]

    @property
    def has_body(self) -> bool:
        return any(unit.kind not in (BlockKind.HEADING, BlockKind.FURNITURE) for unit in self.units)


def cut_document(document: Document) -> tuple[CutPassage, ...]:
    """Return the passages of `document` in order.

    Each is a slice of the text of at most CHUNK_SIZE characters. Together they hold every paragraph, list item and
    table row; a heading without a body of its own is carried by the heading path of what it heads. None begins or ends
    with a page's header or footer, unless its section holds nothing else.
    """
    return tuple(_passages(document))


def _passages(document: Document) -> Iterator[CutPassage]:
    for section in _bodied(_sections(document.blocks)):
        spans = _pack(list(_cut_long(document.text, section.units)))
        reach = 0
        for position, packed in enumerate(spans):
            units = _framed_by_text(packed) if section.has_body else packed
            if not units or units[-1].end <= reach:
                continue  # a page's frame with what the passage before repeats
            reach = units[-1].end
            start, end = _trim(document.text, units[0].start, reach)
            if start < end:
                yield CutPassage(
                    start=start,
                    end=end,
                    text=document.text[start:end],
                    heading_path=section.path or (document.title,),
                    article=section.article,
                    is_list=any(unit.kind is BlockKind.LIST_ITEM for unit in units),
                    opens_section=position == 0,
                )


def _framed_by_text(units: list[Block]) -> list[Block]:
    """Return the units without page headers and footers at either end: nobody asks for those."""
    filled = [place for place, unit in enumerate(units) if unit.kind is not BlockKind.FURNITURE]
    return units[filled[0] : filled[-1] + 1] if filled else []


def _sections(blocks: Iterable[Block]) -> Iterator[_Section]:
    path: list[tuple[int, str]] = []
    article, article_level, article_top = "", 0, 0  # the levels of its last and of its outermost heading
    units: list[Block] = []

    def section() -> _Section:
        return _Section(tuple(label for _, label in path), article, tuple(units))

    for block in blocks:
        opens = block.kind is BlockKind.HEADING or bool(block.article and block.article != article)
        if (opens or block.kind is BlockKind.CONTENTS) and units:
            yield section()
            units = []
        if block.kind is BlockKind.CONTENTS:
            continue
        if opens:
            level = block.level or _ARTICLE_LEVEL
            other = bool(block.article) and block.article != article
            # No article stands below another, however deep it opens: "ARTÍCULO 2" in the text under "## Artículo 1".
            above = min(level, article_top) if other and article else level
            path = [*(entry for entry in path if entry[0] < above), (level, block.label)]
            if block.article:
                article, article_level = block.article, level
                article_top = level if other else min(level, article_top)
            elif level <= article_level and not _KEEPS_ARTICLE.match(fold(block.label)):
                article, article_level = "", 0
        units.append(block)
    if units:
        yield section()


def _bodied(sections: Iterable[_Section]) -> Iterator[_Section]:
    """Drop a bare heading that the next section's path carries; keep one that heads nothing (a repealed article)."""
    pending: _Section | None = None
    for section in sections:
        if pending is not None and not _heads(pending, section):
            yield pending
        pending = None
        if section.has_body:
            yield section
        else:
            pending = section
    if pending is not None:
        yield pending


def _heads(bare: _Section, section: _Section) -> bool:
    """Tell whether a bare heading only announces `section`: its path, or "Artículo 5" before "ARTÍCULO 5A. ..."."""
    same_number = bare.article and re.match(rf"{re.escape(bare.article)}(?!\d)", section.article)
    return section.path[: len(bare.path)] == bare.path or bool(same_number)


def _cut_long(text: str, units: Iterable[Block]) -> Iterator[Block]:
    for unit in units:
        start = unit.start
        while unit.end - start > CHUNK_SIZE:
            cut = _cut_point(text, start)
            yield replace(unit, start=start, end=cut)
            start = cut
        if text[start : unit.end].strip():
            yield replace(unit, start=start)


def _cut_point(text: str, start: int) -> int:
    window = text[start : start + CHUNK_SIZE]
    cuts = [match.end() for match in _BREAK.finditer(window) if match.end() > _MIN_CUT * CHUNK_SIZE]
    if cuts:
        return start + cuts[-1]
    space = window.rfind(" ")
    return start + (space + 1 if space > 0 else CHUNK_SIZE)


def _pack(units: list[Block]) -> Iterator[list[Block]]:
    """Yield runs of neighbouring units of at most CHUNK_SIZE characters, overlapping by whole trailing units."""
    first = 0
    while first < len(units):
        last = first
        while last + 1 < len(units) and units[last + 1].end - units[first].start <= CHUNK_SIZE:
            last += 1
        yield units[first : last + 1]
        if last + 1 == len(units):
            return
        following = units[last + 1]
        restart = last + 1
        while restart - 1 > first and _may_overlap(units[restart - 1], units[last], following):
            restart -= 1
        first = restart


def _may_overlap(unit: Block, last: Block, following: Block) -> bool:
    return last.end - unit.start <= CHUNK_OVERLAP and following.end - unit.start <= CHUNK_SIZE


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    stripped = text[start:end].rstrip()
    end = start + len(stripped)
    return end - len(stripped.lstrip("\n")), end
