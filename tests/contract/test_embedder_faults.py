"""Every fault of a server of vectors, played over a real socket: an EmbeddingError in time, never a wrong vector."""

from __future__ import annotations

import gc
import json
import os
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from siaa.meaning import EmbeddingError
from siaa.meaning.server import Limits, known_prefixes
from tests.contract.embedders import DIMENSIONS, Script, answer, client, embeds, says, unit, vector_of

ABSENT, SLOW = "el servidor de significado no responde", "el servidor de significado tarda demasiado"
UNUSABLE = "el servidor de significado dio una respuesta que no se puede usar"
NOT_THERE = "no tiene ese modelo o no da vectores: revise la dirección y SIAA_SIGNIFICADO_MODELO"
TEXTS = ("uno", "dos", "tres")


def changed(change: Callable[[list[dict[str, Any]]], object]) -> Script:
    """Return a script that spoils the rows of a good answer."""

    def script(handler: Any) -> None:
        good = answer(json.loads(handler.sent)["input"])
        change(good["data"])
        says(good)(handler)

    return script


def number(value: object) -> Script:
    return changed(lambda rows: rows[1]["embedding"].__setitem__(3, value))


# name, what the server does when it is asked for three vectors, what is said
FAULTS: list[tuple[str, Script, str]] = [
    # Not the vectors that were asked for.
    ("de_menos", changed(lambda rows: rows.pop()), UNUSABLE),
    ("de_mas", changed(lambda rows: rows.append({"index": 3, "embedding": vector_of("x")})), UNUSABLE),
    ("repetido", changed(lambda rows: rows.append(dict(rows[0]))), UNUSABLE),
    ("dos_con_un_numero", changed(lambda rows: rows[0].update(index=0)), UNUSABLE),
    ("sin_numero", changed(lambda rows: rows[0].pop("index")), UNUSABLE),
    ("numero_fuera", changed(lambda rows: rows[0].update(index=7)), UNUSABLE),
    ("numero_booleano", changed(lambda rows: rows[1].update(index=True)), UNUSABLE),
    ("numero_texto", changed(lambda rows: rows[0].update(index="2")), UNUSABLE),
    ("numero_lista", changed(lambda rows: rows[0].update(index=[2])), UNUSABLE),
    # No vectors at all, or of other things than finite numbers.
    ("sin_vector", changed(lambda rows: rows[0].pop("embedding")), UNUSABLE),
    ("vector_vacio", changed(lambda rows: rows[0].update(embedding=[])), UNUSABLE),
    ("todos_vacios", changed(lambda rows: [row.update(embedding=[]) for row in rows]), UNUSABLE),
    ("base64", changed(lambda rows: rows[0].update(embedding="AAAAAA==")), UNUSABLE),
    ("por_palabra", changed(lambda rows: [row.update(embedding=[row["embedding"]]) for row in rows]), UNUSABLE),
    ("mas_corto", changed(lambda rows: rows[0]["embedding"].pop()), UNUSABLE),
    ("nan", number(float("nan")), UNUSABLE),
    ("infinito", number(float("inf")), UNUSABLE),
    ("null", number(None), UNUSABLE),
    ("texto", number("0.5"), UNUSABLE),
    ("booleano", number(True), UNUSABLE),
    ("enorme", number(10**400), UNUSABLE),
    ("desborda", number(1e300), UNUSABLE),
    ("todo_ceros", changed(lambda rows: rows[0].update(embedding=[0.0] * DIMENSIONS)), UNUSABLE),
    # No such answer.
    ("lista", says([1, 2, 3]), UNUSABLE),
    ("data_objeto", says({"data": {}}), UNUSABLE),
    ("filas_que_no_lo_son", says({"data": [1, 2, 3]}), UNUSABLE),
    ("vacia", says(b""), UNUSABLE),
    ("basura", says(b"\xff\xfe<html>"), UNUSABLE),
    ("anidada", says(b"[" * 100_000), UNUSABLE),
    ("error_en_200", says({"error": {"message": "boom"}}), UNUSABLE),
    # Statuses.
    ("401", says({}, status=401), "pide una clave, o no acepta la que tiene: revise SIAA_SIGNIFICADO_CLAVE"),
    ("404", says(b"", status=404), NOT_THERE),
    ("429", says(b"", status=429), "está ocupado"),
    ("501", says(b"", status=501), "no da vectores: revise cómo se arrancó"),
    ("503", says(b"", status=503), "está ocupado o cargando su modelo"),
    ("302", says(b"", status=302), "rechazó la petición (HTTP 302)"),
    ("500", says(b"", status=500), "rechazó la petición (HTTP 500)"),
    # No HTTP at all.
    ("no_es_http", lambda handler: handler.wfile.write(b"SSH-2.0-OpenSSH\r\n"), ABSENT),
    ("cierra_sin_estado", lambda handler: None, ABSENT),
]  # fmt: skip


