"""The tables of `config/`: they can be read, and a mistake in one is named."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from siaa.config import OWN_CONFIG_DIR
from siaa.errors import ConfigError
from siaa.language import LANGUAGE_FILES, load_tables
from siaa.profile import read_profile
from siaa.routing import ROUTING_LEVELS
from siaa.selection import SIGNALS


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a copy of the project's tables."""
    return Path(shutil.copytree(OWN_CONFIG_DIR, tmp_path / "config"))


def test_negations_are_no_stop_words() -> None:
    assert not load_tables(OWN_CONFIG_DIR).stop_words & {"no", "sin", "ni", "salvo"}


def test_tables_are_folded() -> None:
    tables = load_tables(OWN_CONFIG_DIR)
    for words in (tables.stop_words, tables.question_words, tables.title_words):
        assert all(re.fullmatch(r"[a-z0-9ñ]+", word) for word in words)


@pytest.mark.parametrize("name", LANGUAGE_FILES)
def test_missing_table_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(ConfigError, match=re.escape(name)):
        load_tables(folder)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("sinonimos.toml", "grupos = [", "línea 1"),  # not TOML
        ("sinonimos.toml", "grupos = 5", "una lista"),  # not a list
        ("sinonimos.toml", "grupos = [1, 2]", "una lista de textos"),  # not a list of lists
        ("cotidianas.toml", "campo = 5", "[[campo]]"),  # no rows
        ("cotidianas.toml", '[[campo]]\nnombre = "x"\ngrupos = 5', "campo «x»: grupos debe ser una lista"),
        ("cotidianas.toml", '[[campo]]\nnombre = "x"\ngrupos = [5]', "campo «x», grupo 1: se esperaba { dicen"),
        ("cotidianas.toml", '[[campo]]\ngrupos = [{ dicen = ["a"], dice = ["b"] }]', "no se conoce «dice»"),
        ("cotidianas.toml", '[[campo]]\ngrupos = [{ dicen = ["a"] }]', "escriben: se esperaba una lista"),
        ("cotidianas.toml", '[[campo]]\ngrupos = [{ dicen = [], escriben = ["b"] }]', "dicen: se esperaba una lista"),
        ("cotidianas.toml", '[[campo]]\ngrupos = [{ dicen = ["¿?"], escriben = ["b"] }]', "sin letras ni cifras"),
        ("listados.toml", "patrones = ['(']", "en su carácter 1: revise paréntesis"),  # not a regular expression
        ("listados.toml", "patrones = ['a**']", "en su carácter 3"),
        ("listados.toml", "patrones = 5", "una lista de textos"),
        ("expansiones.toml", '[[expansion]]\ntipo = "x"\n', "falta 'patrones'"),
        ("expansiones.toml", "expansion = 5", "[[expansion]]"),  # no rows
        ("abreviaturas.toml", "abreviaturas = 5", "[abreviaturas]"),  # no table
        ("abreviaturas.toml", "[abreviaturas]\nmpal = 5", "«mpal»"),  # no text
        ("palabras_clave.toml", '[documentos]\n"a.md" = "una palabra"\n', "«a.md»"),  # not a list
        ("palabras_clave.toml", "documentos = 5", "[documentos]"),  # no table
        ("aclaraciones.toml", "aclaracion = 5", "[[aclaracion]]"),  # no rows
        ("aclaraciones.toml", "aclaracion = [5]", "[[aclaracion]]"),
    ],
)
def test_broken_table_is_named(folder: Path, name: str, content: str, words: str) -> None:
    (folder / name).write_text(content, encoding="utf-8")
    with pytest.raises(ConfigError) as raised:
        load_tables(folder)
    assert raised.value.message.startswith(name)
    assert words in raised.value.message


def test_table_that_is_not_utf8_is_named(folder: Path) -> None:
    (folder / "palabras_vacias.txt").write_bytes("según".encode("latin-1"))
    with pytest.raises(ConfigError, match="UTF-8"):
        load_tables(folder)


@pytest.mark.parametrize("name", ["calibrado", "clasico"])
def test_profiles_weigh_every_level_and_signal(name: str) -> None:
    """A profile without a row would silently switch a signal off; one with a row too many would do nothing."""
    profile = read_profile(OWN_CONFIG_DIR / "perfiles" / f"{name}.toml")
    assert set(profile.routing) == {level.signal for level in ROUTING_LEVELS}
    assert set(profile.selection) == set(SIGNALS)


@pytest.mark.parametrize("value", ["nan", "inf", "'mucho'", "true"])
def test_weight_that_is_no_number_is_named(tmp_path: Path, value: str) -> None:
    path = tmp_path / "mio.toml"
    path.write_text(f"base = 'bm25f'\ndestaca = 0\n[enrutar]\nnorma = {value}\n[fragmento]\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"mio\.toml, \[enrutar\]: norma debe ser un número finito y es "):
        read_profile(path)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "le falta 'base'"),
        ("base = 'otra'\ndestaca = 0\n[enrutar]\n[fragmento]\n", "puede ser bm25f o tfidf"),
        ("base = 'tfidf'\ndestaca = 0\nenrutar = 5\n[fragmento]\n", "la tabla [enrutar]"),
        ("base = ", "línea 1"),  # not TOML
    ],
)
def test_broken_profile_is_named(tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "mio.toml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"mio\.toml") as raised:
        read_profile(path)
    assert words in raised.value.message
