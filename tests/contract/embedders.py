"""The embedders that the contract suite runs over, and a server that plays one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from siaa.meaning.server import EmbeddingServer, Limits

DIMENSIONS = 96

Script = Callable[[Any], None]


def vector_of(text: str) -> list[float]:
    """Return some vector that belongs to a text, not of unit length."""
    seed = int.from_bytes(hashlib.sha256(text.encode("utf-8")).digest()[:8], "little")
    return [float(x) for x in 3 * np.random.default_rng(seed).standard_normal(DIMENSIONS)]


def unit(numbers: Iterable[float]) -> Any:
    """Return the numbers as a vector of unit length."""
    vector = np.array(list(numbers))
    return vector / np.linalg.norm(vector)


def answer(texts: Iterable[str]) -> dict[str, Any]:
    """Return what a server says to texts, in the order of an unkind one: the last vector first."""
    rows = [{"object": "embedding", "index": i, "embedding": vector_of(text)} for i, text in enumerate(texts)]
    return {"object": "list", "model": "guion", "data": rows[::-1]}


def says(value: object, *, status: int = 200) -> Script:
    """Return a script that sends a value as JSON, or bytes as they are."""
    body = value if isinstance(value, bytes) else json.dumps(value).encode()

    def script(handler: Any) -> None:
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return script


def embeds(handler: Any) -> None:
    """Answer a request as it wants."""
    says(answer(json.loads(handler.sent)["input"]))(handler)


def client(url: str, **options: Any) -> EmbeddingServer:
    """Return a client with short times."""
    limits = Limits(connect=2.0, question=2.0, passages=2.0, pause=0.0)
    return EmbeddingServer(url, **{"limits": limits, **options})
