"""A mistake in a TOML file is said in Spanish, with its file, line and column."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from siaa.errors import ConfigError
from siaa.toml_file import parse_toml, read_toml

# Words of Python's own reader, none of which is Spanish.
ENGLISH = re.compile(
    r"\b(at|line|column|document|expected|after|invalid|value|key|cannot|unclosed|found|illegal)\b", re.I
)

# content -> place, words of the sentence
BROKEN = [
    ("= 1", "línea 1, columna 1", "no puede empezar una línea"),
    ("a = 1 2", "línea 1, columna 7", "sobra algo"),
    ("# tabla\n\ngrupos [1]", "línea 3, columna 8", "falta el signo ="),
    ("[tabla", "al final, en la línea 1", "falta el corchete"),
    ("[[tabla]", "línea 1, columna 8", "falta el corchete"),
    ("[¿qué]", "línea 1, columna 2", "póngalo entre comillas"),
    ("a = b", "línea 1, columna 5", "los textos van entre comillas"),
    ("a = 1,5", "línea 1, columna 6", "sobra algo"),
    ("a = 2026-02-31", "línea 1, columna 5", "la fecha"),
    ('a = "sin cerrar', "al final, en la línea 1", "falta la comilla"),
    ("a = 'sin cerrar", "al final, en la línea 1", "falta la comilla"),
    ('a = "sin\ncerrar"', "línea 1, columna 9", "debe acabar en su línea"),
    ('a = "C:\\docs"', "línea 1, columna 10", "la barra"),
    ('a = "\\uZZZZ"', "línea 1, columna 8", "hexadecimal"),
    ('a = "\\uD800"', "línea 1, columna 12", "ningún carácter"),
    ("# \x00", "línea 1, columna 3", "un carácter que no se admite"),
    ("a = [1", "al final, en la línea 1", "corchete ] que la cierra"),
    ("a = ['b' 'c']", "línea 1, columna 10", "le falta una coma"),
    ("a = {b = 1", "al final, en la línea 1", "llave } que la cierra"),
    ("a = {b = 1, b = 2}", "línea 1, columna 18", "dos veces"),
    ("a = 1\na = 2", "al final, en la línea 2", "dos veces"),
    ("[a]\n[a]", "línea 2, columna 3", "dos veces"),
    ("a = {}\na.b = 1", "al final, en la línea 2", "ya está cerrada"),
    ("[a]\n[[a]]", "línea 2, columna 4", ""),
    ("a = " + "[" * 5000, "", "eso no es TOML"),  # nested deeper than the reader goes
    ("a = " + "1" * 5000, "", "eso no es TOML"),  # more digits than Python reads
]


@pytest.mark.parametrize(("content", "place", "words"), BROKEN)
def test_place_and_fault_in_spanish(content: str, place: str, words: str) -> None:
    with pytest.raises(ConfigError) as raised:
        parse_toml(content, "tabla.toml")
    said = raised.value.message
    assert said.startswith(f"tabla.toml no es TOML válido: {place}")
    assert words in said
    assert said.endswith(".")
    assert not ENGLISH.search(said)


def test_what_is_right_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text('\ufeffa = "ñ"\n', encoding="utf-8")
    assert read_toml(path) == {"a": "ñ"}


@pytest.mark.parametrize("content", [None, b"a = '\xf1'"])  # no file; not UTF-8
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "a.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(
        ConfigError, match=r"No se puede leer a\.toml"
    ):  # the build reads a copy: its folder says nothing
        read_toml(path)
