"""The operators' own questions: what must come back for each, and asking a generation all of them.

`config/preguntas.toml` belongs to the corpus it was written for. A question is green when the functions that serve the
chat give what it demands.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from siaa.answering.refusal import Decision, judge
from siaa.config import Settings
from siaa.errors import ConfigError, SiaaError
from siaa.generation import TUNING, Generation
from siaa.language import GOLDEN_QUESTIONS
from siaa.profile import load_profile
from siaa.retrieval import Gathered, Retriever
from siaa.text import fold, normalise, squeeze
from siaa.toml_file import read_toml

DEFAULT_DROP = 0.02  # share of green questions that a new generation may lose


@dataclass(frozen=True, slots=True)
class GoldenQuestion:
    """A question and its demands; an empty demand is not made. `refused`: nothing in the corpus may answer it."""

    id: str
    text: str
    document: str
    article: str
    words: tuple[str, ...]
    refused: bool
    critical: bool

    @property
    def told(self) -> str:
        """Return how the terminal names the question."""
        return quoted(self.id, self.text)


def quoted(name: str, text: str) -> str:
    """Return the text of a question in quotation marks, with its id where that is not its text."""
    return f"«{text}»" if name == text else f"«{text}» (id «{name}»)"


@dataclass(frozen=True, slots=True)
class GoldenSet:
    """All questions, and how far the share of green ones may fall (0 to 1)."""

    questions: tuple[GoldenQuestion, ...]
    allowed_drop: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a generation answers one question: green, or what was found instead, in Spanish."""

    question: GoldenQuestion
    green: bool
    found: str


def load_golden(path: Path) -> GoldenSet:
    """Read the golden questions.

    Raises ConfigError naming the file or the question, and what is wrong with it.
    """
    data = read_toml(path)
    if unknown := sorted(set(data) - {"bajada_permitida", "pregunta"}):
        raise ConfigError(
            f"{GOLDEN_QUESTIONS}: no se conoce {', '.join(unknown)}; vale bajada_permitida y [[pregunta]]."
        )
    drop = data.get("bajada_permitida", DEFAULT_DROP)
    if isinstance(drop, bool) or not isinstance(drop, int | float) or not 0 <= drop <= 1:
        raise ConfigError(f"{GOLDEN_QUESTIONS}: bajada_permitida debe estar entre 0 y 1, y es {drop!r}.")
    rows = data.get("pregunta", [])
    if not isinstance(rows, list):
        raise ConfigError(f"{GOLDEN_QUESTIONS}: cada pregunta va bajo [[pregunta]].")
    questions = tuple(_question(row, number) for number, row in enumerate(rows, start=1))
    seen: set[str] = set()
    for question in questions:
        if question.id in seen:
            raise ConfigError(f"{GOLDEN_QUESTIONS}: dos preguntas se llaman «{question.id}».")
        seen.add(question.id)
    return GoldenSet(questions, float(drop))


def golden_of(folder: Path) -> GoldenSet | None:
    """Return the questions that the generation in `folder` was built with, None when it has none."""
    path = folder / TUNING / GOLDEN_QUESTIONS
    return load_golden(path) if path.is_file() else None


_KEYS = {"id", "texto", "documento", "articulo", "palabras", "rechazar", "critica"}


def _question(row: Any, number: int) -> GoldenQuestion:
    if not isinstance(row, dict) or not isinstance(row.get("texto"), str) or not row["texto"].strip():
        raise ConfigError(f"{GOLDEN_QUESTIONS}: a la pregunta número {number} le falta su texto.")
    name = str(row.get("id", row["texto"]))
    if unknown := sorted(set(row) - _KEYS):
        raise ConfigError(
            f"{GOLDEN_QUESTIONS}, «{name}»: no se conoce {', '.join(unknown)}; vale {', '.join(sorted(_KEYS))}."
        )
    for flag in ("rechazar", "critica"):
        if not isinstance(row.get(flag, False), bool):
            raise ConfigError(f"{GOLDEN_QUESTIONS}, «{name}»: {flag} debe ser true o false, sin comillas.")
    words = row.get("palabras", [])
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise ConfigError(f"{GOLDEN_QUESTIONS}, «{name}»: palabras debe ser una lista de textos.")
    question = GoldenQuestion(
        id=name,
        text=row["texto"],
        document=str(row.get("documento", "")),
        article=str(row.get("articulo", "")),
        words=tuple(words),
        refused=row.get("rechazar") is True,
        critical=row.get("critica") is True,
    )
    demands = question.document or question.words
    if bool(demands) == question.refused:
        raise ConfigError(f"{GOLDEN_QUESTIONS}, «{name}»: pida un documento o unas palabras, o bien rechazar = true.")
    return question


def retriever_for(generation: Generation, settings: Settings) -> Retriever:
    """Return what asks `generation` as the service with these settings would.

    Raises ConfigError for a profile that the generation does not have.
    """
    return Retriever(
        generation,
        profile=load_profile(generation, settings.perfil),
        max_docs=settings.max_docs_contexto,
        max_chunks=settings.max_chunks_contexto,
    )


def ask_all(retriever: Retriever, questions: Iterable[GoldenQuestion]) -> tuple[Outcome, ...]:
    """Ask a generation every question through the functions of the service."""
    return tuple(_ask(retriever, question) for question in questions)


def _ask(retriever: Retriever, question: GoldenQuestion) -> Outcome:
    try:
        gathered = retriever.gather(retriever.route(retriever.ask(question.text)))
    except SiaaError as error:
        return Outcome(question, False, f"error: {error.message}")
    routed = ", ".join(item.document.name for item in gathered.routed.documents) or "ningún documento"
    if question.refused:
        refused = _is_refused(retriever, gathered)
        return Outcome(question, refused, "se rechaza" if refused else f"se responde con {routed}")
    missing = _missing(gathered, question)
    if not missing and _is_refused(retriever, gathered):
        return Outcome(question, False, f"{routed}; pero el chat la rechaza")
    return Outcome(question, not missing, f"{routed}; falta {missing}" if missing else routed)


def _is_refused(retriever: Retriever, gathered: Gathered) -> bool:
    query = gathered.routed.query
    verdict = judge(retriever, query, gathered.selections)
    return verdict.decision is not Decision.ANSWER  # in between, the chat without a model refuses too


def _missing(gathered: Gathered, question: GoldenQuestion) -> str:
    """Return the first demand that is not met, "" when all are. The document has to come first."""
    wanted = fold(normalise(question.document))
    selections = [
        s
        for s in gathered.selections[: 1 if wanted else None]
        if not wanted or wanted in (fold(s.document.name), fold(s.document.doc_id))
    ]
    if not selections:
        return f"el documento {question.document} en primer lugar"
    pieces = [piece for selected in selections for piece in selected.fragment.pieces]
    if question.article and question.article not in {piece.article for piece in pieces}:
        return f"el artículo {question.article}"
    text = squeeze(fold("\n".join(selected.fragment.text for selected in selections)))
    return next((f"«{word}»" for word in question.words if squeeze(fold(normalise(word))) not in text), "")
