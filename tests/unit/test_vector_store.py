"""The store of vectors: what it gives back, what it forgets, and what no kill, damage or neighbour can do to it."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from siaa.config import PROJECT_DIR, Settings
from siaa.meaning import VectorStore, VectorStoreError, encode_passages, key_of, open_store
from siaa.meaning.embedder import Floats
from siaa.meaning.store import FILE
from siaa.meaning.vectors import Fixed, to_fixed
from tests.fake_embedder import FakeEmbedder

BYTES = 2**30

MODEL = FakeEmbedder()
OTHER = FakeEmbedder(name="otro")


def texts(count: int, first: int = 0) -> list[str]:
    return [f"Artículo {number}. Texto del pasaje {number * number}." for number in range(first, first + count)]


def vectors(some: list[str], model: FakeEmbedder = MODEL) -> Fixed:
    return to_fixed(model.passages(some))


def add(store: VectorStore, some: list[str], model: FakeEmbedder = MODEL) -> None:
    store.add(model.fingerprint, [key_of(text) for text in some], vectors(some, model))


def found(store: VectorStore, some: list[str], model: FakeEmbedder = MODEL) -> set[str]:
    """Return which of the texts have a vector, after seeing that each is the right one."""
    by_key = {key_of(text): text for text in some}
    kept = dict(store.find(model.fingerprint, by_key))
    for key, vector in kept.items():
        assert np.array_equal(vector, vectors([by_key[key]], model)[0])
    return {by_key[key] for key in kept}


def test_what_was_added_is_found_by_model_and_text(tmp_path: Path) -> None:
    with VectorStore(tmp_path / "a" / "b", max_bytes=BYTES) as store:
        add(store, texts(1200))
        assert found(store, texts(1300)) == set(texts(1200))
        assert found(store, texts(3), OTHER) == set()
        add(store, texts(2), OTHER)
        assert found(store, texts(3), OTHER) == set(texts(2))
        assert len(store) == 1202
    with VectorStore(tmp_path / "a" / "b", max_bytes=BYTES) as store:
        assert found(store, texts(1200)) == set(texts(1200))


def test_the_same_model_elsewhere_finds_them(tmp_path: Path) -> None:
    """Another machine changes the last bits of its vectors, and another server its name."""

    class Elsewhere(FakeEmbedder):
        def passages(self, some: Sequence[str]) -> Floats:
            return super().passages(some) + np.float32(1e-3)

    elsewhere = Elsewhere()
    model = replace(elsewhere.fingerprint, name="el mismo")
    assert model.sketch != MODEL.fingerprint.sketch
    with VectorStore(tmp_path, max_bytes=BYTES) as store:
        add(store, texts(5))
        assert len(dict(store.find(model, map(key_of, texts(9))))) == 5
        store.add(model, [key_of(text) for text in texts(9)], vectors(texts(9)))
        assert len(store) == 9


# -- bounds ---------------------------------------------------------------------------------------------------------


def test_it_stays_within_its_bound_and_drops_the_oldest(tmp_path: Path) -> None:
    limit = 400_000
    with VectorStore(tmp_path, max_bytes=limit) as store:
        for first in range(0, 5000, 50):
            add(store, texts(50, first))
        kept = found(store, texts(5000))
        size = sum(path.stat().st_size for path in tmp_path.iterdir() if path.suffix == ".sqlite3")
    assert size < limit * 1.1
    assert 500 < len(kept) < 2500
    assert kept == set(texts(5000)[-len(kept) :])


def test_what_a_generation_uses_goes_last(tmp_path: Path) -> None:
    generation = tmp_path / "indice" / "gen-1"
    generation.mkdir(parents=True)
    with VectorStore(tmp_path, max_bytes=400_000) as store:
        add(store, texts(100))
        store.claim(generation, MODEL.fingerprint, map(key_of, texts(100)))
        for first in range(100, 5000, 50):
            add(store, texts(50, first))
        assert found(store, texts(100)) == set(texts(100))
        generation.rmdir()
        for first in range(5000, 8000, 50):
            add(store, texts(50, first))
        assert found(store, texts(100)) == set()


def test_pruning_keeps_what_generations_use(tmp_path: Path) -> None:
    one, other = tmp_path / "ix-a" / "gen-1", tmp_path / "ix-b" / "gen-1"
    one.mkdir(parents=True)
    other.mkdir(parents=True)
    with VectorStore(tmp_path, max_bytes=BYTES) as store:
        add(store, texts(1000))
        add(store, texts(10), OTHER)
        store.claim(one, MODEL.fingerprint, map(key_of, texts(700)))
        store.claim(other, MODEL.fingerprint, map(key_of, texts(100, 600)))
        assert store.prune() == 200 + 10 + 100
        assert found(store, texts(1000)) == set(texts(700))
        store.claim(one, MODEL.fingerprint, map(key_of, texts(10)))  # the claim of a folder is replaced
        assert store.prune() == 590
        assert found(store, texts(1000)) == set(texts(10)) | set(texts(100, 600))
        shutil.rmtree(other)
        assert store.prune() == 100
        assert found(store, texts(1000)) == set(texts(10))
        shutil.rmtree(one)
        assert store.prune() == 10
        assert len(store) == 0
    assert (tmp_path / FILE).stat().st_size < 100_000  # given back to the disk


def test_a_number_is_never_given_twice(tmp_path: Path) -> None:
    """Else the claim of a vector that is gone would pass to another one."""
    generation = tmp_path / "gen-1"
    generation.mkdir()
    with VectorStore(tmp_path, max_bytes=BYTES) as store:
        add(store, texts(5))
        store.prune()
        store.claim(generation, MODEL.fingerprint, map(key_of, texts(5)))
        add(store, texts(5, 50))
        assert store.prune() == 5


# -- damage ---------------------------------------------------------------------------------------------------------


def test_a_vector_changed_on_disk_is_not_there_and_heals(tmp_path: Path) -> None:
    with VectorStore(tmp_path, max_bytes=BYTES) as store:
        add(store, texts(20))
    base = sqlite3.connect(tmp_path / FILE)
    (vector,) = base.execute("SELECT vector FROM vectors WHERE id = 7").fetchone()
    base.execute("UPDATE vectors SET vector = ? WHERE id = 7", (vector[:9] + bytes([vector[9] ^ 1]) + vector[10:],))
    base.execute("UPDATE vectors SET vector = substr(vector, 1, 40) WHERE id = 8")
    base.execute("UPDATE vectors SET vector = x'' WHERE id = 9")
    base.execute("UPDATE vectors SET vector = (SELECT vector FROM vectors WHERE id = 1) WHERE id = 10")
    base.commit()
    base.close()
    with VectorStore(tmp_path, max_bytes=BYTES) as store:
        assert found(store, texts(20)) == set(texts(20)) - set(texts(20)[6:10])
        add(store, texts(4, 6))
        assert found(store, texts(20)) == set(texts(20))


def test_a_file_with_any_damage_gives_no_wrong_vector(tmp_path: Path) -> None:
    with VectorStore(tmp_path / "bueno", max_bytes=BYTES) as store:
        add(store, texts(300))
    good = (tmp_path / "bueno" / FILE).read_bytes()
    drawn = random.Random(7)
    folder = tmp_path / "malo"
    folder.mkdir()
    told: list[str] = []
    for _ in range(60):
        spoiled = bytearray(good)
        place, length = drawn.randrange(len(good)), drawn.choice([1, 4, 512, 4096])
        spoiled[place : place + length] = drawn.randbytes(length)
        for path in folder.iterdir():
            path.unlink()
        (folder / FILE).write_bytes(bytes(spoiled))
        try:
            with VectorStore(folder, max_bytes=BYTES) as store:
                found(store, texts(300))
        except VectorStoreError as error:
            told.append(error.message)
    assert 0 < len(told) < 60
    assert all("bórrelo" in message for message in told)


# what stands where the folder should be -> why it cannot be used
@pytest.mark.parametrize("what", ["archivo", "basura", "carpeta"])
def test_a_place_that_cannot_be_used_is_told(tmp_path: Path, what: str) -> None:
    folder = tmp_path / "vectores"
    if what == "archivo":
        folder.write_text("no es una carpeta", encoding="utf-8")
    elif what == "basura":
        folder.mkdir()
        (folder / FILE).write_bytes(b"esto no es una base de datos, ni se le parece" * 100)
    else:
        (folder / FILE).mkdir(parents=True)
    with pytest.raises(VectorStoreError, match=r"SIAA_VECTORS_DIR cambia la carpeta\.$"):
        VectorStore(folder, max_bytes=BYTES)


def test_a_full_disk_is_told(tmp_path: Path) -> None:
    """SQLite's own limit stands for the disk: it fails with the same error."""
    with VectorStore(tmp_path, max_bytes=BYTES) as store:
        add(store, texts(10))
        store._base.execute("PRAGMA max_page_count = 20").fetchone()
        with pytest.raises(VectorStoreError, match="full"):
            add(store, texts(5000, 10))
        assert found(store, texts(100)) == set(texts(10))


