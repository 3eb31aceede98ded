"""Every failure is rendered once: {"error", "codigo"} (and "sugerencias"), with the status of one table.

The text of an unexpected exception never reaches a client.
"""

from __future__ import annotations

from typing import Any

import pytest
from flask.testing import FlaskClient

from service.app import create_app
from service.http import failures
from service.http.http_errors import status_of
from siaa import errors
from siaa.answering.llm import protocol
from siaa.config import Settings
from siaa.errors import GenerationError, SiaaError, UnknownDocumentError
from tests.fakes import FakeIndex, FakeRetriever


def client_for(index: FakeIndex, **settings: Any) -> FlaskClient:
    return create_app(Settings(llm="ninguno", **settings), holder=index.holder()).test_client()


def failing(error: Exception) -> FlaskClient:
    """Return a client of a service in which every question fails with `error`."""

    def ask(raw: str) -> None:
        raise error

    index = FakeIndex("gen-a")
    index.open = lambda _: FakeRetriever("gen-a", ask)  # type: ignore[method-assign]
    return client_for(index)


def test_every_failure_of_a_request_has_a_status_and_a_code_of_its_own() -> None:
    modules = (errors, failures, protocol)
    kinds = {kind for module in modules for kind in vars(module).values() if isinstance(kind, type)}
    own = {kind for kind in kinds if issubclass(kind, SiaaError) and "code" in vars(kind)} - {SiaaError}
    assert len({kind.code for kind in own}) == len(own)
    # What only a build can raise has no status: were it to reach a client, it would be a fault of ours.
    offline = {errors.CorpusError, errors.UnreadableDocumentError, errors.BuildLockedError}
    assert {kind for kind in own if status_of(kind("x")) == 500} == offline


def test_an_unexpected_failure_says_nothing_of_itself() -> None:
    answer = failing(RuntimeError("contraseña: secreto")).get("/siaa/enrutar?q=hola+mundo")
    assert answer.status_code == 500
    assert answer.json["codigo"] == "error_interno"
    assert "secreto" not in answer.text


def test_an_expected_failure_without_a_status_is_internal() -> None:
    answer = failing(SiaaError("cosa secreta")).get("/siaa/enrutar?q=x")
    assert (answer.status_code, answer.json["codigo"]) == (500, "error_interno")
    assert "secreta" not in answer.text


def test_suggestions_follow_the_sentence() -> None:
    error = UnknownDocumentError("No hay ningún documento «x».", suggestions=("a.md", "b.md"))
    answer = failing(error).get("/siaa/enrutar?q=x")
    assert answer.status_code == 404
    assert list(answer.json) == ["error", "codigo", "sugerencias"]
    assert answer.json["sugerencias"] == ["a.md", "b.md"]
    assert "ningún" in answer.get_data(as_text=True)  # accents are not escaped


def test_a_subclass_has_the_status_of_its_base() -> None:
    class NewError(UnknownDocumentError):
        """A failure that the table does not name."""

    assert status_of(NewError("x")) == 404


# path -> an endpoint that needs the index
NEEDS_INDEX = [
    "/siaa/enrutar?q=x",
    "/siaa/fragmento?doc=x&q=x",
    "/siaa/keywords/x",
    "/siaa/densidad/x",
    "/siaa/debug_tokens?q=x",
    "/siaa/ver/x",
    "/siaa/documentos",
    "/readyz",
]


@pytest.mark.parametrize("path", NEEDS_INDEX)
def test_without_an_index_503_with_retry_after(path: str) -> None:
    answer = client_for(FakeIndex()).get(path)
    assert answer.status_code == 503
    assert int(answer.headers["Retry-After"]) > 0
    assert answer.json["codigo"] == "indice_no_disponible"
    assert "make index" in answer.json["error"]


def test_without_an_index_the_chat_fails_before_its_first_event() -> None:
    body = {"messages": [{"role": "user", "content": "¿Qué es el SIERJU?"}]}
    answer = client_for(FakeIndex()).post("/siaa/chat", json=body)
    assert (answer.status_code, answer.mimetype) == (503, "application/json")
    assert answer.headers["Retry-After"]


@pytest.mark.parametrize("path", ["/siaa/estado", "/siaa/status", "/healthz", "/openapi.json"])
def test_without_an_index_the_rest_answers(path: str) -> None:
    assert client_for(FakeIndex()).get(path).status_code == 200


