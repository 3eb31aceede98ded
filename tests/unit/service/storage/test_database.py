"""A file that cannot be used costs its content and nothing else: no exception, and next to no time."""

from __future__ import annotations

import logging
import sqlite3
import time
from pathlib import Path

import pytest

from service.storage.database import BUSY_SECONDS, PAUSE_SECONDS, Database

SCHEMA = ("CREATE TABLE IF NOT EXISTS t (x)",)


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def insert(connection: sqlite3.Connection) -> int:
    return connection.execute("INSERT INTO t VALUES (1)").rowcount


def test_work_is_one_transaction(tmp_path: Path) -> None:
    database = Database(tmp_path / "a" / "b.sqlite3", schema=SCHEMA)

    def fail(connection: sqlite3.Connection) -> None:
        insert(connection)
        raise sqlite3.OperationalError("database or disk is full")

    assert database.run(insert) == 1
    database.run(fail)
    reader = Database(tmp_path / "a" / "b.sqlite3", schema=SCHEMA)
    assert reader.run(lambda c: c.execute("SELECT count(*) FROM t").fetchone()[0]) == 1


def test_a_locked_file_is_waited_for_only_a_moment(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    clock = Clock()
    database = Database(tmp_path / "b.sqlite3", schema=SCHEMA, clock=clock)
    assert database.run(insert)
    other = sqlite3.connect(tmp_path / "b.sqlite3", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    caplog.set_level(logging.WARNING)
    began = time.monotonic()
    assert database.run(insert) is None
    assert time.monotonic() - began < BUSY_SECONDS + 1
    began = time.monotonic()
    for _ in range(50):  # those that come right after do not even try
        assert database.run(insert) is None
    assert time.monotonic() - began < BUSY_SECONDS
    assert len(caplog.messages) == 1
    assert "SIAA_DATA_DIR" in caplog.messages[0]
    other.execute("ROLLBACK")
    other.close()
    assert database.run(insert) is None
    clock.now += PAUSE_SECONDS
    assert database.run(insert) == 1


# where the file would be -> why it cannot be there
@pytest.mark.parametrize("place", ["archivo/x.sqlite3", "carpeta"])
def test_a_place_where_no_file_can_be(tmp_path: Path, place: str) -> None:
    (tmp_path / "archivo").write_text("no es una carpeta", encoding="utf-8")
    (tmp_path / "carpeta").mkdir()
    database = Database(tmp_path / place, schema=SCHEMA)
    assert database.run(insert) is None


def test_a_file_without_room(tmp_path: Path) -> None:
    """SQLite's own limit stands for the disk: it fails with the same error."""
    database = Database(tmp_path / "b.sqlite3", schema=SCHEMA)
    assert database.run(lambda c: c.execute("PRAGMA max_page_count = 3").fetchone())
    assert database.run(lambda c: c.execute("INSERT INTO t VALUES (randomblob(100000))").rowcount) is None