# -- kills and neighbours -------------------------------------------------------------------------------------------

# Encodes slowly, telling after each batch how many are kept.
ENCODE = textwrap.dedent("""
    import sys, time
    from pathlib import Path
    from siaa.meaning import VectorStore, encode_passages
    from tests.fake_embedder import FakeEmbedder
    from tests.unit.test_vector_store import texts

    class Slow(FakeEmbedder):
        def passages(self, some):
            time.sleep(0.01)
            return super().passages(some)

    with VectorStore(Path(sys.argv[1]), max_bytes=2**30) as store:
        encode_passages(texts(1000), Slow(), store, progress=lambda done, total, left: print(done, total, flush=True))
""")


def encoding(folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", ENCODE, str(folder)], cwd=PROJECT_DIR, stdout=subprocess.PIPE, text=True
    )


@pytest.mark.lento
def test_a_kill_at_any_moment_costs_one_batch(tmp_path: Path) -> None:
    drawn, before = random.Random(3), 0
    for _ in range(6):
        with encoding(tmp_path) as process:
            assert process.stdout is not None
            kept = before
            for _ in range(drawn.randint(1, 5)):
                done, total = map(int, process.stdout.readline().split())
                assert total == 1000 - before  # nothing is made again
                kept = before + done
            time.sleep(drawn.random() / 20)  # in the middle of whatever comes next
            os.kill(process.pid, signal.SIGKILL)
        with VectorStore(tmp_path, max_bytes=BYTES) as store:
            before = len(found(store, texts(1000)))
            assert store._base.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert before >= kept
    assert 0 < before < 1000
    embedder = FakeEmbedder()
    with VectorStore(tmp_path, max_bytes=BYTES) as store:
        made = encode_passages(texts(1000), embedder, store)
    assert np.array_equal(made, vectors(texts(1000)))
    assert sum(len(call) for call in embedder.calls[2:]) == 1000 - before  # after the two calls of the fingerprint


