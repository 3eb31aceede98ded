"""Lines of a printed page's frame, by their shape, and sentences without them."""

from __future__ import annotations

import pytest

from siaa.page_parts import has_page_shape, trim_page_lines, without_addresses, without_page_lines
from siaa.text import fold

FRAME = [
    "Hoja No. 3 Acuerdo No. 12 de 2020",
    "Página 3 de 20",
    "- 7 -",
    "Calle 3 No. 4 - 5 y lo que el escáner leyó al lado",
    "O) Calle 3 No. 4 - 5",  # a drawing read as a letter
    "Carrera 8 No. 12B - 82, piso 5, Bogotá D.C., Colombia",
    "Avenida Calle 24 # 53 - 28, Torre 3",
    "(£) Conmutador: 123 4567 Oficina",
    "PBX: 123 4567",
    "E) www.juzgado.gov.co",
]
TEXT = [
    "",
    "La sede queda en la calle 3 No. 4 - 5.",  # a sentence that gives an address
    "Carrera 8 No. 12 - 82, donde se recibirán los memoriales",  # the wrapped rest of one
    "Carrera judicial",
    "El conmutador atiende de 8 a 5",
    "Consulte www.juzgado.gov.co",
    "Carrera 1 No. 1 - 1 " + "1 " * 100 + "x",  # decided in linear time
]


@pytest.mark.parametrize("line", FRAME)
def test_knows_the_frame_of_a_page(line: str) -> None:
    assert has_page_shape(fold(line))


@pytest.mark.parametrize("line", TEXT)
def test_leaves_text(line: str) -> None:
    assert not has_page_shape(fold(line))


TRIMMED = [
    ("PBX: 1\nEl juez firma.\n**Calle 3 No. 4 - 5**\n\nPágina 2 de 3", "El juez firma."),  # at both ends
    ("El juez\nPágina 2 de 3\nfirma.", "El juez\nPágina 2 de 3\nfirma."),  # inside a sentence: part of the slice
    ("PBX: 1\nPágina 2 de 3", ""),  # nothing else
    ("El juez firma.", "El juez firma."),
    ("Consulte la página\nwww.juzgado.gov.co", "Consulte la página\nwww.juzgado.gov.co"),  # the site ends the sentence
    ("El juez firma.\nwww.juzgado.gov.co", "El juez firma."),
    ("El juez firma\nwww.juzgado.gov.co\nPBX: 1", "El juez firma"),  # a footer of two lines
]


@pytest.mark.parametrize(("text", "left"), TRIMMED)
def test_trims_a_sentence(text: str, left: str) -> None:
    around = f"<{text}>"
    start, end = trim_page_lines(around, 1, len(around) - 1)
    assert around[start:end] == left


def test_drops_such_lines_anywhere() -> None:
    assert without_page_lines("El juez\nPágina 2 de 3\nfirma.") == "El juez\nfirma."


def test_what_names_the_act_is_no_address() -> None:
    text = "Hoja No. 2 Acuerdo 5 de 2020\nCalle 3 No. 4 - 5\nEl juez firma."
    assert without_addresses(text) == "Hoja No. 2 Acuerdo 5 de 2020\nEl juez firma."
