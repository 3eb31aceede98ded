"""`python -m service` with a model in `SIAA_MODEL_DIR`: it comes up beside the service, and no process is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.contract.test_embedded_model import alive, children, eventually
from tests.http.client import Client
from tests.http.conftest import ROOT, environment, free_port
from tests.model_server import find_model

pytestmark = [
    pytest.mark.modelo,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="mira los procesos en /proc"),
]
QUESTION = "¿Quiénes son los funcionarios responsables de reportar la información?"


def descendants(pid: int) -> list[int]:
    below = children(pid)
    return [*below, *(found for child in below for found in descendants(child))]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL], ids=lambda number: number.name)
def test_it_starts_and_ends_with_the_service(sample_index: Path, tmp_path: Path, number: signal.Signals) -> None:
    (tmp_path / "chico.gguf").symlink_to(find_model())
    port = free_port()
    variables = {"SIAA_MODEL_DIR": str(tmp_path), "SIAA_LLM_CONTEXT": "1024", "SIAA_LLM_MAX_TOKENS": "16"}
    process = subprocess.Popen(
        [sys.executable, "-m", "service"],
        cwd=ROOT,
        env=environment(SIAA_PORT=str(port), SIAA_INDEX_DIR=str(sample_index), SIAA_CACHE_MAX="0", **variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with process:
        try:
            assert process.stdout is not None
            assert "SIAA atiende en" in process.stdout.readline()
            client = Client("127.0.0.1", port)
            assert client.chat(QUESTION).events[-1] == "[DONE]"  # whoever answers by now
            assert eventually(lambda: client.get("/siaa/estado").json["modelo_disponible"] is True)
            assert client.get("/siaa/estado").json["model"] == "chico"
            if number == signal.SIGTERM:
                answer = client.chat(QUESTION)
                assert answer.events[-1] == "[DONE]"
                assert not any("error" in event for event in answer.events)
            below = descendants(process.pid)
            assert len(below) == 2  # the server and the model's
            os.kill(process.pid, number)
            process.wait(20)
            assert eventually(lambda: not any(alive(pid) for pid in below), seconds=10)
        finally:
            process.kill()
