"""Keep vectors of passages by model and text, so that no text is encoded twice, whatever index it stands in.

One SQLite file that any number of builds may use at once. It is a cache: all that can be lost with it is time.
"""

from __future__ import annotations

import hashlib
import sqlite3
import zlib
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from types import TracebackType

import numpy as np
from filelock import FileLock

from siaa.errors import SiaaError
from siaa.meaning.embedder import Fingerprint
from siaa.meaning.vectors import Fixed

FILE = "vectores.sqlite3"

_LOCK = ".vectores.lock"

_BUSY_SECONDS = 60.0  # that another build may be writing: a batch takes it milliseconds, making room seconds
_KEY_BYTES = 16
_AT_ONCE = 500  # keys in one statement
_ROOM = 0.9  # of the limit: what is left in use after making room
_ROW_BYTES = 64  # of a row beside its vector, indexes included

_SCHEMA = (
    "PRAGMA auto_vacuum=INCREMENTAL",  # before the first table: what is pruned can be given back to the disk
    "PRAGMA journal_mode=WAL",  # readers and the writer do not wait for each other, and a killed writer leaves no trace
    "PRAGMA synchronous=NORMAL",  # a power cut may cost the last batches, never the file
    "CREATE TABLE IF NOT EXISTS models (id INTEGER PRIMARY KEY, name TEXT, dimensions INTEGER, sketch TEXT)",
    # AUTOINCREMENT: numbers grow with age, and none is ever given twice, as claims point to them.
    "CREATE TABLE IF NOT EXISTS vectors (id INTEGER PRIMARY KEY AUTOINCREMENT, model INTEGER NOT NULL,"
    " key BLOB NOT NULL, vector BLOB NOT NULL, UNIQUE (model, key))",
    "CREATE TABLE IF NOT EXISTS folders (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE)",
    "CREATE TABLE IF NOT EXISTS claims (vector INTEGER, folder INTEGER, PRIMARY KEY (vector, folder)) WITHOUT ROWID",
)


class VectorStoreError(SiaaError):
    """The store cannot be used: its folder cannot be written, the disk is full, the file is damaged."""

    code = "vectores_no_disponibles"


