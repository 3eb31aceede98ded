"""Open an index generation: a folder that is complete, verified, and never changed after it was published.

`index_data/CURRENT` names the published one; it is replaced by one atomic rename.
"""

from __future__ import annotations

import hashlib
import json
import mmap
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from siaa import records
from siaa.analysis import Analyzer
from siaa.errors import AmbiguousDocumentError, GenerationError, UnknownDocumentError
from siaa.language import load_tables
from siaa.records import DocumentRecord
from siaa.search.arrays import Arrays, Vocabularies
from siaa.search.index import SearchIndex
from siaa.text import fold, normalise

FORMAT = 2  # change it with every change of what a generation's files hold

CURRENT, MANIFEST, DOCUMENTS, TEXTS = "CURRENT", "manifest.json", "documents.json", "texts.utf32"
ARRAYS, WHOOSH, TUNING = "arrays", "whoosh", "tuning"
TEXT_ENCODING = "utf-32-le"  # fixed width: a slice of characters is a slice of bytes, without reading the whole text
_CHARACTER = 4  # bytes
_SUGGESTIONS = 5


@dataclass(frozen=True, slots=True)
class FileReport:
    """What became of one file of the corpus: state "indexado", "con_avisos" or "excluido", and why."""

    path: str
    state: str
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a generation is made of and from. `created` is UTC, ISO 8601; `files` maps each file to its SHA-256."""

    name: str
    format: int
    version: str
    created: str
    inputs: str  # digest of corpus, tuning and code fingerprints: equal inputs, equal generation
    analyzer: str  # fingerprint of the analyzer that made its terms
    documents: int
    chunks: int
    collections: dict[str, int]
    reports: tuple[FileReport, ...]
    files: dict[str, str] = field(default_factory=dict)

    def to_json(self) -> str:
        """Render the manifest."""
        return json.dumps(asdict(self), ensure_ascii=False, indent=1)

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """Read the manifest of a generation's folder.

        Raises GenerationError when it is missing, damaged or of another format.
        """
        try:
            data: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
            reports = tuple(FileReport(r["path"], r["state"], tuple(r["reasons"])) for r in data.pop("reports"))
            manifest = cls(**data, reports=reports)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise GenerationError(
                f"El manifiesto de {folder.name} no se puede leer: revise los permisos o ejecute «make index»."
            ) from error
        if manifest.format != FORMAT:
            raise GenerationError(f"La generación {folder.name} es de otra versión de SIAA: ejecute «make index».")
        return manifest


class Generation:
    """An open generation. Read-only and thread-safe; `close` it when its last question is answered."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self.folder = folder
        self.name = manifest.name
        self.manifest = manifest
        self.tables = load_tables(folder / TUNING)
        self.analyzer = Analyzer(self.tables)
        self.documents = _read_documents(folder)
        self.index = SearchIndex(Arrays.open(folder / ARRAYS), Vocabularies.open(folder / ARRAYS))
        self._texts = _map(folder / TEXTS)
        self._by_name = _names(self.documents)

    def find(self, name: str) -> DocumentRecord:
        """Return the document called `name`: its file name, its path, in any case, with or without accents.

        Raises UnknownDocumentError with near names, AmbiguousDocumentError with the paths of all that bear the name.
        """
        found = self._by_name.get(_exact_key(name)) or self._by_name.get(_key(name), ())
        if len(found) == 1:
            return found[0]
        if found:
            raise AmbiguousDocumentError(
                f"Varios documentos se llaman «{name}»: indique la ruta completa.",
                suggestions=tuple(document.doc_id for document in found),
            )
        raise UnknownDocumentError(
            f"No hay ningún documento «{name}» en el índice: revise el nombre o consulte /siaa/documentos.",
            suggestions=self._near_names(name),
        )

    def _near_names(self, name: str) -> tuple[str, ...]:
        near = get_close_matches(_key(name)[:200], self._by_name, n=2 * _SUGGESTIONS, cutoff=0.5)
        return tuple(dict.fromkeys(d.name for key in near for d in self._by_name[key]))[:_SUGGESTIONS]

    def text_of(self, document: DocumentRecord) -> str:
        """Return the whole normalised text of a document."""
        return self.slice(document, 0, document.size)

    def slice(self, document: DocumentRecord, start: int, end: int) -> str:
        """Return the characters `start` to `end` of a document's text."""
        first = (document.text_start + start) * _CHARACTER
        return self._texts[first : (document.text_start + end) * _CHARACTER].decode(TEXT_ENCODING)

    def close(self) -> None:
        """Release the mapped texts; the arrays are released when nothing refers to them."""
        if isinstance(self._texts, mmap.mmap):
            self._texts.close()


