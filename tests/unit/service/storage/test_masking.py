"""Personal identifiers are masked, and what only looks like one is left.

1. E-mail addresses, identity numbers, telephones and case numbers leave only the name of their kind.
2. Numbers of articles, norms and years, dates and money are left as they are.
3. Masking what is masked changes nothing; a text of any length is done in time that grows with it.
"""

from __future__ import annotations

import time

import pytest

from service.storage.masking import holds_identifier, mask
from tests.unit.siaa.cases_references import AGREED

MASKED = [
    ("escríbame a ana.perez@correo.gov.co.", "escríbame a [correo]."),
    ("ana arroba gmail.com", "[correo]"),
    ("ana(arroba)gmail.com", "[correo]"),
    ("C.C. 52.345.678", "C.C. [documento]"),
    ("cc52345678", "cc[documento]"),  # glued
    ("cédula de ciudadanía No. 79345", "cédula de ciudadanía No. [documento]"),  # announced, however short
    (
        "identificado con la cédula número 1.020.345.678 de Bogotá",
        "identificado con la cédula número [documento] de Bogotá",
    ),
    ("NIT 900.123.456-7", "NIT [documento]"),
    ("soy la 1020345678", "soy la [número]"),  # not announced
    ("1'020.345.678", "[documento]"),  # the apostrophe of millions
    ("52 345 678", "[documento]"),
    ("52-345-678", "[documento]"),
    ("1\u200b020\u200b345\u200b678", "[número]"),  # invisible characters between
    ("１０２０３４５６７８", "[número]"),  # full width
    ("cel 300 123 4567", "cel [teléfono]"),
    ("3001234567", "[teléfono]"),
    ("(300) 123-45-67", "[teléfono]"),
    ("+57 300 123 4567", "[teléfono]"),
    ("601 234 5678", "[teléfono]"),  # fixed line
    ("(601) 2345678", "[teléfono]"),
    ("(1) 234 56 78", "[teléfono]"),  # area code of old
    ("llame al 234 5678", "llame al [teléfono]"),
    ("11001310300120200012300", "[radicado]"),
    ("11001-31-03-001-2020-00123-00", "[radicado]"),
]

LEFT = [
    "artículo 5 de la Ley 270 de 1996",
    "Acuerdo PSAA16-10476 de 2016, psaa1610476 y PCSJA19-11207",
    "leyes 600 1564 y Decreto 491-2020",  # three and four digits as a telephone has, after the name of a norm
    "artículo 2.2.3.1.2.1.1 del Decreto 1069 de 2015",
    "numeral 3.2.1",
    "artículos 121,122,123",  # groups of three as an identity number has
    "artículos 300, 123, 45, 67 y 89",
    "2026-11-30, 30/11/2026 y 30-11-2026 15:30",
    "$1.500.000 o 2.500.000 de pesos",
    "del 1º de enero al 31 de marzo de 2016",
    "2019 y 2020",
]


@pytest.mark.parametrize(("text", "masked"), MASKED)
def test_identifiers_are_masked(text: str, masked: str) -> None:
    assert mask(text) == masked
    assert holds_identifier(text)


@pytest.mark.parametrize("text", [*LEFT, *(text for text, _ in AGREED)])
def test_what_only_looks_like_one_is_left(text: str) -> None:
    assert not holds_identifier(text)


@pytest.mark.parametrize("text", [text for text, _ in MASKED])
def test_masking_twice_changes_nothing(text: str) -> None:
    assert mask(mask(text)) == mask(text)


@pytest.mark.parametrize("piece", ["a", "1", "1.", "3 ", "cc ", "a@", "a.@", "tel (", "de identidad ", "1 arroba "])
def test_no_text_takes_long(piece: str) -> None:
    text = (piece * 32_000)[:32_000]
    began = time.process_time()
    mask(text)
    assert time.process_time() - began < 2
