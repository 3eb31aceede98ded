"""Meaning: vectors of passages and questions, whose cosine is a ranking signal beside words (docs/adr/0012)."""

from __future__ import annotations

from siaa.config import Settings
from siaa.meaning.embedded import EmbeddedModel, why_not
from siaa.meaning.embedder import Embedder, EmbeddingError, Fingerprint, passage_text
from siaa.meaning.encoding import TooSlowError, encode_passages
from siaa.meaning.server import EmbeddingServer
from siaa.meaning.store import VectorStore, VectorStoreError, key_of
from siaa.meaning.vectors import Vectors

__all__ = [
    "Embedder",
    "EmbeddingError",
    "Fingerprint",
    "TooSlowError",
    "VectorStore",
    "VectorStoreError",
    "Vectors",
    "connect",
    "encode_passages",
    "key_of",
    "open_store",
    "passage_text",
]

OFF = "está apagado con SIAA_SIGNIFICADO=no"


def connect(settings: Settings) -> tuple[Embedder | None, str]:
    """Return the embedder that `SIAA_SIGNIFICADO` names, or None and in Spanish why there is none.

    A server is not asked anything yet: whether it answers is found out by the first text.
    """
    if settings.significado == "no":
        return None, OFF
    if settings.significado.startswith("http"):
        return EmbeddingServer(
            settings.significado,
            model=settings.significado_modelo,
            key=settings.significado_clave.get_secret_value(),
            prefixes=settings.prefixes,
        ), ""
    if reason := why_not():
        return None, reason
    try:
        return EmbeddedModel(), ""
    except EmbeddingError as error:
        return None, error.message


def open_store(settings: Settings) -> VectorStore:
    """Open the store of vectors, by default in `vectores/` beside the index: indexes side by side share it.

    Raises VectorStoreError.
    """
    folder = settings.vectors_dir or settings.index_dir.resolve().parent / "vectores"
    return VectorStore(folder, max_bytes=settings.vectors_mb * 2**20)
