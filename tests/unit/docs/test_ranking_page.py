"""docs/ranking.md gives every level and signal with the weights that the profiles have."""

from __future__ import annotations

import re

import pytest

from siaa.config import PROJECT_DIR
from siaa.profile import Profile, read_profile
from siaa.routing import ROUTING_LEVELS
from siaa.selection import SIGNALS
from tests.eval.documented import replaced
from tests.eval.serving import EvaluationError

PAGE = (PROJECT_DIR / "docs" / "ranking.md").read_text(encoding="utf-8")
CLASSIC, CALIBRATED = (
    read_profile(PROJECT_DIR / "config" / "perfiles" / f"{n}.toml") for n in ("clasico", "calibrado")
)
LEVELS, POINTS = PAGE.split("## Señales que eligen pasajes")[0], PAGE.split("## Señales que eligen pasajes")[1]


def weights_in(text: str, signal: str) -> list[float]:
    """Return the last two cells of the row of a signal: clasico, calibrado."""
    row = re.search(rf"^\| `{signal}` .*$", text, re.MULTILINE)
    assert row, f"ninguna fila empieza por {signal}"
    return [float(cell) for cell in row[0].strip("| ").split("|")[-2:]]


@pytest.mark.parametrize("signal", [level.signal for level in ROUTING_LEVELS])
def test_levels_have_the_weights_of_the_profiles(signal: str) -> None:
    assert weights_in(LEVELS, signal) == [profile.routing[signal] for profile in (CLASSIC, CALIBRATED)]


@pytest.mark.parametrize("signal", sorted(SIGNALS))
def test_signals_have_the_weights_of_the_profiles(signal: str) -> None:
    profiles: tuple[Profile, Profile] = (CLASSIC, CALIBRATED)
    assert weights_in(POINTS, signal) == [profile.selection[signal] for profile in profiles]


def test_a_section_is_replaced_between_its_marks_only() -> None:
    old = "a\n<!-- inicio: x -->\nviejo\n<!-- fin: x -->\nb\n"
    assert replaced(old, "x", "nuevo\n") == "a\n<!-- inicio: x -->\nnuevo\n<!-- fin: x -->\nb\n"
    with pytest.raises(EvaluationError):
        replaced(old, "y", "nuevo")
