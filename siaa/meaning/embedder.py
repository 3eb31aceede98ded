"""What an embedder is, which texts it is given, and how one model is told from another."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from siaa.errors import SiaaError
from siaa.text import squeeze

Floats = npt.NDArray[np.float32]

QUESTION_CHARS = 600  # of a question that are looked at: its cost grows with its length

_SAME = 0.995  # cosine; another quantisation of the same weights gives about .98, another machine over .9999
_SKETCH = 64  # coordinates of each probe that a fingerprint holds

# What a model makes of these tells it from others. One is as long as a passage gets: servers cut at different lengths.
_PROBE_QUESTION = "¿Hasta cuándo hay plazo para entregar el informe?"
_PROBE_PASSAGES = (
    "El informe se entrega en los cinco primeros días hábiles de cada trimestre.",
    "Article 3. The tenant returns the keys once the deposit has been paid back. 12.345,67 €",
    "Reglamento de la biblioteca. Artículo 8. Préstamo. "
    + "Cada persona inscrita puede llevar a su casa hasta tres libros durante quince días, y renovarlos una vez si "
    "nadie los ha pedido. Quien los devuelve tarde no puede llevar otros por tantos días como tardó. " * 4,
)


class EmbeddingError(SiaaError):
    """No vector could be had. `detail`, in English, is for the log; the message is for whoever operates SIAA."""

    code = "significado_no_disponible"

    def __init__(self, message: str, *, detail: str = "") -> None:
        super().__init__(message)
        self.detail = detail or message


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What tells a model from another: how it places some fixed sentences. Its fields are plain JSON.

    `name` is for people. `sketch` is a part of the vectors, not a digest of them: another processor, or another batch
    on a graphics card, changes their last bits, and then the passages would all have to be encoded again.
    """

    name: str
    dimensions: int
    sketch: str

    def same_model(self, other: Fingerprint) -> bool:
        """Tell whether vectors of both may be compared and mixed."""
        if self.dimensions != other.dimensions:
            return False
        if self.sketch == other.sketch:
            return True
        mine, theirs = _unpack(self.sketch), _unpack(other.sketch)
        return mine.shape == theirs.shape and bool((_unit(mine) * _unit(theirs)).sum(axis=1).min() >= _SAME)


class Embedder(Protocol):
    """Turns texts into vectors of unit length, whose product is their cosine. Any number of threads may share one.

    Each method raises EmbeddingError, and then has no vector for any of the texts.
    """

    @property
    def name(self) -> str:
        """Return what people call the model."""

    @property
    def fingerprint(self) -> Fingerprint:
        """Return what tells the model from others. The first time it costs the encoding of some sentences."""

    @property
    def dimensions(self) -> int:
        """Return the length of its vectors, D."""

    def question(self, text: str) -> Floats:
        """Return the vector of a question, shape (D,); of a long one, that of its first QUESTION_CHARS characters."""

    def passages(self, texts: Sequence[str]) -> Floats:
        """Return the vectors of passages in their order, shape (N, D)."""


def passage_text(title: str, heading: str, text: str) -> str:
    """Return what is encoded of a passage: title, own heading, text; the heading once.

    The keys of stored vectors are made of it: any change of it makes all of them again.
    """
    body = squeeze(text).lstrip("# ")
    title, heading = squeeze(title), squeeze(heading)
    parts = [title] if heading == title or body.startswith(heading) else [title, heading]
    return ". ".join(filter(None, [*(part.rstrip(" .:") for part in parts), body]))


def plain(text: str) -> str:
    """Return a text that every model takes whole: no NUL, no half of a surrogate pair; of a blank one, a full stop."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8") if text.strip("\0 \n") else "."


def take_fingerprint(embedder: Embedder) -> Fingerprint:
    """Ask a model for the fixed sentences. Raises EmbeddingError."""
    vectors = np.vstack([embedder.question(_PROBE_QUESTION)[None, :], embedder.passages(_PROBE_PASSAGES)])
    part = _unit(vectors[:, :_SKETCH])
    return Fingerprint(embedder.name, vectors.shape[1], _pack(part))


def _pack(part: Floats) -> str:
    return base64.b64encode(np.rint(part * 127).astype(np.int8).tobytes()).decode("ascii")


def _unpack(sketch: str) -> Floats:
    numbers = np.frombuffer(base64.b64decode(sketch), dtype=np.int8).astype(np.float32)
    return numbers.reshape(1 + len(_PROBE_PASSAGES), -1)


def _unit(rows: Floats) -> Floats:
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.asarray(rows / np.maximum(lengths, np.finfo(np.float32).tiny), dtype=np.float32)
