"""Bring together the documents of a build: those that changed are read, the others come from an earlier generation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from indexer import linguistics
from indexer.extracts import extract
from indexer.reading import LEFT_OUT, Corpus, Source, read_documents, report_of
from indexer.reporting import Reporter
from indexer.reuse import Earlier
from indexer.writing import Fresh, Part
from siaa.analysis import Analyzer
from siaa.chunking import chunk_document
from siaa.generation import FileReport
from siaa.model import Document


@dataclass(frozen=True, slots=True)
class Gathered:
    """The documents of a generation, in order; those just read, by position; and what became of every file."""

    parts: Sequence[Part]
    fresh: dict[int, Fresh]
    reports: Sequence[FileReport]

    @property
    def kept(self) -> int:
        """Return how many documents come from the earlier generation."""
        return sum(not part.fresh for part in self.parts)


def gather(corpus: Corpus, earlier: Earlier | None, share: int, analyzer: Analyzer, reporter: Reporter) -> Gathered:
    """Read the documents that are new or changed, `share` characters of each with spaCy; `earlier` gives the others."""
    to_read = [source for source in corpus.sources if earlier is None or not _holds(earlier, source)]
    fresh, reports = _cut(*read_documents(to_read, reporter)) if to_read else ([], [])
    digests = {source.file.doc_id: source.digest for source in to_read}
    parts = [
        *_read_parts(fresh, digests, share, earlier, analyzer, reporter),
        *(_kept_parts(corpus, earlier) if earlier is not None else ()),
    ]
    reports += [report_of(part.extract.doc_id, part.extract.warnings) for part in parts if not part.fresh]
    parts.sort(key=lambda part: part.extract.doc_id)
    return Gathered(parts, dict(enumerate(fresh)), (*corpus.reports, *reports))


def _holds(earlier: Earlier, source: Source) -> bool:
    return earlier.holds(source.file.doc_id, source.digest)


def _kept_parts(corpus: Corpus, earlier: Earlier) -> Iterator[Part]:
    for source in corpus.sources:
        if _holds(earlier, source):
            position = earlier.positions[source.file.doc_id]
            yield Part(earlier.extracts[position], position, fresh=False)


def _read_parts(
    fresh: Sequence[Fresh],
    digests: Mapping[str, str],
    share: int,
    earlier: Earlier | None,
    analyzer: Analyzer,
    reporter: Reporter,
) -> Iterator[Part]:
    documents = [one.document for one in fresh]
    known = earlier.samples() if earlier else None
    samples = linguistics.read_samples(documents, share, analyzer, progress=reporter.progress, known=known)
    for position, (one, sample) in enumerate(zip(fresh, samples, strict=True)):
        source = digests[one.document.doc_id]
        taken = extract(one.document, one.chunks, source=source, sample=sample, analyzer=analyzer)
        yield Part(taken, position, fresh=True)


def _cut(documents: Sequence[Document], reports: Sequence[FileReport]) -> tuple[list[Fresh], list[FileReport]]:
    """Cut each document into passages; one that cannot be cut is left out and never ends the run."""
    kept: list[Fresh] = []
    failed: dict[str, FileReport] = {}
    for document in documents:
        try:
            kept.append(Fresh(document, chunk_document(document)))
        except Exception as error:  # a fault of the chunker must not cost the other documents
            reason = f"fallo al dividirlo ({type(error).__name__}): repórtelo"
            failed[document.doc_id] = FileReport(document.doc_id, LEFT_OUT, (reason,))
    return kept, [failed.get(report.path, report) for report in reports]
