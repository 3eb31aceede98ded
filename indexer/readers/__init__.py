"""Read the files of the corpus as documents.

A new format is a function from bytes to `Reading` and a row in `READERS`.
"""

from __future__ import annotations

import errno
from collections.abc import Callable
from dataclasses import dataclass

from indexer.readers.decoding import decode
from indexer.readers.doubts import find_doubts
from indexer.readers.front_matter import split_front_matter
from indexer.readers.glued import separate_glued
from indexer.readers.markup import clean_markup
from indexer.readers.structure import read_structure
from indexer.readers.title import find_title
from siaa.model import Document
from siaa.text import normalise


@dataclass(frozen=True, slots=True)
class Reading:
    """What a format gives: normalised text with its structure in Markdown, metadata, and Spanish warnings."""

    text: str
    metadata: dict[str, str]
    warnings: tuple[str, ...]


Reader = Callable[[bytes], Reading]


def read_document(data: bytes, *, doc_id: str, collection: str) -> Document:
    """Return the document that `data` holds, the content of a file with a suffix of `READERS`.

    An empty file is a document without blocks, with a warning. Raises UnreadableDocumentError, whose Spanish text says
    why, when it is not text.
    """
    name = doc_id.rpartition("/")[2]
    reading = READERS[f".{name.rpartition('.')[2].lower()}"](data)
    blocks = read_structure(reading.text)
    doubts = find_doubts(reading.text, blocks, has_metadata=bool(reading.metadata))
    return Document(
        doc_id=doc_id,
        title=find_title(reading.text, blocks, reading.metadata, name),
        collection=collection,
        text=reading.text,
        blocks=blocks,
        metadata=reading.metadata,
        warnings=reading.warnings + doubts,
    )


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
