"""Whatever the bytes: a document whose blocks hold together, or a plain refusal."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from indexer.readers import read_document
from siaa.errors import UnreadableDocumentError
from siaa.model import Document
from siaa.text import normalise

FRAGMENTS = st.sampled_from(
    [
        "# ",
        "## Artículo 1",
        "Artículo 2. Objeto. ",
        "**CAPÍTULO I**",
        "GENERALIDADES",
        "- uno",
        "1. dos",
        "| a | b |",
        "---",
        "===",
        "Hoja No. 2 Acuerdo 5",
        "“Por el cual",
        "”",
        "TABLA DE CONTENIDO",
        "Uno\t3",
        "<p>",
        "</p>",
        "<script>",
        "<!--",
        "-->",
        "&oacuten",
        "quedará así:",
        "X-NONE",
        "{mso-a:b;}",
        "2015-11-24T12:27:00Z",
        "titulo: x",
        "ñandú",
        "\u00ad",
        "\u200b",
        "\ufb01",
        "é",
        "texto en prosa",
        "\n",
        "\n\n",
        " ",
        "\t",
        "1.2 Título",
        "PARÁGRAFO.",
        "Página 3 de 4",
        "RESUELVE:",
    ]
)
# Control characters are left to test_any_bytes: how many of them make a file binary is a share of its length.
WORDS = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=8)
TEXTS = st.lists(st.one_of(FRAGMENTS, WORDS), max_size=40).map("".join)


def read(data: bytes) -> Document | None:
    try:
        return read_document(data, doc_id="general/x.md", collection="general")
    except UnreadableDocumentError:
        return None


def assert_sound(document: Document) -> None:
    text, position = document.text, 0
    assert text == normalise(text)
    for block in document.blocks:
        assert position <= block.start < block.end <= len(text)
        assert not text[position : block.start].strip()
        assert text[block.start : block.end].strip()
        assert 0 <= block.level <= 9
        position = block.end
    assert not text[position:].strip()
    assert document.title.strip()


@given(st.binary(max_size=400))
def test_any_bytes(data: bytes) -> None:
    document = read(data)
    if document is not None:
        assert_sound(document)


@given(TEXTS)
def test_any_text(text: str) -> None:
    document = read(text.encode("utf-8", errors="replace"))
    if document is not None:
        assert_sound(document)


@given(TEXTS)
def test_line_ends_make_no_difference(text: str) -> None:
    plain = text.replace("\r", "\n")
    assert read(plain.encode(errors="replace")) == read(plain.replace("\n", "\r\n").encode(errors="replace"))


@given(TEXTS)
def test_composition_makes_no_difference(text: str) -> None:
    one, two = (read(unicodedata.normalize(form, text).encode(errors="replace")) for form in ("NFC", "NFD"))
    assert one == two
