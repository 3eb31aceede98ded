"""The example behind a real nginx, in front of the real service: `make test-deploy`."""

from __future__ import annotations

import http.client
import json
import re
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from tests.deploy.files import DEPLOY, ROOT
from tests.deploy.tools import need, run
from tests.fakes import model_server
from tests.http.conftest import free_port, running

PIECES = [f"pedazo {number} " for number in range(8)]
PAUSE = 0.4  # seconds between the model's pieces
CHAT = '{"messages": [{"role": "user", "content": "¿Cuál es la periodicidad del reporte SIERJU?"}]}'.encode()

FRAME = """
daemon off; master_process off; pid {folder}/pid; error_log {folder}/error.log;
events {{ worker_connections 256; }}
http {{
    client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;
    uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
    include {folder}/siaa.conf;
}}
"""


class Proxy:
    """An nginx in front of a service, both of this test."""

    def __init__(self, port: int, folder: Path) -> None:
        self.port = port
        self.folder = folder

    def request(
        self, method: str, path: str, body: bytes | None = None, **headers: str
    ) -> tuple[http.client.HTTPResponse, http.client.HTTPSConnection]:
        context = ssl.create_default_context(cafile=str(self.folder / "siaa.pem"))
        context.check_hostname = False
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=30, context=context)
        connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        return connection.getresponse(), connection


def write_configuration(folder: Path, *, service: int, port: int, below: str = "") -> Path:
    """Write the example with the ports and folders of this test; return the whole configuration.

    With `below`, /siaa-tribunal, the changes are made that the example names for a service under a path.
    """
    key, certificate = folder / "siaa.key", folder / "siaa.pem"
    made = run(
        *(need("openssl"), "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"),
        *("-keyout", key, "-out", certificate),
    )
    assert made.returncode == 0, made.stdout
    text = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    for ours, theirs in (
        ("listen 80;", f"listen 127.0.0.1:{free_port()};"),
        ("listen 443 ssl", f"listen 127.0.0.1:{port} ssl"),
        ("server 127.0.0.1:5000;", f"server 127.0.0.1:{service};"),
        ("/etc/ssl/certs/siaa.pem", str(certificate)),
        ("/etc/ssl/private/siaa.key", str(key)),
        ("/var/log/nginx/siaa.log", str(folder / "access.log")),
    ):
        assert ours in text, ours
        text = text.replace(ours, theirs)
    if below:
        text = text.replace('X-Forwarded-Prefix "";', f"X-Forwarded-Prefix {below};")
        text = re.sub(r"^    location (?:/|/v1/|= /metrics) \{.*?^    \}\n", "", text, flags=re.MULTILINE | re.DOTALL)
        text = re.sub(r"^    #(?=location )", "    ", text, flags=re.MULTILINE)
    (folder / "siaa.conf").write_text(text, encoding="utf-8")
    (folder / "nginx.conf").write_text(FRAME.format(folder=folder), encoding="utf-8")
    return folder / "nginx.conf"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("indice")
    built = run(ROOT / ".venv/bin/python", "-m", "indexer", SIAA_INDEX_DIR=str(folder), timeout=300)
    assert built.returncode == 0, built.stdout
    return folder


@pytest.fixture(scope="module")
def proxy(index: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    folder = tmp_path_factory.mktemp("nginx")
    data = tmp_path_factory.mktemp("datos")
    with (
        model_server(PIECES, pause=PAUSE) as (model, _),
        running(
            SIAA_INDEX_DIR=str(index),
            SIAA_DATA_DIR=str(data),
            SIAA_LLM="openai",
            SIAA_LLM_URL=model,
            SIAA_PROXY="1",
        ) as service,
    ):
        port = free_port()
        configuration = write_configuration(folder, service=service.port, port=port)
        nginx = subprocess.Popen([need("nginx"), "-e", str(folder / "error.log"), "-c", str(configuration)])
        try:
            wait_for(port, nginx)
            yield Proxy(port, folder)
        finally:
            nginx.terminate()
            nginx.wait(timeout=10)


def wait_for(port: int, nginx: subprocess.Popen[bytes]) -> None:
    for _ in range(100):
        assert nginx.poll() is None
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.05)
    pytest.fail("nginx no escucha")


def test_nginx_takes_the_example_without_a_warning(tmp_path: Path) -> None:
    configuration = write_configuration(tmp_path, service=5000, port=free_port())
    found = run(need("nginx"), "-t", "-e", tmp_path / "error.log", "-c", configuration)
    assert found.returncode == 0, found.stdout
    # Two lines say that all is well; a warning would be a third.
    assert [line.rsplit(maxsplit=2)[1:] for line in found.stdout.splitlines()] == [["is", "ok"], ["is", "successful"]]


