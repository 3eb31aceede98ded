"""Clients that send slowly, or never: no thread waits for them, each is told in its time, and nobody else notices.

The service has few threads and little patience here; everything else is as operators run it.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from http.client import HTTPResponse
from pathlib import Path

import pytest

from service.http.headers import SECURITY_HEADERS
from service.servers.server import HEAD_LIMIT
from tests.fakes import model_server
from tests.http.client import Client
from tests.http.conftest import ROOT, environment, free_port, running
from tests.soak.processes import resident_bytes

THREADS = 3
SLOW = 60
IDLE, SILENCE, REQUEST = 1.5, 1.0, 2.5  # seconds
LOOK = 1.3  # seconds that the loop may take to notice
CODE = """
from service.servers import server
for name, value in {names!r}.items():
    setattr(server, name, value)
from service.servers.__main__ import main
raise SystemExit(main([]))
"""

BODY = json.dumps({"messages": [{"role": "user", "content": "¿Quién debe reportar?"}]}).encode()
HEAD = b"POST /siaa/chat HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(
    BODY
)
CHUNKED = b"POST /siaa/chat HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
GET = b"GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n"
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
TEXT = b'{"texto": "x"}'
VERIFY = b"POST /siaa/citas/verificar HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n" + (
    b"Content-Length: %d\r\n\r\n%s" % (len(TEXT), TEXT)
)
LAST = b"GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

# What has come of a request when its client stops
PARTS = [
    b"G",
    b"GET /siaa/estado HTTP/1.1\r\nHost: a\r\nX: ",
    HEAD + BODY[:-1],
    CHUNKED + b"10\r\nabc",
    CHUNKED + b"3\r\nabc\r\n0\r\n",  # all but the end of the trailer
    CHUNKED.replace(b"chat", b"ch%61t") + b"1",
    b"POST /v1/chat/%63ompletions HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n" + b" " * 500_000,
]


def quick(**names: float) -> tuple[str, str]:
    names = {"IDLE_SECONDS": IDLE, "SILENCE_SECONDS": SILENCE, "REQUEST_SECONDS": REQUEST, **names}
    return "-c", CODE.format(names=names)


@pytest.fixture(scope="module")
def hasty(sample_index: Path) -> Iterator[Client]:
    """Run a service with few threads that gives requests little time to arrive."""
    with running(command=quick(), SIAA_INDEX_DIR=str(sample_index), SIAA_THREADS=str(THREADS)) as client:
        yield client


@contextmanager
def connected(client: Client, *, count: int = 1) -> Iterator[list[socket.socket]]:
    with ExitStack() as stack:
        yield [
            stack.enter_context(socket.create_connection((client.host, client.port), timeout=10)) for _ in range(count)
        ]


def answer_of(connection: socket.socket) -> tuple[int, bytes]:
    """Read one answer; another may follow."""
    response = HTTPResponse(connection)
    response.begin()
    return response.status, response.read()


def code_of(connection: socket.socket) -> tuple[int, str]:
    status, body = answer_of(connection)
    told = json.loads(body)
    return status, told["error"]["code"] if isinstance(told["error"], dict) else told["codigo"]


@pytest.mark.parametrize("part", [b"", *PARTS], ids=lambda part: repr(part[-30:]))
def test_any_number_of_slow_clients_keep_nobody_waiting(hasty: Client, part: bytes) -> None:
    assert_nobody_waits_for(part, hasty)


def assert_nobody_waits_for(part: bytes, client: Client) -> None:
    """Hold many connections of which `part` has come, and ask over others."""
    with connected(client, count=SLOW) as slow:
        for connection in slow:
            connection.sendall(part)
        for path in ("/healthz", "/siaa/estado", "/siaa/documentos"):
            began = time.monotonic()
            assert client.get(path).status == 200
            assert time.monotonic() - began < 0.8  # before the first of them is given up


@pytest.mark.parametrize("part", PARTS, ids=lambda part: repr(part[-30:]))
def test_one_that_stops_is_told_so(hasty: Client, part: bytes) -> None:
    with connected(hasty) as (connection,):
        connection.sendall(part)
        began = time.monotonic()
        assert code_of(connection) == (408, "peticion_incompleta")
        assert SILENCE - 0.1 < time.monotonic() - began < SILENCE + LOOK
        assert connection.recv(1) == b""


def test_one_that_says_nothing_is_closed_without_a_word(hasty: Client) -> None:
    with connected(hasty) as (connection,):
        began = time.monotonic()
        assert connection.recv(1) == b""
        assert IDLE - 0.1 < time.monotonic() - began < IDLE + LOOK


@pytest.mark.parametrize("begin", [b"GET /?q=", HEAD], ids=["head", "body"])
def test_one_that_trickles_is_told_so(hasty: Client, begin: bytes) -> None:
    with connected(hasty) as (connection,):
        connection.sendall(begin)
        began = time.monotonic()
        connection.settimeout(0.2)
        answer = b""
        while not answer and time.monotonic() - began < 10:
            connection.sendall(b"a")
            try:
                answer = connection.recv(4096)
            except TimeoutError:
                continue
    assert answer[:13] in (b"HTTP/1.1 408 ", b"HTTP/1.0 408 ")  # what it speaks may not have come yet
    assert REQUEST - 0.1 < time.monotonic() - began < REQUEST + LOOK


# what is sent, a byte at a time -> its status, and what the answer holds
SLOW_AND_RIGHT = [
    (HEALTH, 200, b"ok"),
    (HEAD + BODY, 200, b"[DONE]"),
    (CHUNKED + b"%x\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY), 200, b"[DONE]"),
    (CHUNKED + b"zz\r\n", 400, b"peticion_invalida"),
    (b"GET /siaa/enrutar?q=\xc3\xb1 HTTP/1.1\r\nHost: a\r\n\r\n", 200, b"docs_encontrados"),
]


@pytest.mark.parametrize(("sent", "status", "holds"), SLOW_AND_RIGHT, ids=lambda value: repr(value)[-30:])
def test_one_that_comes_to_its_end_is_answered(hasty: Client, sent: bytes, status: int, holds: bytes) -> None:
    with connected(hasty) as (connection,):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for number in range(len(sent)):
            connection.sendall(sent[number : number + 1])
            time.sleep(0.002)
        found, body = answer_of(connection)
    assert found == status
    assert holds in body


def test_requests_one_behind_the_other_are_answered_in_order(hasty: Client) -> None:
    with connected(hasty) as (connection,):
        connection.sendall(HEALTH + VERIFY + GET + HEALTH[:10])
        first, second, third = (answer_of(connection) for _ in range(3))
        assert (first[0], second[0], third[0]) == (200, 200, 200)
        assert (b"ok" in first[1], b"resumen" in second[1], b"openapi" in third[1]) == (True, True, True)
        time.sleep(0.3)  # the fourth is on its way
        connection.sendall(HEALTH[10:])
        assert answer_of(connection)[0] == 200
        connection.sendall(b"GET")  # over a connection that was kept
        assert code_of(connection) == (408, "peticion_incompleta")


def test_a_client_that_asks_for_permission_is_given_it_once(hasty: Client) -> None:
    with connected(hasty) as (connection,):
        connection.sendall(HEAD.replace(b"Host", b"Expect: 100-continue\r\nConnection: close\r\nHost"))
        assert connection.recv(4096) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(BODY)
        answer = b"".join(iter(lambda: connection.recv(4096), b""))
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert answer.count(b"HTTP/1.1") == 1


def test_a_client_that_sends_no_more_is_still_answered(hasty: Client) -> None:
    with connected(hasty, count=3) as (whole, cut, nothing):
        whole.sendall(LAST)
        cut.sendall(HEAD + BODY[:-1])
        for connection in (whole, cut, nothing):
            connection.shutdown(socket.SHUT_WR)
        assert answer_of(whole)[0] == 200
        assert cut.recv(1) == b""  # there is nobody to tell
        assert nothing.recv(1) == b""


def test_health_answers_when_every_thread_is_at_work(sample_index: Path) -> None:
    with (
        model_server(["Los ", "jueces."], pause=1.0) as (url, received),
        running(SIAA_INDEX_DIR=str(sample_index), SIAA_THREADS="1", SIAA_LLM="openai", SIAA_LLM_URL=url) as client,
        ThreadPoolExecutor(1) as pool,
    ):
        chat = pool.submit(client.chat, "¿Quiénes son los funcionarios responsables de reportar la información?")
        while not any("messages" in one for one in received):
            time.sleep(0.02)
        for path in ("/healthz", "/readyz", "/healthz?x"):
            began = time.monotonic()
            assert client.get(path).status == 200
            assert time.monotonic() - began < 0.5
        assert not chat.done()
        assert chat.result(timeout=20).events[-1] == "[DONE]"


def test_health_waits_for_no_body_and_no_reader(hasty: Client) -> None:
    big = b"POST /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n"
    with connected(hasty, count=8) as (greedy, *half):
        for connection in half:
            connection.sendall(big)
        greedy.setblocking(False)
        with suppress(BlockingIOError):  # thousands of answers that it never reads
            while greedy.send(HEALTH * 100):
                pass
        for path in ("/healthz", "/readyz") * 3:
            began = time.monotonic()
            assert hasty.get(path).status == 200
            assert time.monotonic() - began < 0.5


def test_a_client_that_reads_nothing_is_given_up(sample_index: Path) -> None:
    page = b"GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n"
    with (
        running(
            command=quick(STALLED_SECONDS=1.0, HELD_ANSWER_BYTES=100_000),
            SIAA_INDEX_DIR=str(sample_index),
            SIAA_THREADS="1",
        ) as client,
        socket.socket() as connection,
    ):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        connection.connect((client.host, client.port))
        connection.sendall(page * 600)  # answers of 20 MB: more than the buffers of both sides take
        time.sleep(0.7)  # until the thread can send no more
        began = time.monotonic()
        assert client.get("/siaa/estado").status == 200  # by the only thread
        assert time.monotonic() - began < 8


def test_a_client_that_reads_drop_by_drop_is_given_up(sample_index: Path) -> None:
    with (
        running(
            command=quick(STALLED_SECONDS=1.0, SLOWEST=1_000_000, HELD_ANSWER_BYTES=100_000),
            SIAA_INDEX_DIR=str(sample_index),
            SIAA_THREADS="1",
        ) as client,
        socket.socket() as connection,
    ):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        connection.connect((client.host, client.port))
        connection.sendall(GET * 600)
        until = time.monotonic() + 8
        free = threading.Event()

        def sip() -> None:
            with suppress(OSError):
                while time.monotonic() < until and not free.is_set() and connection.recv(2000):
                    time.sleep(0.02)

        reader = threading.Thread(target=sip)
        reader.start()
        time.sleep(0.7)
        began = time.monotonic()
        assert client.get("/siaa/estado").status == 200  # by the only thread
        assert time.monotonic() - began < 6
        free.set()
        reader.join()


def test_when_the_places_are_taken_the_oldest_gives_way(sample_index: Path) -> None:
    places = 20
    command = quick(CONNECTIONS=places, SILENCE_SECONDS=60.0, REQUEST_SECONDS=60.0, IDLE_SECONDS=60.0)
    with (
        running(command=command, SIAA_INDEX_DIR=str(sample_index), SIAA_THREADS=str(THREADS)) as client,
        connected(client, count=places + 5) as slow,
    ):
        for connection in slow:
            connection.sendall(b"GET /")
        for _ in range(5):
            assert client.get("/healthz").status == 200
        assert code_of(slow[0]) == (408, "peticion_incompleta")
        slow[-1].sendall(LAST[5:])
        assert answer_of(slow[-1])[0] == 200


def test_readers_that_take_nothing_give_way_to_newcomers(sample_index: Path) -> None:
    with (
        running(command=quick(CONNECTIONS=10), SIAA_INDEX_DIR=str(sample_index), SIAA_THREADS=str(THREADS)) as client,
        ExitStack() as stack,
    ):
        for _ in range(14):
            connection = stack.enter_context(socket.socket())
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            connection.settimeout(5)
            connection.connect((client.host, client.port))
            with suppress(OSError):
                connection.sendall(GET * 60)
        for _ in range(3):
            assert client.get("/healthz").status == 200


def test_a_request_without_a_body_waits_for_no_permission(hasty: Client) -> None:
    with connected(hasty) as (connection,):
        connection.sendall(HEALTH.replace(b"Host", b"Expect: 100-continue\r\nHost"))
        assert answer_of(connection)[0] == 200


def test_without_a_descriptor_left_one_is_made_free(sample_index: Path) -> None:
    limited = "import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))\n"
    flag, code = quick(SILENCE_SECONDS=60.0, REQUEST_SECONDS=60.0, IDLE_SECONDS=60.0)
    with (
        running(command=(flag, limited + code), SIAA_INDEX_DIR=str(sample_index), SIAA_THREADS=str(THREADS)) as client,
        connected(client, count=150) as slow,
    ):
        for _ in range(5):
            assert client.get("/healthz").status == 200
        assert slow[0].recv(9) == b""  # it had asked nothing


def test_a_request_that_passed_a_proxy_is_not_local(hasty: Client) -> None:
    assert hasty.request("POST", "/siaa/recargar").status == 200
    for name in ("Forwarded", "X_Forwarded_For", "X_Forwarded_Proto", "X_Forwarded_Host", "X_Forwarded_Prefix"):
        assert hasty.request("POST", "/siaa/recargar", **{name: "127.0.0.1"}).status == 403


# what the server refuses before any view is asked -> status and code
REFUSED = [
    (b"GET / HTTP/1.1\r\nMal Formada: x\r\n\r\n", 400, "peticion_invalida"),
    (b"POST / HTTP/1.1\r\nTransfer-Encoding: raro\r\n\r\n", 400, "peticion_invalida"),
    (b"GET / HTTP/1.1\r\nX: " + b"a" * HEAD_LIMIT + b"\r\n\r\n", 414, "direccion_demasiado_larga"),
    (HEAD.replace(b"%d" % len(BODY), b"70000"), 413, "peticion_demasiado_grande"),
]


@pytest.mark.parametrize(("sent", "status", "code"), REFUSED, ids=lambda value: repr(value)[:40])
def test_what_the_server_refuses_itself_has_the_shape_of_the_contract(
    hasty: Client, sent: bytes, status: int, code: str
) -> None:
    answer = hasty.raw(sent)
    assert (answer.status, answer.json["codigo"]) == (status, code)
    assert answer.headers["content-type"] == "application/json; charset=utf-8"
    assert all(answer.headers[name.lower()] == value for name, value in SECURITY_HEADERS.items())


def test_a_client_that_still_sends_hears_why_it_is_refused(hasty: Client) -> None:
    """A connection that is closed with bytes on their way is reset, and the answer lost with it."""
    with connected(hasty) as (connection,):
        connection.sendall(HEAD.replace(b"%d" % len(BODY), b"3000000"))
        with suppress(ConnectionError):
            for _ in range(30):
                connection.sendall(b" " * 100_000)
        assert code_of(connection) == (413, "peticion_demasiado_grande")


def test_bodies_that_arrive_are_held_in_files_beyond_a_size(hasty: Client) -> None:
    """Many half bodies of the largest size cost descriptors and disk, and little memory."""
    big = b"POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n"
    assert hasty.pid is not None
    before = resident_bytes(hasty.pid)
    with connected(hasty, count=40) as half:
        for connection in half:
            connection.sendall(big + b" " * 900_000)
        assert hasty.get("/siaa/estado").status == 200
        assert resident_bytes(hasty.pid) - before < 20_000_000  # of 36 million sent


def test_slow_clients_do_not_keep_the_service_from_stopping(sample_index: Path) -> None:
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "service"],
        cwd=ROOT,
        env=environment(SIAA_INDEX_DIR=str(sample_index), SIAA_PORT=str(port), SIAA_STOP_SECONDS="20"),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    try:
        assert "SIAA atiende en" in process.stdout.readline()
        with connected(Client("127.0.0.1", port), count=2) as (silent, slow):
            slow.sendall(b"GET /")
            threading.Event().wait(0.3)
            began = time.monotonic()
            process.terminate()
            assert code_of(slow) == (408, "peticion_incompleta")
            assert silent.recv(1) == b""
            assert process.wait(timeout=20) == 0
        assert time.monotonic() - began < 8
    finally:
        process.kill()
        process.communicate()
