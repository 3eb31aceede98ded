"""Put measured tables into the documentation, each between its two marks: what is between them is never edited by hand.

`<!-- inicio: ablación -->` ... `<!-- fin: ablación -->`
"""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from pathlib import Path

from siaa.config import PROJECT_DIR
from tests.eval.command import chosen_sets
from tests.eval.questions import OWN_SET, QuestionSet
from tests.eval.serving import EvaluationError

RANKING = PROJECT_DIR / "docs" / "ranking.md"


def add_option(made: argparse.ArgumentParser) -> None:
    """Add the option that writes the result into docs/ranking.md too."""
    made.add_argument("--documento", action="store_true", help="escribir además la tabla en docs/ranking.md")


def open_sets(options: argparse.Namespace) -> list[QuestionSet]:
    """Return the sets chosen; without a choice, those that are not the project's own, if there are any."""
    found = chosen_sets(options.carpeta, options.conjuntos)
    others = [questions for questions in found if questions.name != OWN_SET]
    return found if options.conjuntos or not others else others


def measured_on(sets: list[QuestionSet]) -> str:
    """Return the line that dates a table and says what it was measured on."""
    names = ", ".join(f"{found.name} {sum(1 for q in found.questions if q.accepted)}" for found in sets)
    return (
        f"Medido el {datetime.now(UTC).date().isoformat()} en proceso, sobre las preguntas con respuesta de los "
        f"conjuntos abiertos ({names}), que estaban a la vista mientras se escribían las reglas."
    )


def publish(section: str, text: str, *, document: Path | None) -> None:
    """Print a table in Markdown, and put it into its section of `document` when one is given.

    Raises EvaluationError when the document has no such section.
    """
    print(text)
    if document is not None:
        old = document.read_text(encoding="utf-8")
        document.write_text(replaced(old, section, text), encoding="utf-8", newline="\n")


def replaced(old: str, section: str, text: str) -> str:
    """Return the document with `text` between the marks of `section`.

    Raises EvaluationError when the marks are missing.
    """
    first, last = f"<!-- inicio: {section} -->", f"<!-- fin: {section} -->"
    before, opening, rest = old.partition(first)
    _, closing, after = rest.partition(last)
    if not opening or not closing:
        raise EvaluationError(f"El documento no tiene las marcas de la sección «{section}».")
    return f"{before}{first}\n{text.strip()}\n{last}{after}"
