"""Files to documents, and what is said about doubtful ones."""

from __future__ import annotations

import errno

import pytest

from indexer.readers import READERS, read_document, why_unreadable
from siaa.errors import UnreadableDocumentError
from siaa.model import BlockKind, Document


def read(data: bytes, name: str = "x.md") -> Document:
    return read_document(data, doc_id=f"normativa/{name}", collection="normativa")


def test_reads_a_document() -> None:
    data = "---\ntitulo: Guía\n---\r\n# Guía\r\n\r\nTexto con o\ufb01cina y pa\u00adlabra.\r\n".encode()
    document = read(data)
    assert (document.doc_id, document.collection, document.title) == ("normativa/x.md", "normativa", "Guía")
    assert document.text == "# Guía\n\nTexto con oficina y palabra.\n"
    assert document.metadata == {"titulo": "Guía"}
    assert [block.kind for block in document.blocks] == [BlockKind.HEADING, BlockKind.PARAGRAPH]
    assert document.warnings == ()


def test_suffixes_ignore_case() -> None:
    assert read(b"# Uno\n", "Circular (definitiva).MD").title == "Uno"
    assert set(READERS) == {".md", ".txt"}


@pytest.mark.parametrize(
    "text",
    [
        "Artículo 3. Se exige:\n\na) Uno.\n\nArtículo 4. Rige.\n",
        "Artículo 3. El 9 quedará así:\n\n“Artículo 9. Otro.”\n\nArtículo 4. Rige.\n",  # the text is there
        "CONTENIDO\n\n1. Reparto\t3\n\n2. Salidas\t4\n\n3. Cierre\t4\n\n# Reparto\n\nA.\n\n# **Salidas**\n\n# Cierre\n",
        "CONTENIDO\n\n1. Uno\t1\n\n# Dos\n\nTexto.\n",  # one entry may be worded otherwise
    ],
)
def test_has_no_doubt(text: str) -> None:
    assert read(text.encode()).warnings == ()


@pytest.mark.parametrize(
    ("data", "warned"),
    [
        (b"", "vacío"),
        (b" \n\n", "vacío"),
        (b"---\ntitulo: Solo\n---\n", "cabecera"),  # metadata only
        (b"x" * 30_000, "línea de 30000"),
        (
            "Artículo 3. Son deberes los siguientes:\n\n(Modificado por la ley 5)\n\nArtículo 4. Rige.\n".encode(),
            "una lista que no está en el documento: artículo 3",
        ),
        (
            "Artículo 3. Se exige:\n\nPARÁGRAFO. Salvo.\n\nArtículo 4. Rige.\n".encode(),
            "una lista",
        ),  # before a parágrafo
        ("Artículo 3. Rige.\n\nArtículo 4. Se exige lo siguiente:\n".encode(), "una lista"),  # at the end
        ("Artículo 3. Se exige:\n\nCAPÍTULO II\n\nDEL RESTO\n\nArtículo 4. Rige.\n".encode(), "una lista"),
        ("Artículo 3. El artículo 9 quedará así:\n\nArtículo 4. Rige.\n".encode(), "un texto"),
        (
            b"CONTENIDO\n\n1.1. Reparto\t3\n\n1.2. Reingreso\t4\n\n1.3. Salidas\t4\n\n1.4. Acumulados\t5\n\n"
            b"# Reparto\n\nEs lo que llega.\n",
            "El índice nombra 3 secciones que no están en el texto: «1.2. Reingreso», «1.3. Salidas»",
        ),
    ],
)
def test_warns(data: bytes, warned: str) -> None:
    document = read(data)
    assert warned in " ".join(document.warnings)


def test_an_empty_file_is_a_document_without_blocks() -> None:
    document = read(b"", "vacio.txt")
    assert (document.text, document.blocks, document.title) == ("", (), "Vacio")


def test_a_page_gives_its_title() -> None:
    data = b"\xef\xbb\xbf<!DOCTYPE html><html><head><title>Preguntas</title></head><body><p>Uno</p></body></html>"
    document = read(data)
    assert (document.title, document.text.strip()) == ("Preguntas", "Uno")


@pytest.mark.parametrize(("name", "data"), [("x.md", b"%PDF-1.4"), ("X.TXT", bytes(500))])
def test_refuses_what_it_cannot_read(name: str, data: bytes) -> None:
    with pytest.raises(UnreadableDocumentError):
        read(data, name)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (PermissionError(errno.EACCES, "Permission denied"), "falta el permiso de lectura"),
        (FileNotFoundError(errno.ENOENT, "No such file or directory"), "desapareció"),
        (OSError(errno.EIO, "Input/output error"), "el disco falla"),
        (OSError(errno.ESTALE, "Stale file handle"), "error de lectura"),  # any other
        (OSError(), "error de lectura"),
    ],
)
def test_why_a_file_cannot_be_read_is_said_in_spanish(error: OSError, words: str) -> None:
    assert words in why_unreadable(error)
