"""Behind a proxy: its word about the client and about our address is believed, and nobody else's.

1. Every link begins with the path below which a client knows the service; without one nothing changes.
2. The last entry of a header counts: those before it are what a client may have written.
3. What cannot stand in a link does not get into one.
4. Without SIAA_PROXY no header decides anything.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from service.app import create_app
from service.http.proxy import origin, prefix, trust_proxy
from siaa.config import Settings
from tests.fakes import FakeIndex
from tests.http.client import Answer

PSAA16 = "acuerdo_no._psaa16-10476.md"
ASKED = {"messages": [{"role": "user", "content": "¿Quiénes son los funcionarios responsables de reportar?"}]}
DRAFT = {"texto": "El artículo 5 del Acuerdo PSAA16-10476 trata de los funcionarios responsables."}
BELOW = {"X-Forwarded-Prefix": "/siaa-tribunal"}


@pytest.fixture
def visit(sample_app: Any, sample_index: Path) -> Any:
    """Return a maker of clients of the service, with `SIAA_PROXY` set or not."""
    holder = sample_app().extensions["siaa"].holder
    return lambda *, proxy: create_app(
        Settings(index_dir=sample_index, llm="ninguno", proxy=proxy), holder=holder
    ).test_client()


def links_of(client: FlaskClient, headers: dict[str, str]) -> list[str]:
    """Return every link that the service gives: of the chat, as OpenAI's model, of citations, of a page."""
    chat = client.post("/siaa/chat", json=ASKED, headers=headers)
    sources = Answer(200, {}, chat.get_data()).events[-2]["fuentes"]
    completion = client.post("/v1/chat/completions", json=ASKED, headers=headers).json
    stream = client.post("/v1/chat/completions", json={**ASKED, "stream": True}, headers=headers)
    last = Answer(200, {}, stream.get_data()).events[-2]
    annotations = completion["choices"][0]["message"]["annotations"]
    cited = client.post("/siaa/citas/verificar", json=DRAFT, headers=headers).json["citas"]
    page = client.get(f"/siaa/ver/{PSAA16}", headers=headers).text
    links = [source["enlace"] for source in (*sources, *completion["siaa"]["fuentes"], *last["siaa"]["fuentes"])]
    links += [citation["fuente"]["enlace"] for citation in cited]
    links += [re.sub(r"^https?://[^/]*", "", each["url_citation"]["url"]) for each in annotations]
    links += re.findall(r'<link rel="stylesheet" href="([^"]*)"', page)
    assert len(links) >= 6
    return links


# SIAA_PROXY, X-Forwarded-Prefix -> what links begin with
PREFIXES = [
    (True, None, ""),
    (True, "/siaa-tribunal", "/siaa-tribunal"),
    (True, "/siaa-tribunal/", "/siaa-tribunal"),
    (True, "/despacho/siaa_2.0", "/despacho/siaa_2.0"),
    (True, "/de-un-cliente, /siaa-tribunal", "/siaa-tribunal"),  # the last is the proxy's own word
    (True, "//malo.example", ""),  # another machine
    (True, "https://malo.example", ""),
    (True, "javascript:alert(1)//", ""),
    (True, "/../x", ""),
    (True, '/x"><script>', ""),
    (True, "/x y", ""),
    (True, "sin-barra", ""),
    (True, "/", ""),
    (False, "/siaa-tribunal", ""),  # no proxy is believed
]


@pytest.mark.parametrize(("proxy", "told", "begins"), PREFIXES)
def test_links_begin_with_the_path_of_the_proxy(visit: Any, proxy: bool, told: str | None, begins: str) -> None:
    headers = {"X-Forwarded-Prefix": told} if told else {}
    for link in links_of(visit(proxy=proxy), headers):
        assert re.match(rf"{re.escape(begins)}/siaa/(ver|estilo)/", link)


def test_a_link_opens_where_the_proxy_takes_the_path_away(visit: Any) -> None:
    client = visit(proxy=True)
    for link in links_of(client, BELOW):
        assert client.get(link.removeprefix("/siaa-tribunal").partition("#")[0], headers=BELOW).status_code == 200


def test_without_a_path_the_answers_are_the_same_to_the_byte(visit: Any) -> None:
    plain, behind = visit(proxy=False), visit(proxy=True)
    for path in (f"/siaa/ver/{PSAA16}?sec=5", "/openapi.json", "/siaa/documentos"):
        assert behind.get(path).get_data() == plain.get(path).get_data()
    assert behind.post("/siaa/chat", json=ASKED).get_data() == plain.post("/siaa/chat", json=ASKED).get_data()


def test_the_description_says_where_the_service_is(visit: Any) -> None:
    client = visit(proxy=True)
    assert client.get("/openapi.json", headers=BELOW).json["servers"] == [{"url": "/siaa-tribunal"}]
    assert "servers" not in client.get("/openapi.json").json


# Host, X-Forwarded-Host, X-Forwarded-Proto -> scheme and host in links
ORIGINS = [
    ("interno:5000", None, None, "http://interno:5000"),
    ("interno", "siaa.ejemplo", "https", "https://siaa.ejemplo"),
    ("interno", "siaa.ejemplo:8443", "https", "https://siaa.ejemplo:8443"),
    ("interno", "[2001:db8::1]:8443", "https", "https://[2001:db8::1]:8443"),
    ("interno", "malo.example, siaa.ejemplo", "http, https", "https://siaa.ejemplo"),
    ("interno", "a><b", None, ""),
    ("interno", "a/b", None, ""),
    ("interno", "malo.example@siaa.ejemplo", None, ""),
    ("interno", "siaa.ejemplo", "javascript", ""),
    ("interno", 'malo", siaa.ejemplo', None, "http://interno"),  # broken quotes: as if nothing had been said
]


@pytest.mark.parametrize(("host", "told_host", "told_scheme", "expected"), ORIGINS)
def test_scheme_and_host_of_links(host: str, told_host: str | None, told_scheme: str | None, expected: str) -> None:
    app = Flask("probe")
    app.add_url_rule("/", view_func=lambda: f"{origin()} {prefix()}")
    trust_proxy(app)
    told = {"Host": host, "X-Forwarded-Host": told_host, "X-Forwarded-Proto": told_scheme}
    headers = {name: value for name, value in told.items() if value}
    assert app.test_client().get("/", headers=headers).text == f"{expected} "


def test_the_limit_counts_the_client_that_the_proxy_names() -> None:
    settings = Settings(llm="ninguno", proxy=True, rate_limit=1)
    client = create_app(settings, holder=FakeIndex("gen-a").holder()).test_client()

    def status(forwarded: str) -> int:
        return client.get("/siaa/cache", headers={"X-Forwarded-For": forwarded}).status_code

    assert [status("203.0.113.9"), status("203.0.113.9")] == [200, 429]
    assert status("198.51.100.7") == 200
    assert status("192.0.2.55, 198.51.100.7") == 429  # whatever the client writes before it


def test_a_path_does_not_make_a_request_local() -> None:
    client = create_app(Settings(llm="ninguno"), holder=FakeIndex("gen-a").holder()).test_client()
    assert client.post("/siaa/recargar").status_code == 200
    assert client.post("/siaa/recargar", headers=BELOW).status_code == 403
