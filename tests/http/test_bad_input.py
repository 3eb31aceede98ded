"""Bad input over a real socket: never a 5xx, always a Spanish sentence and a stable code (contract, Common rules)."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from urllib.parse import quote

import pytest

from tests.http.client import Answer, Client

ENTIRE = b"GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
SPANISH = re.compile(r"\b(?:el|la|los|las|un|una|de|en|no|es|que|requeridos?)\b", re.IGNORECASE)
DOC = "acuerdo_no._psaa16-10476.md"
LONG = "palabra " * 251  # 2008 characters


@dataclass(frozen=True)
class Case:
    """What is sent, and what must come back."""

    what: str
    target: str | bytes
    status: int
    code: str
    method: str = "GET"
    body: bytes | None = None
    kind: str = "application/json"


def chat(what: str, body: object, status: int = 400, code: str = "conversacion_invalida", **more: str) -> Case:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Case(what, "/siaa/chat", status, code, "POST", data, **more)


def said(*contents: object, role: str = "user") -> dict[str, object]:
    return {"messages": [{"role": role, "content": content} for content in contents]}


MISSING, INVALID = "parametro_requerido", "parametro_invalido"
CASES = [
    # -- parameters that are missing or blank
    Case("no q", "/siaa/enrutar", 400, MISSING),
    Case("empty q", "/siaa/enrutar?q=", 400, MISSING),
    Case("q without a value", "/siaa/enrutar?q", 400, MISSING),
    Case("blank q", "/siaa/enrutar?q=+%20%09", 400, MISSING),
    Case("only line breaks", "/siaa/enrutar?q=%0A%0D%0A", 400, MISSING),
    Case("invisible q", "/siaa/enrutar?q=%E2%80%8B", 400, MISSING),
    Case("no parameters", "/siaa/fragmento", 400, MISSING),
    Case("no doc", "/siaa/fragmento?q=x", 400, MISSING),
    Case("no q beside doc", f"/siaa/fragmento?doc={DOC}", 400, MISSING),
    Case("blank doc", "/siaa/fragmento?doc=+&q=x", 400, MISSING),
    Case("no q to analyse", "/siaa/debug_tokens", 400, MISSING),
    # -- parameters that hold what they may not
    Case("NUL", "/siaa/enrutar?q=a%00b", 400, INVALID),
    Case("escape character", "/siaa/enrutar?q=%1B%5B31m", 400, INVALID),
    Case("backspace", "/siaa/debug_tokens?q=a%08", 400, INVALID),
    Case("C1 control", "/siaa/enrutar?q=%C2%9F", 400, INVALID),
    Case("NUL in doc", "/siaa/fragmento?doc=a%00.md&q=x", 400, INVALID),
    Case("too long", f"/siaa/enrutar?q={quote(LONG)}", 400, INVALID),
    Case("too long, each letter six bytes", f"/siaa/enrutar?q={quote('ñ' * 2001)}", 400, INVALID),
    Case("too long for anything", f"/siaa/enrutar?q={'a' * 60000}", 400, INVALID),
    Case("broken escape", "/siaa/enrutar?q=%zz", 400, INVALID),
    Case("cut escape", "/siaa/enrutar?q=100%", 400, INVALID),
    Case("not UTF-8", "/siaa/enrutar?q=%FF%FE", 400, INVALID),
    Case("Latin-1", "/siaa/enrutar?q=%E1rbol", 400, INVALID),
    Case("lone surrogate", "/siaa/enrutar?q=%ED%A0%80", 400, INVALID),
    Case("overlong NUL", "/siaa/enrutar?q=%C0%80", 400, INVALID),
    Case("raw Latin-1 bytes", b"/siaa/enrutar?q=\xe1rbol", 400, INVALID),
    Case("q twice", "/siaa/enrutar?q=a&q=b", 400, INVALID),
    Case("q twice, once encoded", "/siaa/enrutar?q=a&%71=a", 400, INVALID),
    Case("doc twice", "/siaa/fragmento?doc=a&doc=b&q=x", 400, INVALID),
    Case("unknown explicar", "/siaa/enrutar?q=x&explicar=si", 400, INVALID),
    Case("empty explicar", "/siaa/enrutar?q=x&explicar=", 400, INVALID),
    Case("unknown explicar of a fragment", f"/siaa/fragmento?doc={DOC}&q=x&explicar=2", 400, INVALID),
    Case("control in coleccion", "/siaa/documentos?coleccion=%07", 400, INVALID),
    Case("control in sec", f"/siaa/ver/{DOC}?sec=%00", 400, INVALID),
    # -- things that do not exist
    Case("unknown collection", "/siaa/enrutar?q=x&coleccion=nada", 404, "coleccion_desconocida"),
    Case("unknown collection to list", "/siaa/documentos?coleccion=nada", 404, "coleccion_desconocida"),
    Case("unknown doc", "/siaa/fragmento?doc=nada.md&q=x", 404, "documento_desconocido"),
    Case("near doc", "/siaa/keywords/acuerdo_psaa16-10476.md", 404, "documento_desconocido"),
    Case("climbing path", "/siaa/ver/..%2F..%2Fetc%2Fpasswd", 404, "documento_desconocido"),
    Case("climbing path, raw", "/siaa/ver/../../etc/passwd", 404, "documento_desconocido"),
    Case("absolute path", "/siaa/ver//etc/passwd", 404, "ruta_desconocida"),
    Case("absolute path as doc", "/siaa/fragmento?doc=/etc/passwd&q=x", 404, "documento_desconocido"),
    Case("backslash", "/siaa/keywords/..%5C..%5Cwindows%5Cwin.ini", 404, "documento_desconocido"),
    Case("NUL in path", f"/siaa/ver/{DOC}%00.txt", 400, INVALID),
    Case("broken escape in path", "/siaa/keywords/%zz", 400, INVALID),
    Case("not UTF-8 in path", "/siaa/keywords/%FF", 400, INVALID),
    Case("endless path", f"/siaa/keywords/{'a' * 3000}", 400, INVALID),
    Case("unknown term", "/siaa/densidad/zzzxqw", 404, "termino_desconocido"),
    Case("term of signs", "/siaa/densidad/%3F%3F", 404, "termino_desconocido"),
    Case("control in term", "/siaa/densidad/a%01", 400, INVALID),
    Case("no term", "/siaa/densidad/", 404, "ruta_desconocida"),
    Case("unknown path", "/siaa/nada", 404, "ruta_desconocida"),
    Case("slash at the end", "/siaa/estado/", 404, "ruta_desconocida"),
    Case("wrong method", "/siaa/enrutar?q=x", 405, "metodo_no_permitido", "DELETE"),
    Case("method that nobody knows", "/siaa/enrutar?q=x", 405, "metodo_no_permitido", "BREW"),
    Case("GET that would change something", "/siaa/recargar", 405, "metodo_no_permitido"),
    # -- conversations
    chat("no body", b""),
    chat("not JSON", b"{"),
    chat("not UTF-8", b'{"messages": "\xff"}'),
    chat("not an object", [1]),
    chat("nested beyond reason", b"[" * 30000),
    chat("number without end", b'{"messages": ' + b"9" * 5000 + b"}"),
    chat("no messages", {}),
    chat("messages of another type", {"messages": "hola"}),
    chat("empty list", {"messages": []}),
    chat("message of another type", {"messages": ["hola"]}),
    chat("unknown role", said("hola", role="system")),
    chat("no role", {"messages": [{"content": "hola"}]}),
    chat("role of another type", {"messages": [{"role": ["user"], "content": "hola"}]}),
    chat("empty content", said("")),
    chat("blank content", said(" \n")),
    chat("null content", said(None)),
    chat("content of another type", said([{"type": "text", "text": "hola"}])),
    chat("NUL in content", said("a\x00b")),
    chat("lone surrogate in content", b'{"messages": [{"role": "user", "content": "\\ud800"}]}'),
    chat("question too long", said(LONG)),
    chat("51 messages", said(*["hola"] * 51)),
    chat("33 kB", said(*["x" * 1900] * 18)),
    chat("last word is ours", said("hola", role="assistant")),
    chat("collection of another type", {**said("¿Qué es el SIERJU?"), "coleccion": 3}),
    chat("unknown collection", {**said("¿Qué es el SIERJU?"), "coleccion": "nada"}, 404, "coleccion_desconocida"),
    chat("a form", b"messages=hola", 415, "tipo_no_admitido", kind="application/x-www-form-urlencoded"),
    chat("text", said("hola"), 415, "tipo_no_admitido", kind="text/plain"),
    chat("65 kB", b" " * (65 * 1024), 413, "peticion_demasiado_grande"),
]


def send(client: Client, case: Case) -> Answer:
    if isinstance(case.target, bytes):
        return client.raw(ENTIRE % case.target)
    headers = {"Content_Type": case.kind} if case.body is not None else {}
    return client.request(case.method, case.target, case.body, **headers)


def test_the_table_is_as_long_as_promised() -> None:
    assert len(CASES) >= 45
    assert len({case.what for case in CASES}) > 60


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.what)
def test_bad_input(service: Client, case: Case) -> None:
    answer = send(service, case)
    assert answer.status == case.status, answer.text
    assert answer.headers["content-type"] == "application/json; charset=utf-8"
    assert list(answer.json)[:2] == ["error", "codigo"]
    assert answer.json["codigo"] == case.code
    assert SPANISH.search(answer.json["error"])
    assert len(answer.json["error"]) > 20
    assert "\\u" not in answer.text


# What never reaches the application -> the status; the shape is the same.
MALFORMED = [
    (b"GET /siaa/enrutar?q=a b HTTP/1.1\r\nHost: x\r\n\r\n", 400),  # a raw space
    (b"get /healthz HTTP/1.1\r\nHost: x\r\n\r\n", 400),  # a method in lower case
    (b"GET /healthz HTTP/9\r\nHost: x\r\n\r\n", 400),
    (b"GET /healthz HTTP/1.1\r\nHost : x\r\n\r\n", 400),  # a space in a header's name
    (b"POST /siaa/chat HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: raro\r\n\r\n", 400),
    (b"POST /siaa/chat HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400),
    (b"GET /healthz HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 140_000 + b"\r\n\r\n", 414),
    (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),  # a TLS greeting
]


@pytest.mark.parametrize(("request_bytes", "status"), MALFORMED)
def test_malformed_requests(service: Client, request_bytes: bytes, status: int) -> None:
    answer = service.raw(request_bytes)
    assert answer.status == status
    assert set(answer.json) == {"error", "codigo"}


# What looks odd and is right
FINE: list[tuple[str | bytes, str]] = [
    ("/siaa/enrutar?q=" + quote("ñ" * 2000), "the longest question: 12 kB of address"),
    ("/siaa/enrutar?q=" + quote("𝄞" * 2000), "the same, 24 kB"),
    ("/siaa/enrutar?q=" + quote("¿Qué\nes\tel SIERJU?"), "line breaks and tabs count as spaces"),
    ("/siaa/enrutar?q=%F0%9F%91%8D", "nothing that an index holds: no documents"),
    ("/siaa/enrutar?q=x&utm=1&utm=2", "parameters that nobody knows"),
    ("/siaa/enrutar?q=x&explicar=0", "not explained"),
    ("/siaa/enrutar?&q=x&&", "empty pairs"),
    ("/siaa/documentos?coleccion=&q=", "filters left empty"),
    ("/siaa/enrutar?q=" + quote("'; DROP TABLE x; -- <script> ${7*7} {{7*7}} %s AND OR NOT *"), "no language of ours"),
    ("/siaa/enrutar?q=¿Cuál+es+la+periodicidad?".encode(), "raw UTF-8, as curl sends it"),
]


@pytest.mark.parametrize(("target", "why"), FINE, ids=[why for _, why in FINE])
def test_odd_but_fine(service: Client, target: str | bytes, why: str) -> None:
    answer = service.raw_get(target) if isinstance(target, bytes) else service.get(target)
    assert answer.status == 200, answer.text


def test_the_contract_fixes_two_sentences(service: Client) -> None:
    assert service.get("/siaa/enrutar").json["error"] == "Parámetro 'q' requerido"
    assert service.get("/siaa/fragmento").json["error"] == "Parámetros 'doc' y 'q' requeridos"


def test_near_names_are_suggested(service: Client) -> None:
    assert DOC in service.get("/siaa/keywords/acuerdo_psaa16-10476.md").json["sugerencias"]
    assert "sierju" in service.get("/siaa/enrutar?q=x&coleccion=nada").json["sugerencias"]


# term -> what is said of it
TERMS = [
    ("zzzxqw", "no está en ningún documento: pruebe con una palabra parecida."),
    ("de", "«de» es una palabra vacía, que no se indexa: pregunte por otra."),
    ("reporte mensual", "«reporte mensual» son 2 palabras y la densidad es la de una: pregunte por cada una."),
    ("??", "El término no tiene letras ni cifras: escriba una palabra."),
    (" ", "El término no tiene letras ni cifras: escriba una palabra."),
]


@pytest.mark.parametrize(("term", "said"), TERMS)
def test_why_a_term_has_no_density(service: Client, term: str, said: str) -> None:
    answer = service.get(f"/siaa/densidad/{quote(term)}")
    assert (answer.status, answer.json["codigo"]) == (404, "termino_desconocido")
    assert answer.json["error"].endswith(said)
