"""Build a generation from the corpus and publish it: read, cut, analyse, index, derive, verify, publish.

Nothing of a published generation is ever changed: everything is written into a folder of its own, verified by opening
it and asking it questions, and then published by one atomic rename. A build that is killed leaves the old one served.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import Stemmer

from indexer import gate, linguistics, publishing, tuning, writing
from indexer.gate import Verdict
from indexer.golden import GoldenSet, Outcome, ask_all, load_golden, retriever_for
from indexer.reading import LEFT_OUT, Corpus, read_documents, read_files
from indexer.reporting import Reporter
from siaa import __version__
from siaa.analysis import ANALYZER_VERSION, Analyzer
from siaa.chunking import CHUNKER_VERSION, chunk_document
from siaa.config import MAX_QUESTION_CHARS, Settings
from siaa.errors import AmbiguousDocumentError, CorpusError, GenerationError, SiaaError, UnknownDocumentError
from siaa.generation import (
    FORMAT,
    TUNING,
    FileReport,
    Generation,
    Manifest,
    current_name,
    generation_names,
    open_current,
    open_generation,
    verify,
)
from siaa.identity import identify
from siaa.language import GOLDEN_QUESTIONS, load_tables
from siaa.model import Chunk, Document
from siaa.records import DocumentRecord, Keyword
from siaa.retrieval import Retriever

_TRIALS = 3  # documents a finished generation is asked for before it is published


@dataclass(frozen=True, slots=True)
class BuildResult:
    """What a build did: the generation that is now current, whether it is new, what it took, and what the gate said.

    `verdict` is None when nothing was built or there are no golden questions.
    """

    manifest: Manifest
    published: bool
    seconds: float
    verdict: Verdict | None = None


def build(
    settings: Settings,
    reporter: Reporter,
    *,
    force: bool = False,
    motive: str = "",
    clock: type[datetime] = datetime,
) -> BuildResult:
    """Bring the index up to date and return what is current now.

    Equal corpus, tuning and code: nothing to do, unless `force`. With a `motive` a generation is published although
    the gate says no, and the motive is written into the audit file. Raises StoppedByGateError when the gate says no,
    CorpusError when there is nothing to index, ConfigError for a table that cannot be used, BuildLockedError when
    another build is running, GenerationError when the index folder cannot be written; the published generation then
    stays.
    """
    started = time.perf_counter()
    with publishing.build_lock(settings.index_dir):
        publishing.remove_unfinished(settings.index_dir)
        files = tuning.tuning_files(settings)
        corpus = read_files(settings.corpus_dir)
        inputs = _digest_inputs(corpus, tuning.digest_tuning(files))
        current = None if force else _current(settings.index_dir)
        if current is not None and current.inputs == inputs:
            return BuildResult(current, published=False, seconds=time.perf_counter() - started)
        manifest, verdict = _make(settings, corpus, files, inputs, reporter, created=clock.now(UTC), motive=motive)
        publishing.prune(settings.index_dir)
    return BuildResult(manifest, published=True, seconds=time.perf_counter() - started, verdict=verdict)


def _digest_inputs(corpus: Corpus, tuning_digest: str) -> str:
    """Return a digest of everything a generation depends on: files, tuning, code and the libraries that make terms."""
    digest = hashlib.sha256()
    code = (FORMAT, ANALYZER_VERSION, CHUNKER_VERSION, linguistics.KEYWORDS_VERSION, __version__, Stemmer.version())
    digest.update(f"{code} {_code_fingerprint()} {tuning_digest}\n".encode())
    for source in corpus.sources:
        digest.update(f"{source.file.doc_id}\0{hashlib.sha256(source.data).hexdigest()}\n".encode())
    for report in corpus.reports:
        digest.update(f"{report.path}\0{report.reasons}\n".encode())
    return digest.hexdigest()


def _code_fingerprint() -> str:
    """Return a digest of the code that decides what a generation holds: an update of it rebuilds by itself."""
    project = Path(__file__).resolve().parent.parent
    digest = hashlib.sha256()
    for path in sorted([*project.glob("indexer/**/*.py"), *project.glob("siaa/**/*.py")]):
        digest.update(path.relative_to(project).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


def _current(index_dir: Path) -> Manifest | None:
    """Return the published manifest, or None when there is none or it is damaged: then a new one heals it."""
    try:
        name = current_name(index_dir)
        if name is None:
            return None
        manifest = Manifest.read(index_dir / name)
        verify(index_dir / name, manifest)
    except GenerationError:
        return None
    return manifest


def _make(
    settings: Settings,
    corpus: Corpus,
    tuning_paths: dict[str, Path],
    inputs: str,
    reporter: Reporter,
    *,
    created: datetime,
    motive: str,
) -> tuple[Manifest, Verdict | None]:
    documents, chunks, reports = _cut(*read_documents(corpus.sources, reporter))
    if not documents:
        raise CorpusError(f"No hay ningún documento que indexar en {settings.corpus_dir}: ponga archivos .md o .txt.")
    try:
        folder = publishing.unfinished_folder(settings.index_dir)
        tuning.copy_tuning(tuning_paths, folder / TUNING)
        analyzer = Analyzer(load_tables(folder / TUNING))
        records = _records(documents, chunks, analyzer, reporter)
        writing.write_contents(folder, documents, chunks, records, analyzer, reporter)
        manifest = Manifest(
            name=f"gen-{created:%Y%m%dT%H%M%SZ}-{inputs[:8]}",
            format=FORMAT,
            version=__version__,
            created=created.isoformat(timespec="seconds").replace("+00:00", "Z"),
            inputs=inputs,
            analyzer=analyzer.fingerprint,
            documents=len(documents),
            chunks=sum(len(found) for found in chunks),
            collections=dict(sorted(Counter(document.collection for document in documents).items())),
            reports=tuple(sorted((*corpus.reports, *reports), key=lambda report: report.path)),
        )
        _check_clock(manifest, settings.index_dir, reporter)
        manifest = writing.write_manifest(folder, _free_name(manifest, settings.index_dir))
        verdict = _examine(folder, settings, reporter)
        if verdict is not None and not verdict.passes and not motive:
            raise gate.StoppedByGateError(verdict)
        publishing.settle(folder)
        publishing.publish(folder, settings.index_dir, manifest.name)
        if verdict is not None and not verdict.passes:
            gate.write_audit(settings.index_dir, generation=manifest.name, motive=motive, verdict=verdict, when=created)
    except OSError as error:
        publishing.remove_unfinished(settings.index_dir)
        raise GenerationError(f"No se pudo escribir el índice: {publishing.reason_of(error)}.") from error
    except SiaaError:
        publishing.remove_unfinished(settings.index_dir)
        raise
    return manifest, verdict


def _cut(
    documents: Sequence[Document], reports: Sequence[FileReport]
) -> tuple[list[Document], list[tuple[Chunk, ...]], list[FileReport]]:
    """Cut each document into passages; one that cannot be cut is left out and never ends the run."""
    kept: list[Document] = []
    chunks: list[tuple[Chunk, ...]] = []
    failed: dict[str, FileReport] = {}
    for document in documents:
        try:
            chunks.append(chunk_document(document))
        except Exception as error:  # a fault of the chunker must not cost the other documents
            reason = f"fallo al dividirlo ({type(error).__name__}): repórtelo"
            failed[document.doc_id] = FileReport(document.doc_id, LEFT_OUT, (reason,))
        else:
            kept.append(document)
    return kept, chunks, [failed.get(report.path, report) for report in reports]


def _records(
    documents: Sequence[Document], chunks: Sequence[Sequence[Chunk]], analyzer: Analyzer, reporter: Reporter
) -> list[DocumentRecord]:
    counts = [_word_counts(found, analyzer) for found in chunks]
    automatic = linguistics.find_keywords(documents, counts, analyzer, progress=reporter.progress)
    manual = _manual_keywords(documents, analyzer.tables.manual_keywords, reporter)
    bearers = Counter(document.name.casefold() for document in documents)
    records: list[DocumentRecord] = []
    first_chunk = text_start = 0
    for position, (document, identity) in enumerate(zip(documents, identify(documents, analyzer), strict=True)):
        records.append(
            DocumentRecord(
                position=position,
                doc_id=document.doc_id,
                name=document.name if bearers[document.name.casefold()] == 1 else document.doc_id,
                title=document.title,
                collection=document.collection,
                size=len(document.text),
                first_chunk=first_chunk,
                chunk_count=len(chunks[position]),
                text_start=text_start,
                articles=tuple(dict.fromkeys(chunk.article for chunk in chunks[position] if chunk.article)),
                warnings=document.warnings,
                keywords=manual[position] + automatic[position],
                identity=identity,
            )
        )
        first_chunk += len(chunks[position])
        text_start += len(document.text)
    return records


def _word_counts(chunks: Iterable[Chunk], analyzer: Analyzer) -> Counter[str]:
    return Counter(word for chunk in chunks for word in analyzer.words(chunk.text))


def _manual_keywords(
    documents: Sequence[Document], table: dict[str, tuple[str, ...]], reporter: Reporter
) -> list[tuple[Keyword, ...]]:
    """Return each document's manual keywords; a name in the table that no document bears is said, not ignored."""
    bearers = {document.name.casefold() for document in documents} | {
        document.doc_id.casefold() for document in documents
    }
    for name in sorted(set(table) - bearers):
        reporter.warn(f"palabras_clave.toml nombra «{name}», que no está en la carpeta de documentos.")
    words = [(*table.get(d.name.casefold(), ()), *table.get(d.doc_id.casefold(), ())) for d in documents]
    return [tuple(Keyword(word, 1.0, "manual") for word in dict.fromkeys(found)) for found in words]


