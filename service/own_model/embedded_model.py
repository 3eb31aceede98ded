"""Run llama.cpp's HTTP server beside the service and keep it running: `python -m service.own_model.embedded_model`.

Two processes, so that neither a crash of the model nor a restart of a web worker takes the other along: the service
starts the keeper, the keeper starts the server and starts it again when it dies. Each ends when the one above it does,
however that ended: its standard input closes, and on Linux the kernel sends a signal too.
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
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from service.own_model.model_weights import WEIGHTS
from siaa.command_line import SpanishParser
from siaa.config import PROJECT_DIR, Settings

log = logging.getLogger(__name__)

HOST = "127.0.0.1"  # never elsewhere: the server has no keys
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0  # seconds before a dead server is started again, doubled each time
STEADY_SECONDS = 120.0  # a server that lived this long died of something new: the pause begins anew
STOP_SECONDS = 10.0  # that a process is given to end
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
    keeper = start_keeper(
        model, port=port, context=settings.llm_context, slots=settings.llm_concurrency, level=settings.log_level
    )
    owner = os.getpid()
    try:
        yield settings.model_copy(update={"llm_url": f"http://{HOST}:{port}", "llm_model": ""})
    finally:
        if os.getpid() == owner:  # a forked worker leaves through here as well, and ends nothing
            stop_keeper(keeper)


def start_keeper(model: Path, *, port: int, context: int, slots: int, level: str = "INFO") -> subprocess.Popen[bytes]:
    """Start the process that keeps the server of `model` running on `port`; `context` tokens for each of `slots`."""
    command = [sys.executable, "-m", "service.own_model.embedded_model", str(model.absolute()), "--port", str(port)]
    command += ["--context", str(context), "--slots", str(slots), "--level", level]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, cwd=PROJECT_DIR)


def stop_keeper(keeper: subprocess.Popen[bytes]) -> None:
    """End the keeper and, through it, the server."""
    if keeper.stdin is not None:
        keeper.stdin.close()
    try:
        keeper.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        keeper.kill()
        keeper.wait()


def main(arguments: Sequence[str] | None = None) -> int:
    """Keep a server running, or with `--serve` be it, until standard input closes."""
    options = _options(arguments)
    logging.basicConfig(
        level=options.level, format="%(asctime)s %(levelname)s %(name)s: %(message)s", stream=sys.stderr
    )
    # The server has nothing to put in order, and hears nothing else while it loads.
    _die_with_parent(signal.SIGKILL if options.serve else signal.SIGTERM)
    # Ctrl-C reaches every process of a terminal: the service is the one that decides when these end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ended = threading.Event()

    def end(number: int, frame: FrameType | None) -> None:
        ended.set()

    signal.signal(signal.SIGTERM, end)
    threading.Thread(target=_wait_for_parent, args=(ended,), daemon=True).start()
    if options.serve:
        return _serve(options, ended)
    return keep(lambda: _start_server(options), ended)


def keep(start: Callable[[], subprocess.Popen[bytes]], ended: threading.Event) -> int:
    """Start a server and start it again whenever it dies, after a pause that grows, until `ended`."""
    pause = FIRST_PAUSE
    while not ended.is_set():
        begun = time.monotonic()
        server = start()
        log.info("se inicia el modelo propio (proceso %d)", server.pid)
        while server.poll() is None and not ended.wait(0.2):
            pass
        if ended.is_set():
            stop_keeper(server)
            break
        pause = FIRST_PAUSE if time.monotonic() - begun > STEADY_SECONDS else pause
        log.error("el modelo propio terminó (código %s): se reinicia en %.0f s", server.returncode, pause)
        if server.stdin is not None:
            server.stdin.close()
        ended.wait(pause)
        pause = min(2 * pause, LONGEST_PAUSE)
    return 0


def _start_server(options: argparse.Namespace) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "service.own_model.embedded_model", str(options.model), "--serve"]
    command += ["--port", str(options.port), "--context", str(options.context), "--slots", str(options.slots)]
    # Threads of llama.cpp sleep between tokens instead of spinning; read when the library is loaded.
    environment = {**os.environ, "OMP_WAIT_POLICY": "passive"}
    quiet = None if options.level == "DEBUG" else subprocess.DEVNULL  # llama.cpp tells a page about each question
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet, env=environment)


def _serve(options: argparse.Namespace, ended: threading.Event) -> int:
    import xllamacpp  # an optional package, and nothing that the keeper should load

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
    ended.wait()
    # Its own clean-up waits for answers under way; nobody is there to read them.
    os._exit(0)


def _wait_for_parent(ended: threading.Event) -> None:
    # Not through sys.stdin: a thread that waits inside its buffer makes the interpreter die badly at exit.
    while os.read(0, 1):
        pass
    ended.set()


def _die_with_parent(number: int) -> None:
    """Ask the kernel for a signal when the parent dies; where there is no such thing, the closed input has to do."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = SpanishParser(
        prog="python -m service.own_model.embedded_model",
        description="Mantiene en marcha el servidor del modelo propio.",
    )
    parser.add_argument("model", type=Path, help="archivo .gguf")
    parser.add_argument("--port", type=int, required=True, help="puerto TCP")
    parser.add_argument("--context", type=int, default=4096, help="tokens por pregunta")
    parser.add_argument("--slots", type=int, default=1, help="preguntas a la vez")
    parser.add_argument("--level", default="INFO", help="detalle del registro")
    parser.add_argument("--serve", action="store_true", help="ser el servidor en vez de mantenerlo")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    raise SystemExit(main())
