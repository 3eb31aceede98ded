"""A build that publishes nothing leaves word of it where the service looks."""

from __future__ import annotations

from pathlib import Path

from siaa.build_outcome import OUTCOME_FILE, failed_build
from tests.indexer.conftest import TWO_DOCUMENTS, write_corpus
from tests.indexer.test_command import command, environment


def test_failure_is_noted_and_success_takes_it_back(tmp_path: Path) -> None:
    corpus, index = tmp_path / "corpus", tmp_path / "indice"
    write_corpus(corpus, TWO_DOCUMENTS)
    env = environment(corpus, index)
    assert command(env=env).returncode == 0
    assert failed_build(index) is None
    assert command(env=environment(tmp_path / "no_esta", index)).returncode == 4
    failed = failed_build(index)
    assert failed is not None
    assert failed.code == 4
    assert "SIAA_CORPUS_DIR" in failed.why
    assert command(env=env).returncode == 0
    assert failed_build(index) is None


def test_damaged_note_says_nothing(tmp_path: Path) -> None:
    (tmp_path / OUTCOME_FILE).write_text('{"codigo": "x"', encoding="utf-8")
    assert failed_build(tmp_path) is None
