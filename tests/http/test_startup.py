"""Starting and stopping: what is wrong is said at once in Spanish, and nothing waits for spaCy."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from service.welcome import ANY_DOCUMENT, EXAMPLES, SAMPLE_DOCUMENT, port_problem, welcome
from siaa.config import Settings
from siaa.generation import CURRENT, DOCUMENTS
from tests.http.conftest import ROOT, environment, free_port, running


def start(**variables: str) -> subprocess.CompletedProcess[str]:
    """Run the service until it ends by itself."""
    return subprocess.run(
        [sys.executable, "-m", "service"],
        cwd=ROOT,
        env=environment(**variables),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_port_in_use_says_what_to_do() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        run = start(SIAA_PORT=str(other.getsockname()[1]))
    assert run.returncode == 2
    assert "ya está en uso" in run.stderr
    assert "SIAA_PORT=" in run.stderr
    assert "Traceback" not in run.stderr


# variables -> words of the sentence
WRONG = [
    ({"SIAA_PORT": "cien"}, "SIAA_PORT"),
    ({"SIAA_HOST": "no.existe.invalid"}, "SIAA_HOST"),
    ({"SIAA_HOST": "192.0.2.1"}, "SIAA_HOST"),  # exists, and is not ours
    ({"SIAA_LLM": "openai"}, "SIAA_LLM_URL"),
]


@pytest.mark.parametrize(("variables", "words"), WRONG)
def test_wrong_settings_end_with_one_sentence(variables: dict[str, str], words: str) -> None:
    run = start(**{"SIAA_PORT": str(free_port()), **variables})
    assert run.returncode == 2
    assert words in run.stderr
    assert "Traceback" not in run.stderr


def test_a_free_port_is_no_problem() -> None:
    assert port_problem(Settings(port=free_port())) is None


def test_the_service_does_not_import_spacy() -> None:
    names = "{'spacy', 'thinc', 'indexer'}"
    code = f"import sys, service.wsgi, service.servers.__main__; print(sorted({names} & set(sys.modules)))"
    command = [sys.executable, "-c", code]
    run = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=60, check=True)
    assert run.stdout.strip() == "[]"


def test_starts_without_an_index_and_finds_it_when_it_comes(tmp_path: Path, sample_index: Path) -> None:
    folder = tmp_path / "indice"
    with running(SIAA_INDEX_DIR=str(folder)) as client:
        waiting = client.get("/readyz")
        assert waiting.status == 503
        assert "make index" in waiting.json["error"]
        assert client.get("/healthz").status == 200
        folder.symlink_to(sample_index, target_is_directory=True)
        assert client.request("POST", "/siaa/recargar").json["recargado"] is True
        assert client.get("/readyz").status == 200


def test_stops_gracefully_when_told_to(sample_index: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "service"],
        cwd=ROOT,
        env=environment(SIAA_INDEX_DIR=str(sample_index), SIAA_PORT=str(free_port())),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    assert "SIAA atiende en" in process.stdout.readline()
    process.terminate()
    process.communicate(timeout=20)
    assert process.returncode == 0


def test_the_welcome_shows_a_curl_for_every_example() -> None:
    text = welcome(Settings(host="0.0.0.0", port=5001))
    assert text.count("curl ") == len(EXAMPLES) + 2
    assert "http://127.0.0.1:5001/siaa/enrutar?q=%C2%BFCu%C3%A1l" in text
    assert "Bearer" not in text
    assert "$SIAA_ADMIN_TOKEN" in welcome(Settings(admin_token="clave"))
    assert "clave" not in welcome(Settings(admin_token="secreta"))


def test_the_welcome_asks_our_own_questions_of_our_own_corpus_only(tmp_path: Path, sample_index: Path) -> None:
    own = welcome(Settings(index_dir=sample_index))
    assert "SIERJU" in own
    assert SAMPLE_DOCUMENT in own
    foreign = tmp_path / "indice"
    folder = foreign / "gen-20260131T120000Z-1a2b3c4d"
    folder.mkdir(parents=True)
    (foreign / CURRENT).write_text(folder.name, encoding="ascii")
    rows = [{"name": "vacio.md", "chunk_count": 0}, {"name": "manual de compras.md", "chunk_count": 3}]
    (folder / DOCUMENTS).write_text(json.dumps(rows), encoding="utf-8")
    for settings, document in [
        (Settings(index_dir=foreign), "manual%20de%20compras.md"),  # others' documents, in whatever folder they lie
        (Settings(index_dir=tmp_path / "nada", corpus_dir=tmp_path), ANY_DOCUMENT),  # not indexed yet
    ]:
        text = welcome(settings)
        assert f"/siaa/ver/{document}?q=plazo" in text
        assert "/siaa/densidad/plazo" in text
        assert not re.search(r"sierju|report|funcionarios|psaa16", text, re.IGNORECASE)
        assert text.count("curl ") == len(EXAMPLES) + 2


@pytest.mark.parametrize("variables", [{"SIAA_PORT": "abc"}, {"SIAA_LLM": "openai"}])
def test_the_process_that_answers_refuses_settings_in_one_sentence(variables: dict[str, str]) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "service.servers"],
        cwd=ROOT,
        env=environment(**variables),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.returncode == 2
    assert "SIAA_" in run.stderr
    assert "Traceback" not in run.stderr
