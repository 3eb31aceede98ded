"""Keep a SQLite file that processes share and that may fail: an answer never waits for it, nor breaks with it."""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

log = logging.getLogger(__name__)

BUSY_SECONDS = 0.25  # that another process may hold the file before we go on without it
PAUSE_SECONDS = 2.0  # without another try after a failure: a full disk does not heal in a millisecond
COMPLAINT_SECONDS = 60.0  # between two lines of the log about the same file

_PRAGMAS = (
    "PRAGMA journal_mode=WAL",  # readers and the writer do not wait for each other
    "PRAGMA synchronous=NORMAL",  # a power cut may cost the last lines, never the file
    "PRAGMA secure_delete=ON",  # what is deleted is overwritten: people's questions were in it
)

T = TypeVar("T")


class Database:
    """A SQLite file opened at its first use, by each process for itself. Thread-safe; nothing here raises.

    `schema` holds statements that may be run again on a file that has them already.
    """

    def __init__(self, path: Path, *, schema: tuple[str, ...], clock: Callable[[], float] = time.monotonic) -> None:
        self.path = path
        self._schema = schema
        self._clock = clock
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._process = 0
        self._resume = 0.0
        self._complain = 0.0

    def run(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        """Return what `work` returns, done in one transaction; None if the file cannot be used now."""
        with self._lock:
            if self._clock() < self._resume:
                return None
            try:
                connection = self._open()
                with connection:
                    return work(connection)
            except (sqlite3.Error, OSError) as error:
                self._give_up(error)
                return None

    def close(self) -> None:
        """Close the file; a later use opens it again."""
        with self._lock:
            self._drop()

    def __del__(self) -> None:
        self._drop()

    def _open(self) -> sqlite3.Connection:
        # A connection must not cross a fork.
        if self._connection is not None and self._process == os.getpid():
            return self._connection
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Created for its owner alone; SQLite gives the files beside it the same mode.
        os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
        connection = sqlite3.connect(self.path, timeout=BUSY_SECONDS, check_same_thread=False)
        try:
            for statement in (*_PRAGMAS, *self._schema):
                connection.execute(statement)
            connection.commit()
        except BaseException:
            connection.close()
            raise
        self._connection, self._process = connection, os.getpid()
        return connection

    def _give_up(self, error: Exception) -> None:
        self._drop()
        now = self._clock()
        self._resume = now + PAUSE_SECONDS
        if now >= self._complain:
            self._complain = now + COMPLAINT_SECONDS
            log.warning(
                "no se puede usar %s (%s): se responde sin él. SIAA_DATA_DIR cambia la carpeta", self.path, error
            )

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None and self._process == os.getpid():
            try:
                connection.close()
            except sqlite3.Error:
                log.debug("%s no se pudo cerrar", self.path)
