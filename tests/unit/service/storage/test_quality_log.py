"""The quality log tells what came of every question, for as long as the settings say.

1. Lines come newest first, of the type and alert asked for.
2. Texts are masked, then cut; lines past their days, or beyond their number, are deleted.
3. A file that cannot be used loses a line and breaks nothing.

What a line says of an answer is tested in test_exchange.py and test_assistant.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from service.storage.quality_log import FILE_NAME, PURGE_SECONDS, LogPage, QualityLog
from siaa.answering.exchange import LogLine
from siaa.config import Settings
from siaa.model import Json

DAY = 86_400


class Clock:
    now = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now


def log_in(folder: Path, clock: Clock | None = None, **options: Any) -> QualityLog:
    return QualityLog(Settings(data_dir=folder, **options), clock=clock or Clock())


def lines(log: QualityLog, *, limit: int, kind: str | None = None, alert: str | None = None) -> tuple[Json, ...]:
    page = log.read(limit=limit, kind=kind, alert=alert)
    assert page is not None
    return page.lines


def test_newest_first_filtered_and_limited(tmp_path: Path) -> None:
    log = log_in(tmp_path)
    for kind, alert in [("CONV", "OK"), ("DOC", "OK"), ("DOC", "SIN_CONTEXTO"), ("ERROR", "ERROR")]:
        log.write(LogLine(kind, f"{kind} {alert}", alert=alert))
    assert [line["pregunta"] for line in lines(log, limit=2)] == ["ERROR ERROR", "DOC SIN_CONTEXTO"]
    assert [line["pregunta"] for line in lines(log, limit=9, kind="DOC")] == ["DOC SIN_CONTEXTO", "DOC OK"]
    assert [line["pregunta"] for line in lines(log, limit=9, kind="DOC", alert="OK")] == ["DOC OK"]
    page = log.read(limit=1, kind="DOC")
    assert page is not None
    assert (page.total, len(page.lines)) == (2, 1)
    assert log.read(limit=1, kind="CACHE_HIT") == LogPage()


def test_masked_then_cut(tmp_path: Path) -> None:
    log = log_in(tmp_path, quality_log_chars=40)
    padding = "x" * 30
    log.write(LogLine("DOC", f"{padding} 52345678901", answer=f"{padding} ana@correo.co", comment="cel 3001234567"))
    (line,) = lines(log, limit=1)
    assert line["pregunta"] == f"{padding} [número]"
    assert line["respuesta"] == f"{padding} [correo]"
    log.write(LogLine("DOC", "x" * 100))
    assert lines(log, limit=1)[0]["pregunta"] == "x" * 40


def test_retention(tmp_path: Path) -> None:
    clock = Clock()
    log = log_in(tmp_path, clock, quality_log_days=2)
    log.write(LogLine("DOC", "antigua"))
    clock.now += 1.5 * DAY
    log.write(LogLine("DOC", "nueva"))
    clock.now += 0.6 * DAY
    assert [line["pregunta"] for line in lines(log, limit=9)] == ["nueva"]
    log.close()
    assert b"antigua" not in b"".join(path.read_bytes() for path in tmp_path.iterdir())  # and overwritten


def test_number_of_lines(tmp_path: Path) -> None:
    clock = Clock()
    log = log_in(tmp_path, clock, quality_log_rows=3)
    for number in range(10):
        log.write(LogLine("DOC", str(number)))
    clock.now += PURGE_SECONDS
    assert [line["pregunta"] for line in lines(log, limit=9)] == ["9", "8", "7"]


def test_not_kept_at_all(tmp_path: Path) -> None:
    log = log_in(tmp_path, quality_log_days=0)
    assert not log.write(LogLine("DOC", "¿quién?"))
    assert log.read(limit=9) == LogPage()
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_no_log(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"esto no es SQLite" * 100)
    log = log_in(tmp_path)
    assert not log.write(LogLine("DOC", "¿quién?"))
    assert log.read(limit=9) is None
