"""The title of a document: front matter, heading, title block, file name, in this order."""

from __future__ import annotations

import pytest

from indexer.readers.structure import read_structure
from indexer.readers.title import find_title, readable_name

TITLES = [
    # (text, metadata, file name, title)
    ("# Otro\n", {"titulo": "Guía de reparto"}, "x.md", "Guía de reparto"),
    ("# Otro\n", {"titulo": " "}, "x.md", "Otro"),  # a blank one does not count
    ("# **Ley 5 de 2020**\n", {}, "x.md", "Ley 5 de 2020"),
    ("Guía civil\n==========\n", {}, "x.md", "Guía civil"),
    (
        "**ACUERDO No. PSAA16-10476**\n\nMarzo 1\n\n“Por el cual se ajusta\nel reglamento”\n\n**ACUERDA**\n",
        {},
        "x.md",
        "ACUERDO No. PSAA16-10476 “Por el cual se ajusta el reglamento”",
    ),  # act and purpose
    ("ACUERDA\n\nTexto\n", {}, "acuerdo_pcsja19-11207.md", "Acuerdo pcsja19-11207"),  # a part of the act is no title
    ("# PRESENTACIÓN\n\nTexto\n", {}, "guia_civil_municipal.md", "Guia civil municipal"),  # nor is a generic heading
    ("## Artículo 1\n\nTexto\n", {}, "ley.txt", "Ley"),  # nor an article
    ("", {}, "32_Circular Nº 5 – Año 2026.MD", "32 Circular Nº 5 – Año 2026"),
]


@pytest.mark.parametrize(("text", "metadata", "name", "title"), TITLES)
def test_title(text: str, metadata: dict[str, str], name: str, title: str) -> None:
    assert find_title(text, read_structure(text), metadata, name) == title


@pytest.mark.parametrize("name", ["..md", "_.md", "---.txt"])
def test_a_title_is_never_blank(name: str) -> None:
    assert find_title("", (), {}, name).strip()


def test_readable_name_keeps_numbers_of_acts() -> None:
    assert readable_name("acuerdo_pcsja19-11207..md") == "Acuerdo pcsja19-11207"
