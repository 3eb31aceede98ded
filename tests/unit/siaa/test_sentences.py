"""Sentences of Spanish legal text.

1. A full stop after an abbreviation, an initial, a list marker, inside a number or after a provision's name ends none.
2. A blank line, a list item, a heading and a table row begin a sentence; a line break in a paragraph does not.
3. Spans are ordered, do not overlap, and hold every character that is not white space.
"""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from siaa.sentences import clause_spans, is_heading_line, is_list_item, sentence_spans

CASES: list[tuple[str, list[str]]] = [
    # Two plain sentences.
    ("Los jueces reportan. El plazo es trimestral.", ["Los jueces reportan.", "El plazo es trimestral."]),
    # Abbreviations, with a capital or a number after them.
    ("Según el art. 5 reportan.", ["Según el art. 5 reportan."]),
    ("Lo firma el Dr. Pérez hoy.", ["Lo firma el Dr. Pérez hoy."]),
    ("Véase el num. 3 y la pág. 7.", ["Véase el num. 3 y la pág. 7."]),
    ("El Acuerdo No. PSAA16-10476 rige. Fin.", ["El Acuerdo No. PSAA16-10476 rige.", "Fin."]),
    # "no" is a word before a word.
    ("El juez dijo que no. Los demás sí.", ["El juez dijo que no.", "Los demás sí."]),
    # Initials and places.
    ("En Bogotá D.C. Rodríguez firmó.", ["En Bogotá D.C. Rodríguez firmó."]),
    ("En Bogotá, D. C. Rodríguez firmó.", ["En Bogotá, D. C. Rodríguez firmó."]),
    ("Lo dijo J. Pérez. Nadie más.", ["Lo dijo J. Pérez.", "Nadie más."]),
    # Numbers: a point inside, and a year at the end.
    ("Son 3.5 puntos y 1.200 casos.", ["Son 3.5 puntos y 1.200 casos."]),
    ("Rige desde 2016. Después no.", ["Rige desde 2016.", "Después no."]),
    # The name of a provision opens a sentence; a reference to one may end it.
    ("ARTÍCULO 5. Los jueces reportan.", ["ARTÍCULO 5. Los jueces reportan."]),
    ("**PARÁGRAFO 1.** Los jueces reportan.", ["**PARÁGRAFO 1.** Los jueces reportan."]),
    ("Se aplica el artículo 5. Los jueces reportan.", ["Se aplica el artículo 5.", "Los jueces reportan."]),
    # Other ends; a small letter after them goes on.
    ("¿Quién reporta? El juez. ¡Siempre!", ["¿Quién reporta?", "El juez.", "¡Siempre!"]),
    ("¿Quién? preguntó el juez.", ["¿Quién? preguntó el juez."]),
    ("Dijo «No reporto.» Se fue.", ["Dijo «No reporto.»", "Se fue."]),
    # Line breaks.
    ("Los jueces\nreportan. El plazo\nvence.", ["Los jueces\nreportan.", "El plazo\nvence."]),
    ("Los jueces\n\nReportan", ["Los jueces", "Reportan"]),
    # A page ended in the middle of a sentence; not after a stop, before an item or under a heading.
    ("el reporte de la\n\ninformación anual", ["el reporte de la\n\ninformación anual"]),
    ("Los jueces reportan.\n\ny más", ["Los jueces reportan.", "y más"]),
    ("Los jueces\n\na) reportan", ["Los jueces", "a) reportan"]),
    ("## Objeto\n\nla ley", ["## Objeto", "la ley"]),
    ("según el artículo\n5. del Código.", ["según el artículo\n5. del Código."]),
    # List items of every mark.
    ("Son:\n1. Uno\n2) Dos\na) tres\n- cuatro", ["Son:", "1. Uno", "2) Dos", "a) tres", "- cuatro"]),
    ("• cinco\n(b) seis", ["• cinco", "(b) seis"]),
    ("- Uno. Y algo más.\n- Dos", ["- Uno.", "Y algo más.", "- Dos"]),
    # Headings and table rows.
    ("# Título\nTexto", ["# Título", "Texto"]),
    ("**Título**\nTexto", ["**Título**", "Texto"]),
    ("| a | b. C |\n| c | d |", ["| a | b. C |", "| c | d |"]),
    # Nothing.
    ("", []),
    (" \n\n ", []),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_sentences(text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in sentence_spans(text)] == expected


PARTS = ["art.", " No. 5", "Los jueces", ".", "\n", "\n\n", "1. ", "a) ", "- ", "# ", "**", "|", " ", "…", "»", "D.C."]


@given(st.lists(st.sampled_from(PARTS)).map("".join) | st.text())
def test_spans_are_ordered_and_lose_nothing(text: str) -> None:
    spans = sentence_spans(text)
    assert all(start < end for start, end in spans)
    assert all(first[1] <= second[0] for first, second in pairwise(spans))
    assert all(text[start:end] == text[start:end].strip() for start, end in spans)
    assert "".join("".join(text[start:end].split()) for start, end in spans) == "".join(text.split())


@given(st.lists(st.sampled_from([*PARTS, ", y", "; o", "palabra"])).map("".join), st.integers(1, 40))
def test_clauses_lose_nothing_and_are_short(text: str, longest: int) -> None:
    spans = clause_spans(text, longest=longest)
    assert all(end - start <= longest for start, end in spans)
    assert "".join("".join(text[start:end].split()) for start, end in spans) == "".join(text.split())


def test_clauses_end_at_their_marks() -> None:
    text = "Los jueces reportan, si pueden; los demás: no"
    clauses = [text[start:end] for start, end in clause_spans(text, longest=100)]
    assert clauses == ["Los jueces reportan,", "si pueden;", "los demás:", "no"]


@pytest.mark.parametrize(
    ("text", "item", "heading"),
    [
        ("- Uno", True, False),
        ("3. Tres", True, False),
        ("b) Be", True, False),
        ("Los jueces", False, False),
        ("## Objeto", False, True),
        ("**Objeto**", False, True),
        ("| a | b |", False, False),
    ],
)
def test_marks(text: str, item: bool, heading: bool) -> None:
    assert is_list_item(text) is item
    assert is_heading_line(text) is heading


def test_a_long_document_takes_linear_time() -> None:
    text = "1. Los jueces reportan cada trimestre. El plazo vence.\n" * 20_000
    assert len(sentence_spans(text)) == 40_000
