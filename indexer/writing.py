"""Write the files of a generation into its folder: from documents just read, and from those that an earlier one has."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from indexer.extracts import Extract
from indexer.passages import AnalysedPassage, analyse
from indexer.reporting import Reporter
from indexer.reuse import Earlier
from siaa.analysis import Analyzer
from siaa.generation import ARRAYS, DOCUMENTS, MANIFEST, TEXT_ENCODING, TEXTS, WHOOSH, Manifest, digest_file
from siaa.model import CutPassage, Document
from siaa.records import RECORDS, DocumentRecord
from siaa.search import deriving, whoosh_index
from siaa.search.bm25f import Ints
from siaa.search.passage_table import PassageColumns, PassageTable
from siaa.search.splicing import Run, new_positions, splice_columns, splice_postings
from siaa.search.whoosh_index import FieldPostings, PassageTerms

_MOST_SEGMENTS = 8  # of a Whoosh index; from then on it is written anew
_MOST_DELETED = 0.25  # share of the documents of a Whoosh index that may be deleted in it

_EARLIER, _FRESH = 0, 1


@dataclass(frozen=True, slots=True)
class Fresh:
    """A document that was read for this build, and its passages."""

    document: Document
    passages: Sequence[CutPassage]


@dataclass(frozen=True, slots=True)
class Part:
    """A document of the generation: from the earlier one, at `position` there, or of the fresh ones at `position`."""

    extract: Extract
    position: int
    fresh: bool


@dataclass(frozen=True, slots=True)
class Contents:
    """What was written: the passages, their postings by field, and the Whoosh document number of each."""

    columns: PassageColumns
    postings: Mapping[str, FieldPostings]
    whoosh_numbers: Ints


def write_contents(
    folder: Path,
    parts: Sequence[Part],
    fresh: MutableMapping[int, Fresh],
    earlier: Earlier | None,
    analyzer: Analyzer,
    reporter: Reporter,
) -> Contents:
    """Write texts, Whoosh index and the arrays derived from it, of `parts` in their order.

    `fresh`, by position, is emptied as its documents are indexed: with them, the arrays would not fit beside the rest.
    """
    _write_texts(folder / TEXTS, parts, fresh, earlier)
    table = PassageTable()
    passages = _kept_rows(_passages(parts, fresh, analyzer), table)
    kept = None if all(part.fresh for part in parts) else earlier
    if kept is not None and _can_extend(kept, parts):
        contents = _extend(folder / WHOOSH, parts, passages, table, kept)
    else:
        contents = _index_anew(folder / WHOOSH, parts, passages, table, kept, reporter)
    _write_arrays(folder / ARRAYS, contents, len(parts), earlier, analyzer)
    return contents


def _write_texts(path: Path, parts: Sequence[Part], fresh: Mapping[int, Fresh], earlier: Earlier | None) -> None:
    kept = earlier.texts([part.position for part in parts if not part.fresh]) if earlier else iter(())
    with path.open("wb") as file:
        for part in parts:
            file.write(
                fresh[part.position].document.text.encode(TEXT_ENCODING, "replace") if part.fresh else next(kept)
            )


def _passages(
    parts: Sequence[Part], fresh: MutableMapping[int, Fresh], analyzer: Analyzer
) -> Iterator[AnalysedPassage]:
    """Yield the passages of the fresh documents."""
    for part in parts:
        if part.fresh:
            found = fresh.pop(part.position)
            yield from analyse(
                found.passages,
                part.extract.identity.title_stems,
                doc_id=part.extract.doc_id,
                position=part.position,
                analyzer=analyzer,
            )


def _kept_rows(passages: Iterator[AnalysedPassage], table: PassageTable) -> Iterator[PassageTerms]:
    for passage in passages:
        table.add(passage.row)
        yield passage.terms


def _can_extend(earlier: Earlier, parts: Sequence[Part]) -> bool:
    """Tell whether the earlier index may be gone on with: it has few segments, and most of it stays."""
    segments, size = earlier.whoosh_size
    stays = sum(part.extract.passage_count for part in parts if not part.fresh)
    return segments < _MOST_SEGMENTS and size - stays <= _MOST_DELETED * size


def _extend(
    whoosh: Path, parts: Sequence[Part], passages: Iterator[PassageTerms], table: PassageTable, earlier: Earlier
) -> Contents:
    """Add the fresh documents to a copy of the earlier index, and delete from it those that are gone or changed."""
    runs, numbers = _runs(parts, earlier), earlier.whoosh_numbers
    added = sum(part.extract.passage_count for part in parts if part.fresh)
    positions = new_positions(runs, (numbers.size, added))
    stays = positions[_EARLIER] >= 0
    first = whoosh_index.extend_index(
        earlier.whoosh_folder, whoosh, deleted=numbers[~stays].tolist(), passages=passages
    )
    newest = (
        whoosh_index.read_all_postings(whoosh, newest=True)
        if added
        else dict.fromkeys(whoosh_index.FIELDS, FieldPostings.none())
    )
    postings = {field: splice_postings((kept, newest[field]), positions) for field, kept in earlier.postings.items()}
    moved = np.empty(int(stays.sum()) + added, dtype=np.int32)
    moved[positions[_EARLIER][stays]] = numbers[stays]
    moved[positions[_FRESH]] = np.arange(first, first + added, dtype=np.int32)
    return Contents(splice_columns((earlier.columns, table.finish()), runs), postings, moved)


def _index_anew(
    whoosh: Path,
    parts: Sequence[Part],
    passages: Iterator[PassageTerms],
    table: PassageTable,
    earlier: Earlier | None,
    reporter: Reporter,
) -> Contents:
    """Write one segment of all documents, without reading or analysing again what the earlier index holds."""
    total = sum(part.extract.passage_count for part in parts)
    if earlier is None:
        count = whoosh_index.write_index(whoosh, reporter.progress(passages, "indexando", total))
        columns = table.finish()
    else:
        kept = earlier.terms([part.position for part in parts if not part.fresh])
        in_order = (next(passages if part.fresh else kept) for part in parts for _ in range(part.extract.passage_count))
        count = whoosh_index.write_index(whoosh, reporter.progress(in_order, "reordenando", total))
        columns = splice_columns((earlier.columns, table.finish()), _runs(parts, earlier))
    return Contents(columns, whoosh_index.read_all_postings(whoosh), np.arange(count, dtype=np.int32))


def _runs(parts: Sequence[Part], earlier: Earlier) -> list[Run]:
    """Return where the passages of each document come from."""
    runs: list[Run] = []
    fresh = 0
    for part in parts:
        first = fresh if part.fresh else earlier.first_passage[part.position]
        runs.append(Run(_FRESH if part.fresh else _EARLIER, first, first + part.extract.passage_count))
        fresh += part.extract.passage_count if part.fresh else 0
    return runs


def _write_arrays(
    folder: Path, contents: Contents, documents: int, earlier: Earlier | None, analyzer: Analyzer
) -> None:
    stop_words = analyzer.tables.stop_words
    deriving.write_arrays(
        folder,
        contents.postings,
        contents.columns,
        documents=documents,
        stem_of=lambda word: None if word in stop_words else analyzer.stem(word),
        known=earlier.known_deletes() if earlier else None,
    )


def write_records(folder: Path, found: Sequence[DocumentRecord]) -> None:
    """Write the table of documents."""
    rows = RECORDS.dump_python(tuple(found), mode="json", by_alias=True)
    (folder / DOCUMENTS).write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")


def write_manifest(folder: Path, manifest: Manifest) -> Manifest:
    """Write the manifest with the digest of every file in the folder, and return it."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    manifest = replace(manifest, files={path.relative_to(folder).as_posix(): digest_file(path) for path in files})
    (folder / MANIFEST).write_text(manifest.to_json(), encoding="utf-8")
    return manifest
