"""See what each group of synonyms is worth by removing it: `python -m tests.eval.synonym_groups`.

No group may be there for single questions: without it, at most one question changes in the small sets and half a point
in the others. Exit code 1 when one passes that.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import floor

from siaa.analysis import Analyzer
from siaa.generation import Generation
from siaa.language import LanguageTables, load_tables
from siaa.profile import Profile
from tests.eval.command import PROFILES, parser, profiles, run, say
from tests.eval.documented import RANKING, add_option, measured_on, open_sets, publish
from tests.eval.macros import Bench
from tests.eval.questions import QuestionSet
from tests.eval.report import markdown
from tests.eval.scoring import Outcomes
from tests.eval.serving import open_set

SECTION = "sinonimos"
METRICS = ("doc@1", "doc@2", "found", "found_doc")
SMALL_SET = 100  # questions; a set with fewer may lose one
MOST_CHANGED = 0.005  # share of the questions of a larger set


def main() -> int:
    """Print, for each group, the questions of each set that it wins and loses."""
    made = parser("tests.eval.synonym_groups", "Mide qué aporta cada grupo de sinónimos, quitándolo.")
    made.add_argument("--perfil", default="calibrado", help="perfil de puntuación (por omisión, %(default)s)")
    add_option(made)
    options = made.parse_args()
    (profile,) = profiles([options.perfil])
    tables = load_tables(PROFILES.parent)
    sets = open_sets(options)
    rows: dict[str, list[str]] = {name: [] for name, _ in _variants(tables)}
    broken = False
    for questions in sets:
        say(f"{questions.name}: {len(rows)} variantes ...")
        generation = open_set(questions, reuse=options.reusar)
        base = _outcomes(questions, generation, tables, profile)
        for name, changed in _variants(tables):
            cell, most = _difference(base, _outcomes(questions, generation, changed, profile))
            rows[name].append(cell)
            broken |= most > allowed(len(base)) and name != _ALL
        generation.close()
    heads = ("sin el grupo", *(found.name for found in sets))
    table = markdown(heads, [(name, *cells) for name, cells in rows.items()])
    told = "Preguntas que se ganan (+) y se pierden (-) al quitarlo, en la medida que más cambia."
    publish(SECTION, f"{measured_on(sets)} {told}\n\n{table}", document=RANKING if options.documento else None)
    return int(broken)


_ALL = "toda la tabla"


def _variants(tables: LanguageTables) -> Iterator[tuple[str, LanguageTables]]:
    for group in tables.synonyms:
        yield ", ".join(group), replace(tables, synonyms=tuple(g for g in tables.synonyms if g != group))
    yield _ALL, replace(tables, synonyms=())


def _outcomes(questions: QuestionSet, generation: Generation, tables: LanguageTables, profile: Profile) -> Outcomes:
    other = copy.copy(generation)
    other.tables, other.analyzer = tables, Analyzer(tables)
    return Bench([questions], {questions.name: other}).evaluate(profile)[questions.name]


def _difference(base: Outcomes, now: Outcomes) -> tuple[str, int]:
    """Return "+won -lost" of the metric that changes most, and how far its figure moves, in questions."""
    worst = max((_moved(base, now, metric) for metric in METRICS), key=lambda moved: (abs(moved[0] - moved[1]), moved))
    won, lost = worst
    return (f"+{won} -{lost}" if won or lost else "0"), abs(won - lost)


def _moved(base: Outcomes, now: Outcomes, metric: str) -> tuple[int, int]:
    pairs: Sequence[tuple[bool, bool]] = [(row[metric], now[i][metric]) for i, row in base.items() if metric in row]
    return sum(after > before for before, after in pairs), sum(before > after for before, after in pairs)


def allowed(questions: int) -> int:
    """Return by how many questions a figure may move: one in a small set, half a point in a larger one."""
    return 1 if questions < SMALL_SET else max(1, floor(MOST_CHANGED * questions))


if __name__ == "__main__":
    sys.exit(run(main))
