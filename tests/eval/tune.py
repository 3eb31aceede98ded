"""Choose weights on one half of the questions and report what they are worth on the other: `python -m tests.eval.tune`.

Coordinate ascent over a coarse grid: one weight after another takes the value with the best mean of R, Q and D on the
half, until a whole round changes nothing. It starts from the passages level alone and a bare base score; the weights
of the profile serve only to set the unit of each grid. What the tuned weights reach on the half they have not seen is
the honest cost of tuning, and the measure of the profile's round weights.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import mean

from siaa.profile import Profile
from tests.eval.command import parser, profiles, run, say
from tests.eval.documented import RANKING, add_option, measured_on, open_sets, publish
from tests.eval.halves import halves, open_bench
from tests.eval.macros import MACROS, Bench, Scores, macro, macro_difference
from tests.eval.questions import QuestionSet
from tests.eval.report import interval, markdown
from tests.eval.scoring import share

SECTION = "afinado"
_ANCHOR = ("routing", "pasajes")  # its weight stays: only ratios of routing weights matter
_FACTORS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)  # of the profile's weight
_UNITS = {"routing": 0.5, "selection": 4.0}  # in place of a weight that the profile has at 0
_ROUNDS = 4
_LEAST_GAIN = 1e-4  # a hundredth of a point: less is not worth leaving a simpler value


@dataclass(frozen=True, slots=True)
class Weight:
    """One weight of a profile and the values it may take."""

    table: str  # field of the profile
    signal: str
    grid: tuple[float, ...]

    def put(self, profile: Profile, value: float) -> Profile:
        """Return the profile with this weight at `value`."""
        return replace(profile, **{self.table: dict(getattr(profile, self.table)) | {self.signal: value}})

    def of(self, profile: Profile) -> float:
        """Return this weight of a profile."""
        return float(getattr(profile, self.table)[self.signal])


def weights(profile: Profile) -> Iterator[Weight]:
    """Yield every weight of a profile but the anchor."""
    for table, unit in _UNITS.items():
        for signal, value in getattr(profile, table).items():
            if (table, signal) != _ANCHOR:
                yield Weight(table, signal, tuple(round(factor * (value or unit), 4) for factor in _FACTORS))


def bare(profile: Profile) -> Profile:
    """Return the profile with nothing but its passages level."""
    start = profile
    for weight in weights(profile):
        start = weight.put(start, 0.0)
    return start


def tune(bench: Bench, profile: Profile, only: Collection[str], *, label: str) -> Profile:
    """Return the profile whose weights are best on the questions `only`, named `label`."""
    best = replace(bare(profile), name=label)
    value = objective(bench, best, only)
    for turn in range(_ROUNDS):
        before = value
        for weight in weights(profile):
            for other in weight.grid:
                candidate = weight.put(best, other)
                reached = value if other == weight.of(best) else objective(bench, candidate, only)
                if reached > value + _LEAST_GAIN:
                    best, value = candidate, reached
        say(f"{label}, vuelta {turn + 1}: {value:.4f}")
        if value == before:
            break
    return best


def objective(bench: Bench, profile: Profile, only: Collection[str]) -> float:
    """Return the mean of R, Q and D."""
    scores = bench.evaluate(profile, only=only)
    return mean(macro(scores, figure) for figure in MACROS)


def main() -> int:
    """Tune on each half, evaluate on both, and print the tables."""
    made = parser("tests.eval.tune", "Elige pesos en una mitad de las preguntas e informa de la otra.")
    made.add_argument("--perfil", default="calibrado", help="nombre de config/perfiles/ o archivo .toml")
    add_option(made)
    options = made.parse_args()
    (profile,) = profiles([options.perfil])
    sets = open_sets(options)
    bench = open_bench(sets, reuse=options.reusar)
    parts = dict(zip("AB", halves(sets), strict=True))
    tuned = [tune(bench, profile, ids, label=f"afinado en {half}") for half, ids in parts.items()]
    candidates = [profile, *tuned]
    scores = {p.name: {half: bench.evaluate(p, only=ids) for half, ids in parts.items()} for p in candidates}
    text = "\n\n".join(
        (
            measured_on(sets),
            markdown(("pesos", "mitad", *_macro_heads()), _macro_rows(profile.name, scores)),
            "Por conjunto, en la mitad que esos pesos no han visto: `doc@1` / extremo a extremo.",
            markdown(("pesos", "mitad", *(s.name for s in sets)), _set_rows(profile.name, scores, sets)),
            "Los pesos elegidos:",
            markdown(("peso", *(p.name for p in candidates)), _weight_rows(candidates)),
        )
    )
    publish(SECTION, text, document=RANKING if options.documento else None)
    return 0


def _macro_heads() -> Iterator[str]:
    for figure in MACROS:
        yield figure
        yield f"cambio de {figure}"


def _macro_rows(reference: str, scores: dict[str, dict[str, Scores]]) -> Iterator[tuple[str, ...]]:
    for half in "AB":
        for name, found in scores.items():
            cells = [name, half]
            for figure in MACROS:
                change = macro_difference(scores[reference][half], found[half], figure)
                cells += [f"{macro(found[half], figure):.4f}"]
                cells += ["" if name == reference else f"{change.mean:+.4f} {interval(change)}"]
            yield tuple(cells)


def _set_rows(
    reference: str, scores: dict[str, dict[str, Scores]], sets: Sequence[QuestionSet]
) -> Iterator[tuple[str, ...]]:
    for name, found in scores.items():
        for half in "AB":
            if name == reference or not name.endswith(half):
                yield (name, half, *(_pair(found[half], questions.name) for questions in sets))


def _pair(scores: Scores, name: str) -> str:
    first, words = (share(dict(scores[name]), metric) for metric in ("doc@1", "found"))
    return f"{first:.3f} / {words:.3f}" if words is not None else f"{first:.3f}"


def _weight_rows(candidates: Sequence[Profile]) -> Iterator[tuple[str, ...]]:
    names = {"routing": "enrutar", "selection": "fragmento"}
    for weight in weights(candidates[0]):
        values = [weight.of(profile) for profile in candidates]
        if any(values):
            yield (f"`{names[weight.table]}.{weight.signal}`", *(f"{value:g}" for value in values))


if __name__ == "__main__":
    sys.exit(run(main))
