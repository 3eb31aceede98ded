"""Say in Spanish what is doubtful about a document that was read, so that an operator can mend the file."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence

from indexer.readers.furniture import entry_key
from siaa.lost_lists import REST_CHARS, Announced, announced, is_lost
from siaa.model import Block, BlockKind
from siaa.text import fold, squeeze, strip_markup

_LONG_LINE = 20_000  # characters
_NAMED = 5  # articles that a warning names
_MIN_MISSING = 3  # sections that the contents name and the text lacks, from which a document is taken for cut
_MISSING_SHARE = 0.1  # of the entries; below it they differ by a word or an error of typing
_ENTRY_CHARS = 60  # of an entry that a warning shows
_PAGE = re.compile(r"[\s.…_]*\d{1,4}$")
_EMPHASIS = re.compile(r"[*_]")
_DIVISION = re.compile(r"(?:libro|parte|titulo|capitulo|seccion)\b")


def find_doubts(text: str, blocks: Sequence[Block], *, has_metadata: bool) -> tuple[str, ...]:
    """Return the warnings about the text and its structure, in no more lines than an operator reads."""
    if not text.strip():
        return ("Solo tiene cabecera, sin texto." if has_metadata else "El archivo está vacío.",)
    longest = max(map(len, text.split("\n")))
    warnings = [f"Tiene una línea de {longest} caracteres sin saltos."] if longest > _LONG_LINE else []
    lost = list(dict.fromkeys(_lost(text, blocks)))
    for what in Announced:
        articles = [article for article, missing in lost if missing is what]
        if articles:
            names = ", ".join(articles[:_NAMED]) + (" y otros" if len(articles) > _NAMED else "")
            warnings.append(f"Anuncian {what} que no está en el documento: artículo {names}.")
    entries, missing = _missing_sections(text, blocks)
    if len(missing) >= _MIN_MISSING and len(missing) > _MISSING_SHARE * entries:
        named = ", ".join(f"«{textwrap.shorten(entry, _ENTRY_CHARS, placeholder='…')}»" for entry in missing[:_NAMED])
        warnings.append(f"El índice nombra {len(missing)} secciones que no están en el texto: {named}.")
    return tuple(warnings)


def _missing_sections(text: str, blocks: Sequence[Block]) -> tuple[int, list[str]]:
    """Return how many entries the printed contents have, and those whose words stand nowhere in the text."""
    entries: dict[str, str] = {}
    for block in blocks:
        entry = strip_markup(text[block.start : block.end]) if block.kind is BlockKind.CONTENTS else ""
        if entry[-1:].isdigit():
            entries.setdefault(entry_key(fold(entry)), _PAGE.sub("", entry))
    rest = "\n".join(text[block.start : block.end] for block in blocks if block.kind is not BlockKind.CONTENTS)
    body = squeeze(_EMPHASIS.sub("", fold(rest))) if entries else ""
    return len(entries), [entry for key, entry in entries.items() if squeeze(key) not in body]


def _lost(text: str, blocks: Sequence[Block]) -> Iterator[tuple[str, Announced]]:
    """Yield the articles with a paragraph that announces what does not follow, and what that is."""
    current = ""
    for position, block in enumerate(blocks):
        current = block.article or current
        if block.kind is BlockKind.HEADING and not block.article and _is_division(block):
            current = ""
        if not current or block.kind is not BlockKind.PARAGRAPH:
            continue
        what = announced(text[block.start : block.end])
        if what and is_lost(what, text[block.end : _end_of_article(text, blocks, position, current)]):
            yield current, what


def _end_of_article(text: str, blocks: Sequence[Block], position: int, article: str) -> int:
    """Return where the article ends that the block at `position` belongs to, as far as it matters here."""
    for later in blocks[position + 1 :]:
        other = bool(later.article) and later.article != article
        if other or (later.kind is BlockKind.HEADING and not later.article and _is_division(later)):
            return later.start
        if later.start - blocks[position].end > REST_CHARS:
            return later.start
    return len(text)


def _is_division(block: Block) -> bool:
    return bool(_DIVISION.match(fold(block.label)))
