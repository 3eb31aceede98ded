"""Remember whole answers, for all workers, until the index, the model, the settings or the code change.

The key is a digest of everything that an answer depends on; a follow-up is kept under the question as it was searched,
which holds what it refers to. What masking would change is neither looked up nor kept: nobody's identity enters the
file, not even as a digest, and no answer comes back with a hole in it.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from service.storage.data_folder import data_folder
from service.storage.database import Database
from service.storage.masking import holds_identifier
from siaa.answering.events import Delta, Event, Found, Sentence, Source, Sources
from siaa.answering.ports import AnswerKey
from siaa.config import PROJECT_DIR, Settings
from siaa.text import fold, normalise, squeeze

FILE_NAME = "respuestas.sqlite3"
MAX_ANSWER_BYTES = 128 * 1024  # of one kept answer with its sources; with `cache_max` this bounds the file
_SENTENCE_ENDS = tuple(".!?…:;)]»”\"'*|`")  # an answer of a model that ends otherwise was cut by its token limit

# Settings that no answer depends on. Any other counts, also one that is added later.
_WITHOUT_EFFECT = frozenset({
    "corpus_dir", "index_dir", "config_dir", "data_dir", "host", "port", "threads", "admin_token", "proxy", "log_level",
    "cache_max", "cache_ttl", "quality_log_days", "quality_log_rows", "quality_log_chars",
    "rate_limit", "cors_origins", "stop_seconds", "verify_seconds", "log_format",
})  # fmt: skip

_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS respuestas ("
    " clave TEXT PRIMARY KEY, guardada REAL NOT NULL, usada REAL NOT NULL, contenido TEXT NOT NULL) WITHOUT ROWID",
    "CREATE INDEX IF NOT EXISTS respuestas_usada ON respuestas (usada)",
    "CREATE TABLE IF NOT EXISTS cuentas (nombre TEXT PRIMARY KEY, valor INTEGER NOT NULL) WITHOUT ROWID",
)


@dataclass(frozen=True, slots=True)
class CacheFigures:
    """How the cache fares, over all workers: since it was made, or emptied."""

    entries: int = 0
    max_entries: int = 0
    hits: int = 0
    misses: int = 0
    ttl: int = 0  # seconds

    @property
    def hit_rate(self) -> float:
        """Return the share of look-ups that found something, 0 to 1."""
        return self.hits / (self.hits + self.misses) if self.hits + self.misses else 0.0


class AnswerCache:
    """Keep answers in a file that may fail: then nothing is found, and nothing breaks. Thread-safe."""

    def __init__(
        self,
        settings: Settings,
        *,
        observe: Callable[[bool], None] = lambda found: None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Open the file. `observe` is told of each look-up whether it found something."""
        self._observe = observe
        self._max = settings.cache_max
        self._ttl = settings.cache_ttl
        self._clock = clock
        self._bound = json.dumps([_code_digest(), _effective(settings)], sort_keys=True)
        self._database = Database(data_folder(settings) / FILE_NAME, schema=_SCHEMA)

    def find(self, key: AnswerKey) -> tuple[Event, ...] | None:
        """Return the events of the answer that was kept, and count the look-up."""
        if not self._max:
            return None
        events = None if holds_identifier(key.searched) else self._kept(key)
        self._observe(events is not None)
        return events

    def _kept(self, key: AnswerKey) -> tuple[Event, ...] | None:
        digest = self._digest(key)
        content = self._database.run(lambda connection: self._look_up(connection, digest))
        try:
            return _events(content, key.searched) if content else None
        except (ValueError, TypeError, KeyError):  # not what this code wrote
            return None

    def keep(self, key: AnswerKey, events: Iterable[Event]) -> None:
        """Keep a whole answer if it may be: not a refusal, not cut, nobody's identity in it."""
        content = _content(tuple(events), by_model=bool(key.model)) if self._max else None
        if content is None or holds_identifier(key.searched):
            return
        digest, now = self._digest(key), self._clock()

        def write(connection: sqlite3.Connection) -> None:
            connection.execute("INSERT OR REPLACE INTO respuestas VALUES (?, ?, ?, ?)", (digest, now, now, content))
            connection.execute("DELETE FROM respuestas WHERE guardada <= ?", (now - self._ttl,))
            connection.execute(
                "DELETE FROM respuestas WHERE clave IN"
                " (SELECT clave FROM respuestas ORDER BY usada DESC LIMIT -1 OFFSET ?)",
                (self._max,),
            )

        self._database.run(write)

    def empty(self) -> int | None:
        """Forget everything, the figures too; return how many answers that were, None if the file cannot be used."""

        def delete(connection: sqlite3.Connection) -> int:
            connection.execute("DELETE FROM cuentas")
            return connection.execute("DELETE FROM respuestas").rowcount

        return self._database.run(delete)

    def figures(self) -> CacheFigures:
        """Return how the cache fares; zeros if its file cannot be read."""
        empty = CacheFigures(max_entries=self._max, ttl=self._ttl)
        return (self._database.run(self._count) if self._max else None) or empty

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def _look_up(self, connection: sqlite3.Connection, digest: str) -> str | None:
        now = self._clock()
        row = connection.execute(
            "UPDATE respuestas SET usada = ? WHERE clave = ? AND guardada > ? RETURNING contenido",
            (now, digest, now - self._ttl),
        ).fetchone()
        connection.execute(
            "INSERT INTO cuentas VALUES (?, 1) ON CONFLICT (nombre) DO UPDATE SET valor = valor + 1",
            ("hits" if row else "misses",),
        )
        return str(row[0]) if row else None

    def _count(self, connection: sqlite3.Connection) -> CacheFigures:
        alive = "SELECT count(*) FROM respuestas WHERE guardada > ?"
        (entries,) = connection.execute(alive, (self._clock() - self._ttl,)).fetchone()
        counts = dict(connection.execute("SELECT nombre, valor FROM cuentas").fetchall())
        return CacheFigures(entries, self._max, counts.get("hits", 0), counts.get("misses", 0), self._ttl)

    def _digest(self, key: AnswerKey) -> str:
        question = squeeze(fold(normalise(key.searched)))
        collection = None if key.collection is None else fold(normalise(key.collection)).strip()
        parts = [self._bound, key.generation, key.model, key.limits, collection, question]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _content(events: tuple[Event, ...], *, by_model: bool) -> str | None:
    """Return the answer as it is kept, or None if it may not be."""
    found = next((event for event in events if isinstance(event, Found)), None)
    sources = next((event for event in events if isinstance(event, Sources)), None)
    text = "".join(event.text for event in events if isinstance(event, Delta))
    if found is None or sources is None or not found.documents or not text.strip():
        return None
    if not all(isinstance(event, Found | Delta | Sources) for event in events):
        return None
    if by_model and not text.rstrip().endswith(_SENTENCE_ENDS):
        return None
    if any(holds_identifier(shown) for shown in (text, *(source.text for source in sources.sources))):
        return None
    answer = {"documentos": found.documents, "texto": text, **asdict(sources)}
    content = json.dumps(answer, ensure_ascii=False)
    return content if len(content.encode()) <= MAX_ANSWER_BYTES else None


def _events(content: str, searched: str) -> tuple[Event, ...]:
    answer = json.loads(content)
    return (
        Found(tuple((name, collection) for name, collection in answer["documentos"]), searched),
        Delta(answer["texto"]),
        Sources(
            tuple(Source(**source) for source in answer["sources"]),
            tuple(Sentence(**sentence) for sentence in answer["sentences"]),
        ),
    )


def _effective(settings: Settings) -> dict[str, object]:
    return settings.model_dump(mode="json", exclude=set(_WITHOUT_EFFECT))


@cache
def _code_digest() -> str:
    """Return a digest of the code that answers: an upgrade must not serve what the old one said."""
    digest = hashlib.sha256()
    for package in ("siaa", "service"):
        for path in sorted((PROJECT_DIR / package).rglob("*.py")):
            digest.update(_name(path).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _name(path: Path) -> str:
    return path.relative_to(PROJECT_DIR).as_posix()
