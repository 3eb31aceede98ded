"""Told to stop in the middle of an answer: one that can end does, and one that cannot is told so, with its [DONE]."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from service.stopping import Stopping
from tests.fakes import model_server
from tests.http.client import Answer, Client
from tests.http.conftest import ROOT, environment, free_port

QUESTION = "¿Quiénes son los funcionarios responsables de reportar la información?"
PIECES = ["Los ", "funcionarios ", "responsables ", "son ", "los ", "jueces."]


@contextmanager
def serving(index: Path, url: str, *, seconds: int) -> Iterator[tuple[Client, subprocess.Popen[str]]]:
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "service"],
        cwd=ROOT,
        env=environment(
            SIAA_INDEX_DIR=str(index),
            SIAA_PORT=str(port),
            SIAA_LLM="openai",
            SIAA_LLM_URL=url,
            SIAA_STOP_SECONDS=str(seconds),
        ),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    client = Client("127.0.0.1", port)
    try:
        wait_for(client)
        yield client, process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def wait_for(client: Client) -> None:
    deadline = time.monotonic() + 30
    while True:
        try:
            assert client.get("/healthz").status == 200
            return
        except OSError:
            assert time.monotonic() < deadline
            time.sleep(0.05)


def stop_in_the_middle(
    client: Client, process: subprocess.Popen[str], received: list[dict[str, object]], *paths: str
) -> tuple[list[Answer], float]:
    """Ask at each path, tell the service to stop once the model works, and return the answers and the seconds."""
    with ThreadPoolExecutor(len(paths)) as pool:
        asked: list[Future[Answer]] = []
        for path in paths:
            body: dict[str, object] = {"messages": [{"role": "user", "content": QUESTION}]}
            body |= {"stream": True} if path.endswith("?stream") else {}
            data = json.dumps(body).encode()
            asked.append(
                pool.submit(client.request, "POST", path.partition("?")[0], data, Content_Type="application/json")
            )
        deadline = time.monotonic() + 15
        while len([one for one in received if "messages" in one]) < len(paths) and time.monotonic() < deadline:
            time.sleep(0.02)
        began = time.monotonic()
        process.terminate()
        answers = [future.result(timeout=20) for future in asked]
        assert process.wait(timeout=20) == 0
        return answers, time.monotonic() - began


def test_an_answer_that_can_end_does(sample_index: Path) -> None:
    with (
        model_server(PIECES, pause=0.2) as (url, received),
        serving(sample_index, url, seconds=10) as (client, process),
    ):
        (answer,), seconds = stop_in_the_middle(client, process, received, "/siaa/chat")
    assert answer.events[-1] == "[DONE]"
    assert "error" not in answer.text
    assert "jueces." in answer.answer
    assert seconds < 8


def test_an_answer_that_would_not_end_is_told(sample_index: Path) -> None:
    with (
        model_server(PIECES * 20, pause=0.3) as (url, received),
        serving(sample_index, url, seconds=2) as (client, process),
    ):
        (chat,), seconds = stop_in_the_middle(client, process, received, "/siaa/chat")
    assert chat.events[-2]["codigo"] == "servicio_detenido"
    assert chat.events[-1] == "[DONE]"
    assert chat.text.count("[DONE]") == 1
    assert seconds < 6


def test_answers_that_would_not_end_are_told(sample_index: Path) -> None:
    paths = ("/siaa/chat", "/v1/chat/completions?stream", "/v1/chat/completions")
    with (
        model_server(PIECES * 20, pause=0.3) as (url, received),
        serving(sample_index, url, seconds=2) as (client, process),
    ):
        # Two calls at once are what a model is given by default: the third waits for its turn when all is over.
        answers, seconds = stop_in_the_middle(client, process, received, *paths[:2])
    chat, stream = answers
    assert chat.events[-2]["codigo"] == "servicio_detenido"
    assert stream.events[-2]["error"]["code"] == "servicio_detenido"
    assert chat.events[-1] == stream.events[-1] == "[DONE]"
    assert chat.text.count("[DONE]") == 1
    assert seconds < 6


def test_an_answer_in_one_piece_that_would_not_end_is_told(sample_index: Path) -> None:
    with (
        model_server(PIECES * 20, pause=0.3) as (url, received),
        serving(sample_index, url, seconds=2) as (client, process),
    ):
        (whole,), _ = stop_in_the_middle(client, process, received, "/v1/chat/completions")
    assert whole.status == 503
    assert whole.json["error"]["code"] == "servicio_detenido"


def test_what_ends_in_time_is_not_ended_again() -> None:
    ended: list[str] = []
    stopping = Stopping(0.2)
    with stopping.ended_by(lambda: ended.append("a tiempo")):
        pass
    stopping.begin()
    stopping.begin()
    late = threading.Event()
    with stopping.ended_by(late.set):
        assert late.wait(5)
    assert stopping.over
    with stopping.ended_by(lambda: ended.append("tarde")):  # what begins when all is over ends at once
        pass
    assert ended == ["tarde"]


@pytest.mark.parametrize(("seconds", "patience"), [(10, 8.0), (600, 598.0), (2, 1.0), (1, 0.5)])
def test_most_of_the_time_is_the_answers_own(seconds: int, patience: float) -> None:
    assert Stopping(seconds)._patience == patience
