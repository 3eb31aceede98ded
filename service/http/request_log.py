"""Write logs: one line per request, as text or as JSON, each line with the request that it belongs to.

No line holds a question, a document or a key: a request is told by its route's template, and of an unexpected
exception the type and the place, since its text may quote anything.
"""

from __future__ import annotations

import json
import logging
import re
import secrets
import sys
import traceback
from contextvars import ContextVar
from datetime import UTC, datetime
from types import TracebackType
from typing import TextIO

from siaa.config import Settings
from siaa.errors import SiaaError

REQUEST_HEADER = "X-Request-ID"
NO_REQUEST = "-"
FIELDS = ("metodo", "ruta", "estado", "ms", "generacion")  # of the line about a request
_SANE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")

request_id: ContextVar[str] = ContextVar("request_id", default=NO_REQUEST)

_ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


def configure(settings: Settings, *, stream: TextIO | None = None) -> None:
    """Send the log of this process to standard error in the form of `SIAA_LOG_FORMAT`."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.addFilter(_note_request)
    handler.setFormatter(JsonFormatter() if settings.log_format == "json" else TextFormatter())
    logging.basicConfig(level=settings.log_level, handlers=[handler], force=True)


def new_request_id(offered: str | None) -> str:
    """Return the id that the client offers if it is a plain one, else a new one."""
    return offered if offered and _SANE.fullmatch(offered) else secrets.token_hex(8)


class _Discreet(logging.Formatter):
    """Tell of an exception where it happened and of which type it is, not its text."""

    def formatException(self, ei: _ExcInfo) -> str:
        """Return the frames and types of an exception and of what caused it."""
        lines: list[str] = []
        error: BaseException | None = ei[1]
        seen: set[int] = set()
        while error is not None and id(error) not in seen:
            seen.add(id(error))
            lines += [*traceback.format_tb(error.__traceback__), _name(error), "\n"]
            error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        return "".join(lines).rstrip("\n")


class TextFormatter(_Discreet):
    """Lines for a terminal: time, level, logger, request, message."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s [%(peticion)s]: %(message)s", defaults={"peticion": "-"})


class JsonFormatter(_Discreet):
    """One JSON object per line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as JSON."""
        line: dict[str, object] = {
            "momento": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "nivel": record.levelname,
            "registro": record.name,
            "peticion": getattr(record, "peticion", NO_REQUEST),
            "mensaje": record.getMessage(),
        }
        line |= {name: getattr(record, name) for name in FIELDS if hasattr(record, name)}
        if record.exc_info:
            line["traza"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


def _name(error: BaseException) -> str:
    """Return the type of an error, and its text where it is known to be ours or the system's."""
    kind = type(error).__name__
    if isinstance(error, OSError) and error.strerror:
        return f"{kind}: [{error.errno}] {error.strerror}"
    return f"{kind} ({error.code})" if isinstance(error, SiaaError) else kind


def _note_request(record: logging.LogRecord) -> bool:
    record.peticion = request_id.get()
    return True
