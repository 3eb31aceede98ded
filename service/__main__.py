"""Serve until told to stop: `python -m service`. Exit codes: 0 stopped, 2 wrong use.

This process answers nothing. It checks what can be checked beforehand, keeps the one that does (`service.servers`)
running, and the embedded model beside it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from functools import partial
from types import FrameType

from service.http.request_log import configure
from service.keeping import keep, stop_process
from service.own_model.embedded_model import embedded
from service.servers import AGAIN
from service.welcome import port_problem, published_folder
from siaa.command_line import WRONG_USE, SpanishParser
from siaa.config import Settings, load_settings, unknown_variables
from siaa.errors import ConfigError
from siaa.generation import TUNING
from siaa.profile import PROFILES

DESCRIPTION = (
    "Sirve el índice publicado hasta que se le detiene. Todo se ajusta con variables SIAA_*: docs/configuracion.md."
)
FIRST_PAUSE = 0.2  # seconds before a server that died is started again
GRACE_SECONDS = 5.0  # that the server may take to end beyond SIAA_STOP_SECONDS
_STOP_SIGNALS = ("SIGTERM", "SIGINT", "SIGBREAK")  # the last is Windows' own


def main(arguments: Sequence[str] | None = None) -> int:
    """Check what can be checked beforehand, then serve."""
    SpanishParser(prog="python -m service", description=DESCRIPTION).parse_args(arguments)
    try:
        settings = load_settings()
    except ConfigError as error:
        return _refuse(error.message)
    configure(settings)
    for name in unknown_variables():
        print(f"aviso: {name} no es un ajuste de SIAA y no hace nada (docs/configuracion.md).", file=sys.stderr)
    if problem := profile_problem(settings) or port_problem(settings):
        return _refuse(problem)
    with embedded(settings) as settings:
        return _serve(settings)


def _serve(settings: Settings) -> int:
    """Keep the server running until it ends by itself, or a signal comes; a second one ends it at once."""
    ended = threading.Event()
    server: list[subprocess.Popen[bytes]] = []

    def start() -> subprocess.Popen[bytes]:
        again = [AGAIN] if server else []
        environment = {**os.environ, "SIAA_LLM_URL": settings.llm_url, "SIAA_LLM_MODEL": settings.llm_model}
        command = [sys.executable, "-m", "service.servers", *again]
        server[:] = [subprocess.Popen(command, stdin=subprocess.PIPE, env=environment)]
        return server[0]

    def stop(number: int, frame: FrameType | None) -> None:
        if ended.is_set() and server:  # twice: whoever asks does not want to wait
            server[0].kill()
        ended.set()

    for name in _STOP_SIGNALS:
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), stop)
    patient_stop = partial(stop_process, seconds=settings.stop_seconds + GRACE_SECONDS)
    return keep(start, ended, name="el servidor", final=(0, WRONG_USE), pause=FIRST_PAUSE, stop=patient_stop)


def profile_problem(settings: Settings) -> str | None:
    """Return why the profile named cannot be used, None if it can; the profiles are those of the published index."""
    published = published_folder(settings)
    folder = (published / TUNING if published else settings.tuning_dir) / PROFILES
    known = sorted(path.stem for path in folder.glob("*.toml"))
    if not known or settings.perfil in known:
        return None
    return f"SIAA_PERFIL={settings.perfil!r}: no existe ese perfil; los hay: {', '.join(known)}."


def _refuse(sentence: str) -> int:
    print(sentence, file=sys.stderr, flush=True)
    return WRONG_USE


if __name__ == "__main__":
    raise SystemExit(main())
