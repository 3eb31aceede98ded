"""Find the title of a document: what its front matter says, its first heading, its title block, or its file name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePath

from indexer.readers.lines import Line, split_lines
from siaa.model import Block, BlockKind
from siaa.text import fold, squeeze, strip_markup

_KEYS = ("titulo", "título", "title")
_MAX_TITLE = 300  # characters
_HEAD = 6000  # characters in which a title is looked for
_HEADING_BLOCKS = 12  # blocks among which the first heading must be to count as the title
_BLOCK_LINES = 24  # filled lines that a title block may span
_GENERIC_WORDS = (
    "presentacion introduccion antecedentes contenido indice preambulo objetivo objeto anexo anexos considerando "
    "resumen documento inicio"
)
_GENERIC = frozenset(_GENERIC_WORDS.split()) | {"tabla de contenido", "texto completo", "exposicion de motivos"}


def find_title(text: str, blocks: Sequence[Block], metadata: Mapping[str, str], file_name: str) -> str:
    """Return the title of a document, never blank.

    Example: "**ACUERDO No. PSAA16-10476**" with "“Por el cual se ajusta ...”" under it gives both as one line.
    """
    candidates = (
        next((metadata[key] for key in _KEYS if metadata.get(key, "").strip()), ""),
        _first_heading(text, blocks),
        _title_block(text),
        readable_name(file_name),
    )
    return next((_shortened(title) for candidate in candidates if (title := squeeze(candidate))), file_name)


def _shortened(title: str) -> str:
    return title if len(title) <= _MAX_TITLE else title[:_MAX_TITLE].rsplit(" ", 1)[0] + "…"


def _first_heading(text: str, blocks: Sequence[Block]) -> str:
    """Return the first Markdown heading, if it stands at the beginning and names the document, not a part of it."""
    for block in blocks[:_HEADING_BLOCKS]:
        if block.kind is not BlockKind.HEADING:
            continue
        is_markdown = text.startswith("#", block.start) or (block.level <= 2 and _is_underlined(text, block))
        generic = fold(block.label).strip(" .:") in _GENERIC
        return block.label if is_markdown and not block.article and not generic else ""
    return ""


def _is_underlined(text: str, block: Block) -> bool:
    last = text[block.start : block.end].rstrip().rsplit("\n", 1)[-1]
    return bool(re.fullmatch(r"=+|-{3,}", last.strip()))


_ACT = re.compile(
    r"(?:(?:proyecto de\s)?acuerdo|resolucion|circular|decreto(?:\sley)?|ley|ordenanza|directiva|instructivo|oficio|"
    r"auto|sentencia|memorando)\b"
    r"[^a-z]{0,6}(?:n[o.\s]{0,3}|numero\s|organica\s|externa\s|interna\s)?\W{0,4}\w{0,10}[- ]?\d"
)
_PURPOSE = re.compile(r'\W{0,4}"?\s?por (?:el|la|los|las|medio)\b')
_MAX_PURPOSE_LINES = 8


def _title_block(text: str) -> str:
    """Return the act's number and what it is about, or the first line in capitals of a manual."""
    lines = [line for line in split_lines(text[:_HEAD]) if line.raw][:_BLOCK_LINES]
    for i, line in enumerate(lines):
        if _ACT.match(line.folded) and len(line.plain) <= 160:
            return squeeze(f"{line.plain.rstrip('*_ ')} {_purpose(lines[i + 1 :])}")
    manual = next((line for line in lines[:6] if _names_manual(line)), None)
    return manual.plain if manual else ""


_MANUAL = re.compile(
    r"(?:manual|guia|instructivo|formulario|preguntas frecuentes|faq|capacitacion|reglamento|protocolo)\b"
)


def _names_manual(line: Line) -> bool:
    return bool(_MANUAL.match(line.folded)) and len(line.raw) <= _MAX_TITLE and (line.is_upper or line.is_bold)


def _purpose(following: list[Line]) -> str:
    """Return "“Por el cual ...”" from the lines after the act's number, up to its closing quotation mark."""
    start = next((i for i, line in enumerate(following[:8]) if _PURPOSE.match(line.folded)), None)
    if start is None:
        return ""
    taken: list[str] = []
    for line in following[start : start + _MAX_PURPOSE_LINES]:
        taken.append(strip_markup(line.raw))
        if re.search(r"[”\"»][\s_*.]*$", line.raw) or (len(taken) > 1 and line.raw.endswith(".")):
            break
    else:
        taken = taken[:2]
    return " ".join(taken)


_SEPARATORS = re.compile(r"[\s_]+|(?<!\d)-(?!\d)|\.{2,}")


def readable_name(file_name: str) -> str:
    """Return a file name as a title: `guia_civil_municipal.md` gives `Guia civil municipal`."""
    stem = PurePath(file_name).name
    stem = re.sub(r"\.(?:md|txt)$", "", stem, flags=re.I)
    words = squeeze(_SEPARATORS.sub(" ", stem)).strip(" .")
    return words[:1].upper() + words[1:]
