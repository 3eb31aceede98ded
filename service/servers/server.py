"""Run the application in a server fit for use: gunicorn with threads, waitress where gunicorn cannot run."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

from service.app import start_app
from siaa.config import Settings

STOP_SIGNALS = ("SIGTERM", "SIGINT", "SIGBREAK")  # the last is Windows' own


def serve(settings: Settings, *, ready: Callable[[], None]) -> int:
    """Serve until SIGTERM or SIGINT, calling `ready` once requests are answered; return the exit code.

    Raises ConfigError when the settings contradict each other.
    """
    try:
        from service.servers.gunicorn_server import serve_with_gunicorn
    except ImportError:  # no fork or no fcntl here
        return serve_with_waitress(settings, ready=ready)
    return serve_with_gunicorn(settings, ready=ready)


def serve_with_waitress(settings: Settings, *, ready: Callable[[], None]) -> int:
    """Serve with waitress, in this process."""
    from service.servers.waitress_server import Server

    server = Server(start_app(settings), settings)

    def stop(number: int, frame: FrameType | None) -> None:
        if server.told:  # twice: whoever asks does not want to wait
            raise KeyboardInterrupt
        server.stop()

    for name in STOP_SIGNALS:
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), stop)
    ready()
    try:
        with suppress(KeyboardInterrupt):
            server.run()
    finally:
        server.close()
    print("SIAA se detuvo.", file=sys.stderr)
    return 0
