"""Bodies that are malformed, too long or never end: an answer in the shape of the contract, and no thread held.

1. Malformed chunks are the client's failure: 400.
2. A body above the limit is refused, in chunks too, and the answer names the true limit.
3. Bodies that are only half sent keep nobody waiting (tests/http/test_slow_arrivals.py has the rest of that).
"""

from __future__ import annotations

import json
import socket
import time

import pytest

from service.app import MAX_BODY_BYTES
from tests.http.client import Client

PATHS = ["/siaa/chat", "/siaa/opinion", "/v1/chat/completions", "/siaa/citas/verificar"]
CHUNKS = [
    b"zz\r\nab\r\n0\r\n\r\n",  # no number
    b"-5\r\nhello\r\n0\r\n\r\n",
    b"0x2\r\n{}\r\n0\r\n\r\n",
    b"\r\n{}\r\n0\r\n\r\n",  # no size
    b"2\r\n{}{}\r\n0\r\n\r\n",  # a chunk longer than its size
]
TEXT = '{"texto": "El artículo 5 dice que sí."}'.encode()


def chunked(path: str, body: bytes) -> bytes:
    head = f"POST {path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    return head.encode() + body


def one_chunk(body: bytes) -> bytes:
    return b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("body", CHUNKS)
def test_malformed_chunks_are_the_clients_failure(service: Client, path: str, body: bytes) -> None:
    answer = service.raw(chunked(path, body))
    told = json.loads(answer.body)
    assert answer.status == 400
    assert (told["error"]["code"] if path.startswith("/v1/") else told["codigo"]) == "peticion_invalida"


@pytest.mark.parametrize("path", PATHS[1:2] + PATHS[3:])
def test_a_chunked_body_above_the_limit_is_refused(service: Client, path: str) -> None:
    answer = service.raw(chunked(path, one_chunk(TEXT + b" " * 70_000 + b"}}}basura")))
    assert answer.status == 413
    assert "64 kB" in json.loads(answer.body)["error"]


def test_a_chunked_body_of_just_the_limit_is_read(service: Client) -> None:
    body = TEXT + b" " * (MAX_BODY_BYTES - len(TEXT))
    assert service.raw(chunked("/siaa/citas/verificar", one_chunk(body))).status == 200
    assert service.raw(chunked("/siaa/citas/verificar", one_chunk(body + b" "))).status == 413


def test_the_refusal_names_the_true_limit(service: Client) -> None:
    answer = service.raw(chunked("/v1/chat/completions", one_chunk(b"{}" + b" " * 1024 * 1024)))
    assert answer.status == 413
    assert "1 MB" in json.loads(answer.body)["error"]["message"]


def test_half_sent_bodies_keep_nobody_waiting(service: Client) -> None:
    head = b"POST /siaa/chat HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n"
    held = [socket.create_connection((service.host, service.port), timeout=10) for _ in range(20)]
    try:
        for connection in held:
            connection.sendall(head + b" " * 70_000)
        began = time.monotonic()
        assert service.get("/healthz").status == 200
        assert time.monotonic() - began < 1.5
        assert all(b" 413 " in connection.recv(4096) for connection in held)
    finally:
        for connection in held:
            connection.close()
