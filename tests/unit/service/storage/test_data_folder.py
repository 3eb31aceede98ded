"""No two indexes share a cache or a quality log unless they are told to, and nobody loses the one there was."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from service.storage.data_folder import OWNER, data_folder
from service.storage.quality_log import FILE_NAME, LogPage, QualityLog
from siaa.answering.exchange import LogLine
from siaa.config import Settings


def settings(index: Path, data: Path | None = None, *, days: int = 30) -> Settings:
    return Settings(index_dir=index, data_dir=data, cache_max=0, quality_log_days=days)


def test_the_first_index_has_the_folder_and_the_next_one_another(tmp_path: Path) -> None:
    first, second = settings(tmp_path / "leyes"), settings(tmp_path / "manuales")
    for _ in range(2):  # and it stays so
        assert data_folder(first) == tmp_path / "datos"
        assert data_folder(second) == tmp_path / "datos-manuales"
    QualityLog(first).write(LogLine("DOC", "¿qué ley?"))
    assert QualityLog(second).read(limit=9) == LogPage()
    page = QualityLog(first).read(limit=9)
    assert page is not None
    assert page.total == 1


def test_an_index_keeps_its_own_when_the_other_is_gone(tmp_path: Path) -> None:
    data_folder(settings(tmp_path / "leyes"))
    QualityLog(settings(tmp_path / "manuales")).write(LogLine("DOC", "¿qué manual?"))
    (tmp_path / "datos" / OWNER).unlink()
    assert data_folder(settings(tmp_path / "manuales")) == tmp_path / "datos-manuales"


def test_what_an_earlier_version_left_is_used(tmp_path: Path) -> None:
    QualityLog(settings(tmp_path / "leyes", tmp_path / "datos")).write(LogLine("DOC", "de antes"))
    assert [path.name for path in (tmp_path / "datos").iterdir() if path.name == OWNER] == []
    page = QualityLog(settings(tmp_path / "leyes")).read(limit=9)
    assert page is not None
    assert [line["pregunta"] for line in page.lines] == ["de antes"]
    assert (tmp_path / "datos" / FILE_NAME).is_file()


def test_the_same_index_by_another_name_is_the_same(tmp_path: Path) -> None:
    (tmp_path / "leyes").mkdir()
    (tmp_path / "enlace").symlink_to("leyes", target_is_directory=True)
    assert data_folder(settings(tmp_path / "leyes")) == data_folder(settings(tmp_path / "enlace"))


def test_a_note_that_was_cut_is_written_again(tmp_path: Path) -> None:
    (tmp_path / "datos").mkdir()
    (tmp_path / "datos" / OWNER).touch()
    assert data_folder(settings(tmp_path / "leyes")) == tmp_path / "datos"
    assert data_folder(settings(tmp_path / "manuales")) == tmp_path / "datos-manuales"


def test_a_folder_that_is_named_is_used(tmp_path: Path) -> None:
    assert data_folder(settings(tmp_path / "leyes", tmp_path / "otra")) == tmp_path / "otra"
    assert list(tmp_path.iterdir()) == []


def test_who_writes_nothing_takes_nothing(tmp_path: Path) -> None:
    assert data_folder(settings(tmp_path / "leyes", days=0)) == tmp_path / "datos"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="los permisos de Windows son otros")
def test_the_folder_is_its_owners_alone(tmp_path: Path) -> None:
    assert data_folder(settings(tmp_path / "leyes")).stat().st_mode & 0o777 == 0o700


def test_a_folder_that_cannot_be_written_breaks_nothing(tmp_path: Path) -> None:
    (tmp_path / "datos").write_text("un archivo donde iría la carpeta", encoding="utf-8")
    log = QualityLog(settings(tmp_path / "leyes"))
    assert not log.write(LogLine("DOC", "¿quién?"))
    assert log.read(limit=9) is None
