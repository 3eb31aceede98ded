"""Index and serve question sets as operators do, with `python -m indexer` and `python -m service`."""

from __future__ import annotations

import hashlib
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from siaa.config import OWN_CORPUS_DIR, PROJECT_DIR
from siaa.generation import Generation, current_name, open_current
from tests.eval.questions import QuestionSet

SCORER = "score.py"
_INDEX_SECONDS, _STOP_SECONDS = 1800, 30
_READY = "SIAA atiende en"


class EvaluationError(RuntimeError):
    """Something that a measurement needs did not work; the text says what, in Spanish."""


@dataclass(frozen=True, slots=True)
class Official:
    """What the shared scorer said: its figures, and the first errors when `failed`."""

    figures: dict[str, Any] = field(default_factory=dict)
    failed: bool = False
    said: str = ""


def workplace() -> Path:
    """Return the temporary folder of this checkout's indexes: the indexer itself tells whether one is up to date."""
    mark = hashlib.sha256(str(PROJECT_DIR).encode()).hexdigest()[:8]
    folder = Path(tempfile.gettempdir()) / f"siaa-eval-{mark}"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def index_set(questions: QuestionSet, *, reuse: bool = False) -> Path:
    """Bring a set's index up to date and return its folder; with `reuse`, take one of older code or tuning as it is.

    Raises EvaluationError with the last lines of the indexer.
    """
    folder = workplace() / questions.name
    if reuse and current_name(folder) is not None:
        return folder
    run = subprocess.run(
        [sys.executable, "-m", "indexer", "--forzar", "--motivo", "medición"],
        cwd=PROJECT_DIR,
        env=_environment(questions, folder),
        capture_output=True,
        text=True,
        timeout=_INDEX_SECONDS,
        check=False,
    )
    if run.returncode:
        raise EvaluationError(f"El conjunto {questions.name} no se pudo indexar:\n{run.stderr[-2000:]}")
    return folder


def open_set(questions: QuestionSet, *, reuse: bool = False) -> Generation:
    """Index a set and open its generation in this process."""
    return open_current(index_set(questions, reuse=reuse))


@contextmanager
def served(questions: QuestionSet, folder: Path, *, profile: str) -> Iterator[str]:
    """Serve a set's index on a free port until the block ends; give the address.

    Raises EvaluationError when it does not start.
    """
    port = _free_port()
    with tempfile.TemporaryFile("w+", encoding="utf-8") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "service"],
            cwd=PROJECT_DIR,
            env=_environment(questions, folder, SIAA_PORT=str(port), SIAA_PERFIL=profile, SIAA_LLM="ninguno"),
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        try:
            first = process.stdout.readline() if process.stdout else ""
            if _READY not in first:
                log.seek(0)
                raise EvaluationError(f"El servicio no arrancó con {questions.name}:\n{first}{log.read()[-2000:]}")
            yield f"http://127.0.0.1:{port}"
        finally:
            _stop(process)


def official_score(questions: QuestionSet, url: str, scorer: Path) -> Official:
    """Run the shared scorer against a running service. Its misses stay in `workplace()`."""
    misses, figures = (workplace() / f"{questions.name}.{kind}" for kind in ("misses.jsonl", "score.json"))
    figures.unlink(missing_ok=True)
    command = [sys.executable, str(scorer), "--url", url, "--set", str(questions.folder)]
    command += ["--docs", str(questions.documents), "--misses", str(misses), "--json", str(figures)]
    run = subprocess.run(
        command, env={**os.environ, "PYTHONUTF8": "1"}, capture_output=True, text=True, encoding="utf-8", check=False
    )
    found = json.loads(figures.read_text(encoding="utf-8")) if figures.exists() else {}
    return Official(found, failed=run.returncode != 0, said=run.stderr[-1000:].strip())


def _environment(questions: QuestionSet, folder: Path, **variables: str) -> dict[str, str]:
    """Return this process's environment with none of its SIAA_* variables: a figure must not depend on the shell."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SIAA_")}
    corpus = {} if questions.documents == OWN_CORPUS_DIR else {"SIAA_CORPUS_DIR": str(questions.documents.resolve())}
    return {**kept, "PYTHONUTF8": "1", "SIAA_INDEX_DIR": str(folder), **corpus, **variables}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _stop(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.communicate(timeout=_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
