"""Tune on one half, report on the other: `python -m tests.eval.halves --perfiles calibrado prueba.toml`.

Every set is split by a fixed draw, or by `ciegas.json`, into A, on which weights may be chosen, and B, which says what
the choice is worth.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterable
from pathlib import Path

from tests.eval.command import chosen_sets, parser, profiles, run, say
from tests.eval.macros import MACROS, Bench, macro, macro_difference
from tests.eval.questions import QuestionSet
from tests.eval.report import aligned, interval
from tests.eval.serving import open_set

SEED = 7
BLIND = Path(__file__).with_name("ciegas.json")


def halves(sets: Iterable[QuestionSet]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the two halves of all sets, as "set/id". The draw of a set does not depend on the others."""
    first: set[str] = set()
    second: set[str] = set()
    for questions in sets:
        ids = sorted(q.id for q in questions.questions if q.accepted)
        random.Random(f"{SEED}:{questions.name}").shuffle(ids)
        blind = blind_ids(questions.name)
        seen = [i for i in ids if i not in blind] if blind else ids[: (len(ids) + 1) // 2]
        first.update(f"{questions.name}/{identifier}" for identifier in seen)
        second.update(f"{questions.name}/{identifier}" for identifier in ids if identifier not in seen)
    return frozenset(first), frozenset(second)


def blind_ids(name: str) -> frozenset[str]:
    """Return the questions of a set that nobody looks at, and no weight is chosen on; none without such a half."""
    return frozenset(json.loads(BLIND.read_text(encoding="utf-8"))["ciegas"].get(name, ()))


def main() -> int:
    """Print R, Q and D of each profile on both halves, with the change against the first profile."""
    made = parser("tests.eval.halves", "Compara perfiles sobre las dos mitades de cada conjunto.")
    made.add_argument(
        "--perfiles", nargs="+", default=["calibrado", "clasico"], help="nombres de config/perfiles/ o archivos .toml"
    )
    options = made.parse_args()
    candidates = profiles(options.perfiles)
    bench = open_bench(chosen_sets(options.carpeta, options.conjuntos), reuse=options.reusar)
    parts = dict(zip(("A", "B"), halves(bench.sets), strict=True))
    rows, reference = [], None
    for profile in candidates:
        say(f"perfil {profile.name} ...")
        scores = bench.evaluate(profile)
        reference = reference or scores
        for half, ids in parts.items():
            cells = [profile.name, half]
            for figure in MACROS:
                change = macro_difference(reference, scores, figure, only=ids)
                cells += [f"{macro(scores, figure, only=ids):.4f}", f"{change.mean:+.4f} {interval(change)}"]
            rows.append(tuple(cells))
    heads = ("perfil", "mitad", *(head for figure in MACROS for head in (figure, f"cambio de {figure}")))
    print(aligned(heads, rows))
    return 0


def open_bench(sets: list[QuestionSet], *, reuse: bool) -> Bench:
    """Index every set and open it."""
    generations = {}
    for questions in sets:
        say(f"{questions.name}: indexando ...")
        generations[questions.name] = open_set(questions, reuse=reuse)
    return Bench(sets, generations)


if __name__ == "__main__":
    sys.exit(run(main))
