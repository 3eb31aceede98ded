"""Know the everyday words of a question for the words that documents use: `config/cotidianas.toml`.

Directional: what people say leads to what is written, never back. Expressions are matched on stems, the longest first,
at a cost of one look-up per word of the question.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from siaa.errors import ConfigError
from siaa.text import fold

EVERYDAY = "cotidianas.toml"
_KEYS = ("dicen", "escriben")
_SHORT_STEM = 3  # letters
_WORD = re.compile(r"[^\W_]+")

Phrase = tuple[str, ...]  # folded words


@dataclass(frozen=True, slots=True)
class EverydayGroup:
    """Expressions that people say, and the words that documents write for any of them."""

    said: tuple[Phrase, ...]
    written: Phrase


@dataclass(frozen=True, slots=True)
class Everyday:
    """An expression found in a question: its words as the table has them, its stems, and the stems written for it."""

    said: str
    asked: tuple[str, ...]
    written: tuple[str, ...]


class EverydayIndex:
    """The groups by the first stem of each expression."""

    def __init__(
        self,
        groups: Iterable[EverydayGroup],
        *,
        stem: Callable[[str], str],
        stop_words: frozenset[str],
        question_words: frozenset[str],
    ) -> None:
        self._stem = stem
        self._stops = stop_words
        self._form = stop_words | question_words
        rows: defaultdict[tuple[str, ...], dict[str, None]] = defaultdict(dict)
        for group in groups:
            written = dict.fromkeys(stem(word) for word in group.written if word not in stop_words)
            for phrase in group.said:
                rows[tuple(map(self._key, phrase))] |= written
        self._first: defaultdict[str, list[tuple[tuple[str, ...], tuple[str, ...]]]] = defaultdict(list)
        for said, written in sorted(rows.items(), key=lambda row: -len(row[0])):
            self._first[said[0]].append((said, tuple(written)))

    def find(self, sequence: Sequence[str]) -> tuple[Everyday, ...]:
        """Return the expressions that stand in the words `sequence`, the longest where several begin or overlap."""
        keys = tuple(map(self._key, sequence))
        found: list[Everyday] = []
        position = 0
        while position < len(keys):
            said, written = self._at(keys, position)
            if said:
                words = sequence[position : position + len(said)]
                asked = tuple(self._stem(word) for word in words if word not in self._stops)
                found.append(Everyday(" ".join(words), asked, tuple(s for s in written if s not in asked)))
            position += max(len(said), 1)
        return tuple(found)

    def _key(self, word: str) -> str:
        """Return what a word is matched by: its stem, or itself where other words have the same stem.

        Words of form ("para" is no form of "parar") and stems of three letters ("casa", "caso" and "casado" share one).
        """
        stem = self._stem(word)
        return f"={word.removesuffix('s')}" if word in self._form or len(stem) <= _SHORT_STEM else stem

    def _at(self, keys: Sequence[str], position: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        for said, written in self._first.get(keys[position], ()):
            if keys[position : position + len(said)] == said:
                return said, written
        return (), ()


def read_groups(data: dict[str, Any]) -> tuple[EverydayGroup, ...]:
    """Return the groups of the parsed table.

    Raises ConfigError that says which field and group is wrong.
    """
    fields = data.get("campo", [])
    if not isinstance(fields, list) or not all(isinstance(field, dict) for field in fields):
        raise ConfigError(f"{EVERYDAY}: se esperaban filas [[campo]] y hay {fields!r}.")
    return tuple(
        _group(row, f"{EVERYDAY}, campo «{field.get('nombre', '')}», grupo {number}")
        for field in fields
        for number, row in enumerate(_list(field.get("grupos", []), field), start=1)
    )


def _list(value: object, field: dict[str, Any]) -> list[Any]:
    if not isinstance(value, list):
        raise ConfigError(f"{EVERYDAY}, campo «{field.get('nombre', '')}»: grupos debe ser una lista y es {value!r}.")
    return value


def _group(row: object, where: str) -> EverydayGroup:
    if not isinstance(row, dict):
        raise ConfigError(f"{where}: se esperaba {{ dicen = [...], escriben = [...] }} y hay {row!r}.")
    if odd := sorted(set(row) - set(_KEYS)):
        raise ConfigError(f"{where}: no se conoce «{odd[0]}»; hay {' y '.join(_KEYS)}.")
    said, written = (_phrases(row.get(key), f"{where}, {key}") for key in _KEYS)
    return EverydayGroup(said, tuple(dict.fromkeys(word for phrase in written for word in phrase)))


def _phrases(value: object, where: str) -> tuple[Phrase, ...]:
    if not isinstance(value, list) or not value or not all(isinstance(item, str) for item in value):
        raise ConfigError(f"{where}: se esperaba una lista de uno o más textos y hay {value!r}.")
    phrases = tuple(tuple(_WORD.findall(fold(item))) for item in value)
    if not all(phrases):
        raise ConfigError(f"{where}: hay un texto sin letras ni cifras.")
    return phrases
