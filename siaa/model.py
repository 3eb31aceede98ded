"""The values that flow from file to answer. All are frozen; each stage returns a new one."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class BlockKind(StrEnum):
    """What a stretch of a document is. Readers decide it, so that cutting knows no Markdown."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST_ITEM = "list_item"
    TABLE_ROW = "table_row"
    CONTENTS = "contents"  # a line of a printed table of contents: kept in the text, never a passage
    FURNITURE = "furniture"  # page header or footer: kept in the text, never ends an article, never a passage alone


@dataclass(frozen=True, slots=True)
class Block:
    """One structural unit: `document.text[start:end]`, end exclusive, line break included.

    `level` is 1 (outermost) to 9 for headings, 0 otherwise. `label` is the heading without markup, or the caption of an
    article that opens inside a paragraph ("ARTICULO 5o.- Funcionarios responsables"), else "". `article` is the number
    of the article that the block opens ("5", "14_bis", "104a", "trans_5", "unico"), else "".
    """

    kind: BlockKind
    start: int
    end: int
    level: int = 0
    label: str = ""
    article: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """A readable document of the corpus.

    `doc_id` is its path in the corpus, "general/x.md" at the root. `text` is NFC, without front matter, with "\\n" line
    breaks; all offsets anywhere are characters of `text`. `metadata` holds the front matter (keys in lower case).
    `warnings` are Spanish sentences about what was mended or is doubtful.
    """

    doc_id: str
    title: str
    collection: str
    text: str
    blocks: tuple[Block, ...]
    metadata: dict[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Return the bare file name."""
        return self.doc_id.rsplit("/", 1)[-1]


@dataclass(frozen=True, slots=True)
class CutPassage:
    """A passage as it was cut: `document.text[start:end] == text`, at most CHUNK_SIZE characters.

    `heading_path` runs from the outermost heading to the own one. `article` is the article the passage belongs to.
    `opens_section` tells whether it begins its section; `is_list` whether it holds list items.
    """

    start: int
    end: int
    text: str
    heading_path: tuple[str, ...]
    article: str
    is_list: bool
    opens_section: bool


@dataclass(frozen=True, slots=True)
class Contribution:
    """One reason for a score: the signal's name, its points, and why, in Spanish."""

    signal: str
    points: float
    why: str


class Scored:
    """What was found for a question, and why: its score is the sum of its contributions, by construction."""

    __slots__ = ()
    contributions: tuple[Contribution, ...]

    @property
    def score(self) -> float:
        """Return the sum of the points."""
        return sum(contribution.points for contribution in self.contributions)


@dataclass(frozen=True, slots=True)
class Piece:
    """A verbatim stretch of a document under its heading: `document.text[start:end] == text`."""

    heading: str
    start: int
    end: int
    text: str
    article: str


@dataclass(frozen=True, slots=True)
class Fragment:
    """What the model receives of one document; `name` is the document as answers call it."""

    doc_id: str
    name: str
    pieces: tuple[Piece, ...]

    @property
    def text(self) -> str:
        """Render the fragment: `[DOC:NAME]`, then each piece under its `###` heading (contract, /siaa/fragmento)."""
        parts = [f"[DOC:{self.name.upper()}]"]
        parts += [f"### {piece.heading}\n\n{piece.text}" for piece in self.pieces]
        return "\n\n".join(parts)

    @property
    def chars(self) -> int:
        """Return the length of the rendered text, header and headings included."""
        return len(self.text)


Json = dict[str, Any]
