"""Fixtures of the contract suites: a real model server, and one that plays whatever a test writes for it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import requests

MODEL_SERVER = Path(__file__).resolve().parent.parent / "model_server.py"
LOADING_SECONDS = 60.0

Script = Callable[[BaseHTTPRequestHandler], None]


@pytest.fixture(scope="session")
def real_model_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start llama.cpp's server with a small model; yield its address; end it."""
    with _serving(tmp_path_factory.mktemp("model") / "server.log") as url:
        yield url


@pytest.fixture(scope="session")
def real_embedding_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Do the same with a server that gives vectors."""
    with _serving(tmp_path_factory.mktemp("vectors") / "server.log", "vectores") as url:
        yield url


@contextmanager
def _serving(log: Path, *arguments: str) -> Iterator[str]:
    with log.open("wb") as errors:
        process = subprocess.Popen(
            [sys.executable, str(MODEL_SERVER), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env={**os.environ, "OMP_WAIT_POLICY": "passive"},
        )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        url = process.stdout.readline().strip()
        if not url:
            pytest.fail(log.read_text(encoding="utf-8", errors="replace")[-800:])
        _wait_until_loaded(url)
        yield url
    finally:
        process.terminate()
        process.wait(timeout=30)
        process.stdin.close()
        process.stdout.close()


def _wait_until_loaded(url: str) -> None:
    waiting = threading.Event()
    for _ in range(int(LOADING_SECONDS / 0.1)):
        if requests.get(f"{url}/health", timeout=5).ok:
            return
        waiting.wait(0.1)
    pytest.fail(f"El servidor del modelo no cargó en {LOADING_SECONDS:.0f} s.")


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # connections that come at once


class ScriptedServer:
    """A socket server that answers as `pages` says, and every chat as `script` does; it keeps what it was sent.

    A page is its status and its body. Both kinds of server are played at once; tests take pages away.
    """

    def __init__(self, port: int = 0) -> None:
        self.script: Script = lambda handler: None
        self.pages: dict[str, tuple[int, bytes]] = {
            "/v1/models": (200, b'{"data": [{"id": "guion"}]}'),
            "/api/version": (200, b'{"version": "0.12.6"}'),
            "/api/tags": (200, b'{"models": [{"name": "guion"}]}'),
        }
        self.bodies: list[bytes] = []
        self.left = threading.Event()  # set when a client's connection was found closed
        outer = self

        class Handler(BaseHTTPRequestHandler):
            timeout = 10  # seconds; no script waits longer for its client
            sent = b""  # the body of the request under way

            def do_GET(self) -> None:
                status, body = outer.pages.get(self.path, (404, b"404 page not found"))
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_POST(self) -> None:
                sent = self.sent = self.rfile.read(int(self.headers["Content-Length"]))
                if self.path == "/api/show":
                    self.do_GET()
                    return
                outer.bodies.append(sent)
                try:
                    outer.script(self)
                except OSError:
                    outer.left.set()

            def log_message(self, *_: object) -> None:
                """Keep the test's output clean."""

        self._server = _Server(("127.0.0.1", port), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def scripted() -> Iterator[ScriptedServer]:
    """Yield a server whose chat answer the test writes."""
    server = ScriptedServer()
    yield server
    server.close()
