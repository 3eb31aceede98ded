"""Take from the published generation what it holds of documents that did not change.

A generation keeps, in its folder `reuse/`, what a build needs to go on from it: the extract of every document, the
postings of its Whoosh index, and where Whoosh has each passage. It may be used only by the same code with the same
tables, which its key says; the digests of its files were verified before. The service never opens that folder.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import mmap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from pathlib import Path

import numpy as np

from indexer import extracts, linguistics
from indexer.linguistics import SampleWords
from siaa.analysis import Analyzer
from siaa.generation import ARRAYS, TEXT_ENCODING, TEXTS, WHOOSH
from siaa.search import kept_postings, whoosh_index
from siaa.search.arrays import Arrays
from siaa.search.bm25f import Ints
from siaa.search.passage_table import PassageColumns
from siaa.search.spelling import KnownDeletes
from siaa.search.whoosh_index import FieldPostings, PassageTerms

REUSE = "reuse"

_KEY, _EXTRACTS, _NUMBERS = "key", "extracts.jsonl", "whoosh_numbers.npy"
_CHARACTER = len("a".encode(TEXT_ENCODING))  # bytes; the same for every character
_LIBRARIES = ("spacy", linguistics.MODEL.replace("_", "-"), "PyStemmer", "Whoosh-Reloaded")


def key_of(analyzer: Analyzer, *, code: str, share: int) -> str:
    """Return a digest of all that decides what a document gives beside its file.

    `code` is a digest of the program; `share` how much of each document spaCy reads.
    """
    tables = analyzer.tables
    seen = (sorted(tables.stop_words), sorted(tables.title_words), sorted(tables.abbreviations.items()))
    versions = [importlib.metadata.version(library) for library in _LIBRARIES]
    return hashlib.sha256(repr((code, share, analyzer.fingerprint, versions, seen)).encode()).hexdigest()


class Earlier:
    """What the published generation holds of its documents. Read-only; large parts are read when first asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lines = tuple((folder / REUSE / _EXTRACTS).read_text(encoding="utf-8").split("\n")[:-1])
        self.extracts = tuple(map(extracts.from_line, self.lines))
        self.first_passage = tuple(accumulate((kept.passage_count for kept in self.extracts), initial=0))
        self._text_start = tuple(accumulate((kept.size for kept in self.extracts), initial=0))
        self._positions = {(kept.doc_id, kept.source): position for position, kept in enumerate(self.extracts)}

    def position_of(self, doc_id: str, source: str) -> int | None:
        """Return where the document is, made from a file of this digest; None when it is not here."""
        return self._positions.get((doc_id, source))

    def samples(self) -> Mapping[str, SampleWords]:
        """Return what was read of every sample, by its digest."""
        return {kept.sample.digest: kept.sample for kept in self.extracts}

    @cached_property
    def columns(self) -> PassageColumns:
        """The passages."""
        return PassageColumns.open(self.folder / ARRAYS)

    @cached_property
    def postings(self) -> Mapping[str, FieldPostings]:
        """The postings of every indexed field, over the positions of the passages."""
        return kept_postings.load(self.folder / REUSE)

    @cached_property
    def whoosh_numbers(self) -> Ints:
        """The Whoosh document number of each passage."""
        return np.asarray(np.load(self.folder / REUSE / _NUMBERS, allow_pickle=False))

    @cached_property
    def whoosh_size(self) -> tuple[int, int]:
        """Of how many segments its Whoosh index is made, and how many documents they have, deleted ones included."""
        with whoosh_index.open_reader(self.whoosh_folder) as reader:
            return whoosh_index.segment_count(reader), reader.doc_count_all()

    @property
    def whoosh_folder(self) -> Path:
        """Where its Whoosh index is."""
        return self.folder / WHOOSH

    def known_deletes(self) -> KnownDeletes:
        """Return what is known of the spelling of its words."""
        arrays = Arrays.open(self.folder / ARRAYS)
        return KnownDeletes(self.columns.words, arrays.deletes_hash, arrays.deletes_word)

    def texts(self, positions: Sequence[int]) -> Iterator[bytes]:
        """Yield the text of each of the documents as the generation holds it."""
        path = self.folder / TEXTS
        if not path.stat().st_size:
            yield from (b"" for _ in positions)
            return
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as texts:
            for position in positions:
                first, last = self._text_start[position], self._text_start[position + 1]
                yield texts[first * _CHARACTER : last * _CHARACTER]

    def terms(self, positions: Sequence[int]) -> Iterator[PassageTerms]:
        """Yield what Whoosh holds of each passage of the documents, which ascend."""
        wanted = {p for d in positions for p in range(self.first_passage[d], self.first_passage[d + 1])}
        fields = {name: kept_postings.terms_of_passages(postings) for name, postings in self.postings.items()}
        columns = self.columns
        for passage, rows in enumerate(zip(*fields.values(), strict=True)):
            if passage in wanted:
                yield PassageTerms(
                    doc_id=self.extracts[int(columns.document[passage])].doc_id,
                    start=int(columns.start[passage]),
                    end=int(columns.end[passage]),
                    article=columns.articles[int(columns.article[passage])],
                    **dict(zip(fields, rows, strict=True)),
                )


def open_earlier(folder: Path, key: str) -> Earlier | None:
    """Open what a verified generation holds for the next build; None when it was made under another key."""
    path = folder / REUSE / _KEY
    if not path.is_file() or path.read_text(encoding="ascii") != key:
        return None
    return Earlier(folder)


def save(folder: Path, key: str, lines: Iterable[str], postings: Mapping[str, FieldPostings], numbers: Ints) -> None:
    """Write into a generation's folder what the next build may take; `lines` are the extracts, each as a line."""
    target = folder / REUSE
    target.mkdir()
    with (target / _EXTRACTS).open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{line}\n" for line in lines)
    kept_postings.save(target, postings)
    np.save(target / _NUMBERS, numbers, allow_pickle=False)
    (target / _KEY).write_text(key, encoding="ascii")
