"""Legal references: the tokens of a text, with span, rank, number and year, and the lines that open an article."""

from __future__ import annotations

import pytest

from siaa.references import find_references, opening_article, ordinal_value, roman_value
from tests.unit.siaa.cases_references import AGREED, ARTICLES, NORMS, UNITS


def tokens(text: str) -> list[str]:
    return [token for reference in find_references(text) for token in reference.tokens]


@pytest.mark.parametrize(("text", "token"), AGREED)
def test_agreed_cases(text: str, token: str) -> None:
    if token:
        assert token in tokens(text)
    else:
        assert tokens(text) == []


@pytest.mark.parametrize(("text", "expected"), ARTICLES + UNITS + NORMS)
def test_all_tokens_in_order(text: str, expected: str) -> None:
    assert tokens(text) == expected.split()


@pytest.mark.parametrize(
    ("text", "kind", "rank", "number", "year", "span"),
    [
        # the date that follows belongs to the citation
        ("la Ley 39/2015, de 1 de octubre, del", "norma", "ley", "39", "2015", "Ley 39/2015, de 1 de octubre"),
        ("Real Decreto Legislativo 1/1996, de 12 de abril.", "norma", "real_decreto_legislativo", "1", "1996",
         "Real Decreto Legislativo 1/1996, de 12 de abril"),
        ("Acuerdo 7 del 1 de marzo de 2016", "norma", "acuerdo", "7", "2016", "Acuerdo 7 del 1 de marzo de 2016"),
        ("Acuerdo 7 del 1º de marzo de 2016", "norma", "acuerdo", "7", "2016", "Acuerdo 7 del 1º de marzo de 2016"),
        # a series carries its year; the rank in front is in the span
        ("Acuerdo No. PSAA16-10476 de 2016,", "norma", "psaa16", "10476", "2016", "Acuerdo No. PSAA16-10476 de 2016"),
        ("el PSAA16.", "norma", "psaa16", "", "2016", "PSAA16"),
        ("psaa 10476", "norma", "psaa", "10476", "", "psaa 10476"),
        # a year alone is no number, unless a number sign says so
        ("circular 2023", "norma", "circular", "", "2023", "circular 2023"),
        ("la ley 1952", "norma", "ley", "1952", "", "ley 1952"),
        ("circular No. 2023", "norma", "circular", "2023", "", "circular No. 2023"),
        # leading zeros and two-digit years
        ("circular No. 012 de 2023", "norma", "circular", "12", "2023", "circular No. 012 de 2023"),
        ("Ley 30/92", "norma", "ley", "30", "1992", "Ley 30/92"),
        ("RD 3/18", "norma", "real_decreto", "3", "2018", "RD 3/18"),
        ("Constitución Política de 1991", "norma", "constitucion", "", "1991", "Constitución Política de 1991"),
        # units
        ("el artículo 104 A, que", "art", "", "104a", "", "artículo 104 A"),
        ("el artículo 14 bis del", "art", "", "14_bis", "", "artículo 14 bis"),
        ("artículo transitorio 5.", "art_trans", "", "5", "", "artículo transitorio 5"),
        ("artículo 5 transitorio.", "art_trans", "", "5", "", "artículo 5 transitorio"),
        ("literal c) y", "lit", "", "c", "", "literal c)"),
        # the text is in NFD, or hides a soft hyphen: the span is of the text as given
        ("el arti\u0301culo u\u0301nico.", "art", "", "unico", "", "arti\u0301culo u\u0301nico"),
        ("el artí\u00adculo 5.", "art", "", "5", "", "artí\u00adculo 5"),
    ],
)  # fmt: skip
def test_fields_and_span(text: str, kind: str, rank: str, number: str, year: str, span: str) -> None:
    (found,) = find_references(text)
    assert (found.kind, found.rank, found.number, found.year) == (kind, rank, number, year)
    assert text[found.start : found.end] == span
    assert found.token == found.tokens[0]


def test_the_members_of_a_list_have_their_own_span_and_those_of_a_range_the_range() -> None:
    text = "los artículos 2, 5 a 7"
    spans = {reference.token: text[reference.start : reference.end] for reference in find_references(text)}
    assert spans == {"art_2": "artículos 2", "art_5": "5", "art_6": "5 a 7", "art_7": "7"}


