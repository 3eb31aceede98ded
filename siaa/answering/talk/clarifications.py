"""Ask back when a question may mean several things, by the table `aclaraciones.toml` of the corpus.

Expressions are compared by whole words: "juzgado civil" asks, "codigo civil" and "juzgado civil municipal" do not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from siaa.language import Clarification
from siaa.references import find_references
from siaa.text import fold, normalise

_WORD = re.compile(r"[^\W_]+")
_ANY = frozenset({"cualquiera", "todos", "todas", "ambos", "ambas", "ninguno", "ninguna", "igual"})
_ORDINALS = {
    "primero": 1,
    "primera": 1,
    "segundo": 2,
    "segunda": 2,
    "tercero": 3,
    "tercera": 3,
    "cuarto": 4,
    "cuarta": 4,
}
# What may stand around the words of an option in a reply that chooses it.
_AROUND = frozenset({
    "el", "la", "los", "las", "del", "de", "al", "a", "en", "un", "una", "por", "favor", "es", "opcion", "numero",
    "creo", "que", "sobre", "me", "refiero", "ese", "esa", "y", "o", "no", "se", "da", "si",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Doubt:
    """An ambiguous expression in a question: where it stands, and the row of the table that says what to ask."""

    row: Clarification
    start: int
    end: int


def find_doubt(question: str, rows: Iterable[Clarification]) -> Doubt | None:
    """Return what is ambiguous in `question`, NFC; None when nothing is, or when it names a norm or an article."""
    words = [(match[0], match.start(), match.end()) for match in _WORD.finditer(fold(question))]
    text = f" {' '.join(word for word, _, _ in words)} "
    for row in rows:
        clear = (*row.exceptions, *(_words(option) for option in row.options))
        if any(f" {phrase} " in text for phrase in clear):
            continue
        span = next((span for term in row.terms if (span := _find(term.split(), words))), None)
        if span and not any(reference.kind in ("norma", "art") for reference in find_references(question)):
            return Doubt(row, *span)
    return None


def resolve(question: str, doubt: Doubt, reply: str, *, again: bool = False) -> str | None:
    """Return `question` made clear by a reply to what was asked back; None if the reply is something else.

    A reply that wants them all, or does not know, leaves the question as it is. `again` says that it was replied to
    before: only the name of an option ("¿y el municipal?") chooses anew then.

    >>> resolve("¿Qué reporta el juzgado civil?", doubt, "el municipal")
    '¿Qué reporta el juzgado civil municipal?'
    """
    words = _words(normalise(reply)).split()
    if not again and words and set(words) <= _ANY | _AROUND:
        return question
    chosen = _named(doubt.row, words) if again else _numbered(doubt.row, words) or _named(doubt.row, words)
    return None if chosen is None else question[: doubt.start] + chosen + question[doubt.end :]


def _numbered(row: Clarification, words: Sequence[str]) -> str | None:
    rest = [word for word in words if word not in _AROUND]
    number = _number(rest[0]) if len(rest) == 1 else 0
    return row.options[number - 1] if 1 <= number <= len(row.options) else None


def _named(row: Clarification, words: Sequence[str]) -> str | None:
    common = {word for term in row.terms for word in term.split()} | _AROUND
    for option in row.options:
        telling = set(_words(option).split()) - common
        if telling and telling <= set(words) <= telling | common:
            return option
    return None


def _number(word: str) -> int:
    return int(word) if word.isdecimal() and len(word) == 1 else _ORDINALS.get(word, 0)


def _find(term: Sequence[str], words: Sequence[tuple[str, int, int]]) -> tuple[int, int] | None:
    for first in range(len(words) - len(term) + 1):
        if all(words[first + offset][0] == word for offset, word in enumerate(term)):
            return words[first][1], words[first + len(term) - 1][2]
    return None


def _words(text: str) -> str:
    return " ".join(_WORD.findall(fold(text)))
