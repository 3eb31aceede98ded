"""The embedded model: started again when it dies, and ended with whoever started it, however that one ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from service.own_model.embedded_model import embedded, find_model
from siaa.config import Settings
from tests.contract.model_clients import OPENAI, ask
from tests.http.conftest import ROOT
from tests.model_server import find_model as find_test_model


def eventually(holds: Callable[[], bool], *, seconds: float = 30) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if holds():
            return True
        time.sleep(0.05)
    return False


# -- the settings ---------------------------------------------------------------------------------------------------


def test_the_fetched_model_goes_before_any_other(tmp_path: Path) -> None:
    assert find_model(tmp_path / "no_existe") is None
    assert find_model(tmp_path) is None
    (tmp_path / "a.gguf").touch()
    (tmp_path / "b.gguf.parcial").touch()
    assert find_model(tmp_path) == tmp_path / "a.gguf"
    (tmp_path / "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf").touch()
    assert find_model(tmp_path) == tmp_path / "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"


@pytest.mark.parametrize(
    "values",
    [
        {},  # nothing was fetched
        {"llm": "ninguno", "fetched": True},  # switched off
        {"llm_url": "http://127.0.0.1:9", "fetched": True},  # another model was named
        {"llm": "ollama", "fetched": True},
    ],
)
def test_nothing_is_started_that_was_not_asked_for(tmp_path: Path, values: dict[str, object]) -> None:
    if values.pop("fetched", False):
        (tmp_path / "a.gguf").touch()
    settings = Settings.model_validate({"model_dir": tmp_path, **values})
    with embedded(settings) as given:
        assert given is settings


# -- with the real server -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def model_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("modelos")
    (folder / "chico.gguf").symlink_to(find_test_model())
    return folder


CODE = """
from pathlib import Path
from service.own_model.embedded_model import embedded
from siaa.config import Settings
with embedded(Settings(model_dir=Path({folder!r}), llm_context=1024, llm_concurrency=2)) as settings:
    print(settings.llm_url, flush=True)
    input()
"""


@pytest.fixture
def keeper(model_dir: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run a process that keeps the model, as the service does; give it and the model's address."""
    command = [sys.executable, "-c", CODE.format(folder=str(model_dir))]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert process.stdout is not None
    yield process, process.stdout.readline().strip()
    process.kill()
    process.communicate()


def children(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").glob("*/children")  # any thread may have started one
    return [int(found) for task in tasks for found in task.read_text().split()]


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="mira los procesos en /proc")


@on_linux
@pytest.mark.modelo
def test_it_answers_dies_and_answers_again(keeper: tuple[subprocess.Popen[str], str]) -> None:
    process, url = keeper
    model = OPENAI.client(url, first_token_timeout=60.0)
    assert eventually(model.available)
    assert (model.name, model.context_tokens) == ("chico", 1024)  # for each of its slots
    assert ask(model)
    (server,) = children(process.pid)
    assert b"OMP_WAIT_POLICY=passive" in Path(f"/proc/{server}/environ").read_bytes()
    os.kill(server, signal.SIGKILL)
    assert eventually(lambda: not alive(server))
    assert eventually(model.available)
    assert ask(model)
    assert children(process.pid) != [server]


@on_linux
@pytest.mark.modelo
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_the_server_ends_when_the_keeper_does(
    keeper: tuple[subprocess.Popen[str], str], number: signal.Signals
) -> None:
    process, _ = keeper
    assert eventually(lambda: bool(children(process.pid)))
    (server,) = children(process.pid)
    os.kill(process.pid, number)
    assert eventually(lambda: not alive(server), seconds=10)