@pytest.mark.parametrize(
    ("line", "number"),
    [
        # number, ordinal sign, punctuation
        ("ARTÍCULO 5º.- Funcionarios", "5"),
        ("Art. 1o.", "1"),
        ("Art. 2º — Las multas", "2"),
        ("ARTÍCULO 1.°", "1"),
        ("ARTICULO 3.° Modificar el acuerdo", "3"),
        ("Artículo 12: Objeto", "12"),
        ("ARTÍCULO 9 . Notificaciones", "9"),
        # ordinals and cardinals in words
        ("**ARTÍCULO QUINTO**", "5"),
        ("Artículo séptimo.", "7"),
        ("Arti\u0301culo se\u0301ptimo.", "7"),
        ("Artículo diez.", "10"),
        ("ARTÍCULO DÉCIMO TERCERO.- Vigencia", "13"),
        ("Artículo treinta y uno", "31"),
        # markup and quotation marks in front and behind
        ("**ARTÍCULO 16** _.- Plataforma informática_ **.**", "16"),
        ("##### Artículo 5. Objeto", "5"),
        ("## Artículo 5", "5"),
        ("> **Artículo 5**", "5"),
        ("**Artículo 1o. -** Desde la", "1"),
        ("“ARTÍCULO 104A. Feminicidio", "104a"),
        ("  Artículo 5. Objeto", "5"),
        # suffixes
        ("ARTÍCULO 104 A. Feminicidio . Quien causare", "104a"),
        ("Artículo 14 bis. Deberes", "14_bis"),
        ("Artículo 803 bis b. Objeto.", "803_bis_b"),
        ("ARTÍCULO 36-1. Sanciones", "36-1"),
        ("ARTÍCULO 2.2.3.1. Objeto", "2.2.3.1"),
        # the capital follows without a mark
        ("Artículo 5 Objeto", "5"),
        ("ARTÍCULO 5 OBJETO", "5"),
        ("Artículo 5 De la competencia", "5"),
        ("ARTÍCULO 5. DE LA COMPETENCIA", "5"),
        ("Artículo 5 (Derogado)", "5"),
        # transitory and sole articles
        ("ARTÍCULO TRANSITORIO 5", "trans_5"),
        ("ARTÍCULO TRANSITORIO 5. Convócase", "trans_5"),
        ("### Artículo TRANSITORIO 1", "trans_1"),
        ("ARTÍCULO 5 TRANSITORIO. Mientras", "trans_5"),
        ("ARTÍCULO TRANSITORIO. Mientras", "trans"),
        ("ARTÍCULO ÚNICO. Aprobar", "unico"),
        # a text without capitals
        ("articulo 1. colombia es un estado", "1"),
        ("articulo 1. ...", "1"),
        ("artículo 2.- son fines", "2"),
        # resolutive clauses
        ("QUINTO.- FUNCIONARIOS", "5"),
        ("## QUINTO.- FUNCIONARIOS", "5"),
        ("**PRIMERO:** Aprobar", "1"),
        ("DÉCIMO SEGUNDO. Publicar", "12"),
        ("SE\u0301PTIMO.- Publicar", "7"),
        ("ÚNICO.- Aprobar", "unico"),
    ],
)
def test_lines_that_open_an_article(line: str, number: str) -> None:
    opening = opening_article(line)
    assert opening is not None
    assert opening.number == number
    assert 0 < opening.end <= len(line)


@pytest.mark.parametrize(
    "line",
    [
        # a mention goes on: preposition, comma, verb, another article
        "artículo 5 de la Ley 270 establece",
        "Artículo 5 de la Ley 270",
        "## Artículo 5 de la Ley 270",
        "ARTÍCULO 5 DE LA LEY 270 ESTABLECE",
        "Artículo 5, numeral 3",
        "Artículo 5; artículo 6",
        "Artículo 5 y 6 de la ley",
        "Artículo 5 establece que",
        "Artículo 5 Ley 270 de 1996",
        "Artículo 29 Constitución Política",
        "Art. 29 C.P.",
        "Artículos 3 y 4 de la ley",
        # a wrapped sentence
        "artículo 32.",
        "artículo 83. En ella se oirán",
        "artículo 83",
        "artículo 90 Superior",
        # no article at all
        "artículo de prensa",
        "Artículo modificado por el artículo 5",
        "El artículo 5. Objeto",
        "PRIMERA INSTANCIA. Los jueces",
        "QUINTO",
        "Quinto. Publicar",
        "url: http://ejemplo.org/#2",
        "texto\nQUINTO.- Publicar",
        "",
    ],
)
def test_lines_that_open_no_article(line: str) -> None:
    assert opening_article(line) is None


def test_the_end_of_an_opening_is_where_its_number_ends() -> None:
    for line, caption in [
        ("**ARTÍCULO 16** _.- Plataforma", "**ARTÍCULO 16"),
        ("Artículo 14 bis. Deberes", "Artículo 14 bis"),
        ("ARTÍCULO 5 TRANSITORIO. Mientras", "ARTÍCULO 5 TRANSITORIO"),
        ("QUINTO.- Publicar", "QUINTO"),
    ]:
        opening = opening_article(line)
        assert opening is not None
        assert line[: opening.end] == caption


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("primero", 1),
        ("Tercera", 3),
        ("DÉCIMO TERCERO", 13),
        ("vigesimoprimero", 21),
        ("centésimo nonagésimo noveno", 199),
        ("treinta y uno", 31),
        ("ciento dos", 102),
        ("doscientos noventa y uno", 291),
        ("se\u0301ptimo", 7),
        # not one number
        ("veinte y treinta", None),
        ("primero segundo", None),
        ("quinta esencia", None),
        ("", None),
    ],
)
def test_ordinal_value(words: str, value: int | None) -> None:
    assert ordinal_value(words) == value


@pytest.mark.parametrize(
    ("numeral", "value"),
    [
        ("I", 1),
        ("iv", 4),
        ("XIV", 14),
        ("XCIX", 99),
        ("MCMXCI", 1991),
        # not well formed
        ("IIII", None),
        ("civil", None),
        ("vx", None),
        ("", None),
    ],
)
def test_roman_value(numeral: str, value: int | None) -> None:
    assert roman_value(numeral) == value


def test_one_line_of_many_kilobytes_is_read() -> None:
    line = "según el artículo 5 de la Ley 270 de 1996, " * 2600
    assert len(line) > 110_000
    assert len(find_references(line)) == 2 * 2600


@pytest.mark.parametrize(
    "piece", ["art ", "artículos 1, ", "1", " ", "ley ", "no. ", "psaa ", ",1", "#", "x ", "décimo "]
)
def test_repetition_does_not_blow_up(piece: str) -> None:
    text = "artículos " + piece * (110_000 // len(piece))
    find_references(text)
    opening_article(text)
