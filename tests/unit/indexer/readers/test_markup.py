"""Front matter, HTML and Word remnants: taken out, with a warning, and no text with them."""

from __future__ import annotations

import time

import pytest

from indexer.readers.front_matter import split_front_matter
from indexer.readers.markup import clean_markup, decode_entities

FRONT = [
    # (text, metadata, body, warned)
    (
        '---\nTitulo: "Guía: uso"\nfecha: 2023-05-01\n---\n# Guía\n',
        {"titulo": "Guía: uso", "fecha": "2023-05-01"},
        "# Guía\n",
        False,
    ),
    ("---\ntemas: [civil, penal]\n...\nTexto", {"temas": "civil, penal"}, "Texto", False),  # a list; closed by dots
    (
        "---\ntitle: Ley 5: reforma\norgano: Consejo\n---\nT",
        {"title": "Ley 5: reforma", "organo": "Consejo"},
        "T",
        True,
    ),  # colon
    ("---\na: &x [1]\nb: *x\n---\nT", {"a": "&x [1]", "b": "*x"}, "T", True),  # aliases could unfold without end
    ("---\n---\nTexto", {}, "Texto", False),  # empty front matter
    ("Texto\n---\nclave: valor\n---\n", {}, "Texto\n---\nclave: valor\n---\n", False),  # not at the beginning
    ("---\nSin cierre: nunca\n", {}, "---\nSin cierre: nunca\n", False),  # never closed: a rule
    ("---\nUna frase.\n---\nOtra.", {}, "---\nUna frase.\n---\nOtra.", False),  # two rules, no key
    ("title: suelto\n---\nTexto", {}, "title: suelto\n---\nTexto", False),  # one key before a rule: a line of text
    (
        'title: "Ley 9"\nrank: ley\nfechas:\n  - 2020\n---\n# Ley 9\n',
        {"title": "Ley 9", "rank": "ley", "fechas": "2020"},
        "# Ley 9\n",
        True,
    ),  # the first rule is missing
    (
        "---\ntitle: Ley 9\nrank: ley\nsource: gaceta\n\n# Ley 9\n",
        {"title": "Ley 9", "rank": "ley", "source": "gaceta"},
        "\n# Ley 9\n",
        True,
    ),  # the last rule is missing
    (
        "PARA: Jueces\nDE: Presidencia\nASUNTO: Turnos\n---\nTexto",
        {},
        "PARA: Jueces\nDE: Presidencia\nASUNTO: Turnos\n---\nTexto",
        False,
    ),  # a memorandum
    (
        "para: jueces\nde: presidencia\nasunto: turnos\n\nTexto",
        {},
        "para: jueces\nde: presidencia\nasunto: turnos\n\nTexto",
        False,
    ),  # no rule at all
    ("\n\n---\ntitle: Ley 9\n---\nTexto", {"title": "Ley 9"}, "Texto", False),  # blank lines before the first rule
]


@pytest.mark.parametrize(("text", "metadata", "body", "warned"), FRONT)
def test_splits_front_matter(text: str, metadata: dict[str, str], body: str, warned: bool) -> None:
    found, rest, warnings = split_front_matter(text)
    assert (found, rest, bool(warnings)) == (metadata, body, warned)


ENTITIES = [
    ("Garant&iacute;a &amp; orden", "Garantía & orden"),
    ("desconexi&oacuten laboral", "desconexión laboral"),  # the semicolon got lost
    ("PAR&AacuteGRAFO 1", "PARÁGRAFO 1"),  # a letter follows at once
    ("&iquestQu&eacute?", "¿Qué?"),
    ("ver ?a=1&copy=2", "ver ?a=1&copy=2"),  # a parameter, not a sign
    ("https://x.co/?a=1&amp;reg=2", "https://x.co/?a=1&reg=2"),  # in an address only &amp; is an entity
    ("Pérez & Cía; &desconocida;", "Pérez & Cía; &desconocida;"),  # no entity at all
    ("&#39;cita&#x27;", "'cita'"),
    ("PAR&AACUTE;GRAFO, ART&IACUTECULO", "PARÁGRAFO, ARTÍCULO"),  # a program put the entities in capitals too
    ("resoluci&amp;oacute;n &amp;nbsp;&amp; m&aacutes", "resolución \xa0& más"),  # escaped twice
]


