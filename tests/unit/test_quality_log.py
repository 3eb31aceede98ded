"""The quality log tells what came of every question, for as long as the settings say.

1. The events of an answer decide its type and its alert.
2. A failure is written down and goes on; a reader who leaves leaves a line that is not complete.
3. Texts are masked, then cut; lines past their days, or beyond their number, are deleted.
4. A file that cannot be used loses a line and breaks nothing.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import pytest

from service.storage.quality_log import FILE_NAME, PURGE_SECONDS, Entry, LogPage, QualityLog, recorded
from siaa.answering.events import Delta, Event, Found, Nearest, Sentence, Source, Sources
from siaa.answering.llm.protocol import ModelCutError, ReaderLeftError
from siaa.config import Settings
from siaa.model import Json

DAY = 86_400
FOUND, SAID = Found((("a.md", "general"),), "¿quién reporta?"), Delta("Los jueces.")
SOURCE = Source("a.md", "general", "T", "5", "", 0, 3, "uno", "verificada")


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


def events(items: Sequence[Event], failure: Exception | None = None) -> Generator[Event, None, None]:
    yield from items
    if failure:
        raise failure


def sources(state: str) -> Sources:
    return Sources((SOURCE,), (Sentence(0, 3, state, 1),))


# events -> alert
ALERTS: list[tuple[list[Event], str]] = [
    ([FOUND, SAID, sources("verificada")], "OK"),
    ([FOUND, SAID, sources("parcial")], "OK"),
    ([FOUND, SAID, sources("sin_sustento")], "POSIBLE_ALUCINACION"),
    ([FOUND, SAID, sources("mal_atribuida")], "POSIBLE_ALUCINACION"),
    ([FOUND, SAID, Nearest(None, "")], "SIN_CONTEXTO"),
]


@pytest.mark.parametrize(("items", "alert"), ALERTS)
def test_alerts(tmp_path: Path, items: list[Event], alert: str) -> None:
    log = log_in(tmp_path)
    ticks = iter([1.0, 1.25])
    passed = list(recorded(events(items), log, Entry("DOC", "¿y quién?"), clock=lambda: next(ticks)))
    assert passed == items
    (line,) = lines(log, limit=5)
    assert (line["tipo"], line["alerta"], line["ms"], line["completa"]) == ("DOC", alert, 250, True)
    assert (line["pregunta"], line["pregunta_buscada"]) == ("¿y quién?", "¿quién reporta?")
    assert (line["respuesta"], line["documentos"], line["opinion"]) == ("Los jueces.", ["a.md"], None)


FAILURES = [(ModelCutError("x"), "modelo_cortado"), (RuntimeError("secreto"), "error_interno")]


@pytest.mark.parametrize(("failure", "code"), FAILURES)
def test_a_failure_is_written_down_and_goes_on(tmp_path: Path, failure: Exception, code: str) -> None:
    log = log_in(tmp_path)
    with pytest.raises(type(failure)):
        list(recorded(events([FOUND, SAID], failure), log, Entry("DOC", "¿quién?")))
    (line,) = lines(log, limit=5)
    assert (line["tipo"], line["alerta"], line["codigo"]) == ("ERROR", "ERROR", code)
    assert line["respuesta"] == "Los jueces."
    assert "secreto" not in str(line)


def test_a_reader_who_leaves(tmp_path: Path) -> None:
    log = log_in(tmp_path)
    made = recorded(events([FOUND, SAID]), log, Entry("DOC", "¿quién?"))
    next(made)
    made.close()
    with pytest.raises(ReaderLeftError):
        list(recorded(events([FOUND], ReaderLeftError("")), log, Entry("DOC", "¿quién?")))
    assert [(line["tipo"], line["completa"]) for line in lines(log, limit=5)] == [("DOC", False)] * 2


def test_newest_first_filtered_and_limited(tmp_path: Path) -> None:
    log = log_in(tmp_path)
    for kind, alert in [("CONV", "OK"), ("DOC", "OK"), ("DOC", "SIN_CONTEXTO"), ("ERROR", "ERROR")]:
        log.write(Entry(kind, f"{kind} {alert}", alert=alert))
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
    log.write(Entry("DOC", f"{padding} 52345678901", answer=f"{padding} ana@correo.co", comment="cel 3001234567"))
    (line,) = lines(log, limit=1)
    assert line["pregunta"] == f"{padding} [número]"
    assert line["respuesta"] == f"{padding} [correo]"
    log.write(Entry("DOC", "x" * 100))
    assert lines(log, limit=1)[0]["pregunta"] == "x" * 40


def test_retention(tmp_path: Path) -> None:
    clock = Clock()
    log = log_in(tmp_path, clock, quality_log_days=2)
    log.write(Entry("DOC", "antigua"))
    clock.now += 1.5 * DAY
    log.write(Entry("DOC", "nueva"))
    clock.now += 0.6 * DAY
    assert [line["pregunta"] for line in lines(log, limit=9)] == ["nueva"]
    log.close()
    assert b"antigua" not in b"".join(path.read_bytes() for path in tmp_path.iterdir())  # and overwritten


def test_number_of_lines(tmp_path: Path) -> None:
    clock = Clock()
    log = log_in(tmp_path, clock, quality_log_rows=3)
    for number in range(10):
        log.write(Entry("DOC", str(number)))
    clock.now += PURGE_SECONDS
    assert [line["pregunta"] for line in lines(log, limit=9)] == ["9", "8", "7"]


def test_not_kept_at_all(tmp_path: Path) -> None:
    log = log_in(tmp_path, quality_log_days=0)
    assert not log.write(Entry("DOC", "¿quién?"))
    assert log.read(limit=9) == LogPage()
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_no_log(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"esto no es SQLite" * 100)
    log = log_in(tmp_path)
    items: list[Event] = [FOUND, SAID, sources("verificada")]
    assert list(recorded(events(items), log, Entry("DOC", "¿quién?"))) == items
    assert log.read(limit=9) is None
