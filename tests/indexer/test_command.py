"""`python -m indexer` as schedules call it: exit codes, words on the terminal, and a build killed at any moment."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from indexer import publishing
from siaa.generation import current_name, open_current
from tests.indexer.conftest import TWO_DOCUMENTS, write_corpus

ROOT = Path(__file__).resolve().parents[2]
MOMENTS = 10  # moments at which a build is killed


def environment(corpus: Path, index: Path, **more: str) -> dict[str, str]:
    """Return this environment with only these SIAA_* variables."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SIAA_")}
    return {**kept, "PYTHONUTF8": "1", "SIAA_CORPUS_DIR": str(corpus), "SIAA_INDEX_DIR": str(index), **more}


def command(*arguments: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run the indexer."""
    return subprocess.run(
        [sys.executable, "-m", "indexer", *arguments],
        cwd=ROOT, env=env, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """Return a corpus folder with two documents and an index folder that does not exist yet."""
    write_corpus(tmp_path / "corpus", TWO_DOCUMENTS)
    return tmp_path / "corpus", tmp_path / "indice"


def test_exit_codes_and_words(folders: tuple[Path, Path], tmp_path: Path) -> None:
    corpus, index = folders
    first = command(env=environment(corpus, index))
    assert first.returncode == 0, first.stderr
    assert "publicada" in first.stderr
    assert "2 documentos" in first.stderr
    assert "solo las tablas de lengua" in first.stderr  # a foreign corpus, and the build says so

    again = command("--detalle", env=environment(corpus, index))
    assert again.returncode == 0
    assert "ya estaba al día" in again.stderr
    assert "normativa/guia_reparto.md" in again.stderr  # each file is reported

    assert command("--no-existe", env=environment(corpus, index)).returncode == 2
    wrong = command(env=environment(corpus, index, SIAA_PORT="no"))
    assert wrong.returncode == 2
    assert "SIAA_PORT" in wrong.stderr

    nothing = command(env=environment(tmp_path / "no_esta", index))
    assert nothing.returncode == 4
    assert "sigue como estaba" in nothing.stderr

    with publishing.build_lock(index):
        locked = command(env=environment(corpus, index))
    assert locked.returncode == 5
    assert "en curso" in locked.stderr


def test_killed_build_leaves_the_old_generation_and_heals(folders: tuple[Path, Path]) -> None:
    """Kill -9 at ten moments spread over a build: the published generation stays whole, the next build succeeds."""
    corpus, index = folders
    env = environment(corpus, index)
    started = time.perf_counter()
    assert command(env=env).returncode == 0
    lasts = time.perf_counter() - started
    killed = 0
    for moment in range(MOMENTS):
        before = current_name(index)
        write_corpus(corpus, {"nota.md": f"# Nota {moment}\n\nTexto de la nota número {moment}.\n"})
        builder = subprocess.Popen(
            [sys.executable, "-m", "indexer"], cwd=ROOT, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(lasts * (moment + 1) / (MOMENTS + 1))
        builder.send_signal(signal.SIGKILL)
        killed += builder.wait() == -signal.SIGKILL
        generation = open_current(index)  # verifies every digest
        # Either the old one, or the new one whole: publishing is a single rename.
        assert generation.name == before or f"Nota {moment}" in {d.title for d in generation.documents}
    assert killed >= MOMENTS // 2, "the builds ended before they could be killed"
    healed = command(env=env)
    assert healed.returncode == 0, healed.stderr
    assert f"Nota {MOMENTS - 1}" in {document.title for document in open_current(index).documents}
    assert not list(index.glob("tmp-*"))