def broken(handler: Any) -> None:
    """Begin an answer and break the connection with a reset, as a killed server does."""
    handler.send_response(200)
    handler.send_header("Content-Length", "100000")
    handler.end_headers()
    handler.wfile.write(b'{"data": [')
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")


def half(handler: Any) -> None:
    """Close cleanly before the length that was announced."""
    body = json.dumps(answer(TEXTS)).encode()
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body[: len(body) // 2])


FAULTS += [("rota", broken, ABSENT), ("a_medias", half, ABSENT)]


@pytest.mark.parametrize(("name", "script", "said"), FAULTS, ids=[name for name, _, _ in FAULTS])
def test_a_fault_gives_no_vector(scripted: Any, name: str, script: Script, said: str) -> None:
    embedder = client(scripted.url)
    scripted.script = script
    with pytest.raises(EmbeddingError) as failure:
        embedder.passages(TEXTS)
    assert failure.value.message.endswith(said)
    assert failure.value.message.startswith("el servidor de significado ")
    assert scripted.url in failure.value.detail  # for the log
    assert scripted.url not in failure.value.message
    scripted.script = embeds
    assert np.allclose(embedder.passages(TEXTS), [unit(vector_of(text)) for text in TEXTS], atol=1e-6)


def stalls(before: Callable[[Any], object], beat: bytes, released: threading.Event) -> Script:
    """Return a script that sends something, then nothing but `beat` until it is released."""

    def script(handler: Any) -> None:
        before(handler)
        while not released.wait(0.05):
            handler.wfile.write(beat)

    return script


def headers(handler: Any) -> None:
    handler.send_response(200)
    handler.end_headers()


# name, what comes before the silence, what is repeated in it
STALLS: list[tuple[str, Callable[[Any], object], bytes]] = [
    ("sin_estado", lambda handler: None, b""),
    ("cabeceras_a_gotas", lambda handler: handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Largo: "), b"a"),
    ("sin_cuerpo", headers, b""),
    ("cuerpo_a_gotas", headers, b" "),
    # All of it, and then the connection stays open: nobody knows that it is all.
    ("sin_fin", lambda handler: (headers(handler), handler.wfile.write(json.dumps(answer(["q"])).encode())), b""),
]


@pytest.mark.parametrize(("name", "before", "beat"), STALLS, ids=[name for name, _, _ in STALLS])
def test_a_silent_server_is_given_up_in_time(
    scripted: Any, name: str, before: Callable[[Any], object], beat: bytes
) -> None:
    released = threading.Event()
    scripted.script = stalls(before, beat, released)
    embedder = client(scripted.url, limits=Limits(question=0.3, passages=60.0, pause=0.0))
    begun = time.monotonic()
    try:
        with pytest.raises(EmbeddingError, match=SLOW):
            embedder.question("q")
    finally:
        released.set()
    assert time.monotonic() - begun < 2


ADDRESSES: list[tuple[str, str]] = [
    ("rechazada", "http://127.0.0.1:{port}"),
    ("dns", "http://vectores.invalid:9"),
    ("nombre_imposible", "http://" + "a" * 70 + ".example:9"),
    ("puerto_imposible", "http://127.0.0.1:99999"),
    ("puerto_con_letras", "http://127.0.0.1:abc"),
    ("tls_que_no_lo_es", "https://127.0.0.1:{port}"),
]


@pytest.mark.parametrize(("name", "address"), ADDRESSES, ids=[row[0] for row in ADDRESSES])
def test_no_server_is_absent(name: str, address: str) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    embedder = client(address.format(port=port))
    for call in (lambda: embedder.question("q"), lambda: embedder.passages(["p"]), lambda: embedder.fingerprint):
        with pytest.raises(EmbeddingError, match=ABSENT):
            call()


def test_a_server_that_failed_is_left_alone_by_questions_for_a_while(scripted: Any) -> None:
    embedder = client(scripted.url, limits=Limits(pause=0.4))
    scripted.script = says(b"", status=503)
    for _ in range(20):
        with pytest.raises(EmbeddingError, match="está ocupado o cargando"):
            embedder.question("q")
    assert len(scripted.bodies) == 1
    scripted.script = embeds
    assert embedder.passages(["p"]).shape == (1, DIMENSIONS)  # for which nobody waits
    time.sleep(0.4)
    assert embedder.question("q").shape == (DIMENSIONS,)


def test_another_size_of_vectors_is_another_model(scripted: Any) -> None:
    embedder = client(scripted.url)
    scripted.script = embeds
    embedder.question("q")
    scripted.script = changed(lambda rows: [row["embedding"].pop() for row in rows])
    with pytest.raises(EmbeddingError, match=r"cambió de modelo$"):
        embedder.passages(TEXTS)
    assert embedder.passages(TEXTS).shape == (3, DIMENSIONS - 1)  # whoever compares fingerprints sees it


def test_after_a_failure_the_server_is_asked_who_it_is(scripted: Any) -> None:
    embedder = client(scripted.url)
    scripted.script = embeds
    before = embedder.fingerprint
    embedder.question("q")
    assert embedder.fingerprint is before
    scripted.script = says(b"", status=503)
    with pytest.raises(EmbeddingError):
        embedder.question("q")
    scripted.script = changed(lambda rows: [row["embedding"].reverse() for row in rows])
    scripted.pages["/v1/models"] = (200, b'{"data": [{"id": "otro"}]}')
    after = embedder.fingerprint
    assert (before.name, after.name) == ("guion", "otro")
    assert not after.same_model(before)


def test_a_text_over_the_limit_of_the_model_is_shortened_and_the_others_are_not(scripted: Any) -> None:
    def script(handler: Any) -> None:
        texts = json.loads(handler.sent)["input"]
        (embeds if max(map(len, texts)) <= 500 else says({"error": "input is too large"}, status=500))(handler)

    scripted.script = script
    texts = [f"{n} corto" for n in range(9)] + ["largo " * 300] + [f"{n} último" for n in range(9)]
    expected = [unit(vector_of(text if len(text) < 500 else text[: 1800 // 4])) for text in texts]
    assert np.allclose(client(scripted.url).passages(texts), expected, atol=1e-6)


def test_what_is_sent(scripted: Any) -> None:
    seen: list[tuple[str, str | None]] = []

    def script(handler: Any) -> None:
        seen.append((handler.path, handler.headers["Authorization"]))
        embeds(handler)

    scripted.script = script
    client(f"{scripted.url}/v1/", model="multilingual-e5-large", key="secreta").question("¿qué?")
    client(scripted.url, prefixes=("p: ", "")).passages(["texto"])
    sent = [json.loads(body) for body in scripted.bodies]
    assert sent == [
        {"model": "multilingual-e5-large", "input": ["query: ¿qué?"], "encoding_format": "float"},
        {"model": "guion", "input": ["texto"], "encoding_format": "float"},  # the first that the server offers
    ]
    assert seen == [("/v1/embeddings", "Bearer secreta"), ("/v1/embeddings", None)]


# what the pages say, the name of the model
NAMES: list[tuple[str, dict[str, tuple[int, bytes]], str]] = [
    ("tei", {"/info": (200, b'{"model_id": "intfloat/multilingual-e5-base"}')}, "intfloat/multilingual-e5-base"),
    ("no_lo_dice", {}, ""),
    ("otra_cosa", {"/v1/models": (200, b"<html>")}, ""),
    ("sin_modelos", {"/v1/models": (200, b'{"data": []}')}, ""),
]


@pytest.mark.parametrize(("name", "pages", "expected"), NAMES, ids=[row[0] for row in NAMES])
def test_the_server_is_asked_for_the_name(
    scripted: Any, name: str, pages: dict[str, tuple[int, bytes]], expected: str
) -> None:
    scripted.pages = pages
    assert client(scripted.url).name == expected


def test_a_server_that_loads_is_not_taken_for_one_without_a_name(scripted: Any) -> None:
    """Its passages would be encoded without the prefixes that its name asks for."""
    embedder = client(scripted.url)
    scripted.script = embeds
    pages, scripted.pages = scripted.pages, {"/v1/models": (503, b"")}
    with pytest.raises(EmbeddingError, match="cargando su modelo"):
        embedder.passages(TEXTS)
    scripted.pages = pages
    assert embedder.passages(TEXTS).shape == (3, DIMENSIONS)
    assert embedder.name == "guion"


# name of a model as servers write it, what goes before a question and before a passage
PREFIXES = [
    ("intfloat/multilingual-e5-large", "query: ", "passage: "),
    ("multilingual_e5_small-Q8_0.gguf", "query: ", "passage: "),
    ("jeffh/intfloat-multilingual-e5-base:f16", "query: ", "passage: "),
    ("intfloat/multilingual-e5-large-instruct", "Instruct: ", ""),
    ("nomic-embed-text-v2-moe", "search_query: ", "search_document: "),
    ("embeddinggemma:300m", "task: search result | query: ", "title: none | text: "),
    ("Qwen/Qwen3-Embedding-0.6B", "Instruct: ", ""),
    ("snowflake-arctic-embed2:568m", "query: ", ""),
    ("Snowflake/snowflake-arctic-embed-l-v2.0", "query: ", ""),
    ("snowflake-arctic-embed:335m", "Represent this sentence", ""),
    ("mixedbread-ai/mxbai-embed-large-v1", "Represent this sentence", ""),
    ("bge-m3", "", ""),  # none, by its authors
    ("BAAI/bge-m3", "", ""),
    ("paraphrase-multilingual", "", ""),
    ("code5-embed", "", ""),  # no E5
    ("", "", ""),
]


@pytest.mark.parametrize(("model", "question", "passage"), PREFIXES, ids=[row[0] for row in PREFIXES])
def test_prefixes_go_by_the_name(model: str, question: str, passage: str) -> None:
    found = known_prefixes(model)
    assert found[0].startswith(question)
    assert bool(found[0]) == bool(question)
    assert found[1] == passage


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="cuenta los descriptores en /proc")
def test_faulty_calls_leak_nothing(scripted: Any) -> None:
    embedder = client(scripted.url)
    scripted.script = embeds
    embedder.question("q")
    gc.collect()
    settle()
    before = len(os.listdir("/proc/self/fd")), threading.active_count()
    for _ in range(10):
        for _, script, _ in FAULTS:
            scripted.script = script
            with pytest.raises(EmbeddingError):
                embedder.passages(TEXTS)
    settle()
    assert (len(os.listdir("/proc/self/fd")), threading.active_count()) <= before


def settle() -> None:
    """Wait until the server's own threads, one for each connection, and cancelled timers have ended."""
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline and any(
        "process_request" in t.name or isinstance(t, threading.Timer) for t in threading.enumerate()
    ):
        time.sleep(0.02)
