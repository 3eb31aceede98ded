"""What Prometheus itself says of the alarms and the dashboard: `make test-deploy`, where promtool is installed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.deploy.files import DEPLOY
from tests.deploy.queries import dashboard_queries
from tests.deploy.tools import run

PROMTOOL = shutil.which("promtool") or ""
pytestmark = pytest.mark.skipif(
    not PROMTOOL, reason="falta promtool: apt-get install --no-install-recommends prometheus"
)

ALARMS = DEPLOY / "prometheus" / "alertas.yml"
CASES = Path(__file__).parent / "alarmas_prueba.yml"


def test_the_alarms_are_well_formed() -> None:
    found = run(PROMTOOL, "check", "rules", ALARMS)
    assert found.returncode == 0, found.stdout


def test_the_alarms_ring_when_they_should(tmp_path: Path) -> None:
    shutil.copy(ALARMS, tmp_path)
    shutil.copy(CASES, tmp_path)
    found = run(PROMTOOL, "test", "rules", tmp_path / CASES.name)
    assert found.returncode == 0, found.stdout


def test_the_queries_of_the_dashboard_are_well_formed(tmp_path: Path) -> None:
    recorded = [{"record": f"panel_{number}", "expr": query} for number, query in enumerate(dashboard_queries())]
    # JSON is YAML as well.
    (tmp_path / "paneles.yml").write_text(json.dumps({"groups": [{"name": "paneles", "rules": recorded}]}))
    found = run(PROMTOOL, "check", "rules", tmp_path / "paneles.yml")
    assert found.returncode == 0, found.stdout
