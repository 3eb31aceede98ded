"""Read question sets: a folder with `questions.jsonl` and the documents that its questions are about."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from siaa.config import OWN_CORPUS_DIR
from siaa.references import find_references

QUESTIONS, DOCUMENTS = "questions.jsonl", "docs"
POINTER = "DOCS"  # a file that names the folder of another set's documents, relative to its own
OWN_SET = "muestra"
OWN_FOLDER = Path(__file__).parent / OWN_SET

_ARTICLE_LINE = re.compile(r"^[\s#*>]{0,8}art(?:[íi]culo\b|\.)", re.IGNORECASE)
_TRANSITORY = "trans_"


class UnknownSetError(ValueError):
    """A set was asked for that no folder holds; the text lists those that exist."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question and what answers it: documents `accepted`, those meant (`strict`), quotes or an article's text."""

    id: str
    text: str
    accepted: tuple[str, ...] = ()
    strict: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()
    article_body: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions on the documents below `documents`; `folder` holds `questions.jsonl`."""

    name: str
    folder: Path
    documents: Path
    questions: tuple[Question, ...]


def find_sets(folder: Path | None, chosen: Sequence[str] = ()) -> list[QuestionSet]:
    """Return the project's own set and those below `folder`, only the `chosen` ones when any is named.

    Raises UnknownSetError.
    """
    places = {OWN_SET: (OWN_FOLDER, OWN_CORPUS_DIR)}
    if folder is not None:
        found = sorted(path.parent for path in folder.glob(f"*/{QUESTIONS}"))
        places |= {path.name: (path, _documents(path)) for path in found}
    if unknown := [name for name in chosen if name not in places]:
        raise UnknownSetError(f"No hay ningún conjunto «{unknown[0]}»; los hay: {', '.join(places)}.")
    return [read_set(*places[name], name=name) for name in (dict.fromkeys(chosen) or places)]


def _documents(folder: Path) -> Path:
    pointer = folder / POINTER
    if pointer.is_file():
        return (folder / pointer.read_text(encoding="utf-8").strip()).resolve()
    return folder / DOCUMENTS


def read_set(folder: Path, documents: Path, *, name: str = "") -> QuestionSet:
    """Read one set. In the project's own, the text of a gold article comes from the document meant."""
    rows = [json.loads(line) for line in (folder / QUESTIONS).read_text(encoding="utf-8").splitlines() if line.strip()]
    bodies = _Articles(documents) if documents == OWN_CORPUS_DIR else None
    return QuestionSet(name or folder.name, folder, documents, tuple(_question(row, bodies) for row in rows))


def _question(row: dict[str, object], bodies: _Articles | None) -> Question:
    accepted, strict = _texts(row.get("docs")), _texts(row.get("strict_docs"))
    body, article = str(row.get("article_body") or ""), str(row.get("article") or "")
    if not body and article and bodies is not None:
        body = bodies.body(strict, article)
    return Question(
        id=str(row["id"]),
        text=str(row["q"]),
        accepted=accepted,
        strict=strict,
        quotes=_texts(row.get("quotes")),
        article_body=body,
        tags=_texts(row.get("tags")),
    )


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else ()


class _Articles:
    """The texts of the articles of a small corpus, by file and number."""

    def __init__(self, documents: Path) -> None:
        self._documents = documents
        self._read: dict[str, dict[str, str]] = {}

    def body(self, names: Iterable[str], article: str) -> str:
        """Return the article of the first of the documents `names` that has it, "" when none does."""
        found = (self._of(name).get(article.casefold().replace(" ", "_"), "") for name in names)
        return next(filter(None, found), "")

    def _of(self, name: str) -> dict[str, str]:
        if name not in self._read:
            path = self._documents / name
            self._read[name] = articles_of(path.read_text(encoding="utf-8")) if path.is_file() else {}
        return self._read[name]


def articles_of(text: str) -> dict[str, str]:
    """Return the articles of a text by number ("6", "4_bis", "trans_1"): from the line that opens one to the next."""
    lines = text.splitlines()
    opening = [(position, number) for position, line in enumerate(lines) if (number := _opened(line))]
    return {number: "\n".join(lines[start:end]) for (start, number), (end, _) in pairwise([*opening, (len(lines), "")])}


def _opened(line: str) -> str:
    if not _ARTICLE_LINE.match(line):
        return ""
    kinds = {"art": "", "art_trans": _TRANSITORY}
    found = next((r for r in find_references(line[:80]) if r.kind in kinds), None)
    return kinds[found.kind] + found.number if found is not None else ""
