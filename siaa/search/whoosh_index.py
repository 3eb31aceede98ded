"""Write and read the Whoosh index, one document per passage. The only module that knows Whoosh.

Terms are made by `siaa.analysis` before the engine, so the field types take ready terms, and no user text is ever
parsed by Whoosh's query language. Whoosh pickles the schema by module path: `Terms` has to stay where it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from struct import Struct

import numpy as np
import numpy.typing as npt
from whoosh import fields, formats, index
from whoosh.reading import IndexReader

from siaa.errors import GenerationError

_FREQUENCY = Struct("!I")  # how Whoosh's Frequency format packs a posting's value
_WRITER_MEMORY_MB = 256  # postings kept in memory before Whoosh spills a sorted run to disk


class Terms(fields.FieldType):  # type: ignore[misc]
    """A scorable field whose value is a sequence of ready terms."""

    indexed = True
    stored = False
    scorable = True
    unique = False
    vector = None
    column_type = None
    spelling = False
    analyzer = None

    def __init__(self) -> None:
        self.format = formats.Frequency()

    def index(self, value: Sequence[str], **_: object) -> Iterator[tuple[bytes, int, float, bytes]]:
        """Yield term, frequency, weight and packed value for each distinct term."""
        for term, count in Counter(value).items():
            yield term.encode(), count, float(count), _FREQUENCY.pack(count)


BODY, HEADING, TITLE, WORDS, REFERENCES = "body", "heading", "title", "words", "references"
SCHEMA = fields.Schema(
    doc_id=fields.STORED,
    start=fields.STORED,
    end=fields.STORED,
    article=fields.STORED,
    **{name: Terms() for name in (BODY, HEADING, TITLE, WORDS, REFERENCES)},
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


def write_index(folder: Path, passages: Iterable[PassageTerms]) -> int:
    """Write `passages` as one Whoosh segment into the fresh `folder`; return how many there are.

    The passage's position is its Whoosh document number. Raises FileExistsError rather than empty a live index.
    """
    folder.mkdir(parents=True)
    writer = index.create_in(str(folder), SCHEMA).writer(limitmb=_WRITER_MEMORY_MB)
    count = 0
    for passage in passages:
        writer.add_document(**{name: getattr(passage, name) for name in PassageTerms.__slots__})
        count += 1
    writer.commit(optimize=True)
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


def read_postings(reader: IndexReader, field: str) -> FieldPostings:
    """Read every posting of `field`."""
    terms: list[str] = []
    sizes: list[int] = []
    passages: list[int] = []
    counts: list[float] = []
    for term, _ in reader.iter_field(field):
        matcher = reader.postings(field, term)
        before = len(passages)
        while matcher.is_active():
            passages.append(matcher.id())
            counts.append(matcher.weight())
            matcher.next()
        terms.append(term.decode())
        sizes.append(len(passages) - before)
    lengths = [reader.doc_field_length(number, field, 0) for number in range(reader.doc_count_all())]
    return FieldPostings(
        terms=tuple(terms),
        ptr=np.concatenate(([0], np.cumsum(sizes, dtype=np.int64))).astype(np.int64),
        passages=np.array(passages, dtype=np.int32),
        counts=np.array(counts, dtype=np.float32),
        lengths=np.array(lengths, dtype=np.float32),
    )
