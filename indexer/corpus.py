"""List the files of the corpus and name the documents they are."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from indexer.readers import READERS
from siaa.errors import CorpusError
from siaa.text import normalise

ROOT_COLLECTION = "general"


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to be read: where it is, its path in the corpus as documents are named, and its collection."""

    path: Path
    doc_id: str
    collection: str


@dataclass(frozen=True, slots=True)
class Listing:
    """The files to be read, by doc_id, and those passed over with the reason in Spanish."""

    files: tuple[SourceFile, ...]
    passed_over: tuple[tuple[str, str], ...]


def list_corpus(folder: Path) -> Listing:
    """Return the files of the corpus.

    The collection is the first folder; the root and a folder `general` are one. Raises CorpusError when the folder is
    missing or unreadable, or two files would have one path.
    """
    if not folder.is_dir():
        raise CorpusError(f"No existe la carpeta de documentos {folder}: créela o indique otra con SIAA_CORPUS_DIR.")
    files: list[SourceFile] = []
    passed_over: list[tuple[str, str]] = []
    for path in sorted(_walk(folder)):
        relative = path.relative_to(folder)
        reason = _why_not(path, relative, folder)
        if reason:
            passed_over.append((_printable(relative.as_posix()), reason))
        else:
            files.append(_source(path, relative))
    _refuse_collisions(files)
    return Listing(tuple(sorted(files, key=lambda file: file.doc_id)), tuple(passed_over))


def _walk(folder: Path) -> Iterator[Path]:
    def refuse(error: OSError) -> None:
        raise CorpusError(f"No se puede leer la carpeta {error.filename}: revise los permisos.") from error

    for parent, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(parent, name) for name in folders if Path(parent, name).is_symlink())
        for name in names:
            if not name.startswith(".") or Path(name).suffix.lower() in READERS:
                yield Path(parent, name)


def _why_not(path: Path, relative: Path, folder: Path) -> str:
    if path.is_dir():
        return "es un enlace a una carpeta: no se siguen, ponga la carpeta misma"
    if path.suffix.lower() not in READERS:
        return f"formato no admitido ({path.suffix or 'sin extensión'}); se admiten {', '.join(sorted(READERS))}"
    if path.name.startswith("."):
        return "es un archivo oculto: quite el punto del nombre"
    if path.is_symlink() and not path.exists():
        return "enlace roto"
    if path.is_symlink() and not path.resolve().is_relative_to(folder.resolve()):
        return "es un enlace a un archivo de fuera de la carpeta: ponga el archivo mismo"
    if not path.is_file():
        return "no es un archivo corriente"
    if any(0xDC80 <= ord(character) <= 0xDCFF for character in relative.as_posix()):
        return "el nombre no está en UTF-8: cámbielo"
    if "\\" in relative.as_posix() or any(ord(character) < 32 for character in relative.as_posix()):
        return "el nombre tiene una barra invertida o un carácter de control: cámbielo"
    return ""


def _source(path: Path, relative: Path) -> SourceFile:
    parts = [normalise(part) for part in relative.parts]
    collection = parts[0] if len(parts) > 1 else ROOT_COLLECTION
    doc_id = "/".join(parts) if len(parts) > 1 else f"{ROOT_COLLECTION}/{parts[0]}"
    return SourceFile(path, doc_id, collection)


def _refuse_collisions(files: list[SourceFile]) -> None:
    bearers: defaultdict[str, list[SourceFile]] = defaultdict(list)
    for file in files:
        bearers[file.doc_id.casefold()].append(file)
    for found in bearers.values():
        if len(found) > 1:
            paths = " y ".join(_printable(str(file.path)) for file in found)
            raise CorpusError(
                f"Dos archivos tendrían la misma ruta «{found[0].doc_id}»: {paths}. Cambie el nombre de uno."
            )


def _printable(text: str) -> str:
    text = text.encode("utf-8", "replace").decode("utf-8")
    return "".join(character if character.isprintable() else "?" for character in text)