def test_ready_says_why_a_newer_generation_is_not_served() -> None:
    index = FakeIndex("gen-a")
    client = client_for(index)
    assert client.get("/readyz").json == {"status": "listo", "generacion": "gen-a"}
    index.name, index.failure = "gen-b", GenerationError("El archivo x está dañado.")
    index.now += 2
    answer = client.get("/readyz")
    assert answer.json == {"status": "degradado", "generacion": "gen-a", "problema": "El archivo x está dañado."}
    assert answer.headers["X-SIAA-Generacion"] == "gen-a"


# path and method -> status, code
REFUSED = [
    ("GET", "/", 404, "ruta_desconocida"),  # nothing here yet
    ("GET", "/siaa/nada", 404, "ruta_desconocida"),
    ("GET", "/siaa/recargar", 405, "metodo_no_permitido"),  # GET changes nothing
    ("GET", "/siaa/chat", 405, "metodo_no_permitido"),
    ("DELETE", "/siaa/enrutar", 405, "metodo_no_permitido"),
    ("PUT", "/healthz", 405, "metodo_no_permitido"),
]


@pytest.mark.parametrize(("method", "path", "status", "code"), REFUSED)
def test_what_the_server_refuses_has_the_same_shape(method: str, path: str, status: int, code: str) -> None:
    answer = client_for(FakeIndex("gen-a")).open(path, method=method)
    assert (answer.status_code, answer.json["codigo"]) == (status, code)
    assert list(answer.json) == ["error", "codigo"]
    assert ("Allow" in answer.headers) == (status == 405)


# -- the operator's key ---------------------------------------------------------------------------------------------

# settings, headers, address -> status, code
RELOADS = [
    ({}, {}, "127.0.0.1", 200, None),  # no key, from this machine
    ({}, {}, "::1", 200, None),
    ({}, {}, "::ffff:127.0.0.1", 200, None),  # the same, on a socket for both families
    ({}, {}, "192.0.2.1", 403, "solo_local"),
    ({}, {}, "", 403, "solo_local"),  # unknown is not local
    ({}, {"X-Forwarded-For": "127.0.0.1"}, "127.0.0.1", 403, "solo_local"),  # passed a proxy
    ({}, {"X-Forwarded-Proto": "https"}, "127.0.0.1", 403, "solo_local"),
    ({}, {"Forwarded": "for=127.0.0.1"}, "127.0.0.1", 403, "solo_local"),
    ({"proxy": True}, {}, "127.0.0.1", 403, "solo_local"),  # may have passed one
    ({"admin_token": "clave ñ"}, {}, "127.0.0.1", 401, "credencial_invalida"),  # a key is asked of everybody
    ({"admin_token": "clave ñ"}, {"Authorization": "Bearer otra"}, "127.0.0.1", 401, "credencial_invalida"),
    ({"admin_token": "clave"}, {"Authorization": "Basic clave"}, "127.0.0.1", 401, "credencial_invalida"),
    ({"admin_token": "clave"}, {"Authorization": "Bearer "}, "127.0.0.1", 401, "credencial_invalida"),
    ({"admin_token": "clave"}, {"Authorization": "Bearer clave"}, "192.0.2.1", 200, None),
    ({"admin_token": "clave", "proxy": True}, {"Authorization": "bearer clave"}, "127.0.0.1", 200, None),
]


@pytest.mark.parametrize(("settings", "headers", "address", "status", "code"), RELOADS)
def test_who_may_reload(
    settings: dict[str, Any], headers: dict[str, str], address: str, status: int, code: str | None
) -> None:
    client = client_for(FakeIndex("gen-a"), **settings)
    answer = client.post("/siaa/recargar", headers=headers, environ_base={"REMOTE_ADDR": address})
    assert (answer.status_code, answer.json.get("codigo")) == (status, code)
    assert ("WWW-Authenticate" in answer.headers) == (status == 401)


def test_reload_tells_what_became_of_it() -> None:
    index = FakeIndex("gen-a")
    client = client_for(index)
    client.get("/readyz")
    assert client.post("/siaa/recargar").json["recargado"] is False
    index.name = "gen-b"
    answer = client.post("/siaa/recargar")
    assert (answer.json["recargado"], answer.json["generacion"]) == (True, "gen-b")
    index.name, index.failure = "gen-c", GenerationError("dañada")
    answer = client.post("/siaa/recargar")
    assert answer.json == {"recargado": False, "generacion": "gen-b", "mensaje": "dañada"}
