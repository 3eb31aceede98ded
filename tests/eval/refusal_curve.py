"""Measure when the service refuses: `python -m tests.eval.refusal_curve`, whose output is in docs/rechazo.md.

In process, for each set: the score of `siaa.answering.refusal` for questions that its documents answer, for those they
do not, and for every fourth question of another set (`--ajenas`), which they cannot answer either. Halves A and B are
random, seed 7, so that a limit read from one half can be tried on the other.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from siaa.answering.refusal import REFUSE_BELOW, Decision, judge
from siaa.answering.searching import gather
from siaa.errors import SiaaError
from siaa.generation import Generation, open_current
from siaa.retrieval import Retriever
from tests.eval.command import chosen_sets, parser, profiles, run
from tests.eval.questions import QuestionSet
from tests.eval.serving import open_set

LIMITS = (0.20, 0.25, 0.30, 0.35, 0.40, 0.42, 0.45, 0.50, 0.55)
SEED, FOREIGN_STEP = 7, 4


@dataclass(frozen=True, slots=True)
class Judged:
    """One question: its score, whether an exact rule refuses it, the half it is in, and whether it is refused now.

    `refused_now` is what the service does without a model, with its own limits.
    """

    value: float
    ruled_out: bool
    half: str
    refused_now: bool

    def refused(self, limit: float) -> bool:
        return self.ruled_out or self.value < limit


def main() -> int:
    """Print one table of areas and one of refusals."""
    made = parser("tests.eval.refusal_curve", "Mide cuándo se niega el servicio a responder.")
    made.add_argument("--ajenas", default="xquad_es", help="conjunto cuyas preguntas no se pueden responder con otros")
    made.add_argument("--indices", type=Path, help="carpeta con un índice ya construido por conjunto")
    options = made.parse_args()
    sets = chosen_sets(options.carpeta, options.conjuntos)
    foreign = next((found for found in chosen_sets(options.carpeta, [options.ajenas])), None)
    limits = " | ".join(f"{limit:.2f}" for limit in LIMITS)
    print(f"| conjunto | preguntas | mitad | n | AUC | regla | {limits} | servicio |")
    print("|---|---|---|---|---|---|" + "---|" * (len(LIMITS) + 1))
    for found in sets:
        generation = open_current(options.indices / found.name) if options.indices else open_set(found)
        try:
            _print_set(generation, found, foreign)
        finally:
            generation.close()
    return 0


def _print_set(generation: Generation, found: QuestionSet, foreign: QuestionSet | None) -> None:
    retriever = Retriever(generation, profile=profiles(["calibrado"])[0], max_docs=2, max_chunks=3)
    answerable = judge_all(retriever, [q.text for q in found.questions if q.accepted])
    groups = {"sin respuesta": judge_all(retriever, [q.text for q in found.questions if not q.accepted])}
    if foreign is not None and foreign.name != found.name:
        strange = [question.text for question in foreign.questions[::FOREIGN_STEP]]
        groups[f"ajenas ({foreign.name})"] = judge_all(retriever, strange)
    _print_rows(found.name, "con respuesta", answerable, None)
    for kind, judged in groups.items():
        if judged:
            _print_rows(found.name, kind, judged, answerable)


def judge_all(retriever: Retriever, questions: Sequence[str]) -> list[Judged]:
    """Return the verdict on each question, in two random halves."""
    order = list(range(len(questions)))
    random.Random(SEED).shuffle(order)
    first = set(order[: len(order) // 2])
    return [_judge(retriever, text, "A" if n in first else "B") for n, text in enumerate(questions)]


def _judge(retriever: Retriever, text: str, half: str) -> Judged:
    try:
        gathered = gather(retriever, text)
        verdict = judge(retriever, gathered.routed.query, gathered.selections)
    except SiaaError:
        return Judged(0.0, True, half, True)
    # A refusal at a score that would not be refused comes from a rule.
    ruled_out = verdict.decision is Decision.REFUSE and verdict.value >= REFUSE_BELOW
    return Judged(verdict.value, ruled_out, half, verdict.decision is not Decision.ANSWER)


def _print_rows(name: str, kind: str, judged: Sequence[Judged], answerable: Sequence[Judged] | None) -> None:
    for half in ("AB", "A", "B"):
        rows = [row for row in judged if row.half in half]
        others = [row for row in answerable or () if row.half in half]
        area = f"{auc((r.value for r in others), [r.value for r in rows]):.3f}" if others and rows else "-"
        shares = " | ".join(_share(row.refused(limit) for row in rows) for limit in LIMITS)
        now = _share(row.refused_now for row in rows)
        ruled = sum(row.ruled_out for row in rows)
        print(f"| {name} | {kind} | {half} | {len(rows)} | {area} | {ruled} | {shares} | {now} |")


def auc(answerable: Iterable[float], others: Sequence[float]) -> float:
    """Return how often an answerable question scores above another one, ties as half."""
    pairs = [(one > other) + 0.5 * (one == other) for one in answerable for other in others]
    return sum(pairs) / max(len(pairs), 1)


def _share(refused: Iterable[bool]) -> str:
    rows = list(refused)
    return f"{sum(rows) / len(rows):.3f}" if rows else "-"


if __name__ == "__main__":
    sys.exit(run(main))
