"""Run llama.cpp's HTTP server beside the service and keep it running: `python -m service.own_model.embedded_model`.

In a process of its own, so that neither a crash of the model nor of the service takes the other along. It is started
again when it dies, and ends when the process that keeps it does, however that ended: its standard input closes, and on
Linux the kernel sends a signal too.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib.util
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from service.keeping import keep, parent_ends
from service.own_model.model_weights import WEIGHTS
from siaa.command_line import SpanishParser
from siaa.config import PROJECT_DIR, Settings

log = logging.getLogger(__name__)

HOST = "127.0.0.1"  # never elsewhere: the server has no keys
BATCH_TOKENS = 256  # of a prompt that are read at a time: between batches the server sees that a client has left
_PR_SET_PDEATHSIG = 1


def find_model(folder: Path) -> Path | None:
    """Return the model's file in `folder`: the one `make model` fetches, else any other; None without any."""
    fetched = folder / WEIGHTS.file
    return fetched if fetched.is_file() else next(iter(sorted(folder.glob("*.gguf"))), None)


@contextmanager
def embedded(settings: Settings) -> Iterator[Settings]:
    """Run the model of `SIAA_MODEL_DIR` while the block lasts; give the settings with its address.

    Only for `SIAA_LLM=auto` without an address, when there is a model. Nothing waits for the model to load.
    """
    model = find_model(settings.model_dir) if settings.llm == "auto" and not settings.llm_url else None
    if model is None:
        yield settings
        return
    if importlib.util.find_spec("xllamacpp") is None:
        log.warning("hay un modelo en %s pero falta el programa que lo corre: instálelo con «make model»", model.parent)
        yield settings
        return
    port = _free_port()
    ended = threading.Event()
    keeper = threading.Thread(
        target=keep, args=(lambda: start_server(model, port, settings), ended), kwargs={"name": "el modelo propio"}
    )
    keeper.start()
    try:
        yield settings.model_copy(update={"llm_url": f"http://{HOST}:{port}", "llm_model": ""})
    finally:
        ended.set()
        keeper.join()


def start_server(model: Path, port: int, settings: Settings) -> subprocess.Popen[bytes]:
    """Start a server of `model` that ends with this process: `llm_context` tokens for each of `llm_concurrency`."""
    command = [sys.executable, "-m", "service.own_model.embedded_model", str(model.absolute()), "--port", str(port)]
    command += ["--context", str(settings.llm_context), "--slots", str(settings.llm_concurrency)]
    # Threads of llama.cpp sleep between tokens instead of spinning; read when the library is loaded.
    environment = {**os.environ, "OMP_WAIT_POLICY": "passive"}
    quiet = None if settings.log_level == "DEBUG" else subprocess.DEVNULL  # it tells a page about each question
    return subprocess.Popen(
        command, cwd=PROJECT_DIR, env=environment, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=quiet
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until standard input closes."""
    options = _options(arguments)
    _die_with_parent()
    # Ctrl-C reaches every process of a terminal: the service is the one that decides when this one ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent_ends(lambda: os._exit(0))  # its own clean-up waits for answers under way; nobody is there to read them
    _serve(options)
    return 0


def _serve(options: argparse.Namespace) -> None:
    import xllamacpp  # an optional package

    params = xllamacpp.CommonParams()
    params.model.path = str(options.model)
    params.model_alias = {options.model.stem}
    params.n_ctx = options.context * options.slots
    params.n_parallel = options.slots
    params.n_batch = BATCH_TOKENS
    params.hostnames = [HOST]
    params.port = options.port
    params.cpuparams.n_threads = os.cpu_count() or 2
    server = xllamacpp.Server(params)
    log.info("llama.cpp atiende en %s", server.listening_address)
    threading.Event().wait()


def _die_with_parent() -> None:
    """Ask the kernel to kill this process with its parent: while the model loads, a closed input is not noticed."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = SpanishParser(
        prog="python -m service.own_model.embedded_model",
        description="Sirve el modelo propio hasta que se cierra su entrada.",
    )
    parser.add_argument("model", type=Path, help="archivo .gguf")
    parser.add_argument("--port", type=int, required=True, help="puerto TCP")
    parser.add_argument("--context", type=int, default=4096, help="tokens por pregunta")
    parser.add_argument("--slots", type=int, default=1, help="preguntas a la vez")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    raise SystemExit(main())
