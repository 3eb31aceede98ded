"""Equal input gives an equal index, byte for byte, whatever process read which file."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from indexer.build import BuildResult
from indexer.reading import read_documents, read_files
from indexer.reporting import Reporter
from siaa.config import OWN_CORPUS_DIR, Settings
from siaa.generation import ARRAYS, DOCUMENTS, TEXTS, open_current
from siaa.search import whoosh_index
from tests.oracle.field_impacts import SCORED

Run = Callable[..., tuple[BuildResult, str]]


def test_two_builds_of_the_project_corpus_are_equal(run_build: Run, settings: Settings, tmp_path: Path) -> None:
    folders = []
    for name in ("uno", "otro"):
        index_dir = tmp_path / name
        result, _ = run_build(corpus_dir=OWN_CORPUS_DIR, index_dir=index_dir)
        folders.append(index_dir / result.manifest.name)
    names = [DOCUMENTS, TEXTS, *sorted(f"{ARRAYS}/{path.name}" for path in (folders[0] / ARRAYS).iterdir())]
    assert len(names) > 40
    for name in names:
        assert (folders[0] / name).read_bytes() == (folders[1] / name).read_bytes(), name


def test_whoosh_index_of_a_generation_holds_what_its_arrays_were_made_of(run_build: Run, settings: Settings) -> None:
    run_build()
    generation = open_current(settings.index_dir)
    with whoosh_index.open_reader(generation.folder / "whoosh") as reader:
        assert reader.doc_count_all() == generation.index.passage_count
        for field in SCORED:
            fast = whoosh_index.read_postings(reader, field)
            slow = whoosh_index.read_postings_one_by_one(reader, field)
            assert fast.terms == slow.terms
            assert fast.passages.tolist() == slow.passages.tolist()
            assert fast.counts.tolist() == slow.counts.tolist()


@pytest.mark.lento
def test_more_processes_read_the_same_documents_in_the_same_order() -> None:
    corpus = read_files(OWN_CORPUS_DIR)
    # One file that cannot be read, so that its report crosses the process boundary too.
    damaged = replace(corpus, files=(*corpus.files, replace(corpus.files[0], data=b"\x00\x01\x02" * 99)))
    reporter = Reporter(io.StringIO())
    alone = read_documents(damaged.files, reporter)
    together = read_documents(damaged.files, reporter, worth_processes=0)
    assert together == alone
