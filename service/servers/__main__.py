"""Be the process that answers: `python -m service.servers`, which `python -m service` starts and keeps.

It ends with its standard input: by itself it is of no use. Exit codes: 0 stopped, 2 the settings cannot be used, or the
address is taken.
"""

from __future__ import annotations

import signal
import sys
from contextlib import suppress
from types import FrameType

from service.app import start_app
from service.http.request_log import configure
from service.keeping import parent_ends
from service.servers import AGAIN
from service.servers.server import Server
from service.welcome import port_problem, welcome
from siaa.command_line import WRONG_USE
from siaa.config import load_settings
from siaa.errors import ConfigError

_STOP_SIGNALS = ("SIGTERM", "SIGBREAK")  # the last is Windows' own


def main(arguments: list[str]) -> int:
    """Serve until standard input closes, or SIGTERM."""
    try:
        settings = load_settings()
        configure(settings)
        server = Server(start_app(settings), settings)
    except ConfigError as error:
        print(error.message, file=sys.stderr)
        return WRONG_USE
    except OSError as error:
        print(port_problem(settings) or f"El sistema no deja escuchar: error {error.errno}.", file=sys.stderr)
        return WRONG_USE

    def stop(number: int, frame: FrameType | None) -> None:
        server.stop()

    for name in _STOP_SIGNALS:
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), stop)
    # Ctrl-C reaches every process of a terminal: the one above decides when this one ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent_ends(server.stop)
    if AGAIN not in arguments:
        with suppress(BrokenPipeError):  # nobody reads it
            print(welcome(settings), flush=True)
    try:
        server.run()
    finally:
        server.close()
    print("SIAA se detuvo.", file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
