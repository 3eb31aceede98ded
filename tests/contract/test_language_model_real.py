"""The real llama.cpp: what the client assumes of good streams, overflow, death and closed connections is so."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from siaa.answering.llm.http_model import HttpModel
from siaa.answering.llm.protocol import (
    ChatMessage,
    ModelContextError,
    ModelCutError,
    ModelUnavailableError,
    ReaderLeftError,
)
from tests.contract.conftest import MODEL_SERVER
from tests.contract.model_clients import OPENAI, ask

pytestmark = pytest.mark.modelo

STORY = (ChatMessage("user", "Cuente una historia larga."),)


def client(url: str, **limits: float) -> HttpModel:
    return OPENAI.client(url, **{"first_token_timeout": 60.0, "read_timeout": 60.0, **limits})


def test_it_answers_in_pieces(real_model_url: str) -> None:
    model = client(real_model_url)
    assert model.available() is True
    assert model.context_tokens == 1024  # as tests/model_server.py starts it
    pieces = ask(model)
    assert len(pieces) > 3
    assert all(pieces)
    assert model.name


def test_it_gives_the_same_answer_twice(real_model_url: str) -> None:
    model = client(real_model_url)
    assert ask(model) == ask(model)


def test_it_says_when_the_context_is_too_small(real_model_url: str) -> None:
    model = client(real_model_url)
    # About 900 tokens by the estimate, far more by this model's own count: only the server can tell.
    text = "ñandú " * 440
    with pytest.raises(ModelContextError) as failure:
        list(model.stream([ChatMessage("user", text)], max_tokens=40))
    assert failure.value.detail.startswith("HTTP 400")
    assert ask(model)


def test_it_is_free_after_a_reader_left(real_model_url: str) -> None:
    model = client(real_model_url)
    begun = time.monotonic()
    for _ in range(3):
        answer = model.stream(STORY, max_tokens=900)
        next(answer)
        answer.close()
    assert ask(model, max_tokens=4)
    # The server has one slot: had it gone on writing, each answer of 900 tokens would have taken over 10 s.
    assert time.monotonic() - begun < 15


def test_it_is_free_after_a_reader_left_before_the_first_token(real_model_url: str) -> None:
    model = client(real_model_url)
    # Reading so long a prompt takes this model seconds.
    long = (ChatMessage("user", "El juzgado reporta la información de cada trimestre. " * 20),)
    waiting = model.stream(long, max_tokens=200)
    ended = threading.Event()

    def read() -> None:
        with pytest.raises(ReaderLeftError):
            next(waiting)
        ended.set()

    threading.Thread(target=read).start()
    time.sleep(0.2)
    begun = time.monotonic()
    waiting.close()
    assert ended.wait(5)
    assert time.monotonic() - begun < 0.5
    assert ask(model, max_tokens=4)
    assert time.monotonic() - begun < 15


def test_a_server_killed_in_the_middle_is_a_cut() -> None:
    process = subprocess.Popen(
        [sys.executable, str(MODEL_SERVER)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "OMP_WAIT_POLICY": "passive"},
    )
    assert process.stdout is not None
    with process:
        try:
            model = client(process.stdout.readline().strip())
            # While it loads it answers 503, or has no model to name yet.
            deadline = time.monotonic() + 60
            while not model.available() and time.monotonic() < deadline:
                time.sleep(0.05)
            answer = model.stream(STORY, max_tokens=900)
            assert next(answer)
            process.send_signal(signal.SIGKILL)
            with pytest.raises(ModelCutError):
                list(answer)
            with pytest.raises(ModelUnavailableError):
                ask(model)
            assert model.available() is False
        finally:
            process.kill()
