"""Read the files of the corpus into documents, on all cores when there is much to read.

Whatever is wrong with a file is its own report and never ends the run. Documents come in the order of the listing,
whatever process read them.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from indexer.corpus import SourceFile, list_corpus
from indexer.readers import read_document, why_unreadable
from indexer.reporting import Reporter
from siaa.errors import UnreadableDocumentError
from siaa.generation import INDEXED, LEFT_OUT, WITH_WARNINGS, FileReport
from siaa.model import Document

WORTH_PROCESSES = 2_000_000  # bytes of corpus from which starting more processes (half a second each) pays
_MOST_PROCESSES = 4

Result = tuple[Document | None, FileReport]


@dataclass(frozen=True, slots=True)
class LoadedFile:
    """A file of the corpus, its content, and the SHA-256 of it."""

    file: SourceFile
    data: bytes
    digest: str


@dataclass(frozen=True, slots=True)
class Corpus:
    """The files to be read, and the reports of those that are no documents."""

    files: tuple[LoadedFile, ...]
    reports: tuple[FileReport, ...]


def read_files(folder: Path) -> Corpus:
    """Return the content of every file of the corpus.

    Raises CorpusError when the folder is missing or unreadable.
    """
    listing = list_corpus(folder)
    files: list[LoadedFile] = []
    reports = [FileReport(path, LEFT_OUT, (reason,)) for path, reason in listing.passed_over]
    for file in listing.files:
        try:
            data = file.path.read_bytes()
        except OSError as error:
            reason = f"no se pudo leer el archivo: {why_unreadable(error)}"
            reports.append(FileReport(file.doc_id, LEFT_OUT, (reason,)))
        else:
            files.append(LoadedFile(file, data, hashlib.sha256(data).hexdigest()))
    return Corpus(tuple(files), tuple(reports))


def read_documents(
    files: Sequence[LoadedFile], reporter: Reporter, *, worth_processes: int = WORTH_PROCESSES
) -> tuple[list[Document], list[FileReport]]:
    """Return the documents that can be read and a report of every file, in order."""
    processes = min(os.cpu_count() or 1, _MOST_PROCESSES, len(files))
    if sum(len(loaded.data) for loaded in files) < worth_processes:
        processes = 1
    with _results(files, processes) as results:
        rows = list(reporter.progress(results, "leyendo", len(files)))
    return [document for document, _ in rows if document is not None], [report for _, report in rows]


@contextmanager
def _results(files: Sequence[LoadedFile], processes: int) -> Iterator[Iterable[Result]]:
    if processes < 2:
        yield map(_read_document, files)
        return
    # Fresh processes, not copies of this one: a copy inherits locks that other threads hold.
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        yield pool.map(_read_document, files)


def _read_document(loaded: LoadedFile) -> Result:
    file = loaded.file
    try:
        document = read_document(loaded.data, doc_id=file.doc_id, collection=file.collection)
    except UnreadableDocumentError as error:
        return None, FileReport(file.doc_id, LEFT_OUT, (error.message,))
    except Exception as error:  # a reader's own fault must not cost the other documents
        return None, FileReport(file.doc_id, LEFT_OUT, (f"fallo al leerlo ({type(error).__name__}): repórtelo",))
    return document, report_of(file.doc_id, document.warnings)


def report_of(doc_id: str, warnings: tuple[str, ...]) -> FileReport:
    """Return the report of a file that is a document."""
    return FileReport(doc_id, WITH_WARNINGS if warnings else INDEXED, warnings)
