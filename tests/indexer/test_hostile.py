"""A disk that fills, folders that may not be read or written, a clock that goes back: a sentence, and nothing lost."""

from __future__ import annotations

import ctypes
import errno
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path

import pytest

from indexer.build import build
from indexer.history import roll_back
from indexer.publishing import reason_of
from indexer.reporting import Reporter
from siaa.config import Settings
from siaa.generation import current_name, generation_names, open_current
from tests.indexer.conftest import TWO_DOCUMENTS, write_corpus
from tests.indexer.test_command import ROOT, command, environment

_DROP_FROM_BOUNDING_SET = 24  # PR_CAPBSET_DROP
_OVERRIDES = (1, 2)  # CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH: what lets root pass every permission


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a corpus and an index of it, of two generations."""
    folder = tmp_path_factory.mktemp("hostil")
    write_corpus(folder / "corpus", TWO_DOCUMENTS)
    for _ in range(2):
        assert command("--rehacer", env=environment(folder / "corpus", folder / "indice")).returncode == 0
    return folder


@pytest.fixture
def folders(built: Path, tmp_path: Path) -> tuple[Path, Path]:
    """Return a corpus and an index of it that the test may spoil."""
    shutil.copytree(built, tmp_path, dirs_exist_ok=True)
    return tmp_path / "corpus", tmp_path / "indice"


def limited(env: dict[str, str], *arguments: str, prepare: Callable[[], None]) -> subprocess.CompletedProcess[str]:
    """Run the indexer after `prepare`, which runs in its process."""
    return subprocess.run(
        [sys.executable, "-m", "indexer", *arguments],
        cwd=ROOT, env={**env, "PYTHONDONTWRITEBYTECODE": "1"}, capture_output=True, text=True, timeout=300, check=False,
        preexec_fn=prepare,
    )  # fmt: skip


def be_anybody() -> None:
    """Be held to the permissions of files, root or not."""
    for capability in _OVERRIDES:
        ctypes.CDLL(None).prctl(_DROP_FROM_BOUNDING_SET, capability, 0, 0, 0)


# kilobytes that a file may have: the disk is full at another step each time
@pytest.mark.parametrize("kilobytes", [1, 4])
def test_a_full_disk_publishes_nothing_and_leaves_nothing(folders: tuple[Path, Path], kilobytes: int) -> None:
    corpus, index = folders
    before = current_name(index)

    def fill() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1024 * kilobytes, 1024 * kilobytes))

    run = limited(environment(corpus, index), "--rehacer", prepare=fill)
    assert run.returncode == 4
    assert "No se pudo escribir el índice" in run.stderr
    assert "No se publicó nada" in run.stderr
    assert "Traceback" not in run.stderr
    assert current_name(index) == before
    assert not list(index.glob("tmp-*"))
    open_current(index).close()
    assert command("--rehacer", env=environment(corpus, index)).returncode == 0  # heals when there is room again


# folder, its mode -> words of the sentence
FORBIDDEN = [
    ("corpus", 0o000, "No se puede leer la carpeta"),
    ("corpus/normativa", 0o000, "No se puede leer la carpeta"),
    ("indice", 0o555, "faltan permisos"),
    ("indice", 0o000, "No se puede escribir en la carpeta del índice"),
]


@pytest.mark.parametrize(("name", "mode", "words"), FORBIDDEN)
def test_a_folder_that_may_not_be_used_is_named(
    folders: tuple[Path, Path], tmp_path: Path, name: str, mode: int, words: str
) -> None:
    corpus, index = folders
    (tmp_path / name).chmod(mode)
    try:
        run = limited(environment(corpus, index), "--rehacer", prepare=be_anybody)
        if run.returncode == 0:
            pytest.skip("aquí no se puede renunciar a pasar por encima de los permisos")
    finally:
        (tmp_path / name).chmod(0o755)
    assert run.returncode == 4, run.stderr
    assert words in run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize("order", ["rollback", "check"])
def test_no_order_ends_in_a_traceback_on_a_read_only_index(folders: tuple[Path, Path], order: str) -> None:
    corpus, index = folders
    index.chmod(0o555)
    try:
        run = limited(environment(corpus, index), order, prepare=be_anybody)
    finally:
        index.chmod(0o755)
    assert "Traceback" not in run.stderr
    assert run.returncode in (0, 4)


def test_a_missing_corpus_is_named(folders: tuple[Path, Path], tmp_path: Path) -> None:
    run = command(env=environment(tmp_path / "no_existe", folders[1]))
    assert run.returncode == 4
    assert "No existe la carpeta de documentos" in run.stderr
    assert "SIAA_CORPUS_DIR" in run.stderr


def test_a_clock_that_went_back_is_said_and_publishes_all_the_same(folders: tuple[Path, Path]) -> None:
    corpus, index = folders
    settings = Settings(corpus_dir=corpus, index_dir=index)

    class Late(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
            return datetime(2001, 2, 3, tzinfo=UTC)

    said = StringIO()
    result = build(settings, Reporter(said), force=True, clock=Late)
    assert result.published
    assert current_name(index) == result.manifest.name
    assert generation_names(index)[0] == result.manifest.name  # the newest all the same
    assert result.manifest.created.startswith("2001-02-03")
    assert "el reloj del equipo va atrás" in said.getvalue()


# what the system says -> words of the sentence
REASONS = [
    (errno.ENOSPC, "espacio"),
    (errno.EDQUOT, "cuota"),
    (errno.EROFS, "solo lectura"),
    (errno.EACCES, "permisos"),
    (errno.EIO, "disco falla"),
    (None, "espacio y los permisos"),  # numpy gives no number when it writes less than it wanted
]


@pytest.mark.parametrize(("number", "words"), REASONS)
def test_reasons_are_told_in_spanish(number: int | None, words: str) -> None:
    error = OSError(number, os.strerror(number)) if number else OSError("12 requested and 4 written")
    assert words in reason_of(error)


def test_builds_within_one_second_are_named_in_their_order(folders: tuple[Path, Path]) -> None:
    corpus, index = folders
    settings = Settings(corpus_dir=corpus, index_dir=index)

    class Still(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
            return datetime(2031, 2, 3, 4, 5, 59, 700_000, tzinfo=UTC)

    said = StringIO()
    names = []
    for number in range(3):
        (corpus / "nota.md").write_text(f"# Nota\n\nLa nota número {number}.\n", encoding="utf-8")
        names.append(build(settings, Reporter(said), clock=Still).manifest.name)
    assert generation_names(index)[:3] == tuple(reversed(names))
    assert names[2].startswith("gen-20310203T040601Z-")
    assert "reloj" not in said.getvalue()


def test_a_clock_that_was_ahead_leaves_a_way_back(folders: tuple[Path, Path]) -> None:
    corpus, index = folders
    settings = Settings(corpus_dir=corpus, index_dir=index)

    class Ahead(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
            return datetime(2099, 1, 1, tzinfo=UTC)

    names = []
    for number, clock in enumerate((Ahead, datetime, datetime, datetime)):
        (corpus / "nota.md").write_text(f"# Nota\n\nLa nota número {number}.\n", encoding="utf-8")
        names.append(build(settings, Reporter(StringIO()), clock=clock).manifest.name)
    assert generation_names(index) == tuple(reversed(names[1:]))
    assert roll_back(index) == names[-2]


def test_a_generation_that_cannot_be_pointed_to_is_not_left_behind(folders: tuple[Path, Path]) -> None:
    corpus, index = folders
    before = generation_names(index)
    (index / "CURRENT").unlink()
    (index / "CURRENT" / "algo").mkdir(parents=True)
    run = command("--rehacer", env=environment(corpus, index))
    assert run.returncode == 4, run.stderr
    assert generation_names(index) == before
    assert not list(index.glob("tmp-*"))
