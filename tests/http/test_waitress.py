"""Under waitress, too: slow clients keep nobody waiting, and what waitress refuses has the contract's shape."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.endpoints.openai_api import MAX_REQUEST_BYTES
from service.http.headers import SECURITY_HEADERS
from service.servers.arrival import HEAD_LIMIT
from tests.http.client import Client
from tests.http.conftest import running
from tests.http.test_slow_arrivals import LOOK, PARTS, SILENCE, THREADS, assert_nobody_waits_for, code_of, connected
from tests.http.test_startup import WAITRESS

HASTY = f"from service.servers import waitress_server; waitress_server.SILENCE_SECONDS = {SILENCE}; "


@pytest.fixture(scope="module")
def hasty(sample_index: Path) -> Iterator[Client]:
    """Run waitress with few threads and little patience."""
    command = (WAITRESS[0], HASTY + WAITRESS[1])
    with running(command=command, SIAA_INDEX_DIR=str(sample_index), SIAA_THREADS=str(THREADS)) as client:
        yield client


@pytest.mark.parametrize("part", [b"", *PARTS], ids=lambda part: repr(part[-30:]))
def test_any_number_of_slow_clients_keep_nobody_waiting(hasty: Client, part: bytes) -> None:
    assert_nobody_waits_for(part, hasty)


@pytest.mark.parametrize("part", PARTS, ids=lambda part: repr(part[-30:]))
def test_one_that_stops_is_told_so(hasty: Client, part: bytes) -> None:
    with connected(hasty) as (connection,):
        connection.sendall(part)
        began = time.monotonic()
        assert code_of(connection) == (408, "peticion_incompleta")
        assert SILENCE - 0.1 < time.monotonic() - began < SILENCE + LOOK


def test_a_request_that_passed_a_proxy_is_not_local(hasty: Client) -> None:
    assert hasty.request("POST", "/siaa/recargar").status == 200
    for name in ("Forwarded", "X_Forwarded_For", "X_Forwarded_Proto", "X_Forwarded_Host", "X_Forwarded_Prefix"):
        assert hasty.request("POST", "/siaa/recargar", **{name: "127.0.0.1"}).status == 403


# what waitress refuses -> status and code
REFUSED = [
    (b"GET / HTTP/1.1\r\nMal Formada: x\r\n\r\n", 400, "peticion_invalida"),
    (b"POST / HTTP/1.1\r\nTransfer-Encoding: raro\r\n\r\n", 400, "peticion_invalida"),
    (b"GET / HTTP/1.1\r\nX: " + b"a" * HEAD_LIMIT + b"\r\n\r\n", 414, "direccion_demasiado_larga"),
    (b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % (MAX_REQUEST_BYTES + 1), 413, "peticion_demasiado_grande"),
]


@pytest.mark.parametrize(("sent", "status", "code"), REFUSED, ids=lambda value: repr(value)[:40])
def test_what_it_refuses_itself_has_the_shape_of_the_contract(
    hasty: Client, sent: bytes, status: int, code: str
) -> None:
    answer = hasty.raw(sent)
    assert (answer.status, answer.json["codigo"]) == (status, code)
    assert answer.headers["content-type"] == "application/json; charset=utf-8"
    assert all(answer.headers[name.lower()] == value for name, value in SECURITY_HEADERS.items())
