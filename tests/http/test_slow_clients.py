"""Clients that take their time keep nobody else waiting."""

from __future__ import annotations

import socket
import threading
import time

from siaa.published.compute_limit import ComputeLimit
from tests.http.client import Client

REQUEST = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


def test_a_client_that_does_not_hang_up_keeps_nobody_waiting(service: Client) -> None:
    lingering = []
    try:
        for _ in range(10):
            connection = socket.create_connection((service.host, service.port), timeout=10)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            connection.sendall(REQUEST)
            connection.recv(512)
            lingering.append(connection)
        waits = []
        for _ in range(5):
            began = time.monotonic()
            assert service.get("/healthz").status == 200
            waits.append(time.monotonic() - began)
        # gunicorn alone waits two seconds for each, in the thread that accepts connections.
        assert min(waits) < 1
        assert sum(waits) < 8
    finally:
        for connection in lingering:
            connection.close()


def test_only_so_many_compute_at_once_and_one_that_does_may_go_on() -> None:
    limit = ComputeLimit(2)
    lock = threading.Lock()
    inside, most = 0, 0

    def compute() -> None:
        nonlocal inside, most
        with limit, limit:  # a step within a step
            with lock:
                inside += 1
                most = max(most, inside)
            time.sleep(0.02)
            with lock:
                inside -= 1

    threads = [threading.Thread(target=compute) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert (inside, most) == (0, 2)


def test_a_failure_gives_the_turn_back() -> None:
    limit = ComputeLimit(1)
    for _ in range(2):
        try:
            with limit:
                raise ValueError
        except ValueError:
            pass
    with limit:
        pass
