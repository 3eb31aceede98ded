"""Write and read the Whoosh index, one document per passage. The only module that knows Whoosh.

Terms are made by `siaa.analysis` before the engine, so the field types take ready terms, and no user text is ever
parsed by Whoosh's query language. Whoosh pickles the schema by module path: `Terms` has to stay where it is.
"""

from __future__ import annotations

import shutil
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from struct import Struct

import numpy as np
import numpy.typing as npt
from whoosh import fields, formats, index
from whoosh.codec.whoosh3 import W3LeafMatcher
from whoosh.matching import Matcher
from whoosh.reading import IndexReader
from whoosh.writing import IndexWriter

from siaa.errors import GenerationError
from siaa.search.entries import as_array

_FREQUENCY = Struct("!I")  # how Whoosh's Frequency format packs a posting's value

Posting = tuple[str, bytes, int, float, bytes]  # field, term, passage, weight, packed frequency
Block = tuple[Sequence[int], Sequence[float]]  # passages and their weights


class Terms(fields.FieldType):
    """A scorable field whose value is a sequence of ready terms."""

    scorable = True

    def __init__(self) -> None:
        self.format = formats.Frequency()

    def index(self, value: Sequence[str], **_: object) -> Iterator[tuple[bytes, int, float, bytes]]:
        """Yield term, frequency, weight and packed value for each distinct term."""
        for term, count in Counter(value).items():
            yield _encoded(term), count, float(count), _packed(count)


@lru_cache(maxsize=1 << 17)
def _encoded(term: str) -> bytes:
    """Return the bytes of a term, one object for all its postings."""
    return term.encode()


@lru_cache(maxsize=1024)
def _packed(count: int) -> bytes:
    return _FREQUENCY.pack(count)


BODY, HEADING, TITLE, WORDS, REFERENCES = "body", "heading", "title", "words", "references"
FIELDS = (BODY, HEADING, TITLE, WORDS, REFERENCES)
SCHEMA = fields.Schema(
    doc_id=fields.STORED,
    start=fields.STORED,
    end=fields.STORED,
    article=fields.STORED,
    **{name: Terms() for name in FIELDS},
)


@dataclass(frozen=True, slots=True)
class PassageTerms:
    """What the index holds of one passage; `body`, `heading` and `title` are stems, `words` folded surface forms."""

    doc_id: str
    start: int
    end: int
    article: str
    body: Sequence[str]
    heading: Sequence[str]
    title: Sequence[str]
    words: Sequence[str]
    references: Sequence[str]


@dataclass(frozen=True, slots=True)
class FieldPostings:
    """The postings of one field: those of `terms[i]` are `ptr[i]:ptr[i + 1]` of `passages` and `counts`.

    `terms` are sorted; passages ascend within a term. `lengths[p]` is the number of terms of passage p as Whoosh
    keeps it (one byte, hence rounded for long fields).
    """

    terms: tuple[str, ...]
    ptr: npt.NDArray[np.int64]
    passages: npt.NDArray[np.int32]
    counts: npt.NDArray[np.float32]
    lengths: npt.NDArray[np.float32]
    average: float  # terms of a passage in the mean, as Whoosh counts: exact, and over all passages

    @classmethod
    def none(cls) -> FieldPostings:
        """Return the postings of an index without passages."""
        nothing = np.zeros(0, dtype=np.float32)
        return cls((), np.zeros(1, dtype=np.int64), nothing.astype(np.int32), nothing, nothing, 0.0)


class _Postings:
    """Stand in for Whoosh's sorting pool, for passages added in order: 8 bytes a posting, and nothing to sort.

    Whoosh keeps a tuple per posting, spills sorted runs to disk and merges them; that takes half of the time and most
    of the memory of a build. Here the passages of a term ascend because they were added so; only terms are sorted.
    """

    def __init__(self) -> None:
        self._fields: defaultdict[str, defaultdict[bytes, tuple[array[int], array[int]]]] = defaultdict(
            lambda: defaultdict(lambda: (array("I"), array("I")))
        )

    def add(self, posting: Posting) -> None:
        """Take one posting of the newest passage."""
        field, term, passage, weight, _ = posting
        passages, counts = self._fields[field][term]
        passages.append(passage)
        counts.append(int(weight))

    def iter_postings(self) -> Iterator[Posting]:
        """Yield every posting by field, term and passage."""
        for field in sorted(self._fields):
            terms = self._fields.pop(field)
            for term in sorted(terms):
                passages, counts = terms.pop(term)
                for passage, count in zip(passages, counts, strict=True):
                    yield field, term, passage, float(count), _packed(count)

    def cleanup(self) -> None:
        """Forget what was not written."""
        self._fields.clear()


