"""Build a generation from the corpus and publish it: read, cut, analyse, index, derive, verify, publish.

Nothing of a published generation is ever changed: everything is written into a folder of its own, verified by opening
it and asking it questions, and then published by one atomic rename. A build that is killed leaves the old one served.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import Stemmer

from indexer import gate, linguistics, publishing, reuse, tuning, writing
from indexer.extracts import Extract, extract, to_line
from indexer.gate import Verdict
from indexer.golden import DEFAULT_DROP, GoldenSet, Outcome, ask_all, load_golden, retriever_for
from indexer.keywords import find_keywords
from indexer.reading import LEFT_OUT, Corpus, read_documents, read_files, report_of
from indexer.reporting import Reporter
from indexer.reuse import Earlier
from indexer.writing import Contents, Fresh, Part
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
from siaa.identity import settle
from siaa.language import GOLDEN_QUESTIONS, load_tables
from siaa.model import Document
from siaa.records import DocumentRecord, Keyword
from siaa.retrieval import Retriever
from siaa.search.whoosh_index import WORDS

_TRIALS = 3  # documents a finished generation is asked for before it is published


@dataclass(frozen=True, slots=True)
class BuildResult:
    """What a build did: the generation that is now current, whether it is new, what it took, and what the gate said.

    `verdict` is None when nothing was built or there are no golden questions. `kept` documents were neither read nor
    analysed again, because the generation before had them.
    """

    manifest: Manifest
    published: bool
    seconds: float
    verdict: Verdict | None = None
    kept: int = 0


@dataclass(frozen=True, slots=True)
class _Inputs:
    """What a generation is made from: files, their digests by doc_id, tuning, code; and a digest of it all."""

    corpus: Corpus
    sources: Mapping[str, str]
    tuning: Mapping[str, Path]
    code: str
    digest: str


@dataclass(frozen=True, slots=True)
class _Gathered:
    """The documents of a generation, in order, and what became of every file."""

    parts: Sequence[Part]
    fresh: dict[int, Fresh]
    reports: Sequence[FileReport]
    earlier: Earlier | None


def build(
    settings: Settings,
    reporter: Reporter,
    *,
    force: bool = False,
    motive: str = "",
    clock: type[datetime] = datetime,
) -> BuildResult:
    """Bring the index up to date and return what is current now.

    Equal corpus, tuning and code: nothing to do. Documents that the published generation has are taken from it. With
    `force` everything is made again from the files. With a `motive` a generation is published although the gate says
    no, and the motive is written into the audit file. Raises StoppedByGateError when the gate says no, CorpusError when
    there is nothing to index, ConfigError for a table that cannot be used, BuildLockedError when another build is
    running, GenerationError when the index folder cannot be written; the published generation then stays.
    """
    started = time.perf_counter()
    with publishing.build_lock(settings.index_dir):
        publishing.remove_unfinished(settings.index_dir)
        inputs = _read_inputs(settings)
        current = None if force else _current(settings.index_dir)
        if current is not None and current.inputs == inputs.digest:
            return BuildResult(current, published=False, seconds=time.perf_counter() - started)
        result = _make(settings, inputs, current, reporter, created=clock.now(UTC), motive=motive)
        publishing.prune(settings.index_dir)
    return replace(result, seconds=time.perf_counter() - started)


def _read_inputs(settings: Settings) -> _Inputs:
    files = tuning.tuning_files(settings)
    corpus = read_files(settings.corpus_dir)
    sources = {source.file.doc_id: source.digest for source in corpus.sources}
    versions = (FORMAT, ANALYZER_VERSION, CHUNKER_VERSION, linguistics.SAMPLE_VERSION, __version__, Stemmer.version())
    code = f"{versions} {_code_fingerprint()}"
    digest = hashlib.sha256(f"{code} {tuning.digest_tuning(files)}\n".encode())
    for doc_id, source in sources.items():
        digest.update(f"{doc_id}\0{source}\n".encode())
    for report in corpus.reports:
        digest.update(f"{report.path}\0{report.reasons}\n".encode())
    return _Inputs(corpus, sources, files, code, digest.hexdigest())


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
    settings: Settings, inputs: _Inputs, current: Manifest | None, reporter: Reporter, *, created: datetime, motive: str
) -> BuildResult:
    try:
        folder = publishing.unfinished_folder(settings.index_dir)
        tuning.copy_tuning(inputs.tuning, folder / TUNING)
        analyzer = Analyzer(load_tables(folder / TUNING))
        gathered = _fill(folder, settings, inputs, current, analyzer, reporter)
        documents = [part.extract for part in gathered.parts]
        manifest = Manifest(
            name=f"gen-{created:%Y%m%dT%H%M%SZ}-{inputs.digest[:8]}",
            format=FORMAT,
            version=__version__,
            created=created.isoformat(timespec="seconds").replace("+00:00", "Z"),
            inputs=inputs.digest,
            analyzer=analyzer.fingerprint,
            documents=len(documents),
            chunks=sum(document.chunk_count for document in documents),
            collections=dict(sorted(Counter(document.collection for document in documents).items())),
            reports=tuple(sorted(gathered.reports, key=lambda report: report.path)),
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
    kept = sum(not part.fresh for part in gathered.parts)
    return BuildResult(manifest, published=True, seconds=0.0, verdict=verdict, kept=kept)


def _fill(
    folder: Path,
    settings: Settings,
    inputs: _Inputs,
    current: Manifest | None,
    analyzer: Analyzer,
    reporter: Reporter,
) -> _Gathered:
    """Write everything into the generation's `folder` but its manifest."""
    share = linguistics.sample_share(len(inputs.sources))
    key = reuse.key_of(analyzer, code=inputs.code, share=share)
    earlier = reuse.open_earlier(settings.index_dir / current.name, key) if current else None
    gathered = _gather(inputs, earlier, share, analyzer, reporter)
    if not gathered.parts:
        raise CorpusError(f"No hay ningún documento que indexar en {settings.corpus_dir}: ponga archivos .md o .txt.")
    contents = writing.write_contents(folder, gathered.parts, gathered.fresh, earlier, analyzer, reporter)
    documents = [part.extract for part in gathered.parts]
    writing.write_records(folder, _records(documents, contents, analyzer, reporter))
    lines = (earlier.lines[p.position] if earlier and not p.fresh else to_line(p.extract) for p in gathered.parts)
    reuse.save(folder, key, lines, contents.postings, contents.whoosh_numbers)
    return gathered


