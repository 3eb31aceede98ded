"""Bring together the documents of a build: those that changed are read, the others come from an earlier generation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from indexer import linguistics
from indexer.extracts import extract
from indexer.reading import Corpus, read_documents, report_of
from indexer.reporting import Reporter
from indexer.reuse import Earlier
from indexer.writing import Fresh, Part
from siaa.analysis import Analyzer
from siaa.cutting import cut_document
from siaa.generation import LEFT_OUT, FileReport
from siaa.model import Document


@dataclass(frozen=True, slots=True)
class Intake:
    """The documents of a generation, in order; those just read, by position; and what became of every file."""

    parts: Sequence[Part]
    fresh: dict[int, Fresh]
    reports: Sequence[FileReport]

    @property
    def kept(self) -> int:
        """Return how many documents come from the earlier generation."""
        return sum(not part.fresh for part in self.parts)


def take_in(corpus: Corpus, earlier: Earlier | None, share: int, analyzer: Analyzer, reporter: Reporter) -> Intake:
    """Read the documents that are new or changed, `share` characters of each with spaCy; `earlier` gives the others."""
    kept = list(_kept_parts(corpus, earlier)) if earlier is not None else []
    held = {part.extract.doc_id for part in kept}
    to_read = [loaded for loaded in corpus.files if loaded.file.doc_id not in held]
    fresh, reports = _cut(*read_documents(to_read, reporter)) if to_read else ([], [])
    digests = {loaded.file.doc_id: loaded.digest for loaded in to_read}
    parts = [*_read_parts(fresh, digests, share, earlier, analyzer, reporter), *kept]
    reports += [report_of(part.extract.doc_id, part.extract.warnings) for part in kept]
    parts.sort(key=lambda part: part.extract.doc_id)
    return Intake(parts, dict(enumerate(fresh)), (*corpus.reports, *reports))


def _kept_parts(corpus: Corpus, earlier: Earlier) -> Iterator[Part]:
    for loaded in corpus.files:
        position = earlier.position_of(loaded.file.doc_id, loaded.digest)
        if position is not None:
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
        taken = extract(one.document, one.passages, source=source, sample=sample, analyzer=analyzer)
        yield Part(taken, position, fresh=True)


def _cut(documents: Sequence[Document], reports: Sequence[FileReport]) -> tuple[list[Fresh], list[FileReport]]:
    """Cut each document into passages; one that cannot be cut is left out and never ends the run."""
    kept: list[Fresh] = []
    failed: dict[str, FileReport] = {}
    for document in documents:
        try:
            kept.append(Fresh(document, cut_document(document)))
        except Exception as error:  # a fault of cutting must not cost the other documents
            reason = f"fallo al dividirlo ({type(error).__name__}): repórtelo"
            failed[document.doc_id] = FileReport(document.doc_id, LEFT_OUT, (reason,))
    return kept, [failed.get(report.path, report) for report in reports]
