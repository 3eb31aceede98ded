"""The service keeps to its own description: schemathesis over /openapi.json, with every check that it has."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.http.conftest import ROOT, environment, running
from tests.soak.scale import LONG, scaled

EXAMPLES = scaled(short=8, long=120)  # per operation, besides those of the phase "coverage" that tries every limit
PHASES = scaled(short="fuzzing", long="examples,coverage,fuzzing,stateful")
CASES = scaled(short=90, long=2000)


def test_every_answer_is_as_described(sample_index: Path, tmp_path: Path) -> None:
    variables = {"SIAA_INDEX_DIR": str(sample_index), "SIAA_DATA_DIR": str(tmp_path), "SIAA_LLM": "ninguno"}
    with running(**variables) as client:
        command = [sys.executable, "-m", "schemathesis.cli", "--config-file"]
        command += [str(ROOT / "tests" / "soak" / "schemathesis.toml")]
        command += ["run", f"http://{client.host}:{client.port}/openapi.json", "--checks", "all", "--no-color"]
        command += ["--phases", PHASES, "--max-examples", str(EXAMPLES), "--max-response-time", "5"]
        command += ["--generation-database", "none", "--continue-on-failure"]
        command += ["--seed", "6"] if not LONG else []
        run = subprocess.run(
            command,
            cwd=tmp_path,
            env=environment(),
            capture_output=True,
            text=True,
            timeout=1800,
            check=False,
        )
    assert run.returncode == 0, run.stdout[-6000:] + run.stderr[-2000:]
    generated = re.search(r"(\d[\d,]*) generated", run.stdout)
    assert generated, run.stdout[-2000:]
    count = int(generated[1].replace(",", ""))
    print(f"\n{count} casos")
    assert count >= CASES
