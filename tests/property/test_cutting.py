"""Passages of any document: small, verbatim, and nothing left out."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from siaa.config import CHUNK_SIZE
from siaa.cutting import cut_document
from siaa.model import Block, BlockKind, Document

_BODY = (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM, BlockKind.TABLE_ROW)
_TEXT = st.text(alphabet="abcñé .;:\n«12", min_size=1, max_size=1900)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """Return a document of headings, articles and units of any length, as a reader leaves it."""
    parts: list[str] = []
    blocks: list[Block] = []
    at = 0
    for _ in range(draw(st.integers(1, 12))):
        kind = draw(st.sampled_from((BlockKind.HEADING, BlockKind.CONTENTS, *_BODY)))
        line = ("## Título de prueba" if kind is BlockKind.HEADING else draw(_TEXT)) + "\n"
        heading = kind is BlockKind.HEADING
        article = draw(st.sampled_from(("", "", "1", "2"))) if kind is not BlockKind.CONTENTS else ""
        label = "Título de prueba" if heading or article else ""
        level = draw(st.integers(1, 4)) if heading else 0
        blocks.append(Block(kind, at, at + len(line), level, label, article))
        parts.append(line)
        at += len(line)
    return Document("general/x.md", "Documento", "general", "".join(parts), tuple(blocks))


@given(documents())
def test_passages_are_verbatim_and_small(document: Document) -> None:
    for passage in cut_document(document):
        assert passage.text == document.text[passage.start : passage.end]
        assert 0 < len(passage.text) <= CHUNK_SIZE
        assert passage.heading_path


@given(documents())
def test_passages_cover_every_unit(document: Document) -> None:
    covered = set[int]()
    for passage in cut_document(document):
        covered.update(range(passage.start, passage.end))
    for block in document.blocks:
        if block.kind in _BODY:
            left = [i for i in range(block.start, block.end) if i not in covered and not document.text[i].isspace()]
            assert not left, document.text[left[0] : left[0] + 40]


@given(documents())
def test_passages_never_hold_a_table_of_contents(document: Document) -> None:
    contents = [block for block in document.blocks if block.kind is BlockKind.CONTENTS]
    for passage in cut_document(document):
        assert all(passage.end <= block.start or passage.start >= block.end for block in contents)
