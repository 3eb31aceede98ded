"""Ask a server with OpenAI's `/v1/embeddings` for vectors: Ollama, llama.cpp, vLLM, TEI. All it says is checked."""

from __future__ import annotations

import http.client
import json
import re
import socket
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from siaa.meaning.embedder import QUESTION_CHARS, EmbeddingError, Fingerprint, Floats, plain, take_fingerprint

PASSAGES_PER_REQUEST = 32  # what TEI takes unless it is told otherwise; the others take more

_MOST_BYTES = 64 * 2**20  # of an answer: 32 vectors of 4,096 numbers are 4 MB
_QUOTED_BYTES = 300  # of an error page, for the log
# Where servers say which model they run: most of them, then TEI.
_NAMES: tuple[tuple[str, tuple[str | int, ...]], ...] = (("/v1/models", ("data", 0, "id")), ("/info", ("model_id",)))
_TOO_LONG = (400, 413, 422, 500)  # statuses of a text over the limit of the model: OpenAI, TEI, vLLM, llama.cpp
_SHORTENED = 200  # characters; a shorter text was refused for another reason
_NO_SUCH_PAGE = (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED, HTTPStatus.NOT_IMPLEMENTED)

_INSTRUCT = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
_REPRESENT = "Represent this sentence for searching relevant passages: "
# What a model was trained to find before a question and before a passage, by its name; the others nothing. First match
# wins.
_PREFIXES: tuple[tuple[str, tuple[str, str]], ...] = (
    (r"e5-.*instruct", (f"{_INSTRUCT} ", "")),
    (r"\be5\b", ("query: ", "passage: ")),
    (r"nomic-embed", ("search_query: ", "search_document: ")),
    (r"embeddinggemma", ("task: search result | query: ", "title: none | text: ")),
    (r"qwen3-embedding", (_INSTRUCT, "")),
    (r"arctic-embed.*v?2", ("query: ", "")),
    (r"arctic-embed|mxbai-embed|bge-(?:small|base|large)-en", (_REPRESENT, "")),
)

