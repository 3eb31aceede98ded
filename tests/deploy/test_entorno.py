"""What `scripts/entorno.sh` does about the model of meaning, which must never keep anybody from working."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.deploy.files import ROOT

Run = Callable[..., subprocess.CompletedProcess[str]]

# Plays Python and pip: it tells a version, writes down what it is asked to install, and fails for what FALLA names.
PYTHON = """#!/bin/sh
case "$*" in
    *version_info*) echo 311 ;;
    *pip*) echo "$*" >> "$REGISTRO"
        case "$*" in *"${FALLA:-nada que falle}"*) exit 1 ;; esac ;;
esac
"""
UNAME = '#!/bin/sh\n[ "$1" = -s ] && echo "$SISTEMA" || echo "$MAQUINA"\n'
NO_MODEL = "No hay modelo de significado para este equipo (Linux aarch64): se busca solo por palabras.\n"


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Return how to prepare an environment in which everything is played; it returns what was installed as stdout."""
    project, log = tmp_path / "proyecto", tmp_path / "registro"
    (project / "scripts").mkdir(parents=True)
    shutil.copy(ROOT / "scripts" / "entorno.sh", project / "scripts")
    for path in ROOT.glob("requirements*.txt"):
        shutil.copy(path, project)
    for path, text in {project / ".venv/bin/python": PYTHON, tmp_path / "bin/uname": UNAME}.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
    (project / ".venv/bin/pip").touch()

    def prepare(system: str = "Linux", machine: str = "x86_64", **variables: str) -> subprocess.CompletedProcess[str]:
        log.write_text("", encoding="utf-8")
        known = {name: value for name, value in os.environ.items() if not name.startswith(("SIAA_", "PYTHON"))}
        played = {"PATH": f"{tmp_path}/bin:{os.environ['PATH']}", "REGISTRO": str(log)}
        result = subprocess.run(
            ["sh", "scripts/entorno.sh", "ejecucion"],
            cwd=project,
            env={**known, **played, "SISTEMA": system, "MAQUINA": machine, **variables},
            capture_output=True,
            text=True,
        )
        result.stdout = log.read_text(encoding="utf-8")
        return result

    return prepare


@pytest.mark.parametrize(("system", "machine"), [("Linux", "x86_64"), ("Darwin", "arm64")])
def test_it_is_installed_once_where_there_is_one(run: Run, system: str, machine: str) -> None:
    first = run(system, machine)
    assert first.returncode == 0, first.stderr
    (asked,) = [line for line in first.stdout.splitlines() if "requirements-meaning.txt" in line]
    for option in ("--no-deps", "--only-binary :all:", "--require-hashes"):
        assert option in asked
    second = run(system, machine)
    assert (second.returncode, second.stdout, second.stderr) == (0, "", "")


@pytest.mark.parametrize("value", ["no", "http://127.0.0.1:8080"])
def test_it_is_not_installed_when_it_is_not_wanted(run: Run, value: str) -> None:
    assert "requirements-meaning.txt" not in run(SIAA_SIGNIFICADO=value).stdout
    assert "requirements-meaning.txt" in run().stdout  # and is when it is wanted after all


def test_elsewhere_it_is_said_once(run: Run) -> None:
    first = run("Linux", "aarch64")
    assert first.returncode == 0
    assert first.stderr.endswith(NO_MODEL)
    assert "requirements-meaning.txt" not in first.stdout
    assert run("Linux", "aarch64").stderr == ""


def test_a_failure_is_said_and_stops_nothing(run: Run, tmp_path: Path) -> None:
    first = run(FALLA="requirements-meaning.txt")
    assert first.returncode == 0
    assert "El modelo de significado no se pudo instalar; sin él se busca solo por palabras." in first.stderr
    assert run().stdout == ""  # not tried again at each call ...
    (mark,) = (tmp_path / "proyecto/.venv").glob(".siaa-significado-*")
    os.utime(mark, (time.time() - 2 * 86_400,) * 2)
    assert "requirements-meaning.txt" in run().stdout  # ... but on another day
    assert run().stdout == ""


def test_the_pinned_package_is_the_one_of_the_code() -> None:
    from siaa.meaning.embedded import PACKAGE

    lines = [line for line in (ROOT / "requirements-meaning.txt").read_text().splitlines() if line[:1] not in ("#", "")]
    assert lines[0].startswith(f"{PACKAGE}==")
    assert all("--hash=sha256:" in line for line in lines[1:])
