"""Ask /healthz again and again until standard input closes, then print how long each answer took, in milliseconds.

A process of its own: the threads of the test that makes the load would keep it waiting.
"""

from __future__ import annotations

import http.client
import sys
import threading
import time

PAUSE_SECONDS = 0.05
FAILED = 1e9


def main(port: int) -> None:
    """Watch the service at `port`."""
    over = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), over.set()), daemon=True).start()
    while not over.is_set():
        print(f"{1000 * _ask(port):.1f}", flush=True)
        time.sleep(PAUSE_SECONDS)


def _ask(port: int) -> float:
    began = time.monotonic()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", "/healthz")
        healthy = connection.getresponse().status == 200
    except OSError:
        healthy = False
    finally:
        connection.close()
    return time.monotonic() - began if healthy else FAILED


if __name__ == "__main__":
    main(int(sys.argv[1]))
