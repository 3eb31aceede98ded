"""Measure the service on every question set, over HTTP: `python -m tests.eval`, which is `make eval`.

Exit codes: 0 measured; 1 the service answered something wrong, or the two scorers disagree; 2 wrong use.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from tests.eval.answerers import HttpAnswerer
from tests.eval.command import FAILED, WRONG_USE, chosen_sets, parser, run, say
from tests.eval.questions import QuestionSet
from tests.eval.report import table_of_changes
from tests.eval.results import RESULTS, compare, read_results, write_results
from tests.eval.scoring import METRICS, Outcomes, score_set, share
from tests.eval.serving import SCORER, Official, index_set, official_score, served, workplace

_KEPT_PROFILE = "calibrado"  # the only one whose outcomes are kept
_DECIMALS = 3  # to which both scorers must agree


@dataclass(frozen=True, slots=True)
class Measured:
    """A set's outcomes, what the shared scorer said, and every problem found, in Spanish."""

    outcomes: Outcomes
    official: Official
    problems: tuple[str, ...]


def main() -> int:
    """Index, serve and score every set; print one table."""
    options = _options()
    if options.write and (options.perfil != _KEPT_PROFILE or options.reusar):
        say(f"--write guarda solo lo medido con el perfil {_KEPT_PROFILE} y sin --reusar.")
        return WRONG_USE
    sets = chosen_sets(options.carpeta, options.conjuntos)
    scorer = options.carpeta / SCORER
    if not scorer.is_file():
        say(f"No hay {SCORER} en {options.carpeta}: las cifras son solo las del proyecto (tests/eval/scoring.py).")
    before = read_results()
    measured = {found.name: _measure(found, scorer, options) for found in sets}
    print(
        table_of_changes(row for name, now in measured.items() for row in compare(name, now.outcomes, before.get(name)))
    )
    _print_times(measured)
    problems = [problem for now in measured.values() for problem in now.problems]
    for problem in problems:
        say(f"error: {problem}")
    if options.write and not problems:
        write_results({name: now.outcomes for name, now in measured.items()})
        say(f"Guardado en {RESULTS.name}.")
    return FAILED if problems else 0


def _options() -> argparse.Namespace:
    made = parser("tests.eval", "Mide el servicio con todos los conjuntos de preguntas, por HTTP.")
    made.add_argument("--write", action="store_true", help="guardar los aciertos en tests/eval/results.json")
    made.add_argument("--perfil", default=_KEPT_PROFILE, help="perfil de puntuación (por omisión, %(default)s)")
    return made.parse_args()


def _measure(questions: QuestionSet, scorer: Path, options: argparse.Namespace) -> Measured:
    started = time.perf_counter()
    say(f"{questions.name}: indexando {questions.documents.name}/ ...")
    folder = index_set(questions, reuse=options.reusar)
    say(f"{questions.name}: {len(questions.questions)} preguntas por HTTP ({time.perf_counter() - started:.0f} s) ...")
    with served(questions, folder, profile=options.perfil) as url:
        answerer = HttpAnswerer(url)
        outcomes = score_set(questions, answerer)
        official = official_score(questions, url, scorer) if scorer.is_file() else Official()
    say(f"{questions.name}: listo ({time.perf_counter() - started:.0f} s)")
    problems = [f"{questions.name}: {text}" for text in answerer.errors[:5]]
    if official.failed:
        problems.append(f"{questions.name}: {SCORER} señala errores: {official.said}")
    problems += [f"{questions.name}: {text}" for text in disagreements(outcomes, official)]
    return Measured(outcomes, official, tuple(problems))


def disagreements(outcomes: Outcomes, official: Official) -> list[str]:
    """Return the metrics in which the shared scorer and the project's own differ."""
    own = {metric: share(outcomes, metric) for metric in METRICS}
    return [
        f"{metric} es {value:.3f} para el proyecto y {official.figures[metric]} para {SCORER}"
        for metric, value in own.items()
        if value is not None and metric in official.figures
        if round(value, _DECIMALS) != official.figures[metric]
    ]


def _print_times(measured: dict[str, Measured]) -> None:
    timed = {name: now.official.figures for name, now in measured.items() if now.official.figures}
    if not timed:
        return
    print("\nMilisegundos por petición, p50/p95, vistos por el cliente:")
    for name, figures in timed.items():
        route, fragment = (figures.get(key) or (None, None) for key in ("ms_enrutar", "ms_fragmento"))
        print(f"  {name}: enrutar {route[0]}/{route[1]}, fragmento {fragment[0]}/{fragment[1]}")
    print(f"Los fallos de cada conjunto, con su pregunta: {workplace()}/<conjunto>.misses.jsonl")


if __name__ == "__main__":
    sys.exit(run(main))