def _check_clock(manifest: Manifest, index_dir: Path, reporter: Reporter) -> None:
    """Say when the clock went back: names tell which generation is older, and rolling back follows them."""
    newest = next(iter(generation_names(index_dir)), "")
    if manifest.name < newest and manifest.name.split("-")[1] < newest.split("-")[1]:
        reporter.warn(
            f"el reloj del equipo va atrás: la generación nueva, {manifest.name}, parece anterior a {newest}. "
            "Corrija la hora; para volver a una anterior, dígale su nombre a «rollback»."
        )


def _free_name(manifest: Manifest, index_dir: Path) -> Manifest:
    """Return the manifest under a name that no generation bears: two builds may fall into one second."""
    name, number = manifest.name, 2
    while (index_dir / name).exists():
        name, number = f"{manifest.name}-{number}", number + 1
    return replace(manifest, name=name)


def _examine(folder: Path, settings: Settings, reporter: Reporter) -> Verdict | None:
    """Open the finished generation, try it out, and ask it the golden questions, beside the published one.

    Returns None when there are no golden questions. Raises GenerationError when it cannot find its own documents.
    """
    generation = open_generation(folder)
    try:
        candidate = retriever_for(generation, settings)
        _try_out(candidate)
        path = folder / TUNING / GOLDEN_QUESTIONS
        if not path.is_file():
            return None
        golden = load_golden(path)
        _warn_of_strangers(golden, generation, reporter)
        return gate.judge_candidate(golden, ask_all(candidate, golden.questions), _published_outcomes(settings))
    finally:
        generation.close()