def current_name(index_dir: Path) -> str | None:
    """Return the name of the published generation, None when nothing was published yet.

    Raises GenerationError when CURRENT cannot be read or names no generation.
    """
    try:
        name = (index_dir / CURRENT).read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise GenerationError(
            "No se puede leer qué generación está publicada: revise los permisos de la carpeta del índice."
        ) from error
    if not name.startswith("gen-") or "/" in name or "\\" in name:
        raise GenerationError("El archivo CURRENT no nombra una generación: ejecute «make index».")
    return name


def generation_names(index_dir: Path) -> tuple[str, ...]:
    """Return the names of the generations in the index folder, newest first; none when there is no such folder."""
    return tuple(sorted((path.name for path in index_dir.glob("gen-*") if path.is_dir()), reverse=True))


def open_current(index_dir: Path) -> Generation:
    """Verify and open the published generation.

    Raises GenerationError when there is none, or it is damaged.
    """
    name = current_name(index_dir)
    if name is None:
        raise GenerationError("Todavía no hay índice: ejecute «make index».")
    return open_generation(index_dir / name)


def open_generation(folder: Path) -> Generation:
    """Verify the digest of every file, then open.

    Raises GenerationError; never serves a damaged file.
    """
    manifest = Manifest.read(folder)
    verify(folder, manifest)
    try:
        return Generation(folder, manifest)
    except GenerationError:
        raise
    except Exception as error:
        raise GenerationError(
            f"La generación {folder.name} no se puede abrir ({type(error).__name__}): ejecute «make index»."
        ) from error


def verify(folder: Path, manifest: Manifest) -> None:
    """Compare every file with the manifest.

    Raises GenerationError naming the first file that is missing, changed or too many.
    """
    present = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()} - {MANIFEST}
    if present != set(manifest.files):
        odd = sorted(present ^ set(manifest.files))[0]
        raise GenerationError(
            f"A la generación {folder.name} le falta o le sobra el archivo {odd}: ejecute «make index»."
        )
    for name, digest in manifest.files.items():
        try:
            actual = digest_file(folder / name)
        except OSError as error:
            raise GenerationError(f"No se puede leer {name} de {folder.name}: revise los permisos.") from error
        if actual != digest:
            raise GenerationError(
                f"El archivo {name} de la generación {folder.name} está dañado: ejecute «make index»."
            )


def digest_file(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _map(path: Path) -> bytes | mmap.mmap:
    if path.stat().st_size == 0:
        return b""
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _read_documents(folder: Path) -> tuple[DocumentRecord, ...]:
    rows = json.loads((folder / DOCUMENTS).read_text(encoding="utf-8"))
    return tuple(records.from_json(row) for row in rows)


def _exact_key(name: str) -> str:
    return "=" + normalise(name).casefold()


def _key(name: str) -> str:
    return fold(normalise(name))


def _names(documents: Iterable[DocumentRecord]) -> dict[str, tuple[DocumentRecord, ...]]:
    """Index documents by path and file name, as written and folded; a path wins over a file name of the same key."""
    table: dict[str, list[DocumentRecord]] = {}
    for document in documents:
        bare = document.doc_id.rsplit("/", 1)[-1]
        for key in {_exact_key(document.doc_id), _key(document.doc_id), _exact_key(bare), _key(bare)}:
            table.setdefault(key, []).append(document)
    return {key: tuple(found) for key, found in table.items()}
