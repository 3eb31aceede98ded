"""Read what a request asks strictly: what is wrong with it is said, never mended in silence.

Werkzeug replaces invalid bytes and keeps the first of repeated parameters without a word, so the raw query string is
read here. Parameters that an endpoint does not know are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import unquote_to_bytes

from flask import request

from service.http.failures import InvalidParameterError, MissingParameterError, NotJsonError
from service.http.http_errors import HTTP_FAILURES
from siaa.config import MAX_QUESTION_CHARS
from siaa.question_text import fault_of, is_blank

_BROKEN_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_SWITCH = {"1": True, "0": False}
BAD_ENCODING = "La dirección tiene una codificación inválida: use UTF-8 y la forma %XX en los caracteres especiales."


class Parameters:
    """The parameters of one request that its endpoint knows, each at most once, decoded and checked."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = values

    def required(self, *names: str) -> tuple[str, ...]:
        """Return the values of `names`.

        Raises MissingParameterError, in the words of the contract, if one is absent or blank.
        """
        if any(is_blank(self._values.get(name, "")) for name in names):
            raise MissingParameterError(_missing(names))
        return tuple(self._values[name] for name in names)

    def optional(self, name: str) -> str | None:
        """Return the value of `name`, or None if it is absent or blank."""
        value = self._values.get(name, "")
        return None if is_blank(value) else value

    def switch(self, name: str) -> bool:
        """Return whether `name` is 1; absent is no.

        Raises InvalidParameterError for anything but 0 and 1.
        """
        value = self._values.get(name, "0")
        if value not in _SWITCH:
            raise InvalidParameterError(f"El parámetro '{name}' solo admite 1 (sí) o 0 (no).")
        return _SWITCH[value]


def parameters(*known: str) -> Parameters:
    """Return those parameters of the request that its endpoint knows.

    Raises InvalidParameterError as `parse_query` does.
    """
    return parse_query(str(request.environ.get("QUERY_STRING", "")), known=frozenset(known))


def json_body() -> bytes:
    """Return the body of the request.

    Raises NotJsonError if it is not announced as JSON.
    """
    if request.mimetype != "application/json":
        raise NotJsonError(HTTP_FAILURES[415][1])
    return request.get_data()


def parse_query(raw: str, *, known: frozenset[str]) -> Parameters:
    """Parse the query string `raw`, bytes as Latin-1 characters as WSGI gives it.

    Raises InvalidParameterError for invalid percent-encoding or UTF-8, and for a known parameter that is repeated,
    above 2,000 characters, or holds control characters.
    """
    values: dict[str, str] = {}
    for pair in raw.split("&"):
        name, _, value = (decode(part.replace("+", " ")) for part in pair.partition("="))
        if name not in known:
            continue
        if name in values:
            raise InvalidParameterError(f"El parámetro '{name}' llegó más de una vez: envíelo una sola.")
        if fault := fault_of(value, limit=MAX_QUESTION_CHARS):
            raise InvalidParameterError(f"El parámetro '{name}' {fault}.")
        values[name] = value
    return Parameters(values)


def decode(raw: str) -> str:
    """Return percent-encoded UTF-8 `raw` (bytes as Latin-1 characters) as text; bytes above 127 may come unescaped.

    Raises InvalidParameterError.
    """
    if _BROKEN_ESCAPE.search(raw):
        raise InvalidParameterError(BAD_ENCODING)
    try:
        return unquote_to_bytes(raw.encode("latin-1")).decode("utf-8")
    except UnicodeError:
        raise InvalidParameterError(BAD_ENCODING) from None


def check_path(environ: Mapping[str, object]) -> None:
    """Check the path of a WSGI request as strictly as its query.

    Raises InvalidParameterError for invalid percent-encoding or UTF-8, control characters, and a path without end.
    """
    target = str(environ.get("RAW_URI") or environ.get("REQUEST_URI") or "").partition("?")[0]
    if _BROKEN_ESCAPE.search(target):
        raise InvalidParameterError(BAD_ENCODING)
    try:
        path = str(environ.get("PATH_INFO", "")).encode("latin-1").decode("utf-8")
    except UnicodeError:
        raise InvalidParameterError(BAD_ENCODING) from None
    if fault := fault_of(path, limit=MAX_QUESTION_CHARS):
        raise InvalidParameterError(f"El nombre en la dirección {fault}.")


def _missing(names: tuple[str, ...]) -> str:
    if len(names) == 1:
        return f"Parámetro '{names[0]}' requerido"
    quoted = " y ".join(f"'{name}'" for name in names)
    return f"Parámetros {quoted} requeridos"
