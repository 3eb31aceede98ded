"""Structure: which line is a heading, an article, an item, a row, or only the page's."""

from __future__ import annotations

import time

import pytest

from indexer.readers.structure import read_structure
from siaa.model import Block, BlockKind

HEADING, PARAGRAPH, ITEM = BlockKind.HEADING, BlockKind.PARAGRAPH, BlockKind.LIST_ITEM
ROW, CONTENTS, FURNITURE = BlockKind.TABLE_ROW, BlockKind.CONTENTS, BlockKind.FURNITURE


def kinds(text: str) -> list[BlockKind]:
    return [block.kind for block in read_structure(text)]


def headings(text: str) -> list[tuple[int, str]]:
    return [(block.level, block.label) for block in read_structure(text) if block.kind is HEADING]


def articles(text: str) -> list[str]:
    return [block.article for block in read_structure(text) if block.article]


def first(text: str) -> Block:
    return read_structure(text)[0]


HEADINGS = [
    ("# Ley 5\n\n###### Nota\n", [(1, "Ley 5"), (6, "Nota")]),  # ATX, any level
    ("Objeto\n======\n\nAlcance\n---\n", [(1, "Objeto"), (2, "Alcance")]),  # setext
    ("una: línea\notra: línea\n---\n", []),  # a rule under two lines underlines nothing
    ("**CAPÍTULO III**\n**DOCUMENTACIÓN**\n", [(4, "CAPÍTULO III DOCUMENTACIÓN")]),  # number and epigraph are one
    ("LIBRO II\n\nDE LAS PERSONAS\n\nTexto.\n", [(2, "LIBRO II DE LAS PERSONAS")]),  # also over a blank line
    ("T I T U L O I\n\nTexto.\n", [(3, "T I T U L O I")]),  # spaced letters
    ("CAPÍTULO IV\n\nFuncionamiento del Consejo\n\nTexto.\n", [(4, "CAPÍTULO IV Funcionamiento del Consejo")]),
    ("**CONSIDERANDO**\n\nQue ...\n\nRESUELVE:\n", [(2, "CONSIDERANDO"), (2, "RESUELVE")]),  # parts of an act
    ("como dice el\nTítulo II del Libro Tercero, que\n", []),  # the middle of a sentence
    ("1.2.3 Clase de proceso\n\nSe refiere a todas las demandas.\n", [(6, "1.2.3 Clase de proceso")]),  # numbered
    ("1. Uno\n\n2. Dos\n\n3. Tres\n", []),  # a list, not headings
    (
        "# Salidas\n\n# 3. SECCIÓN: TUTELAS\n\n# Entradas\n",
        [(2, "Salidas"), (1, "3. SECCIÓN: TUTELAS"), (2, "Entradas")],
    ),
    (
        "## Artículo 1\n\nTexto.\n\nTÍTULO II\n\nDE LOS JUECES\n\n## Artículo 2\n\nTexto.\n",
        [(2, "Artículo 1"), (3, "TÍTULO II DE LOS JUECES"), (4, "Artículo 2")],
    ),  # an article stands below its title
]


@pytest.mark.parametrize(("text", "expected"), HEADINGS)
def test_headings(text: str, expected: list[tuple[int, str]]) -> None:
    assert headings(text) == expected


