"""Fixtures of the HTTP tests: the sample corpus indexed once, and the service as operators run it, over a socket."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from flask import Flask

from service.app import create_app
from siaa.config import Settings
from siaa.published.index_holder import IndexHolder, opener_for
from tests.http.client import Client

ROOT = Path(__file__).resolve().parents[2]
STARTING_SECONDS = 30


@pytest.fixture(scope="session", autouse=True)
def own_data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep what services write out of the checkout, and answers out of the cache: most tests are about making them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SIAA_DATA_DIR", str(tmp_path_factory.mktemp("datos")))
        patch.setenv("SIAA_CACHE_MAX", "0")
        yield


@pytest.fixture(scope="session")
def sample_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Index the sample corpus into a folder of its own."""
    folder = tmp_path_factory.mktemp("indice")
    run = subprocess.run(
        [sys.executable, "-m", "indexer"],
        cwd=ROOT,
        env=environment(SIAA_INDEX_DIR=str(folder)),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return folder


@pytest.fixture(scope="session")
def service(sample_index: Path) -> Iterator[Client]:
    """Serve the sample corpus, without a model, as `make serve` does."""
    with running(SIAA_INDEX_DIR=str(sample_index)) as client:
        yield client


@pytest.fixture
def sample_app(sample_index: Path) -> Iterator[Callable[..., Flask]]:
    """Return a maker of applications over the sample corpus in this process; keywords go to `create_app`."""
    settings = Settings(index_dir=sample_index, llm="ninguno")
    holder = IndexHolder(sample_index, opener=opener_for(settings))
    yield lambda **options: create_app(settings, holder=holder, **options)
    holder.close()


def environment(**variables: str) -> dict[str, str]:
    """Return this process's environment with `variables` as its only SIAA_* ones, besides those of `own_data`."""
    ours = ("SIAA_DATA_DIR", "SIAA_CACHE_MAX")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SIAA_") or name in ours}
    return {**kept, "PYTHONUTF8": "1", **variables}


def free_port() -> int:
    """Return a port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running(*, command: tuple[str, ...] = ("-m", "service"), **variables: str) -> Iterator[Client]:
    """Run the service until the block ends; it must have said that it is ready."""
    port = free_port()
    with tempfile.TemporaryFile("w+", encoding="utf-8") as log:
        process = subprocess.Popen(
            [sys.executable, *command],
            cwd=ROOT,
            env=environment(SIAA_PORT=str(port), **variables),
            stdin=subprocess.PIPE,  # a server that is run by itself ends with it
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        assert process.stdout is not None
        try:
            if not any("SIAA atiende en" in line for line in process.stdout):
                log.seek(0)
                pytest.fail(f"El servicio no arrancó: {log.read()[-2000:]}")
            yield Client("127.0.0.1", port, pid=process.pid)
        finally:
            _stop(process)


def _stop(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.communicate(timeout=STARTING_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
