"""Word what a server refuses before the application ever sees it, in the shape of the contract."""

from __future__ import annotations

from dataclasses import dataclass

from service.http.headers import SECURITY_HEADERS
from service.http.http_errors import HTTP_FAILURES
from service.http.wire import json_text
from service.shapes import Error


@dataclass(frozen=True, slots=True)
class Refused:
    """An answer to a request that is not read on: its status line, and the code and sentence of its body."""

    status: str
    code: str
    sentence: str

    @property
    def headers(self) -> dict[str, str]:
        """Return the headers of the answer, its length and the end of the connection apart."""
        return {"Content-Type": "application/json; charset=utf-8", **SECURITY_HEADERS}

    @property
    def body(self) -> bytes:
        """Return the JSON object with a line break behind it."""
        told: Error = {"error": self.sentence, "codigo": self.code}
        return json_text(told).encode() + b"\n"


TOO_LONG = Refused(
    "414 URI Too Long",
    "direccion_demasiado_larga",
    "La dirección o las cabeceras son demasiado largas: acorte la pregunta.",
)
MALFORMED = Refused(
    "400 Bad Request",
    "peticion_invalida",
    "La petición está mal formada: revise la dirección, el método y las cabeceras.",
)
INCOMPLETE = Refused("408 Request Timeout", *HTTP_FAILURES[408])
TOO_LARGE = Refused(
    "413 Request Entity Too Large", HTTP_FAILURES[413][0], "El cuerpo pasa de 1 MB: envíe uno más corto."
)
