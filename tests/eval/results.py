"""Keep the outcomes of an evaluation: by question, as ids and marks only, never the text of a question.

A question's marks are one character per metric, in the order of `metrics`: 1 met, 0 not met, - does not apply.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.eval.bootstrap import Change, paired_change
from tests.eval.scoring import METRICS, Outcomes, share, values

RESULTS = Path(__file__).parent / "results.json"
_MET, _MISSED, _ABSENT = "1", "0", "-"


@dataclass(frozen=True, slots=True)
class Difference:
    """One metric of one set, now and before; `won` and `lost` are ids. Without an earlier figure, `change` is None."""

    set_name: str
    metric: str
    questions: int
    now: float
    before: float | None
    change: Change | None
    won: tuple[str, ...]
    lost: tuple[str, ...]


def compare(set_name: str, now: Outcomes, before: Outcomes | None) -> Iterator[Difference]:
    """Yield each metric that applies to the set, over the questions that both times were asked."""
    for metric in METRICS:
        current = values(now, metric)
        if not current:
            continue
        earlier = values(before or {}, metric)
        both = [identifier for identifier in current if identifier in earlier]
        yield Difference(
            set_name=set_name,
            metric=metric,
            questions=len(current),
            now=sum(current.values()) / len(current),
            before=share(before or {}, metric),
            change=paired_change([earlier[i] for i in both], [current[i] for i in both]) if both else None,
            won=tuple(i for i in both if current[i] and not earlier[i]),
            lost=tuple(i for i in both if earlier[i] and not current[i]),
        )


def read_results(path: Path = RESULTS) -> dict[str, Outcomes]:
    """Return the kept outcomes by set, none when nothing was kept yet."""
    if not path.exists():
        return {}
    data = json.loads(path.read_text(encoding="utf-8"))
    return {name: _unpack(kept["outcomes"], data["metrics"]) for name, kept in data["sets"].items()}


def write_results(outcomes: Mapping[str, Outcomes], path: Path = RESULTS) -> None:
    """Keep `outcomes`; sets that were not asked this time stay as they were. One line per question: a diff shows it."""
    kept = read_results(path) | dict(outcomes)
    data = {
        "metrics": list(METRICS),
        "sets": {
            name: {"totals": _totals(found), "outcomes": {i: _pack(found[i]) for i in sorted(found)}}
            for name, found in sorted(kept.items())
        },
    }
    path.write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _totals(outcomes: Outcomes) -> dict[str, float]:
    shares = {metric: share(outcomes, metric) for metric in METRICS}
    return {metric: round(value, 4) for metric, value in shares.items() if value is not None}


def _pack(row: Mapping[str, bool]) -> str:
    return "".join((_MET if row[metric] else _MISSED) if metric in row else _ABSENT for metric in METRICS)


def _unpack(kept: Mapping[str, str], metrics: Sequence[str]) -> Outcomes:
    return {
        identifier: {metric: mark == _MET for metric, mark in zip(metrics, marks, strict=True) if mark != _ABSENT}
        for identifier, marks in kept.items()
    }
