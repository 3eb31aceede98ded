"""Run the application in a server fit for use: gunicorn with threads, waitress where gunicorn cannot run."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from types import FrameType

from service.app import start_app
from siaa.config import Settings


def serve(settings: Settings, *, ready: Callable[[], None]) -> int:
    """Serve until SIGTERM or SIGINT, calling `ready` once requests are answered; return the exit code.

    Raises ConfigError when the settings contradict each other.
    """
    try:
        from service.gunicorn_server import serve_with_gunicorn
    except ImportError:  # no fork or no fcntl here
        return serve_with_waitress(settings, ready=ready)
    return serve_with_gunicorn(settings, ready=ready)


def serve_with_waitress(settings: Settings, *, ready: Callable[[], None]) -> int:
    """Serve with waitress, in this process."""
    from service.waitress_server import open_server

    server = open_server(start_app(settings), settings)

    def stop(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    ready()
    try:
        server.run()  # returns on KeyboardInterrupt
    finally:
        server.close()
    print("SIAA se detuvo.", file=sys.stderr)
    return 0
