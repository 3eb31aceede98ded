"""Say what each signal is worth: `python -m tests.eval.ablate`, which is `make eval-ablate`, remakes the table.

Each routing level and each selection signal of a profile is set to 0 in turn; named variants are changes written
`name:enrutar.pasajes=1.5,fragmento.lista=4,base=tfidf,destaca=0.35`. A Markdown table goes to standard output, and with
`--documento` into docs/ranking.md.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace

from siaa.errors import ConfigError
from siaa.profile import Profile
from tests.eval.command import parser, profiles, run, say
from tests.eval.documented import RANKING, add_option, measured_on, open_sets, publish
from tests.eval.halves import halves, open_bench
from tests.eval.macros import MACROS, Scores, macro, macro_difference
from tests.eval.report import interval, markdown

SECTION = "ablacion"
_TABLES = {"enrutar": "routing", "fragmento": "selection"}  # table of the file -> field of the profile


def main() -> int:
    """Print the change of R, Q and D for each variant of a profile."""
    made = parser("tests.eval.ablate", "Mide qué aporta cada señal de un perfil, quitándola.")
    made.add_argument("--perfil", default="calibrado", help="nombre de config/perfiles/ o archivo .toml")
    made.add_argument(
        "--variante", action="append", default=[], metavar="NOMBRE:CAMBIOS", help="por ejemplo, x:enrutar.alias=0.5"
    )
    made.add_argument("--solo-variantes", action="store_true", help="no quitar señales, solo medir las variantes")
    made.add_argument("--mitad", choices=("A", "B"), help="solo esa mitad de cada conjunto (tests.eval.halves)")
    add_option(made)
    options = made.parse_args()
    (profile,) = profiles([options.perfil])
    changed = [] if options.solo_variantes else list(without_each(profile))
    changed += [variant(profile, written) for written in options.variante]
    sets = open_sets(options)
    bench = open_bench(sets, reuse=options.reusar)
    only = dict(zip(("A", "B"), halves(bench.sets), strict=True)).get(options.mitad)
    say(f"perfil {profile.name} ...")
    base = bench.evaluate(profile)
    rows = [(profile.name, *(f"{macro(base, figure, only=only):.4f}" for figure in MACROS))]
    for other in changed:
        say(f"{other.name} ...")
        rows.append((other.name, *_cells(base, bench.evaluate(other), only)))
    heads = ("variante", *(f"{figure}" for figure in MACROS))
    told = "Cambios como proporción (0,01 = 1 punto) con su intervalo del 95 %; * si deja fuera el cero."
    text = f"{measured_on(sets)} {told}\n\n{markdown(heads, rows)}"
    publish(SECTION, text, document=RANKING if options.documento else None)
    return 0


def without_each(profile: Profile) -> Iterator[Profile]:
    """Yield the profile without each of its signals that weigh something, named `sin enrutar.alias (0.4)`."""
    for table, field in _TABLES.items():
        weights = getattr(profile, field)
        for signal, weight in weights.items():
            if weight:
                without = dict(weights) | {signal: 0.0}
                yield replace(profile, name=f"sin `{table}.{signal}` ({weight:g})", **{field: without})


def variant(profile: Profile, written: str) -> Profile:
    """Return a changed profile: variant(p, "corto:fragmento.lista=4,base=tfidf").

    Raises ConfigError naming what cannot be changed.
    """
    name, _, changes = written.partition(":")
    changed = replace(profile, name=f"`{name}`")
    for change in filter(None, changes.split(",")):
        changed = _changed(changed, *_parts(change))
    return changed


def _parts(change: str) -> tuple[str, str]:
    key, equals, value = change.strip().partition("=")
    if not equals:
        raise ConfigError(f"El cambio «{change}» no es de la forma clave=valor.")
    return key, value


def _changed(profile: Profile, key: str, value: str) -> Profile:
    if key == "base":
        return replace(profile, base=value)
    try:
        number = float(value)
    except ValueError as error:
        raise ConfigError(f"En el cambio de «{key}», «{value}» no es un número.") from error
    if key == "destaca":
        return replace(profile, standout=number)
    table, _, signal = key.partition(".")
    known = getattr(profile, _TABLES[table]) if table in _TABLES else {}
    if signal not in known:
        raise ConfigError(f"El perfil no tiene «{key}»; tiene {', '.join(_keys(profile))}.")
    return replace(profile, **{_TABLES[table]: dict(known) | {signal: number}})


def _keys(profile: Profile) -> Iterable[str]:
    signals = (f"{table}.{signal}" for table, field in _TABLES.items() for signal in getattr(profile, field))
    return ("base", "destaca", *signals)


def _cells(base: Scores, now: Scores, only: frozenset[str] | None) -> Iterator[str]:
    for figure in MACROS:
        change = macro_difference(base, now, figure, only=only)
        yield f"{change.mean:+.4f} {interval(change)}" if change.mean or change.low or change.high else "0"


if __name__ == "__main__":
    sys.exit(run(main))
