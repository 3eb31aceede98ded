"""Read the language tables of `config/`: what operators edit, in Spanish, with comments.

A table that cannot be read is a ConfigError that names the file and what is wrong, never a silent default.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from siaa.errors import ConfigError
from siaa.everyday import EVERYDAY, EverydayGroup, read_groups
from siaa.text import fold, normalise
from siaa.toml_file import parse_toml

STOP_WORDS = "palabras_vacias.txt"
QUESTION_WORDS = "palabras_pregunta.txt"
ABBREVIATIONS = "abreviaturas.toml"
SYNONYMS = "sinonimos.toml"
EXPANSIONS = "expansiones.toml"
LISTINGS = "listados.toml"
TITLE_WORDS = "palabras_titulo.txt"
MANUAL_KEYWORDS = "palabras_clave.toml"
CLARIFICATIONS = "aclaraciones.toml"

LANGUAGE_FILES = (STOP_WORDS, QUESTION_WORDS, ABBREVIATIONS, SYNONYMS, EVERYDAY, EXPANSIONS, LISTINGS, TITLE_WORDS)
GOLDEN_QUESTIONS = "preguntas.toml"  # read by the indexer only: what its gate asks
CORPUS_FILES = (
    MANUAL_KEYWORDS,
    CLARIFICATIONS,
    GOLDEN_QUESTIONS,
)  # belong to the corpus they were written for (contract, Environment)


@dataclass(frozen=True, slots=True)
class Expansion:
    """Words added, at reduced weight, to a kind of question: `patterns` are searched in the folded question."""

    kind: str
    patterns: tuple[re.Pattern[str], ...]
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Clarification:
    """What to ask back when a question is ambiguous.

    `terms` are the ambiguous expressions and `exceptions` what makes one clear, both folded, words separated by one
    space. `prompt` and `options` are what the reader is shown.
    """

    terms: tuple[str, ...]
    exceptions: tuple[str, ...]
    prompt: str
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LanguageTables:
    """All tables, folded. `synonyms` are groups of interchangeable words; `everyday` lead one way only."""

    stop_words: frozenset[str]
    question_words: frozenset[str]
    title_words: frozenset[str]
    abbreviations: dict[str, tuple[str, ...]]
    synonyms: tuple[tuple[str, ...], ...]
    everyday: tuple[EverydayGroup, ...]
    expansions: tuple[Expansion, ...]
    listings: tuple[re.Pattern[str], ...]
    manual_keywords: dict[str, tuple[str, ...]]
    clarifications: tuple[Clarification, ...]


def load_tables(folder: Path) -> LanguageTables:
    """Read every table of `folder`; the tables of a corpus may be absent.

    Raises ConfigError naming the file.
    """
    abbreviations = _table(_toml(folder, ABBREVIATIONS), "abreviaturas", ABBREVIATIONS)
    manual = _table(_toml(folder, MANUAL_KEYWORDS, optional=True), "documentos", MANUAL_KEYWORDS)
    return LanguageTables(
        stop_words=_words(folder, STOP_WORDS),
        question_words=_words(folder, QUESTION_WORDS),
        title_words=_words(folder, TITLE_WORDS),
        abbreviations={
            fold(short): tuple(fold(_text(full, f"{ABBREVIATIONS}, «{short}»")).split())
            for short, full in abbreviations.items()
        },
        synonyms=tuple(
            tuple(fold(word) for word in _strings(group, SYNONYMS))
            for group in _list(_toml(folder, SYNONYMS).get("grupos", []), f"{SYNONYMS}, grupos")
        ),
        everyday=read_groups(_toml(folder, EVERYDAY)),
        expansions=tuple(_expansion(row) for row in _rows(_toml(folder, EXPANSIONS), "expansion", EXPANSIONS)),
        listings=tuple(_pattern(p, LISTINGS) for p in _strings(_toml(folder, LISTINGS).get("patrones", []), LISTINGS)),
        manual_keywords={
            normalise(name).casefold(): _strings(words, f"{MANUAL_KEYWORDS}, «{name}»")
            for name, words in manual.items()
        },
        clarifications=tuple(
            _clarification(row)
            for row in _rows(_toml(folder, CLARIFICATIONS, optional=True), "aclaracion", CLARIFICATIONS)
        ),
    )


def _read(folder: Path, name: str, *, optional: bool = False) -> str:
    path = folder / name
    try:
        return normalise(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        if optional:
            return ""
        raise ConfigError(f"Falta la tabla {name} en la carpeta de ajustes {folder}.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"No se puede leer {path}: compruebe los permisos y que sea texto UTF-8.") from error


def _words(folder: Path, name: str) -> frozenset[str]:
    lines = (line.partition("#")[0] for line in _read(folder, name).splitlines())
    return frozenset(fold(word) for line in lines for word in line.split())


def _toml(folder: Path, name: str, *, optional: bool = False) -> dict[str, Any]:
    return parse_toml(_read(folder, name, optional=optional), name)


def _table(data: dict[str, Any], key: str, name: str) -> dict[str, Any]:
    found = data.get(key, {})
    if not isinstance(found, dict):
        raise ConfigError(f"{name}: se esperaba la tabla [{key}] y hay {found!r}.")
    return found


def _rows(data: dict[str, Any], key: str, name: str) -> list[dict[str, Any]]:
    found = data.get(key, [])
    if not isinstance(found, list) or not all(isinstance(row, dict) for row in found):
        raise ConfigError(f"{name}: se esperaban filas [[{key}]] y hay {found!r}.")
    return found


def _list(value: object, name: str) -> list[Any]:
    if not isinstance(value, list):
        raise ConfigError(f"{name}: se esperaba una lista y hay {value!r}.")
    return value


def _text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise ConfigError(f"{name}: se esperaba un texto entre comillas y hay {value!r}.")
    return value


def _strings(value: object, name: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ConfigError(f"{name}: se esperaba una lista de textos y hay {value!r}.")
    return tuple(value)


def _pattern(text: str, name: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        where = "" if error.pos is None else f" en su carácter {error.pos + 1}"
        raise ConfigError(
            f"{name}: la expresión regular «{text}» no vale{where}: revise paréntesis, corchetes y signos como * o ?."
        ) from error


def _expansion(row: dict[str, Any]) -> Expansion:
    try:
        kind, patterns, words = row["tipo"], row["patrones"], row["palabras"]
    except KeyError as error:
        raise ConfigError(f"{EXPANSIONS}: a una expansión le falta {error}.") from error
    return Expansion(
        kind=str(kind),
        patterns=tuple(_pattern(p, EXPANSIONS) for p in _strings(patterns, EXPANSIONS)),
        words=tuple(fold(word) for word in _strings(words, EXPANSIONS)),
    )


def _clarification(row: dict[str, Any]) -> Clarification:
    try:
        terms, prompt, options = row["terminos"], row["pregunta"], row["opciones"]
    except KeyError as error:
        raise ConfigError(f"{CLARIFICATIONS}: a una aclaración le falta {error}.") from error
    found = Clarification(
        terms=tuple(_phrase(term) for term in _strings(terms, CLARIFICATIONS)),
        exceptions=tuple(_phrase(word) for word in _strings(row.get("salvo", []), CLARIFICATIONS)),
        prompt=str(prompt),
        options=_strings(options, CLARIFICATIONS),
    )
    if not all(found.terms) or not all(found.exceptions) or len(found.options) < 2:
        raise ConfigError(
            f"{CLARIFICATIONS}: «{prompt}» necesita términos que no estén vacíos y al menos dos opciones."
        )
    return found


def _phrase(text: str) -> str:
    """Return a phrase as whole words are compared: folded, without signs, one space between words."""
    return " ".join(re.findall(r"[^\W_]+", fold(text)))