def test_pieces_of_an_answer_arrive_as_they_are_made(proxy: Proxy) -> None:
    response, connection = proxy.request("POST", "/siaa/chat", CHAT, Content_Type="application/json")
    assert response.status == 200
    arrivals = []
    for line in response:
        if line.startswith(b"data: ") and b'"delta"' in line and b"pedazo" in line:
            arrivals.append(time.monotonic())
    connection.close()
    assert len(arrivals) >= len(PIECES) / 2
    gaps = [after - before for before, after in pairwise(arrivals)]
    assert min(gaps) > PAUSE / 4, gaps  # held back, they would come in one lump
    assert arrivals[-1] - arrivals[0] > PAUSE * (len(arrivals) - 2)


def test_an_answer_without_a_stream_passes_as_it_is(proxy: Proxy) -> None:
    response, connection = proxy.request("GET", "/siaa/enrutar?q=periodicidad%20del%20reporte%20SIERJU")
    body = json.loads(response.read())
    connection.close()
    assert response.status == 200
    assert response.headers["X-SIAA-Generacion"]
    assert body["docs_encontrados"]


def test_a_request_through_the_proxy_is_never_local(proxy: Proxy) -> None:
    response, connection = proxy.request("POST", "/siaa/recargar")
    body = json.loads(response.read())
    connection.close()
    assert (response.status, body["codigo"]) == (403, "solo_local")


def test_a_question_of_the_longest_kind_passes(proxy: Proxy) -> None:
    response, connection = proxy.request("GET", "/siaa/enrutar?q=" + "%C3%B1" * 2000)
    response.read()
    connection.close()
    assert response.status == 200


def test_a_body_that_is_too_large_is_refused_as_the_service_would(proxy: Proxy) -> None:
    response, connection = proxy.request("POST", "/siaa/chat", b"x" * (65 * 1024), Content_Type="application/json")
    body = json.loads(response.read())
    connection.close()
    assert (response.status, body["codigo"]) == (413, "peticion_demasiado_grande")


def test_no_question_is_in_the_log(proxy: Proxy) -> None:
    response, connection = proxy.request("GET", "/siaa/enrutar?q=secretodelpreguntante")
    response.read()
    connection.close()
    time.sleep(0.2)
    log = (proxy.folder / "access.log").read_text(encoding="utf-8")
    assert "GET /siaa/enrutar 200" in log
    assert "secretodelpreguntante" not in log


def test_below_a_path_every_link_is_right(index: Path, tmp_path: Path) -> None:
    with running(SIAA_INDEX_DIR=str(index), SIAA_LLM="ninguno", SIAA_PROXY="1") as service:
        port = free_port()
        configuration = write_configuration(tmp_path, service=service.port, port=port, below="/siaa-tribunal")
        nginx = subprocess.Popen([need("nginx"), "-e", str(tmp_path / "error.log"), "-c", str(configuration)])
        try:
            wait_for(port, nginx)

            def read(path: str, body: bytes | None = None, **headers: str) -> str:
                response, connection = Proxy(port, tmp_path).request("POST" if body else "GET", path, body, **headers)
                assert response.status == 200, path
                text = response.read().decode()
                connection.close()
                return text

            hostile = {"X_Forwarded_Prefix": "/otra", "Content_Type": "application/json"}
            links = re.findall(r'"enlace": "([^"#]*)', read("/siaa-tribunal/siaa/chat", CHAT, **hostile))
            links += re.findall(
                r'"url": "https://[^/]*([^"#]*)', read("/siaa-tribunal/v1/chat/completions", CHAT, **hostile)
            )
            links += re.findall(r'<link rel="stylesheet" href="([^"]*)"', read(links[0]))
            assert len(links) >= 3
            for link in links:
                assert link.startswith("/siaa-tribunal/siaa/")
                read(link)
            assert read("/siaa-tribunal/metrics")
        finally:
            nginx.terminate()
            nginx.wait(timeout=10)


def test_without_the_service_the_answer_is_a_sentence(tmp_path: Path) -> None:
    port = free_port()
    configuration = write_configuration(tmp_path, service=free_port(), port=port)
    nginx = subprocess.Popen([need("nginx"), "-e", str(tmp_path / "error.log"), "-c", str(configuration)])
    try:
        wait_for(port, nginx)
        response, connection = Proxy(port, tmp_path).request("GET", "/siaa/estado")
        body = json.loads(response.read())
        connection.close()
    finally:
        nginx.terminate()
        nginx.wait(timeout=10)
    assert (response.status, body["codigo"]) == (503, "servicio_no_disponible")
    assert response.headers["Retry-After"] == "5"
