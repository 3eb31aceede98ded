"""From a question to an answer through llama.cpp's own server: the plumbing, not the Spanish of a tiny model."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from siaa.answering.wording import REFUSAL
from tests.http.conftest import ROOT, environment, running

pytestmark = pytest.mark.modelo

QUESTION = "¿Quiénes son los funcionarios responsables de reportar la información?"
LOADING_SECONDS = 60


@pytest.fixture(scope="module")
def model_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Run the model server until the tests of this file have ended."""
    log = tmp_path_factory.mktemp("modelo") / "registro.txt"
    with log.open("wb") as errors:
        process = subprocess.Popen(
            [sys.executable, str(ROOT / "tests" / "model_server.py")],
            env=environment(OMP_WAIT_POLICY="passive"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    assert process.stdout is not None
    try:
        url = process.stdout.readline().strip()
        assert url, log.read_text(encoding="utf-8", errors="replace")[-800:]
        deadline = time.monotonic() + LOADING_SECONDS
        while not requests.get(f"{url}/health", timeout=5).ok:
            assert time.monotonic() < deadline, "el modelo no cargó a tiempo"
            time.sleep(0.1)
        yield url
    finally:
        process.terminate()
        process.communicate(timeout=30)


def test_an_answer_comes_through(sample_index: Path, model_url: str) -> None:
    small = {"SIAA_MAX_DOCS_CONTEXTO": "1", "SIAA_MAX_CHUNKS_CONTEXTO": "1", "SIAA_LLM_MAX_TOKENS": "24"}
    with running(SIAA_INDEX_DIR=str(sample_index), SIAA_LLM_URL=model_url, **small) as client:
        answer = client.chat(QUESTION)
        state = client.get("/siaa/estado").json
    assert answer.events[-1] == "[DONE]"
    assert answer.events.count("[DONE]") == 1
    assert answer.answer
    assert ("cercano" in answer.events[-2]) == (answer.answer == REFUSAL)
    assert state["modelo_disponible"] is True
    assert state["model"] not in ("", "extractivo")


def test_what_does_not_fit_is_left_out_from_the_start(sample_index: Path, model_url: str) -> None:
    # The server has 1,024 tokens of context; two documents of three passages do not fit.
    with running(SIAA_INDEX_DIR=str(sample_index), SIAA_LLM_URL=model_url) as client:
        answer = client.chat(QUESTION)
        (row,) = answer.events[0]["documentos"]
        assert client.get("/siaa/fragmento", doc=row["doc"], q=QUESTION).json["chars"] <= 800
        assert answer.answer
        assert answer.events[-1] == "[DONE]"
        # The longest question does not fit with a passage, and is not cut.
        long = client.chat(f"{QUESTION} {'Además, ' * 220}")
    assert [next(iter(event)) for event in long.events[:-1]] == ["documentos", "error"]
    assert long.events[1]["codigo"] == "modelo_contexto"
    assert long.events[-1] == "[DONE]"


def test_a_model_that_is_not_there_is_said(sample_index: Path) -> None:
    with running(SIAA_INDEX_DIR=str(sample_index), SIAA_LLM="openai", SIAA_LLM_URL="http://127.0.0.1:9") as client:
        answer = client.chat(QUESTION)
        assert client.get("/siaa/estado").json["modelo_disponible"] is False
        assert client.get("/readyz").status == 200
    assert answer.events[1]["codigo"] == "modelo_no_disponible"
    assert answer.events[-1] == "[DONE]"
