"""Write down what was asked and what came of it, for those who mend the corpus; without anybody's identity.

Every text is masked first and cut afterwards, so that a cut cannot hide an identifier from the rules.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from service.shapes import Linea
from service.storage.data_folder import data_folder
from service.storage.database import Database
from service.storage.masking import mask
from siaa.answering.exchange import LogLine
from siaa.config import Settings
from siaa.model import Json

FILE_NAME = "registro.sqlite3"
PURGE_SECONDS = 3600.0  # between two searches for lines past their retention

_TEXTS = ("pregunta", "pregunta_buscada", "respuesta", "esperado", "comentario")
_COLUMNS = (
    "momento", "tipo", "alerta", "pregunta", "pregunta_buscada", "respuesta", "documentos", "coleccion", "modelo",
    "generacion", "codigo", "ms", "completa", "util", "esperado", "comentario",
)  # fmt: skip
_SCHEMA = (
    f"CREATE TABLE IF NOT EXISTS registro (id INTEGER PRIMARY KEY AUTOINCREMENT, {', '.join(_COLUMNS)})",
    "CREATE INDEX IF NOT EXISTS registro_momento ON registro (momento)",
)


@dataclass(frozen=True, slots=True)
class LogPage:
    """The newest lines of those that were asked for, newest first, and how many there are of them in all."""

    total: int = 0
    lines: tuple[Linea, ...] = ()


class QualityLog:
    """Keep lines for a number of days in a file that may fail: then a line is lost, and nothing else. Thread-safe."""

    def __init__(self, settings: Settings, *, clock: Callable[[], float] = time.time) -> None:
        self._days = settings.quality_log_days
        self._rows = settings.quality_log_rows
        self._chars = settings.quality_log_chars
        self._clock = clock
        self._next_purge = 0.0
        self._database = Database(data_folder(settings) / FILE_NAME, schema=_SCHEMA)

    @property
    def enabled(self) -> bool:
        """Tell whether lines are kept at all."""
        return self._days > 0

    def write(self, line: LogLine) -> bool:
        """Mask and keep one line; tell whether it was."""
        if not self.enabled:
            return False
        row = self._row(line)
        values = tuple(row[column] for column in _COLUMNS)
        holes = ", ".join("?" * len(_COLUMNS))

        def insert(connection: sqlite3.Connection) -> bool:
            connection.execute(f"INSERT INTO registro ({', '.join(_COLUMNS)}) VALUES ({holes})", values)
            self._purge(connection)
            return True

        return bool(self._database.run(insert))

    def read(self, *, limit: int, kind: str | None = None, alert: str | None = None) -> LogPage | None:
        """Return the newest lines of this type and alert, newest first; None if the file cannot be read now."""
        wanted = [("momento >= ?", self._oldest())]
        wanted += [(f"{column} = ?", value) for column, value in (("tipo", kind), ("alerta", alert)) if value]
        where = " AND ".join(condition for condition, _ in wanted)
        values = tuple(value for _, value in wanted)
        # One statement, so that no line written meanwhile is in one figure and not in the other.
        total = f"(SELECT count(*) FROM registro WHERE {where})"
        query = f"SELECT {total}, id, {', '.join(_COLUMNS)} FROM registro WHERE {where} ORDER BY id DESC LIMIT ?"

        def select(connection: sqlite3.Connection) -> LogPage:
            self._purge(connection)
            rows = connection.execute(query, (*values, *values, limit)).fetchall()
            lines = tuple(_shown(dict(zip(("id", *_COLUMNS), row[1:], strict=True))) for row in rows)
            return LogPage(rows[0][0] if rows else 0, lines)

        return self._database.run(select) if self.enabled else LogPage()

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def _row(self, line: LogLine) -> dict[str, object]:
        row: dict[str, object] = {
            "momento": _moment(self._clock()),
            "tipo": line.kind,
            "alerta": line.alert,
            "pregunta": line.question,
            "pregunta_buscada": line.searched,
            "respuesta": line.answer,
            "documentos": json.dumps(line.documents, ensure_ascii=False),
            "coleccion": line.collection,
            "modelo": line.model,
            "generacion": line.generation,
            "codigo": line.code,
            "ms": line.milliseconds,
            "completa": int(line.complete),
            "util": None if line.useful is None else int(line.useful),
            "esperado": line.expected,
            "comentario": line.comment,
        }
        return row | {column: mask(str(row[column]))[: self._chars] for column in (*_TEXTS, "coleccion")}

    def _purge(self, connection: sqlite3.Connection) -> None:
        """Delete what is past its retention, at most once an hour."""
        if self._clock() < self._next_purge:
            return
        self._next_purge = self._clock() + PURGE_SECONDS
        connection.execute("DELETE FROM registro WHERE momento < ?", (self._oldest(),))
        connection.execute("DELETE FROM registro WHERE id <= (SELECT max(id) FROM registro) - ?", (self._rows,))

    def _oldest(self) -> str:
        return _moment(self._clock() - self._days * 86_400)


def _moment(seconds: float) -> str:
    """Return seconds of the epoch as UTC, ISO 8601, so that text order is time order."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


def _shown(row: Json) -> Linea:
    """Return one line as /siaa/log gives it."""
    told = row["util"] is not None
    return {
        "id": row["id"],
        "momento": row["momento"],
        "tipo": row["tipo"],
        "alerta": row["alerta"],
        "pregunta": row["pregunta"],
        "pregunta_buscada": row["pregunta_buscada"],
        "respuesta": row["respuesta"],
        "documentos": json.loads(row["documentos"]),
        "coleccion": row["coleccion"],
        "modelo": row["modelo"],
        "generacion": row["generacion"],
        "codigo": row["codigo"],
        "ms": row["ms"],
        "completa": bool(row["completa"]),
        "opinion": {"util": bool(row["util"]), "esperado": row["esperado"], "comentario": row["comentario"]}
        if told
        else None,
    }
