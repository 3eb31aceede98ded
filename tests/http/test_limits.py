"""Who may ask how often, from which pages, and with which headers every answer goes out."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask, request
from flask.testing import FlaskClient

from service.app import create_app
from service.http.failures import TooManyRequestsError
from service.http.headers import SECURITY_HEADERS
from service.http.proxy import trust_proxy
from service.http.rate_limit import MAX_CLIENTS, RateLimit, client_of
from siaa.config import Settings
from siaa.errors import GenerationError
from tests.fakes import FakeIndex
from tests.http.client import Client

OUTSIDE = {"REMOTE_ADDR": "192.0.2.1"}
PORTAL = "https://portal.ejemplo.co"


def client_for(**settings: Any) -> FlaskClient:
    return create_app(Settings(llm="ninguno", **settings), holder=FakeIndex("gen-a").holder()).test_client()


def test_an_allowance_refills_steadily() -> None:
    now = 0.0
    limit = RateLimit(60, clock=lambda: now)
    for _ in range(60):
        limit.check("a")
    limit.check("b")  # another client has an allowance of its own
    with pytest.raises(TooManyRequestsError) as refused:
        limit.check("a")
    assert refused.value.retry_after == 1
    now += 1.0
    limit.check("a")
    with pytest.raises(TooManyRequestsError):
        limit.check("a")
    now -= 3600  # a clock that goes back takes nothing that was there, and gives nothing
    with pytest.raises(TooManyRequestsError):
        limit.check("a")


def test_no_limit_refuses_nothing_and_remembers_nobody() -> None:
    limit = RateLimit(0)
    for _ in range(1000):
        limit.check("a")


def test_only_so_many_clients_are_remembered() -> None:
    limit = RateLimit(1, clock=lambda: 0.0)
    limit.check("primero")
    for number in range(MAX_CLIENTS):
        limit.check(str(number))
    limit.check("primero")  # forgotten, so let in again


def test_too_many_requests_get_429_in_the_shape_of_the_contract() -> None:
    client = client_for(rate_limit=2)
    answers = [client.get("/siaa/cache", environ_base=OUTSIDE) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert answers[-1].json["codigo"] == "demasiadas_peticiones"
    assert set(answers[-1].json) == {"error", "codigo"}
    assert int(answers[-1].headers["Retry-After"]) >= 1
    assert client.post("/v1/chat/completions", environ_base=OUTSIDE).json["error"]["type"] == "rate_limit_error"
    for path in ("/healthz", "/readyz", "/metrics"):  # whoever watches is never shut out
        assert client.get(path, environ_base=OUTSIDE).status_code == 200
    assert client.get("/siaa/cache").status_code == 200  # nor this machine itself


# proxy?, address of the connection, X-Forwarded-For -> client
CLIENTS = [
    (False, "192.0.2.1", None, "192.0.2.1"),
    (False, "192.0.2.1", "203.0.113.9", "192.0.2.1"),  # without a proxy anybody may write that header
    (True, "127.0.0.1", "203.0.113.9", "203.0.113.9"),
    (True, "127.0.0.1", "203.0.113.9, 198.51.100.7", "198.51.100.7"),  # the last is the proxy's own word
    (True, "127.0.0.1", "no es una dirección", "127.0.0.1"),
    (True, "127.0.0.1", '"x, 198.51.100.7', "127.0.0.1"),  # quotes that do not close
    (True, "127.0.0.1", "::ffff:198.51.100.7", "198.51.100.7"),
    (True, "127.0.0.1", None, "127.0.0.1"),
    (False, "2001:db8:1:2:3:4:5:6", None, "2001:db8:1:2::/64"),  # one client has all of it
    (False, "::ffff:192.0.2.1", None, "192.0.2.1"),
    (False, "", None, ""),  # a Unix socket
]


@pytest.mark.parametrize(("proxy", "address", "forwarded", "client"), CLIENTS)
def test_who_the_client_is(proxy: bool, address: str, forwarded: str | None, client: str) -> None:
    app = Flask("probe")
    app.add_url_rule("/", view_func=lambda: client_of(request.environ))
    if proxy:
        trust_proxy(app)
    headers = {"X-Forwarded-For": forwarded} if forwarded else {}
    assert app.test_client().get("/", headers=headers, environ_base={"REMOTE_ADDR": address}).text == client


PATHS = ["/healthz", "/siaa/estado", "/siaa/nada", "/metrics", "/siaa/enrutar", "/openapi.json", "/siaa/estilo/ver.css"]


@pytest.mark.parametrize("path", PATHS)
def test_every_answer_has_the_security_headers(path: str) -> None:
    answer = client_for().get(path)
    assert {name: answer.headers.get(name) for name in SECURITY_HEADERS} == SECURITY_HEADERS
    assert answer.headers["X-Request-ID"]
    assert not [name for name, _ in answer.headers if name.startswith("Access-Control")]


def test_what_the_server_itself_refuses_has_them_too(service: Client) -> None:
    answer = service.raw(b"GET / HTTP/1.1\r\nHost: a\r\nMal Formada: x\r\n\r\n")
    assert answer.status == 400
    assert all(answer.headers[name.lower()] == value for name, value in SECURITY_HEADERS.items())


def test_a_failure_has_them_too() -> None:
    index = FakeIndex("gen-a")
    index.failure = GenerationError("dañada")
    answer = create_app(Settings(llm="ninguno"), holder=index.holder()).test_client().get("/readyz")
    assert answer.status_code == 503
    assert {name: answer.headers.get(name) for name in SECURITY_HEADERS} == SECURITY_HEADERS


# allowed origins, the page's origin -> whether its scripts may read the answer
ORIGINS = [
    ("", PORTAL, False),  # closed by default
    (PORTAL, PORTAL, True),
    (PORTAL, "https://otro.ejemplo.co", False),
    (PORTAL, f"{PORTAL}.malo.co", False),  # no prefix counts
    (PORTAL, "null", False),  # a page from a file
    (f"http://a.co:8080, {PORTAL}", PORTAL, True),
]


@pytest.mark.parametrize(("allowed", "origin", "may"), ORIGINS)
def test_which_pages_may_read_answers(allowed: str, origin: str, may: bool) -> None:
    client = client_for(cors_origins=allowed)
    headers = {"Origin": origin}
    answer = client.get("/healthz", headers=headers)
    before = client.options("/siaa/chat", headers={**headers, "Access-Control-Request-Method": "POST"})
    for one in (answer, before):
        assert one.headers.get("Access-Control-Allow-Origin") == (origin if may else None)
        assert one.headers.get("Vary") == ("Origin" if allowed else None)
        assert "Access-Control-Allow-Credentials" not in one.headers
    assert ("Access-Control-Allow-Methods" in before.headers) is may


@pytest.mark.parametrize("origins", ["*", "portal.ejemplo.co", f"{PORTAL}/ruta", f"{PORTAL} https://b.co"])
def test_origins_that_are_none_are_refused(origins: str) -> None:
    with pytest.raises(ValueError, match="orígenes completos"):
        Settings(cors_origins=origins)
