"""The example of docs/operacion.md, how to mend a refusal, does what the page says."""

from __future__ import annotations

import io
import re
import shutil
from pathlib import Path

from indexer.build import build
from indexer.reporting import Reporter
from siaa.answering.refusal import Decision, Verdict, judge
from siaa.answering.wording import told
from siaa.config import OWN_CONFIG_DIR, Settings
from siaa.generation import open_current
from siaa.profile import load_profile
from siaa.retrieval import Retriever
from tests.deploy.files import ROOT

PAGE = (ROOT / "docs" / "operacion.md").read_text(encoding="utf-8")
EXAMPLE = PAGE[PAGE.index("## «No encontré") :]
QUESTION = "¿Cuándo se entrega el inventario de enseres?"
ROW = 'enseres = "muebles"'
DOCUMENT = "circular_012_2023.md"


def ask(retriever: Retriever) -> tuple[list[str], Verdict]:
    """Return the documents reached and whether the chat would answer."""
    gathered = retriever.gather(retriever.route(retriever.ask(QUESTION)))
    verdict = judge(retriever, gathered.routed.query, gathered.selections)
    return [selected.document.name for selected in gathered.selections], verdict


def test_the_page_tells_of_this_question_and_this_row() -> None:
    assert QUESTION in EXAMPLE
    assert f"```toml\n{ROW}\n```" in EXAMPLE


def test_before_the_row_the_question_is_refused_for_a_word_that_no_document_has(sample: Retriever) -> None:
    documents, verdict = ask(sample)
    assert DOCUMENT not in documents[:1]
    assert verdict.decision is not Decision.ANSWER
    assert told(verdict.reason) in EXAMPLE
    value = re.search(r"`rechazo\.valor` es (\d,\d\d)", EXAMPLE)
    assert value
    assert f"{verdict.value:.2f}".replace(".", ",") == value[1]


def test_with_the_row_and_its_golden_question_the_sentence_is_found(tmp_path: Path) -> None:
    tuning = tmp_path / "config"
    shutil.copytree(OWN_CONFIG_DIR, tuning)
    with (tuning / "abreviaturas.toml").open("a", encoding="utf-8") as file:
        file.write(f"{ROW}\n")
    golden = EXAMPLE[EXAMPLE.index("[[pregunta]]") :]
    with (tuning / "preguntas.toml").open("a", encoding="utf-8") as file:
        file.write("\n" + golden[: golden.index("```")])
    settings = Settings(index_dir=tmp_path / "indice", config_dir=tuning)
    result = build(settings, Reporter(io.StringIO()))
    assert result.ruling is not None
    assert QUESTION not in {outcome.question.text for outcome in result.ruling.red}
    generation = open_current(settings.index_dir)
    try:
        profile = load_profile(generation, "calibrado")
        documents, verdict = ask(Retriever(generation, profile=profile, max_docs=2, max_chunks=3))
    finally:
        generation.close()
    assert documents[0] == DOCUMENT
    assert verdict.decision is Decision.ANSWER
