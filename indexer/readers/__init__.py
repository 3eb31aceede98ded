"""Read the files of the corpus as documents.

A new format is a function from bytes to `Reading` and a row in `READERS`.
"""

from __future__ import annotations

import errno
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from indexer.readers.decoding import decode
from indexer.readers.doubts import find_doubts
from indexer.readers.front_matter import split_front_matter
from indexer.readers.glued import separate_glued
from indexer.readers.markup import clean_markup
from indexer.readers.structure import read_structure
from indexer.readers.title import find_title
from siaa.errors import UnreadableDocumentError
from siaa.model import Document
from siaa.text import normalise


@dataclass(frozen=True, slots=True)
class Reading:
    """What a format gives: normalised text with its structure in Markdown, metadata, and Spanish warnings."""

    text: str
    metadata: dict[str, str]
    warnings: tuple[str, ...]


Reader = Callable[[bytes], Reading]


def read_document(path: Path, *, doc_id: str, collection: str) -> Document:
    """Return the document that the file at `path` holds; an empty file is a document without blocks, with a warning.

    Raises UnreadableDocumentError, whose Spanish text says why, when the file cannot be read or is not text.
    """
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        known = ", ".join(sorted(READERS))
        raise UnreadableDocumentError(f"Formato no admitido: «{path.suffix}». Se admiten {known}.")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UnreadableDocumentError(f"No se pudo leer el archivo: {why_unreadable(error)}.") from error
    return to_document(reader(data), doc_id=doc_id, collection=collection, file_name=path.name)


def why_unreadable(error: OSError) -> str:
    """Return in Spanish why a file could not be read."""
    return _WHY.get(error.errno or 0, "error de lectura")


_WHY = {
    errno.EACCES: "falta el permiso de lectura",
    errno.EPERM: "falta el permiso de lectura",
    errno.ENOENT: "desapareció mientras se leía",
    errno.EIO: "el disco falla",
    errno.EMFILE: "hay demasiados archivos abiertos (ulimit -n)",
    errno.ENAMETOOLONG: "su ruta es demasiado larga",
}


def to_document(reading: Reading, *, doc_id: str, collection: str, file_name: str) -> Document:
    """Return the document of a reading: its structure, its title and what is doubtful about it."""
    blocks = read_structure(reading.text)
    doubts = find_doubts(reading.text, blocks, has_metadata=bool(reading.metadata))
    return Document(
        doc_id=doc_id,
        title=find_title(reading.text, blocks, reading.metadata, file_name),
        collection=collection,
        text=reading.text,
        blocks=blocks,
        metadata=reading.metadata,
        warnings=reading.warnings + doubts,
    )


def read_markdown(data: bytes) -> Reading:
    """Read Markdown, plain text, or an HTML page under either name: offices save all three as .md and .txt.

    Raises UnreadableDocumentError when `data` is not text.
    """
    decoded = decode(data)
    metadata, body, complaints = split_front_matter(normalise(decoded.text))
    cleaned = clean_markup(body)
    if cleaned.page_title:
        metadata = {"title": cleaned.page_title, **metadata}
    text, glued = separate_glued(normalise(cleaned.text))
    parted = (_PARTED.format(count=glued),) if glued else ()
    return Reading(text, metadata, decoded.warnings + complaints + cleaned.warnings + parted)


_PARTED = "Encabezados pegados al texto anterior que se pusieron en su propia línea: {count}."


READERS: dict[str, Reader] = {".md": read_markdown, ".txt": read_markdown}  # by suffix in lower case