def _gather(inputs: _Inputs, earlier: Earlier | None, share: int, analyzer: Analyzer, reporter: Reporter) -> _Gathered:
    """Read the documents that are new or changed; the others are in the `earlier` generation."""
    kept = {
        doc_id for doc_id, source in inputs.sources.items() if earlier is not None and earlier.holds(doc_id, source)
    }
    to_read = [source for source in inputs.corpus.sources if source.file.doc_id not in kept]
    fresh, reports = _cut(*read_documents(to_read, reporter)) if to_read else ([], [])
    samples = linguistics.read_samples(
        [one.document for one in fresh],
        share,
        analyzer,
        progress=reporter.progress,
        known=earlier.samples() if earlier else None,
    )
    parts = [
        Part(
            extract(
                one.document, one.chunks, source=inputs.sources[one.document.doc_id], sample=sample, analyzer=analyzer
            ),
            position,
            fresh=True,
        )
        for position, (one, sample) in enumerate(zip(fresh, samples, strict=True))
    ]
    if earlier is not None:
        found = ((earlier.positions[doc_id], earlier) for doc_id in kept)
        parts += [Part(source.extracts[position], position, fresh=False) for position, source in found]
    reports += [report_of(part.extract.doc_id, part.extract.warnings) for part in parts if not part.fresh]
    parts.sort(key=lambda part: part.extract.doc_id)
    return _Gathered(parts, dict(enumerate(fresh)), (*inputs.corpus.reports, *reports), earlier)


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


def _records(
    documents: Sequence[Extract], contents: Contents, analyzer: Analyzer, reporter: Reporter
) -> list[DocumentRecord]:
    automatic = find_keywords(
        [document.sample for document in documents], contents.postings[WORDS], contents.columns.document, analyzer
    )
    manual = _manual_keywords(documents, analyzer.tables.manual_keywords, reporter)
    identities = settle([document.identity for document in documents], analyzer)
    bearers = Counter(document.name.casefold() for document in documents)
    records: list[DocumentRecord] = []
    first_chunk = text_start = 0
    for position, (document, identity) in enumerate(zip(documents, identities, strict=True)):
        records.append(
            DocumentRecord(
                position=position,
                doc_id=document.doc_id,
                name=document.name if bearers[document.name.casefold()] == 1 else document.doc_id,
                title=document.title,
                collection=document.collection,
                size=document.size,
                first_chunk=first_chunk,
                chunk_count=document.chunk_count,
                text_start=text_start,
                articles=document.articles,
                warnings=document.warnings,
                keywords=manual[position] + automatic[position],
                identity=identity,
            )
        )
        first_chunk += document.chunk_count
        text_start += document.size
    return records


def _manual_keywords(
    documents: Sequence[Extract], table: dict[str, tuple[str, ...]], reporter: Reporter
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
        golden = _golden_questions(folder)
        published = _published_outcomes(settings) if settings.owns_tuning else None
        if golden is None and not published:
            return None
        asked = golden or GoldenSet((), DEFAULT_DROP)  # a file that was taken away leaves its questions missing
        _warn_of_strangers(asked, generation, reporter)
        return gate.judge_candidate(asked, ask_all(candidate, asked.questions), published)
    finally:
        generation.close()


def _golden_questions(folder: Path) -> GoldenSet | None:
    path = folder / TUNING / GOLDEN_QUESTIONS
    return load_golden(path) if path.is_file() else None


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
