"""Build a generation from the corpus and publish it: read, cut, analyse, index, derive, verify, publish.

Nothing of a published generation is ever changed: everything is written into a folder of its own, verified by opening
it and asking it questions, and then published by one atomic rename. A build that is killed leaves the old one served.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import Stemmer

from indexer import gate, linguistics, publishing, reuse, trial, tuning, writing
from indexer.document_table import describe
from indexer.extracts import to_line
from indexer.gate import Ruling
from indexer.intake import Intake, take_in
from indexer.reading import Corpus, read_files
from indexer.reporting import Reporter
from siaa import __version__
from siaa.analysis import ANALYZER_VERSION, Analyzer
from siaa.config import Settings
from siaa.cutting import CUTTER_VERSION
from siaa.errors import CorpusError, GenerationError, SiaaError
from siaa.generation import FORMAT, TUNING, Manifest, current_name, generation_names, verify
from siaa.language import load_tables

_TIME = "%Y%m%dT%H%M%SZ"  # UTC, in the name of a generation
_SAME_MOMENT = timedelta(minutes=1)  # builds that follow one another run ahead of the clock by a second each


@dataclass(frozen=True, slots=True)
class BuildResult:
    """What a build did: the generation that is now current, whether it is new, what it took, and what the gate said.

    `ruling` is None when nothing was built or there are no golden questions. `kept` documents were neither read nor
    analysed again, because the generation before had them.
    """

    manifest: Manifest
    published: bool
    seconds: float
    ruling: Ruling | None = None
    kept: int = 0


@dataclass(frozen=True, slots=True)
class _Inputs:
    """What a generation is made from: files, tables, a digest of the code; and a digest of it all."""

    corpus: Corpus
    tuning: Mapping[str, Path]
    code: str
    digest: str


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
    versions = (FORMAT, ANALYZER_VERSION, CUTTER_VERSION, linguistics.SAMPLE_VERSION, __version__, Stemmer.version())
    code = f"{versions} {_code_fingerprint()}"
    digest = hashlib.sha256(f"{code} {tuning.digest_tuning(files)}\n".encode())
    for loaded in corpus.files:
        digest.update(f"{loaded.file.doc_id}\0{loaded.digest}\n".encode())
    for report in corpus.reports:
        digest.update(f"{report.path}\0{report.reasons}\n".encode())
    return _Inputs(corpus, files, code, digest.hexdigest())


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
        intake = _fill(folder, settings, inputs, current, analyzer, reporter)
        documents = [part.extract for part in intake.parts]
        manifest = Manifest(
            name=_name(created, inputs.digest, settings.index_dir, reporter),
            format=FORMAT,
            version=__version__,
            created=created.isoformat(timespec="seconds").replace("+00:00", "Z"),
            inputs=inputs.digest,
            analyzer=analyzer.fingerprint,
            documents=len(documents),
            passages=sum(document.passage_count for document in documents),
            collections=dict(sorted(Counter(document.collection for document in documents).items())),
            reports=tuple(sorted(intake.reports, key=lambda report: report.path)),
        )
        manifest = writing.write_manifest(folder, manifest)
        ruling = trial.examine(folder, settings, reporter)
        if ruling is not None and not ruling.passes and not motive:
            raise gate.StoppedByGateError(ruling)
        publishing.settle(folder)
        if ruling is not None and not ruling.passes:  # first: what cannot be written down is not forced
            gate.write_audit(settings.index_dir, generation=manifest.name, motive=motive, ruling=ruling, when=created)
        publishing.publish(folder, settings.index_dir, manifest.name)
    except OSError as error:
        publishing.remove_unfinished(settings.index_dir)
        raise GenerationError(f"No se pudo escribir el índice: {publishing.reason_of(error)}.") from error
    except SiaaError:
        publishing.remove_unfinished(settings.index_dir)
        raise
    return BuildResult(manifest, published=True, seconds=0.0, ruling=ruling, kept=intake.kept)


def _fill(
    folder: Path,
    settings: Settings,
    inputs: _Inputs,
    current: Manifest | None,
    analyzer: Analyzer,
    reporter: Reporter,
) -> Intake:
    """Write everything into the generation's `folder` but its manifest."""
    share = linguistics.sample_share(len(inputs.corpus.files))
    key = reuse.key_of(analyzer, code=inputs.code, share=share)
    earlier = reuse.open_earlier(settings.index_dir / current.name, key) if current else None
    intake = take_in(inputs.corpus, earlier, share, analyzer, reporter)
    if not intake.parts:
        raise CorpusError(f"No hay ningún documento que indexar en {settings.corpus_dir}: ponga archivos .md o .txt.")
    contents = writing.write_contents(folder, intake.parts, intake.fresh, earlier, analyzer, reporter)
    documents = [part.extract for part in intake.parts]
    writing.write_records(folder, describe(documents, contents, analyzer, reporter))
    lines = (earlier.lines[p.position] if earlier and not p.fresh else to_line(p.extract) for p in intake.parts)
    reuse.save(folder, key, lines, contents.postings, contents.whoosh_numbers)
    return intake


def _name(created: datetime, digest: str, index_dir: Path, reporter: Reporter) -> str:
    """Return a name behind all others, as rolling back and pruning follow the names; say when the clock went back."""
    created = created.replace(microsecond=0)  # as names have it
    newest = next(iter(generation_names(index_dir)), "")
    last = _named_time(newest)
    if last is not None and created <= last:
        if last - created > _SAME_MOMENT:
            reporter.warn(
                f"el reloj del equipo va atrás: son las {created:%Y-%m-%d %H:%M} UTC y ya existe {newest}. La nueva "
                "lleva en su nombre la hora siguiente a esa, para que el orden no se pierda. Revise la hora."
            )
        created = last + timedelta(seconds=1)
    return f"gen-{created:{_TIME}}-{digest[:8]}"


def _named_time(name: str) -> datetime | None:
    """Return the time in the name of a generation, None when it has none."""
    try:
        return datetime.strptime(name.split("-")[1], _TIME).replace(tzinfo=UTC)
    except (IndexError, ValueError):
        return None
