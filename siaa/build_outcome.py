"""Note how the last build ended, beside the generations, so that the service can say that one failed.

A nightly build that fails leaves everything as it was; without this note nobody would know.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

OUTCOME_FILE = "ultima_construccion.json"


@dataclass(frozen=True, slots=True)
class BuildOutcome:
    """How the last build ended: when (UTC, ISO 8601), its exit code, and why it published nothing, in Spanish."""

    when: str
    code: int
    why: str

    def to_json(self) -> dict[str, str | int]:
        """Return the outcome in the words of the file and of the contract."""
        return {"cuando": self.when, "codigo": self.code, "motivo": self.why}


def note_outcome(index_dir: Path, *, code: int, why: str, when: datetime) -> None:
    """Write the outcome, replacing the one before; a folder that cannot be written is not made worse by it."""
    outcome = BuildOutcome(when.isoformat(timespec="seconds"), code, why)
    pending = index_dir / f"tmp-{OUTCOME_FILE}"
    try:
        pending.write_text(json.dumps(outcome.to_json(), ensure_ascii=False), encoding="utf-8")
        os.replace(pending, index_dir / OUTCOME_FILE)
    except OSError:
        return  # the exit code and the terminal have said it


def failed_build(index_dir: Path) -> BuildOutcome | None:
    """Return the outcome of the last build when it failed, None when it went well or nothing is known."""
    try:
        data = json.loads((index_dir / OUTCOME_FILE).read_text(encoding="utf-8"))
        outcome = BuildOutcome(str(data["cuando"]), int(data["codigo"]), str(data["motivo"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return outcome if outcome.code else None
