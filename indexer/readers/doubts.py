"""Say in Spanish what is doubtful about a document that was read, so that an operator can mend the file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from siaa.model import Block, BlockKind
from siaa.text import fold

_LONG_LINE = 20_000  # characters
_ANNOUNCES_LIST = re.compile(r"\b(?:siguientes?|a saber|asi)\s*:\W{0,4}$")
_TAIL = 200  # characters at the end of a block that can announce a list


def find_doubts(text: str, blocks: Sequence[Block], *, has_metadata: bool) -> tuple[str, ...]:
    """Return the warnings about the text and its structure, in no more lines than an operator reads."""
    if not text.strip():
        return ("Solo tiene cabecera, sin texto." if has_metadata else "El archivo está vacío.",)
    longest = max(map(len, text.split("\n")))
    warnings = [f"Tiene una línea de {longest} caracteres sin saltos."] if longest > _LONG_LINE else []
    lost = list(dict.fromkeys(_lost_lists(text, blocks)))
    if lost:
        names = ", ".join(lost[:5]) + (" y otros" if len(lost) > 5 else "")
        warnings.append(f"Anuncian una lista que no está en el texto: artículo {names}.")
    return tuple(warnings)


def _lost_lists(text: str, blocks: Sequence[Block]) -> Iterator[str]:
    """Yield the articles whose last paragraph ends in "los siguientes:" and that have nothing after it."""
    current = ""
    body = [block for block in blocks if block.kind not in (BlockKind.FURNITURE, BlockKind.CONTENTS)]
    for i, block in enumerate(body):
        current = block.article or current
        if not current or block.kind is not BlockKind.PARAGRAPH or not _ends_announcing(text, block):
            continue
        following = [later for later in body[i + 1 : i + 3] if not _is_note(text, later)]
        if following and following[0].article and following[0].article != current:
            yield current


def _ends_announcing(text: str, block: Block) -> bool:
    return bool(_ANNOUNCES_LIST.search(fold(text[max(block.start, block.end - _TAIL) : block.end]).rstrip()))


def _is_note(text: str, block: Block) -> bool:
    """Tell whether the block is an editor's note in brackets: "(Modificado por el artículo 76 ...)"."""
    return block.kind is BlockKind.PARAGRAPH and text[block.start : block.end].strip().startswith("(")
