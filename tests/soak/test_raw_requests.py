"""Requests with random faults, byte for byte: each is answered or waited for, and the server has no fault."""

from __future__ import annotations

import random
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from tests.http.client import Client
from tests.http.conftest import ROOT, environment, free_port
from tests.soak.scale import scaled

SENT = scaled(short=150, long=5000)
WAIT = 0.3  # seconds for an answer
RIGHT = (
    b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET http://h:8/healthz?x HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
    b"POST /siaa/chat HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\nhello",
    b"POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
)
PIECES = (b"\r\n", b"\r\n\r\n", b"\n", b"\0", b": ", b"9" * 50, b"9" * 5000, b"%", b"[", b"//", b"\xff")


def faulty(chance: random.Random) -> bytes:
    """Return one request or several, one behind the other, some of it changed, taken out or put in."""
    data = bytearray(b"".join(chance.choices(RIGHT, k=chance.choice((1, 1, 2, 5)))))
    for _ in range(chance.randrange(6)):
        place = chance.randrange(len(data))
        match chance.randrange(4):
            case 0:
                data[place] = chance.randrange(256)
            case 1:
                del data[place : place + chance.randrange(1, 9)]
            case 2:
                data[place:place] = chance.randbytes(chance.randrange(9))
            case _:
                data[place:place] = chance.choice(PIECES)
        data = data or bytearray(b"G")
    return bytes(data)


def test_whatever_comes_is_answered_or_waited_for(sample_index: Path, tmp_path: Path) -> None:
    port = free_port()
    log = tmp_path / "registro"
    with log.open("wb") as file:
        process = start(sample_index, port, file)
    chance = random.Random(5)
    silent = []
    with process:
        try:
            assert process.stdout is not None
            assert "SIAA atiende en" in process.stdout.readline()
            for _ in range(SENT):
                data = faulty(chance)
                with socket.create_connection(("127.0.0.1", port), timeout=WAIT) as connection, suppress(TimeoutError):
                    connection.sendall(data)
                    if not connection.recv(1):
                        silent.append(data)
            assert Client("127.0.0.1", port).get("/healthz").status == 200
            process.terminate()
            process.communicate(timeout=30)
        finally:
            process.kill()
    faults = [line for line in log.read_text(encoding="utf-8").splitlines() if " ERROR " in line or "Error" in line]
    assert (silent, faults) == ([], [])


def start(index: Path, port: int, log: BinaryIO) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "service"],
        cwd=ROOT,
        env=environment(SIAA_INDEX_DIR=str(index), SIAA_PORT=str(port)),
        stdout=subprocess.PIPE,
        stderr=log,
        text=True,
    )