def key_of(text: str) -> bytes:
    """Return what a text is found by."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_KEY_BYTES).digest()


class VectorStore:
    """The store in `folder`, which is made when it is not there. For one thread; close it, or use it in a `with`.

    It takes about `max_bytes` at most: when it is full, what no generation uses goes first, and of that the oldest.
    Every method raises VectorStoreError. What was added is there for good when `add` returns.
    """

    def __init__(self, folder: Path, *, max_bytes: int) -> None:
        self.path = folder / FILE
        self._max_bytes = max_bytes
        self._models: dict[Fingerprint, int] = {}
        with self._told():
            folder.mkdir(parents=True, exist_ok=True)
            self._base = sqlite3.connect(self.path, timeout=_BUSY_SECONDS, isolation_level=None)
            try:
                # SQLite itself does not wait for another process that is making the same file.
                with FileLock(folder / _LOCK, timeout=_BUSY_SECONDS):
                    for statement in _SCHEMA:
                        self._base.execute(statement)
            except BaseException:
                self.close()
                raise

    def __enter__(self) -> VectorStore:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._base.close()

    def find(self, model: Fingerprint, keys: Iterable[bytes]) -> Iterator[tuple[bytes, Fixed]]:
        """Yield the vectors that are there, with their keys, in any order. A damaged one is not there."""
        with self._told():
            number = self._model(model)
            if number is None:
                return
            for some in _runs(keys):
                rows = self._base.execute(
                    f"SELECT key, vector FROM vectors WHERE model = ? AND key IN ({_marks(some)})", (number, *some)
                ).fetchall()
                for key, packed in rows:
                    vector = _unpack(number, key, packed)
                    if vector is not None and vector.size == model.dimensions:
                        yield key, vector

    def add(self, model: Fingerprint, keys: Sequence[bytes], vectors: Fixed) -> None:
        """Keep `vectors`, shape (N, D), under their keys; those that are there already are written over."""
        with self._writing() as base:
            number = self._numbered(model)
            base.executemany(
                "INSERT INTO vectors (model, key, vector) VALUES (?, ?, ?)"
                " ON CONFLICT (model, key) DO UPDATE SET vector = excluded.vector",
                ((number, key, _pack(number, key, vector)) for key, vector in zip(keys, vectors, strict=True)),
            )
            over = self._used() - self._max_bytes
            if over > 0:
                row = vectors.shape[1] * vectors.itemsize + _ROW_BYTES
                self._make_room(int(over + (1 - _ROOM) * self._max_bytes) // row + 1)

    def claim(self, folder: Path, model: Fingerprint, keys: Iterable[bytes]) -> None:
        """Note that the generation in `folder` uses these vectors and no others, as long as the folder is there."""
        with self._writing() as base:
            base.execute("INSERT OR IGNORE INTO folders (path) VALUES (?)", (str(folder.resolve()),))
            (owner,) = base.execute("SELECT id FROM folders WHERE path = ?", (str(folder.resolve()),)).fetchone()
            base.execute("DELETE FROM claims WHERE folder = ?", (owner,))
            number = self._numbered(model)
            for some in _runs(keys):
                base.execute(
                    "INSERT OR IGNORE INTO claims SELECT id, ? FROM vectors"
                    f" WHERE model = ? AND key IN ({_marks(some)})",
                    (owner, number, *some),
                )

    def prune(self) -> int:
        """Delete the vectors that no generation uses, give their room back to the disk, and return how many they were.

        Those of a build that was interrupted are among them.
        """
        with self._writing() as base:
            self._forget_folders()
            gone = base.execute("DELETE FROM vectors WHERE id NOT IN (SELECT vector FROM claims)").rowcount
        with self._told():
            self._base.executescript("PRAGMA incremental_vacuum")  # `execute` would give back one page
        return gone

    def __len__(self) -> int:
        with self._told():
            (count,) = self._base.execute("SELECT count(*) FROM vectors").fetchone()
            return int(count)

    def _model(self, model: Fingerprint) -> int | None:
        """Return the number of a model; None when the store has nothing of it yet."""
        if model not in self._models:
            for number, *fields in self._base.execute("SELECT id, name, dimensions, sketch FROM models ORDER BY id"):
                if Fingerprint(*fields).same_model(model):
                    self._models[model] = number
                    break
        return self._models.get(model)

    def _numbered(self, model: Fingerprint) -> int:
        """Return the number of a model, which gets one when it is new. Only with the file held for writing."""
        number = self._model(model)
        if number is None:
            values = (model.name, model.dimensions, model.sketch)
            self._base.execute("INSERT INTO models (name, dimensions, sketch) VALUES (?, ?, ?)", values)
            number = self._model(model)
        assert number is not None
        return number

    def _used(self) -> int:
        """Return how many bytes of the file are in use."""
        page, pages, free = (
            self._base.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_size", "page_count", "freelist_count")
        )
        return int(page * (pages - free))

    def _make_room(self, count: int) -> None:
        self._forget_folders()
        self._base.execute(
            "DELETE FROM vectors WHERE id IN (SELECT id FROM vectors"
            " ORDER BY EXISTS (SELECT 1 FROM claims WHERE claims.vector = vectors.id), id LIMIT ?)",
            (count,),
        )
        self._base.execute("DELETE FROM claims WHERE vector NOT IN (SELECT id FROM vectors)")

    def _forget_folders(self) -> None:
        """Drop the claims of generations that are no longer there."""
        for number, path in self._base.execute("SELECT id, path FROM folders").fetchall():
            if not Path(path).is_dir():
                self._base.execute("DELETE FROM claims WHERE folder = ?", (number,))
                self._base.execute("DELETE FROM folders WHERE id = ?", (number,))

    @contextmanager
    def _writing(self) -> Generator[sqlite3.Connection]:
        """Hold the file for writing: all that is done in it, or nothing of it."""
        with self._told():
            self._base.execute("BEGIN IMMEDIATE")  # at once: a lock that is taken halfway cannot be waited for
            try:
                yield self._base
            except BaseException:
                self._models.clear()  # what was given a number in it has none
                self._base.execute("ROLLBACK")
                raise
            self._base.execute("COMMIT")

    @contextmanager
    def _told(self) -> Generator[None]:
        try:
            yield
        except (sqlite3.Error, OSError, ValueError, TypeError) as error:  # the last two: of a damaged file
            raise VectorStoreError(
                f"No se puede usar el almacén de vectores {self.path} ({error}). Revise el espacio y los permisos; si "
                "está dañado, bórrelo: solo se pierde el tiempo de volver a calcularlos. SIAA_VECTORS_DIR cambia la "
                "carpeta."
            ) from error


def _pack(model: int, key: bytes, vector: Fixed) -> bytes:
    body = vector.astype("<i2", copy=False).tobytes()
    return _check(model, key, body) + body


def _unpack(model: int, key: bytes, packed: bytes) -> Fixed | None:
    """Return the vector; None when disk or hand have changed it."""
    check, body = packed[:4], packed[4:]
    return np.frombuffer(body, dtype="<i2") if check == _check(model, key, body) else None


def _check(model: int, key: bytes, body: bytes) -> bytes:
    return zlib.crc32(body, zlib.crc32(key, model)).to_bytes(4, "little")


def _runs(keys: Iterable[bytes]) -> Iterator[tuple[bytes, ...]]:
    """Cut into as many keys as one statement takes."""
    rest = iter(keys)
    while some := tuple(islice(rest, _AT_ONCE)):
        yield some


def _marks(keys: Sequence[bytes]) -> str:
    return ",".join("?" * len(keys))