ARTICLES = [
    ("## Artículo 1\n\nArtículo 1°. Objeto . Este código ...\n", ["1", "1"]),  # heading and text open the same article
    ("**ARTÍCULO 16** _.- Plataforma_ **.** La plataforma ...\n", ["16"]),  # broken emphasis
    ("ARTICULO 3.° El presente acuerdo rige.\n", ["3"]),  # no accent
    ("Artículo quinto. Los dueños podrán ...\n", ["5"]),  # in words
    ("articulo 1. colombia es un estado.\n\nurl: http://x.co/c.html#2\n\narticulo 2. son fines:\n", ["1", "2"]),
    ("ARTICULO 5. Uno.\n\nARTICULO TRANSITORIO 5. Otro.\n", ["5", "trans_5"]),
    ("ARTÍCULO ÚNICO. Horario de atención.\n", ["unico"]),
    ("Se adiciona un parágrafo al\nartículo 6 del Acuerdo PSAA16-10476, y se dispone\n", []),  # a wrapped mention
    ("Artículo modificado por el\n\n## Artículo 2 del DECRETO LEGISLATIVO Nº 959 publicado el\n17/08.\n", []),
    (
        "Artículo 1. La ley tendrá un artículo 104A del siguiente tenor:\n\nARTÍCULO 104 A. Estrago. Quien ...\n\n"
        "Artículo 2. Rige.\n",
        ["1", "2"],
    ),  # an announced article belongs to another law
    (
        "Artículo 1. El artículo 2 quedará así:\n\n## Artículo 2\n\nArtículo 2. Otro.\n\nArtículo 2. Rige.\n",
        ["1", "2"],
    ),  # even with the next number
    (
        "Artículo 3. Se agrega:\n\n“Artículo 40. Uno.\n\nArtículo 41. Dos.”\n\nArtículo 4. Rige.\n",
        ["3", "4"],
    ),  # in quotes
    (
        "Artículo 1. Se sustituyen los artículos 2, 5, 32 y 35 de la Ley 9:\n\n“Artículo 2. Uno.\n\n"
        "Artículo 5. Dos.”\n\nArtículo 32. Tres.\n\n## Artículo 35. Cuatro.\n\nArtículo 2. Rige.\n",
        ["1", "2"],
    ),  # the quotation marks close too early, but the numbers were announced
    (
        "Artículo 1. El código tendrá lo siguiente:\n\n“Artículo 20. Uno.”\n\nArtículo 40. Dos.\n\nArtículo 2. Rige.\n",
        ["1", "2"],
    ),  # nor did anyone announce 40, but 2 is still to come
    (
        "Artículo único. Cambia el código.\n\nUno. Se da otro texto:\n\nOtro.\n\n«Articulo 36. Uno.»\n",
        ["unico"],
    ),  # no quoted number follows the only article
    ("Artículo único. Se aprueba el reglamento.\n\nArtículo 1. Uno.\n\nArtículo 2. Dos.\n", ["unico", "1", "2"]),
    ("Artículo 1. Uno.\n\nArtículo 40. Dos.\n\nArtículo 2. Tres.\n", ["1", "40", "2"]),  # nothing was quoted: as it is
    (
        "Artículo 1. Los artículos 1 y 2 del decreto quedarán así:\n\nArtículo 1. Uno.\n\nArtículo 2. Dos.\n\n"
        "Artículo 2. Rige.\n\nArtículo 3. Otro.\n",
        ["1", "2", "3"],
    ),  # an announced number is owed once
    (
        "Artículo 7. Derogado por el art. 8, Ley 3 de 2012. El artículo 30 del decreto quedará así:\n\n"
        "Artículo 30. Uno.\n\nArtículo 8. Otro.\n",
        ["7", "8"],
    ),  # who repealed it announces nothing
    (
        'Artículo 70. Uno.\n\n"ARTÍCULO 71.- Derogado.\n\nArtículo 72. Dos.\n',
        ["70", "71", "72"],
    ),  # a stray quotation mark
]


@pytest.mark.parametrize(("text", "expected"), ARTICLES)
def test_articles(text: str, expected: list[str]) -> None:
    assert articles(text) == expected


CAPTIONS = [
    ("**ARTÍCULO 5°.-** _Funcionarios responsables._ Son los jueces.\n", "ARTÍCULO 5°.- Funcionarios responsables"),
    (
        "ARTÍCULO 6°. Principios\nrectores de la debida diligencia. Con el fin de ...\n",
        "ARTÍCULO 6°. Principios rectores de la debida diligencia",
    ),  # the epigraph goes on in the next line
    (
        "ARTÍCULO 2.° La Unidad de Desarrollo realizará la capacitación debida a los Consejos Seccionales de la "
        "Judicatura para la adecuada presentación de los informes.\n",
        "ARTÍCULO 2.°",
    ),  # no epigraph: the number only
]


@pytest.mark.parametrize(("text", "label"), CAPTIONS)
def test_captions(text: str, label: str) -> None:
    block = first(text)
    assert (block.kind, block.label) == (PARAGRAPH, label)


def test_an_article_alone_on_its_line_is_a_heading() -> None:
    block = first("Artículo 33. Reuniones del Consejo.\n\nEl Consejo se reunirá.\n")
    assert (block.kind, block.level, block.article) == (HEADING, 6, "33")


