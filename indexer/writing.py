"""Write the files of a generation into its folder."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from indexer.passages import Passage, analyse
from indexer.reporting import Reporter
from siaa import records
from siaa.analysis import Analyzer
from siaa.generation import ARRAYS, DOCUMENTS, MANIFEST, TEXT_ENCODING, TEXTS, WHOOSH, Manifest, digest_file
from siaa.model import Chunk, Document
from siaa.records import DocumentRecord
from siaa.search import deriving, whoosh_index
from siaa.search.passage_table import PassageTable
from siaa.search.whoosh_index import PassageTerms
from siaa.sentences import sentence_spans


def write_contents(
    folder: Path,
    documents: Sequence[Document],
    chunks: Sequence[Sequence[Chunk]],
    documents_records: Sequence[DocumentRecord],
    analyzer: Analyzer,
    reporter: Reporter,
) -> None:
    """Write texts, document table, Whoosh index and the arrays derived from it."""
    with (folder / TEXTS).open("wb") as file:
        for document in documents:
            file.write(document.text.encode(TEXT_ENCODING, "replace"))
    rows = [records.to_json(record) for record in documents_records]
    (folder / DOCUMENTS).write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
    table = PassageTable()
    total = sum(len(found) for found in chunks)
    passages = reporter.progress(_passages(documents, chunks, documents_records, analyzer), "indexando", total)
    whoosh_index.write_index(folder / WHOOSH, _keep_rows(passages, table))
    _write_arrays(folder, table, len(documents), analyzer)


def _passages(
    documents: Sequence[Document],
    chunks: Sequence[Sequence[Chunk]],
    documents_records: Sequence[DocumentRecord],
    analyzer: Analyzer,
) -> Iterator[Passage]:
    for document, found, record in zip(documents, chunks, documents_records, strict=True):
        yield from analyse(
            document,
            found,
            record.identity,
            position=record.position,
            analyzer=analyzer,
            sentence_starts=lambda text: [start for start, _ in sentence_spans(text)],
        )


def _keep_rows(passages: Iterator[Passage], table: PassageTable) -> Iterator[PassageTerms]:
    for passage in passages:
        table.add(passage.row)
        yield passage.terms


def _write_arrays(folder: Path, table: PassageTable, documents: int, analyzer: Analyzer) -> None:
    stop_words = analyzer.tables.stop_words
    target = folder / ARRAYS
    target.mkdir()
    with whoosh_index.open_reader(folder / WHOOSH) as reader:
        deriving.write_arrays(
            target, reader, table, documents=documents, stem_of=lambda w: None if w in stop_words else analyzer.stem(w)
        )


def write_manifest(folder: Path, manifest: Manifest) -> Manifest:
    """Write the manifest with the digest of every file in the folder, and return it."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    manifest = replace(manifest, files={path.relative_to(folder).as_posix(): digest_file(path) for path in files})
    (folder / MANIFEST).write_text(manifest.to_json(), encoding="utf-8")
    return manifest
