"""Two hundred readers of slow answers at once: every answer comes to its end, and /healthz answers throughout."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.fakes import model_server
from tests.http.client import Client
from tests.http.conftest import running
from tests.soak.scale import scaled

READERS = 200
PIECES = ["Los ", "funcionarios ", "responsables ", "de ", "reportar ", "son ", "los ", "jueces."]
PAUSE = scaled(short=0.4, long=1.5)  # seconds of the model before each piece
HEALTH_MS = 500
ARRIVAL = scaled(short=1.5, long=0.0)  # seconds in which the readers come; a busy machine that also plays all of them
QUESTION = "¿Quiénes son los funcionarios responsables de reportar la información?"


def read_slowly(client: Client, number: int) -> str:
    """Ask, read the answer a few bytes at a time, and return what came."""
    time.sleep(ARRIVAL * number / READERS)
    body = json.dumps({"messages": [{"role": "user", "content": f"{QUESTION} ({number})"}]}).encode()
    head = (
        f"POST /siaa/chat HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    with socket.create_connection((client.host, client.port), timeout=120) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        connection.sendall(head.encode() + body)
        parts = []
        while part := connection.recv(512):
            parts.append(part)
            time.sleep(0.02)
        return b"".join(parts).decode()


def test_all_come_to_their_end_and_health_answers_throughout(sample_index: Path, tmp_path: Path) -> None:
    variables = {
        "SIAA_INDEX_DIR": str(sample_index),
        "SIAA_DATA_DIR": str(tmp_path),
        "SIAA_LLM": "openai",
        "SIAA_LLM_CONCURRENCY": str(READERS),
    }
    with model_server(PIECES, pause=PAUSE) as (url, _), running(**variables, SIAA_LLM_URL=url) as client:
        watch = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("watch_health.py")), str(client.port)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert watch.stdout is not None
        watch.stdout.readline()
        try:
            with ThreadPoolExecutor(READERS) as pool:
                began = time.monotonic()
                answers = list(pool.map(lambda number: read_slowly(client, number), range(READERS)))
                seconds = time.monotonic() - began
        finally:
            told, _ = watch.communicate(timeout=30)
    waits = [float(line) for line in told.split()]
    whole = [answer for answer in answers if "jueces." in answer and answer.count("data: [DONE]") == 1]
    print(
        f"\n{len(whole)} de {READERS} respuestas enteras en {seconds:.1f} s; /healthz: {len(waits)} veces, "
        f"la más lenta {max(waits):.0f} ms"
    )
    assert len(whole) == READERS, next(answer for answer in answers if answer not in whole)[-500:]
    assert max(waits) < HEALTH_MS