KINDS = [
    ("Uno\ndos\n\nTres\n", [PARAGRAPH, PARAGRAPH]),  # a line break ends nothing, a blank line does
    ("a. Uno\nb. Dos\n- Tres\n1) Cuatro\n• Cinco\na). Seis\n", [ITEM] * 6),
    ("b. Despacho, dentro del\n\nperíodo.\nc. Otro.\n", [ITEM, ITEM]),  # the item goes on after a blank line
    ("a. Termina.\n\nluego sigue\n", [ITEM, PARAGRAPH]),  # but not after its full stop
    ("Texto.\n**PARÁGRAFO 1°:** Cuando ...\n", [PARAGRAPH, PARAGRAPH]),
    ("| a | b |\n|---|---|\n| 1 | 2 |\n", [ROW, ROW, ROW]),
    ("Uno\n\n---\n\nDos\n", [PARAGRAPH, FURNITURE, PARAGRAPH]),
    ("TABLA DE CONTENIDO\n\nPRESENTACIÓN\t11\n\n1.\tConceptos\t14\n\n# PRESENTACIÓN\n", [CONTENTS] * 3 + [HEADING]),
    ("Presentación ........ 3\nAlcance ........... 4\n", [CONTENTS, CONTENTS]),  # dot leaders need no heading
    ("## Índice\n\n- [Uno](#uno)\n- [Dos](#dos)\n\n## Uno\n", [CONTENTS] * 3 + [HEADING]),
    (
        "CONTENIDO\n\nAlcance\nVigencia\n\nAlcance\n\nEs general.\n\nVigencia\n\nRige hoy.\n",
        [CONTENTS] * 3 + [PARAGRAPH] * 4,
    ),
    ("## Contenido\n\nEl formulario contiene tres partes.\n", [HEADING, PARAGRAPH]),  # a heading like any other
    ("Enero\t45\nFebrero\t12\n", [PARAGRAPH]),  # figures, not pages
    (
        "se\n\nCalle 12 No. 7 - 65  Conmutador - 5\n\nHoja No. 6 Acuerdo No. 5\n“Por el cual se crea”\n\nrealizarán\n",
        [PARAGRAPH, FURNITURE, FURNITURE, FURNITURE, PARAGRAPH],
    ),  # a page break in the middle of a sentence
    ("Acuerdo 7 de 2019, “Por el cual se\nmodifica otro”\nHoja 2\n\ntexto\n", [FURNITURE] * 3 + [PARAGRAPH]),
    ("Página 3 de 20\n\nTexto\n", [FURNITURE, PARAGRAPH]),
    ("Consulte la página\nwww.juzgado.gov.co\n", [PARAGRAPH]),  # the site ends the sentence
    ("El juez firma\nwww.juzgado.gov.co\nPBX: 123\n", [PARAGRAPH, FURNITURE, FURNITURE]),
    ("Gaceta - Pág. 1\n\nA\n\nGaceta - Pág. 2\n\nB\n\nGaceta - Pág. 3\n", [FURNITURE, PARAGRAPH] * 2 + [FURNITURE]),
    ("Registre los casos\n\nRegistre los casos\n\nRegistre los casos\n", [PARAGRAPH] * 3),  # repeated text is text
    ("", []),
]


@pytest.mark.parametrize(("text", "expected"), KINDS)
def test_kinds(text: str, expected: list[BlockKind]) -> None:
    assert kinds(text) == expected


def test_a_page_break_does_not_end_the_article() -> None:
    text = "ARTÍCULO 15. Los ajustes se\n\nHoja No. 6 Acuerdo No. 5\n\nrealizarán pronto.\n\nARTÍCULO 16. Otro.\n"
    assert articles(text) == ["15", "16"]
    assert not headings(text)


def test_a_long_line_is_cut_before_its_articles() -> None:
    text = (
        "VISTO el expediente. " * 150
        + "Artículo 1º — Apruébase el plan. "
        + "Más texto. " * 20
        + "Art. 2º — Comuníquese."
    )
    assert articles(text) == ["1", "2"]


@pytest.mark.parametrize(
    "unit", ["x", "artículo 1. ", "“", "a. \n", "# \n", "**", "Hoja 2\n", "| \n", "CAPÍTULO I\n", "1\t1\n", ". "]
)
def test_is_linear(unit: str) -> None:
    started = time.process_time()
    read_structure(unit * (200_000 // len(unit)))
    assert time.process_time() - started < 8
