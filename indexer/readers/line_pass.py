"""The pass over the lines of a text that makes its blocks: what is open, what was seen, and what lies around a line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from indexer.readers.articles import ArticleSequence, find_opening
from indexer.readers.furniture import mark_contents, mark_furniture
from indexer.readers.headings import ARTICLE_LEVEL, label_of, level_of_sections
from indexer.readers.lines import Line
from siaa.model import Block, BlockKind

_TERMINAL = (".", ":", ";")


class LinePass:
    """The pass over the lines: the blocks so far, the paragraph that is open, and what the rules must remember."""

    def __init__(self, lines: list[Line]) -> None:
        self.lines = lines
        self.blocks: list[Block] = []
        self.contents = mark_contents(lines)
        self.furniture = mark_furniture(lines) - self.contents
        self.articles = ArticleSequence(_last_places(lines))
        self.in_article = False
        self.division_level = 0  # of the plain division in force: an article stands below it
        self.raised = level_of_sections(lines)
        self._open: Block | None = None
        self._parts: list[str] = []

    def run(self, rules: Sequence[Rule]) -> None:
        """Apply to each line, from the first to the last, the first of the rules that takes it; one has to."""
        i = 0
        while i < len(self.lines):
            i += next(taken for rule in rules if (taken := rule(self, self.lines[i], i)))
        self.close()

    def add(
        self, kind: BlockKind, first: int, last: int, *, level: int = 0, label: str = "", article: str = ""
    ) -> None:
        """Close the open paragraph and add a block of whole lines."""
        self.close()
        self.blocks.append(Block(kind, self.lines[first].start, self.lines[last].end, level, label, article))

    def add_heading(self, first: int, last: int, level: int, article: str = "") -> None:
        """Add the heading on the lines `first` to `last`, of an article when given."""
        label = label_of(*(line for line in self.lines[first : last + 1] if line.raw))
        self.add(BlockKind.HEADING, first, last, level=level, label=label, article=article)
        if article or level < ARTICLE_LEVEL:
            self.in_article = bool(article)

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
        self._open = replace(self._open, end=line.end)
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

    def line_after(self, i: int) -> Line | None:
        """Return the line after `i`, None at the end."""
        return self.lines[i + 1] if i + 1 < len(self.lines) else None

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

    def runs_on(self, line: Line) -> bool:
        """Tell whether "artículo 6" in lower case is the continuation of the sentence on the line above."""
        return line.starts_lower and bool(self.last_raw) and not self.ends_sentence

    @property
    def ends_sentence(self) -> bool:
        """Tell whether the last line of the open block ends a sentence."""
        return self.last_raw.rstrip("*_ ").endswith(_TERMINAL)


def _last_places(lines: list[Line]) -> dict[str, int]:
    openings = ((find_opening(line), line.start) for line in lines if line.raw)
    return {opening.number: start for opening, start in openings if opening}


# A rule looks at a line, given by itself and its number; it returns how many lines it took, 0 where it is not its own.
Rule = Callable[[LinePass, Line, int], int]
