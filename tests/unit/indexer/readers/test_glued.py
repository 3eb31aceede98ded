"""Headings glued to what precedes them get their own line; mentions, quotations and addresses stay."""

from __future__ import annotations

import pytest

from indexer.readers import read_document
from indexer.readers.glued import separate_glued

GLUED = [
    ("El registro no puede ni##### Artículo primero.\n", "El registro no puede ni\n\n##### Artículo primero.\n"),
    ("Se archiva.## Plazos\n", "Se archiva.\n\n## Plazos\n"),  # any Markdown heading
    ("NOTIFÍQUESE## **Anexo**\n", "NOTIFÍQUESE\n\n## **Anexo**\n"),  # after capitals, in bold
    ("Rige desde hoy.Artículo 2°. Vigencia.", "Rige desde hoy.\n\nArtículo 2°. Vigencia."),  # no mark at all
    ("el turnoARTÍCULO TERCERO.- Cada juez", "el turno\n\nARTÍCULO TERCERO.- Cada juez"),  # in words
    ("lo dicho”ARTICULO 7o. Rige", "lo dicho”\n\nARTICULO 7o. Rige"),  # after a quotation
    ("de ley;**ARTÍCULO 5.-** Rige", "de ley;\n\n**ARTÍCULO 5.-** Rige"),  # in bold
    ("el archivo.PARÁGRAFO 1. Salvo", "el archivo.\n\nPARÁGRAFO 1. Salvo"),
]
UNTOUCHED = [
    "El “Artículo 5. Plazos” se modifica.",  # a quotation begins with it
    "conforme al Artículo 5. Los jueces",  # a space before it: a sentence may say so
    "según elArtículo 5 de la ley",  # a mention without a caption's stop
    "(Artículo 3. Nota)",  # in brackets
    "https://sitio.co/ley.html#Articulo_2.",  # part of an address
    "## Uno ##\n\n## Dos",  # closing marks
    "Lenguaje C## y otros",  # no capital behind it
]


@pytest.mark.parametrize(("text", "parted"), GLUED)
def test_gives_a_glued_heading_its_line(text: str, parted: str) -> None:
    assert separate_glued(text) == (parted, 1)
    assert separate_glued(parted) == (parted, 0)


@pytest.mark.parametrize("text", UNTOUCHED)
def test_leaves_other_text_alone(text: str) -> None:
    assert separate_glued(text) == (text, 0)


def test_the_article_is_found_and_the_operator_told() -> None:
    data = "# Ley 9\n\nTodo turno tiene un##### Artículo primero.\n\nObjeto.\n".encode()
    document = read_document(data, doc_id="general/ley.md", collection="general")
    assert [block.article for block in document.blocks if block.article] == ["1"]
    assert "propia línea: 1." in " ".join(document.warnings)
