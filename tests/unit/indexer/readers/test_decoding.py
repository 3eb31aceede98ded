"""Bytes to text: every encoding that offices use is read, nothing is dropped, what is not text is refused."""

from __future__ import annotations

import codecs

import pytest

from indexer.readers.decoding import decode
from siaa.errors import UnreadableDocumentError

SENTENCE = "Artículo 5º. “Notificación” del año, según el niño."

READABLE = [
    # (bytes, words that a warning must hold; "" for no warning)
    (SENTENCE.encode(), ""),  # plain UTF-8
    (codecs.BOM_UTF8 + SENTENCE.encode(), ""),  # a BOM is not text
    (SENTENCE.encode("utf-16"), "UTF-16"),  # with BOM
    (SENTENCE.encode("utf-16-le"), "UTF-16-LE"),  # without BOM: NULs in every second byte
    (SENTENCE.encode("utf-16-be"), "UTF-16-BE"),  # the same, the other way round
    (SENTENCE.encode("utf-32"), "UTF-32"),  # its mark begins with that of UTF-16
    (SENTENCE.encode("cp1252"), "Windows-1252"),  # quotes and º in one byte
]


@pytest.mark.parametrize(("data", "warned"), READABLE)
def test_reads_every_encoding(data: bytes, warned: str) -> None:
    decoded = decode(data)
    assert decoded.text == SENTENCE
    assert warned in " ".join(decoded.warnings)
    assert bool(decoded.warnings) is bool(warned)


def test_reads_the_dos_code_page() -> None:
    text = "La notificación del niño según la sección única: día, año, artículo."
    decoded = decode(text.encode("cp850"))
    assert decoded.text == text
    assert "cp850" in decoded.warnings[0]


def test_reads_stray_bytes_between_utf8_as_windows_1252() -> None:
    decoded = decode("Sección única. ".encode() + "Además, el año. ".encode("cp1252") + "Artículo 2º.".encode())
    assert decoded.text == "Sección única. Además, el año. Artículo 2º."
    assert "Mezcla" in decoded.warnings[0]


@pytest.mark.parametrize(
    ("text", "warned"),
    [
        ("Texto\x00 con un byte nulo " * 5, "NUL"),  # a few NULs are damage, not a binary file
        ("Se perdi\ufffd una letra", "U+FFFD"),  # lost before it came to us
        ("dieciocho añosaÂ¡ momento", "codificación dañada"),  # mojibake is kept as it is
    ],
)
def test_warns_about_damage_and_keeps_it(text: str, warned: str) -> None:
    decoded = decode(text.encode())
    assert decoded.text == text
    assert warned in " ".join(decoded.warnings)


@pytest.mark.parametrize(
    ("data", "named"),
    [
        (b"%PDF-1.7 ...", "PDF"),
        (b"PK\x03\x04 word/document.xml", "Office"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "97-2003"),
        (b"{\\rtf1\\ansi Hola}", "RTF"),
        (bytes(1000), "control"),  # NULs only
        (bytes(range(1, 32)) * 40, "control"),  # control characters only
    ],
)
def test_refuses_what_is_not_text(data: bytes, named: str) -> None:
    with pytest.raises(UnreadableDocumentError, match=named):
        decode(data)


def test_an_empty_file_is_empty_text() -> None:
    assert decode(b"").text == ""
