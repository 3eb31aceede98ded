"""The project's own golden questions: all green on the sample corpus, and one that a misplaced keyword would spoil."""

from __future__ import annotations

import io
import shutil
from pathlib import Path

import pytest

from indexer.build import build
from indexer.gate import StoppedByGateError
from indexer.golden import ask_all, load_golden
from indexer.reporting import Reporter
from siaa.config import OWN_CONFIG_DIR, Settings
from siaa.language import GOLDEN_QUESTIONS, MANUAL_KEYWORDS
from siaa.retrieval import Retriever

GOLDEN = load_golden(OWN_CONFIG_DIR / GOLDEN_QUESTIONS)


def test_there_are_enough_of_each_kind() -> None:
    assert len(GOLDEN.questions) >= 40
    assert sum(question.critical for question in GOLDEN.questions) >= 10
    assert sum(question.refused for question in GOLDEN.questions) >= 5


def test_all_are_green(sample: Retriever) -> None:
    red = [f"{o.question.text}: {o.found}" for o in ask_all(sample, GOLDEN.questions) if not o.green]
    assert not red


def test_keyword_moved_to_the_wrong_document_stops_the_build(tmp_path: Path) -> None:
    config = Path(shutil.copytree(OWN_CONFIG_DIR, tmp_path / "config"))
    settings = Settings(index_dir=tmp_path / "indice", config_dir=config)
    assert build(settings, Reporter(io.StringIO())).published
    keywords = config / MANUAL_KEYWORDS
    text = keywords.read_text(encoding="utf-8")
    keywords.write_text(text.replace("acuerdo_no._psaa16-10476.md", "guia_sierju_despachos.md"), encoding="utf-8")
    with pytest.raises(StoppedByGateError, match="periodicidad"):
        build(settings, Reporter(io.StringIO()))