_SLOW, _ABSENT = "el servidor de significado tarda demasiado", "el servidor de significado no responde"
# What is told of a status; any other is "rejected".
_STATUS: dict[int, str] = {
    401: "pide una clave, o no acepta la que tiene: revise SIAA_SIGNIFICADO_CLAVE",
    403: "pide una clave, o no acepta la que tiene: revise SIAA_SIGNIFICADO_CLAVE",
    404: "no tiene ese modelo o no da vectores: revise la dirección y SIAA_SIGNIFICADO_MODELO",
    429: "está ocupado",
    501: "no da vectores: revise cómo se arrancó",
    503: "está ocupado o cargando su modelo",
}


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds that things may take: to connect; a question, for which somebody waits; as many passages as are asked at
    once; and how long questions are refused without asking after one failed."""

    connect: float = 2.0
    question: float = 4.0
    passages: float = 180.0
    pause: float = 15.0


class _RefusedError(EmbeddingError):
    """The server does not take these texts; maybe one of them is too long."""


class EmbeddingServer:
    """A server at `url`, with or without `/v1`. `model` "" takes the first it offers. `prefixes` go before a question
    and before a passage; None: those that the model's name asks for. It goes to this address and nowhere else: no
    proxies, no redirects.
    """

    def __init__(
        self,
        url: str,
        *,
        model: str = "",
        key: str = "",
        prefixes: tuple[str, str] | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.url = url.rstrip("/").removesuffix("/v1").rstrip("/")
        self._wanted = model
        self._key = key
        self._given_prefixes = prefixes
        self._limits = limits or Limits()
        self._dimensions = 0  # until the first answer
        self._failure = ""
        self._resume = 0.0  # when questions are asked again, on the monotonic clock

    @cached_property
    def name(self) -> str:
        """What the server calls the model; "" when it does not say. Raises EmbeddingError when it is not there."""
        return self._wanted or next(filter(None, (self._told(path, place) for path, place in _NAMES)), "")

    @cached_property
    def fingerprint(self) -> Fingerprint:
        """What tells the model from others."""
        return take_fingerprint(self)

    @property
    def dimensions(self) -> int:
        """Return the length of its vectors."""
        return self.fingerprint.dimensions

    def question(self, text: str) -> Floats:
        """Return the vector of a question (see Embedder.question). A server that failed is left alone for a while."""
        if time.monotonic() < self._resume:
            raise self._error(self._failure, "left alone since it failed")
        try:
            prefix, _ = self._prefixes
            vector: Floats = self._vectors([prefix + text[:QUESTION_CHARS]], self._limits.question)[0]
        except EmbeddingError as error:
            self._failure, self._resume = error.message, time.monotonic() + self._limits.pause
            self._forget()
            raise
        return vector

    def passages(self, texts: Sequence[str]) -> Floats:
        """Return the vectors of passages (see Embedder.passages)."""
        runs = [texts[first : first + PASSAGES_PER_REQUEST] for first in range(0, len(texts), PASSAGES_PER_REQUEST)]
        made = [self._made(run) for run in runs]
        return np.concatenate(made) if made else np.zeros((0, self.dimensions), dtype=np.float32)

    def _made(self, texts: Sequence[str]) -> Floats:
        """Return the vectors of one request; when it is refused, look for the text that is too long and shorten it."""
        _, prefix = self._prefixes
        try:
            return self._vectors([prefix + text for text in texts], self._limits.passages)
        except _RefusedError:
            half = len(texts) // 2
            if half:
                return np.concatenate([self._made(texts[:half]), self._made(texts[half:])])
            if len(texts[0]) < _SHORTENED:
                raise
            return self._made([texts[0][: len(texts[0]) // 2]])

    @property
    def _prefixes(self) -> tuple[str, str]:
        return known_prefixes(self.name) if self._given_prefixes is None else self._given_prefixes

    def _told(self, path: str, place: tuple[str | int, ...]) -> str:
        status, body = self._send(path, None, self._limits.question)
        if status not in (HTTPStatus.OK, *_NO_SUCH_PAGE):  # it may be loading: without its name it has no prefixes
            raise self._refusal(status, body)
        found: Any = None
        with suppress(ValueError, RecursionError, LookupError, TypeError):
            found = json.loads(body)
            for step in place:
                found = found[step]
        return found if isinstance(found, str) else ""

    def _vectors(self, texts: Sequence[str], seconds: float) -> Floats:
        asked = {"model": self.name, "input": [plain(text) for text in texts], "encoding_format": "float"}
        status, body = self._send("/v1/embeddings", asked, seconds)
        if status != HTTPStatus.OK:
            raise self._refusal(status, body)
        try:
            vectors = _read(body, len(texts))
        except (ValueError, TypeError, RecursionError, OverflowError) as error:
            raise self._error(
                "el servidor de significado dio una respuesta que no se puede usar", str(error)[:_QUOTED_BYTES]
            ) from error
        size = vectors.shape[1]
        if self._dimensions not in (0, size):
            changed = f"{size} numbers instead of {self._dimensions}"
            self._forget()
            raise self._error("el servidor de significado cambió de modelo", changed)
        self._dimensions = size
        return vectors

    def _send(self, path: str, body: object, seconds: float) -> tuple[int, bytes]:
        """Send a request (POST when there is a body); return status and body, `seconds` later at most."""
        payload = None if body is None else json.dumps(body).encode("ascii")
        headers = {"Connection": "close", "Content-Type": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        limit = time.monotonic() + seconds
        try:
            status, answer = self._exchange(path, payload, headers, seconds)
        # UnicodeError, ValueError: a host name, a port or a key that cannot be.
        except (OSError, http.client.HTTPException, ValueError) as error:
            slow = isinstance(error, TimeoutError) or time.monotonic() >= limit
            raise self._error(_SLOW if slow else _ABSENT, f"{type(error).__name__}: {error}") from error
        if time.monotonic() >= limit:  # what arrived may be a part
            raise self._error(_SLOW, f"no answer in {seconds} s")
        return status, answer

    def _exchange(self, path: str, body: bytes | None, headers: dict[str, str], seconds: float) -> tuple[int, bytes]:
        parts = urlsplit(self.url)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        connection = kind(parts.hostname or "", parts.port, timeout=min(self._limits.connect, seconds))
        try:
            connection.connect()
            connection.sock.settimeout(seconds)
            # A server that sends a byte now and then never lets a socket time out: it is cut.
            cut = threading.Timer(seconds, _shut, [connection.sock])
            cut.daemon = True
            cut.start()
            try:
                connection.request("GET" if body is None else "POST", parts.path + path, body, headers)
                with connection.getresponse() as response:
                    answer = response.read(_MOST_BYTES)
                    if response.length:  # of what was announced: it was cut, or it is far too much
                        raise http.client.IncompleteRead(answer)
                    return response.status, answer
            finally:
                cut.cancel()
        finally:
            connection.close()

    def _forget(self) -> None:
        """Ask again who it is: what comes back after a failure may run another model."""
        self._dimensions = 0
        for known in ("name", "fingerprint"):
            self.__dict__.pop(known, None)

    def _refusal(self, status: int, body: bytes) -> EmbeddingError:
        message = f"el servidor de significado {_STATUS.get(status, f'rechazó la petición (HTTP {status})')}"
        kind = _RefusedError if status in _TOO_LONG else EmbeddingError
        return kind(message, detail=f"{self.url}: HTTP {status}: {body[:_QUOTED_BYTES]!r}")

    def _error(self, message: str, detail: str) -> EmbeddingError:
        return EmbeddingError(message, detail=f"{self.url}: {detail}")


def known_prefixes(model: str) -> tuple[str, str]:
    """Return what goes before a question and before a passage for a model of this name."""
    lowered = model.lower().replace("_", "-")
    return next((prefixes for pattern, prefixes in _PREFIXES if re.search(pattern, lowered)), ("", ""))


def _read(body: bytes, count: int) -> Floats:
    """Return the vectors of an answer, in the order of what was asked, of unit length. Raises ValueError."""
    answer = json.loads(body)
    rows = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError("no list of vectors")
    by_index = {row.get("index"): row.get("embedding") for row in rows}
    if len(rows) != count or set(by_index) != set(range(count)) or not all(type(index) is int for index in by_index):
        raise ValueError(f"not the {count} vectors that were asked for")
    vectors = [by_index[index] for index in range(count)]
    if not all(isinstance(v, list) and v and all(type(x) in (int, float) for x in v) for v in vectors):
        raise ValueError("a vector that is no list of numbers")
    if len({len(vector) for vector in vectors}) != 1:
        raise ValueError("vectors of different lengths")
    numbers = np.array(vectors, dtype=np.float64)
    with np.errstate(over="ignore"):
        lengths = np.linalg.norm(numbers, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or not (lengths > 0).all():
        raise ValueError("a vector without direction")
    return np.asarray(numbers / lengths, dtype=np.float32)


def _shut(connected: socket.socket) -> None:
    # Of the plain socket, also under TLS: that object's own method would change it under its reader.
    with suppress(OSError):  # closed by the other side already
        socket.socket.shutdown(connected, socket.SHUT_RDWR)