@pytest.mark.parametrize(("text", "decoded"), ENTITIES)
def test_decodes_entities(text: str, decoded: str) -> None:
    assert decode_entities(text) == decoded


MARKUP = [
    ("Uno <b>dos</b> <span class='x'>tres</span>", "Uno dos tres"),  # tags inside a line vanish
    ("<p>Uno</p><p>Dos</p>", "Uno\n\nDos"),  # blocks become paragraphs
    ("<!-- Página 2 -->\nTexto", "Texto"),  # comments
    ("Texto <!-- sin cierre", "Texto <!-- sin cierre"),  # an unclosed comment stays
    ("<style>p {color: red}</style>Texto<script>var x = '<b>';</script>", "Texto"),
    ("Escriba <nombre del despacho> y a < b", "Escriba <nombre del despacho> y a < b"),  # a placeholder is text
    ("| a<br>b | c |", "| a b | c |"),  # a table row stays on its line
    ("/TITLE>\nTexto <b>x</b>", "Texto x"),  # half a tag
    ('P ALIGN="LEFT">Uno <b>x</b>\nHEAD>\nDos', "Uno x\n\nDos"),  # the first sign of a tag is missing
    ('Uno <b>x</b> </FONT\nDos <P ALIGN="LEFT"\nTres', "Uno x \nDos \nTres"),  # the last sign
    ("Plazo <b\nDos <i>x</i>", "Plazo <b\nDos x"),  # that is no tag for sure
    (
        "<div>x</div>\nGoogle Tag Manager (noscript)\nwindow.dataLayer = window.dataLayer || [];\n"
        "gtag('config', 'UA-1');\nEl sitio usa Google Analytics para contar visitas.\n",
        "x\n\nEl sitio usa Google Analytics para contar visitas.",
    ),  # what counts visits, when the marks of its comment or script got lost; a sentence about it stays
]


@pytest.mark.parametrize(("text", "cleaned"), MARKUP)
def test_removes_tags(text: str, cleaned: str) -> None:
    assert clean_markup(text).text.strip() == cleaned


def test_reads_a_whole_page() -> None:
    page = (
        "<!DOCTYPE html>\n<html><head><title>Preguntas &amp; respuestas</title><script>x()</script></head>\n<body>\n"
        "  <h2>\n   Preguntas m&aacute;s frecuentes\n  </h2><ul><li>Uno</li><li></li></ul>"
        "<table><tr><td>Mes</td><td>Casos</td></tr></table></body></html>"
    )
    cleaned = clean_markup(page)
    assert cleaned.page_title == "Preguntas & respuestas"
    assert [line for line in cleaned.text.split("\n") if line] == [
        "## Preguntas más frecuentes",
        "- Uno",
        "| Mes | Casos |",
    ]
    assert "x()" not in cleaned.text
    assert "<" not in cleaned.text
    assert cleaned.warnings


def test_removes_what_word_left() -> None:
    text = (
        "# Ley\n\nAna Ruiz\n Marta\n 2\n 22\n 2015-11-24T12:27:00Z\n 6\n 15.00\n Clean\n false\n 21\n false\n"
        " EN-US\n X-NONE\n"
        ' /* Style Definitions */\n table.MsoNormalTable\n {mso-style-name:"Tabla normal";\n font-size:10.0pt;}\n\n'
        "El Congreso decreta 2 cosas.\n\n1994\n"
    )
    cleaned = clean_markup(text)
    assert cleaned.text.split() == ["#", "Ley", "El", "Congreso", "decreta", "2", "cosas.", "1994"]
    assert "Word" in cleaned.warnings[0]


def test_removes_word_statistics_inside_a_line() -> None:
    text = "Normal 0 21 false false false ES-CO X-NONE /* Style Definitions */ table.MsoNormalTable {mso-a:b;} LEY 5"
    assert clean_markup(text).text.strip() == "LEY 5"


@pytest.mark.parametrize(
    "unit", ["<!--", "<p", "&oacute", "<script>", "X-NONE\n", "Normal 0 ", "/* Style Definitions */ {"]
)
def test_is_linear(unit: str) -> None:
    started = time.process_time()
    clean_markup(unit * (400_000 // len(unit)))
    assert time.process_time() - started < 3
