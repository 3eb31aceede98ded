"""Decide whether a finished generation may go live: it must not answer the operators' questions worse than before."""

from __future__ import annotations

import getpass
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from indexer.golden import GoldenSet, Outcome
from siaa.errors import SiaaError
from siaa.language import GOLDEN_QUESTIONS

AUDIT = "auditoria.jsonl"  # who published against the gate, when and why; one JSON object per line


@dataclass(frozen=True, slots=True)
class Change:
    """A question whose outcome differs between the published generation and the candidate."""

    id: str
    text: str
    critical: bool
    before: str
    after: str
    turned_red: bool


@dataclass(frozen=True, slots=True)
class Ruling:
    """What the gate says: reasons not to publish (none: it may), every change, and the questions that are red."""

    reasons: tuple[str, ...]
    changes: tuple[Change, ...]
    red: tuple[Outcome, ...]
    asked: int

    @property
    def green(self) -> int:
        """Return how many questions are answered as demanded."""
        return self.asked - len(self.red)

    @property
    def passes(self) -> bool:
        """Tell whether the candidate may be published."""
        return not self.reasons


class StoppedByGateError(SiaaError):
    """The gate says that the finished generation must not go live; `ruling` says why."""

    code = "detenido_por_preguntas"

    def __init__(self, ruling: Ruling) -> None:
        super().__init__("La generación nueva no se publica: " + "; ".join(ruling.reasons) + ".")
        self.ruling = ruling


def judge_candidate(golden: GoldenSet, candidate: Sequence[Outcome], published: Sequence[Outcome] | None) -> Ruling:
    """Compare the outcomes of the candidate with those of the published generation, None when there is none.

    Reasons not to publish: a critical question that turned red, or is red where nothing was published yet; a question
    of the published generation that is asked no more; a share of green that fell by more than the golden set allows.
    """
    before = {outcome.question.id: outcome for outcome in published or ()}
    after = {outcome.question.id: outcome for outcome in candidate}
    reasons = [
        f"la pregunta crítica {outcome.question.told} ya no se responde bien: {outcome.found}"
        for outcome in candidate
        if outcome.question.critical and not outcome.green and _was_green(before, outcome)
    ]
    reasons += _missing([old for name, old in before.items() if name not in after], every=not after)
    fall = _share(published or ()) - _share(candidate)
    if published and fall > golden.allowed_drop:
        reasons.append(f"las preguntas en verde bajan del {_share(published):.0%} al {_share(candidate):.0%}")
    changes = [
        Change(
            name, new.question.text, new.question.critical, _describe(before.get(name)), _describe(new), not new.green
        )
        for name, new in after.items()
        if published is not None and (name not in before or before[name].green != new.green)
    ]
    red = tuple(outcome for outcome in candidate if not outcome.green)
    return Ruling(tuple(reasons), tuple(changes), red, len(candidate))


def _missing(gone: Sequence[Outcome], *, every: bool) -> list[str]:
    """Say which questions of the published generation are asked no more; one sentence when none is asked at all."""
    if gone and every:
        return [
            f"no se hace ninguna pregunta de control, y la publicada tenía {len(gone)}: devuelva {GOLDEN_QUESTIONS} "
            'a la carpeta de ajustes o, si lo quitó a propósito, publique con --forzar --motivo "por qué"'
        ]
    return [
        f"falta la pregunta de control {old.question.told}, que la publicada tenía: ninguna puede "
        f"faltar. Devuélvala a {GOLDEN_QUESTIONS}{_with_its_id(old)} o, si la quitó a propósito, publique con "
        '--forzar --motivo "por qué"'
        for old in gone
    ]


def _with_its_id(outcome: Outcome) -> str:
    question = outcome.question
    return " con el mismo texto, que sin id es su nombre" if question.id == question.text else " con el mismo id"


def _was_green(before: dict[str, Outcome], outcome: Outcome) -> bool:
    """Tell whether a red question counts as turned red: it was green, or was never asked."""
    old = before.get(outcome.question.id)
    return old is None or old.green


def _share(outcomes: Sequence[Outcome]) -> float:
    return sum(outcome.green for outcome in outcomes) / len(outcomes) if outcomes else 0.0


def _describe(outcome: Outcome | None) -> str:
    if outcome is None:
        return "no se hacía"
    return f"{'verde' if outcome.green else 'rojo'} ({outcome.found})"


def write_audit(index_dir: Path, *, generation: str, motive: str, ruling: Ruling, when: datetime) -> None:
    """Append who published against the gate, when, why, and what the gate had said."""
    entry = {
        "cuando": when.isoformat(timespec="seconds"),
        "quien": _who(),
        "motivo": motive,
        "generacion": generation,
        "razones": list(ruling.reasons),
    }
    with (index_dir / AUDIT).open("a", encoding="utf-8") as file:
        file.write(json.dumps(entry, ensure_ascii=False) + "\n")
        file.flush()
        os.fsync(file.fileno())


def _who() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"uid {os.getuid()}" if hasattr(os, "getuid") else "desconocido"