def write_index(folder: Path, passages: Iterable[PassageTerms]) -> int:
    """Write `passages` as one Whoosh segment into the fresh `folder`; return how many there are.

    The passage's position is its Whoosh document number. Raises FileExistsError rather than empty a live index.
    """
    folder.mkdir(parents=True)
    writer = index.create_in(str(folder), SCHEMA).writer()
    count = _add(writer, passages)
    writer.commit(optimize=True)
    return count


def extend_index(published: Path, folder: Path, *, deleted: Iterable[int], passages: Iterable[PassageTerms]) -> int:
    """Copy the index `published` into the fresh `folder`, without the documents `deleted`, and add a segment.

    Return the Whoosh document number of the first passage added. The published files are copied, not linked: damage
    to one generation must not reach another. Raises FileExistsError like `write_index`.
    """
    shutil.copytree(published, folder)
    opened = index.open_dir(str(folder), schema=SCHEMA)
    first = opened.doc_count_all()
    writer = opened.writer()
    for number in deleted:
        writer.delete_document(number)
    _add(writer, passages)
    writer.commit(merge=False)
    return first


def _add(writer: IndexWriter, passages: Iterable[PassageTerms]) -> int:
    writer.pool = _Postings()
    count = 0
    for passage in passages:
        writer.add_document(**{name: getattr(passage, name) for name in PassageTerms.__slots__})
        count += 1
    return count


@contextmanager
def open_reader(folder: Path) -> Iterator[IndexReader]:
    """Open the index for reading.

    Raises GenerationError whatever Whoosh raises: a damaged table of contents raises seven kinds of exception.
    """
    try:
        reader = index.open_dir(str(folder), schema=SCHEMA, readonly=True).reader()
    except Exception as error:
        raise GenerationError(f"El índice de Whoosh no se puede abrir ({type(error).__name__}).") from error
    try:
        yield reader
    finally:
        reader.close()


def read_all_postings(folder: Path, *, newest: bool = False) -> dict[str, FieldPostings]:
    """Read every posting of every indexed field; of the `newest` segment alone, its documents numbered from 0."""
    with open_reader(folder) as reader:
        source = [leaf for leaf, _ in reader.leaf_readers()][-1] if newest else reader
        return {field: read_postings(source, field) for field in FIELDS}


def segment_count(reader: IndexReader) -> int:
    """Return of how many segments an index is made."""
    return len(list(reader.leaf_readers()))


def read_postings(reader: IndexReader, field: str) -> FieldPostings:
    """Read every posting of `field`, a block at a time."""
    return _gather(reader, field, _blocks)


def read_postings_one_by_one(reader: IndexReader, field: str) -> FieldPostings:
    """Read every posting of `field` through Whoosh's public interface: fifty times slower, the check of the other."""
    return _gather(reader, field, _steps)


def _gather(reader: IndexReader, field: str, blocks_of: Callable[[Matcher], Iterator[Block]]) -> FieldPostings:
    terms: list[str] = []
    ends = array("q", [0])
    passages, counts = array("i"), array("f")
    for term, _ in reader.iter_field(field):
        for found, weights in blocks_of(reader.postings(field, term)):
            passages.extend(found)
            counts.extend(weights)
        terms.append(term.decode())
        ends.append(len(passages))
    return FieldPostings(
        terms=tuple(terms),
        ptr=as_array(ends),
        passages=as_array(passages),
        counts=as_array(counts),
        lengths=read_lengths(reader, field),
        average=reader.field_length(field) / (reader.doc_count_all() or 1),
    )


def read_lengths(reader: IndexReader, field: str) -> npt.NDArray[np.float32]:
    """Return the number of terms of every passage in `field`, as Whoosh keeps it."""
    # Whoosh answers None, not the default, for a passage without terms between others that have some.
    lengths = (reader.doc_field_length(number, field, 0) or 0 for number in range(reader.doc_count_all()))
    return np.fromiter(lengths, dtype=np.float32, count=reader.doc_count_all())


def _steps(matcher: Matcher) -> Iterator[Block]:
    while matcher.is_active():
        yield (matcher.id(),), (matcher.weight(),)
        matcher.next()


def _blocks(matcher: Matcher) -> Iterator[Block]:
    """Yield whole blocks where the matcher is Whoosh's own over one segment, single postings where it is not."""
    if type(matcher) is not W3LeafMatcher:
        yield from _steps(matcher)
        return
    while True:
        # Reading the block whole, as the matcher itself does when asked for its first posting.
        matcher._read_data()
        gaps, weights, _ = matcher._data
        size = matcher._blocklength
        if weights is None or isinstance(weights, float):
            weights = (1.0 if weights is None else weights,) * size
        yield tuple(accumulate(gaps)), weights
        if matcher._lastblock:
            return
        matcher._next_block()
