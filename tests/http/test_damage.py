"""A damaged index gives no wrong answer: what is whole stands in for it, and the service says why.

The process tests cut a file that is mapped, which kills whoever reads beyond its end: the worker is replaced, and the
one that follows falls back.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from siaa.config import Settings
from siaa.errors import GenerationError
from siaa.generation import ARRAYS, CURRENT, TEXTS, current_name, generation_names
from siaa.published.index_guard import IndexGuard
from siaa.published.index_holder import IndexHolder, opener_for
from tests.http.client import Client
from tests.http.conftest import running

ANSWERING_SECONDS = 30
QUESTION = "¿Quiénes son los funcionarios responsables de reportar?"


@pytest.fixture
def two_generations(sample_index: Path, tmp_path: Path) -> Path:
    """Return an index folder with the sample's generation and an older copy of it."""
    folder = tmp_path / "indice"
    shutil.copytree(sample_index, folder)
    (name,) = generation_names(folder)
    older = folder / "gen-20200101T000000Z-00000000"
    shutil.copytree(folder / name, older)
    manifest = older / "manifest.json"
    manifest.write_text(manifest.read_text(encoding="utf-8").replace(name, older.name), encoding="utf-8")
    return folder


@pytest.fixture
def holder(two_generations: Path) -> Iterator[IndexHolder]:
    found = IndexHolder(two_generations, opener=opener_for(Settings(index_dir=two_generations, llm="ninguno")))
    yield found
    found.close()


def cut(path: Path) -> None:
    """Cut a file to half, as a disk that fills or a copy that breaks does."""
    os.truncate(path, path.stat().st_size // 2)


def flip(path: Path) -> None:
    """Change one byte, and leave size and times as they were: only a digest can tell."""
    before = path.stat()
    with path.open("r+b") as file:
        file.seek(before.st_size // 2)
        byte = file.read(1)[0]
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte ^ 0x10]))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def published(folder: Path) -> Path:
    return folder / str(current_name(folder))


# what happens to the published generation before the start
DAMAGES: list[tuple[str, Callable[[Path], object]]] = [
    ("recortado", lambda folder: cut(folder / TEXTS)),
    ("alterado", lambda folder: flip(folder / TEXTS)),
    ("sin_un_archivo", lambda folder: (folder / TEXTS).unlink()),
    ("sin_manifiesto", lambda folder: (folder / "manifest.json").unlink()),
    ("manifiesto_a_medias", lambda folder: cut(folder / "manifest.json")),
    ("sin_carpeta", lambda folder: shutil.rmtree(folder)),
]


@pytest.mark.parametrize("damage", [made for _, made in DAMAGES], ids=[name for name, _ in DAMAGES])
def test_a_damaged_generation_is_refused_at_the_start(
    two_generations: Path, holder: IndexHolder, damage: Callable[[Path], object]
) -> None:
    name = published(two_generations).name
    damage(published(two_generations))
    with holder.lease() as retriever:
        assert retriever.generation.name != name
    assert "make index" in (holder.problem or "")
    assert "Mientras tanto" in (holder.problem or "")


def test_a_lost_current_is_stood_in_for(two_generations: Path, holder: IndexHolder) -> None:
    name = published(two_generations).name
    (two_generations / CURRENT).write_text("../../etc", encoding="ascii")
    with holder.lease() as retriever:
        assert retriever.generation.name == name
    assert "CURRENT" in (holder.problem or "")


def test_the_guard_sees_a_file_that_changes_at_once_and_one_that_decays_in_time(
    two_generations: Path, holder: IndexHolder
) -> None:
    now = 0.0
    guard = IndexGuard(holder, every=3600, clock=lambda: now)
    first, second = generation_names(two_generations)
    guard.look()  # nothing is served yet, and looking for it is not the guard's business
    with holder.lease():
        pass
    guard.look()
    guard.look()
    assert holder.problem is None
    cut(two_generations / first / "tuning" / "sinonimos.toml")
    guard.look()
    with holder.lease() as retriever:
        assert retriever.generation.name == second
    assert first in (holder.problem or "")
    guard.look()
    flip(two_generations / second / TEXTS)
    guard.look()
    with holder.lease():  # nothing to see from outside
        pass
    now += 3601
    guard.look()
    with pytest.raises(GenerationError, match="dañado"), holder.lease():
        pass
    guard.look()  # with nothing to watch


def test_a_guard_that_is_off_does_not_start(holder: IndexHolder) -> None:
    guard = IndexGuard(holder, every=0)
    guard.start()
    guard.close()
    assert guard._thread is None


def test_a_guard_watches_in_its_own_thread(two_generations: Path, holder: IndexHolder) -> None:
    guard = IndexGuard(holder, every=3600, look=0.05)
    guard.start()
    try:
        with holder.lease() as retriever:
            name = retriever.generation.name
        time.sleep(0.3)
        cut(two_generations / name / TEXTS)
        assert _wait(lambda: holder.problem is not None)
    finally:
        guard.close()


def test_the_service_starts_with_another_generation_and_says_so(two_generations: Path) -> None:
    damaged, whole = generation_names(two_generations)
    flip(two_generations / damaged / ARRAYS / sorted(os.listdir(two_generations / damaged / ARRAYS))[0])
    with running(SIAA_INDEX_DIR=str(two_generations)) as client:
        ready = client.get("/readyz")
        assert (ready.status, ready.json["status"], ready.json["generacion"]) == (200, "degradado", whole)
        assert damaged in ready.json["problema"]
        state = client.get("/siaa/estado").json
        assert (state["status"], state["generacion"]) == ("degradado", whole)
        assert state["indice"]["problema"] == ready.json["problema"]
        assert "siaa_indice_problema 1.0" in client.get("/metrics").text
        assert client.chat(QUESTION).headers["x-siaa-generacion"] == whole


def test_a_mapped_file_cut_short_kills_a_worker_and_the_next_one_falls_back(two_generations: Path) -> None:
    damaged, whole = generation_names(two_generations)
    # The guard would see it within two seconds: it is off, so that an answer runs into it.
    with running(SIAA_INDEX_DIR=str(two_generations), SIAA_VERIFY_SECONDS="0") as client:
        assert client.get("/readyz").json["generacion"] == damaged
        for path in (two_generations / damaged / ARRAYS).glob("*.npy"):
            os.truncate(path, 0)
        os.truncate(two_generations / damaged / TEXTS, 0)
        died = False
        try:
            client.chat(QUESTION)
        except OSError:  # the connection breaks with the process
            died = True
        assert died
        assert _wait(lambda: _ready(client) == whole)
        assert client.get("/readyz").json["status"] == "degradado"
        assert client.chat(QUESTION).headers["x-siaa-generacion"] == whole


def test_a_file_cut_short_is_seen_before_an_answer_runs_into_it(two_generations: Path) -> None:
    damaged, whole = generation_names(two_generations)
    with running(SIAA_INDEX_DIR=str(two_generations)) as client:
        assert client.get("/readyz").json["generacion"] == damaged
        time.sleep(2.5)
        os.truncate(two_generations / damaged / TEXTS, 0)
        assert _wait(lambda: _ready(client) == whole)


def _ready(client: Client) -> str:
    try:
        return str(client.get("/readyz").json.get("generacion", ""))
    except OSError:
        return ""


def _wait(done: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + ANSWERING_SECONDS
    while not done():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True