def _warn_of_strangers(golden: GoldenSet, generation: Generation, reporter: Reporter) -> None:
    """Say which documents the golden questions name that the index does not have."""
    for name in dict.fromkeys(question.document for question in golden.questions if question.document):
        try:
            generation.find(name)
        except UnknownDocumentError:
            reporter.warn(f"{GOLDEN_QUESTIONS} nombra «{name}», que no está en la carpeta de documentos.")
        except AmbiguousDocumentError:
            reporter.warn(f"{GOLDEN_QUESTIONS} nombra «{name}», que llevan varios documentos: use la ruta.")


def _published_outcomes(settings: Settings) -> tuple[Outcome, ...] | None:
    """Return how the published generation answers the questions it was published with; None when it cannot be asked."""
    try:
        published = open_current(settings.index_dir)
    except GenerationError:
        return None
    try:
        golden = load_golden(published.folder / TUNING / GOLDEN_QUESTIONS)
        return ask_all(retriever_for(published, settings), golden.questions)
    except SiaaError:
        return None  # it has no questions, or tables that this version cannot read
    finally:
        published.close()


def _try_out(retriever: Retriever) -> None:
    """Ask the generation for some of its own documents.

    Raises GenerationError when it does not find them: it is then never published.
    """
    generation = retriever.generation
    with_text = [document for document in generation.documents if document.chunk_count]
    for document in with_text[:_TRIALS]:
        words = generation.slice(document, 0, min(document.size, 2000)).split()[:12]
        query = retriever.ask(" ".join(words)[:MAX_QUESTION_CHARS] or document.title)
        if not retriever.select(query, document).fragment.pieces:
            raise GenerationError(
                f"El índice recién construido no encuentra el texto de {document.doc_id}: no se publica."
            )