@pytest.mark.lento
def test_builds_at_once_share_it(tmp_path: Path) -> None:
    processes = [encoding(tmp_path) for _ in range(4)]
    for process in processes:
        process.communicate(timeout=300)
        assert process.returncode == 0
    with VectorStore(tmp_path, max_bytes=BYTES) as store:
        assert found(store, texts(1000)) == set(texts(1000))
        assert len(store) == 1000


def test_opening_at_once_makes_one(tmp_path: Path) -> None:
    def open_and_add(number: int) -> None:
        with VectorStore(tmp_path, max_bytes=BYTES) as store:
            add(store, texts(20, 20 * number))

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(open_and_add, range(16)))
    with VectorStore(tmp_path, max_bytes=BYTES) as store:
        assert len(store) == 320
        assert found(store, texts(320)) == set(texts(320))


# -- the settings ---------------------------------------------------------------------------------------------------


def test_indexes_side_by_side_share_it(tmp_path: Path) -> None:
    for name in ("ix-a", "ix-b"):
        with open_store(Settings(index_dir=tmp_path / name)) as store:
            assert store.path == tmp_path / "vectores" / FILE
    with open_store(Settings(index_dir=tmp_path / "ix-a", vectors_dir=tmp_path / "otra")) as store:
        assert store.path == tmp_path / "otra" / FILE
