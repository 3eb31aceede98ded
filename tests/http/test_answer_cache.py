"""The cache as clients see it: the same answer again, and never one that belongs to something else."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from service.app import create_app
from service.storage.answer_cache import FILE_NAME
from siaa.answering.llm.protocol import ModelCutError
from siaa.answering.wording import REFUSAL
from siaa.config import Settings
from siaa.published.index_holder import IndexHolder, opener_for
from tests.fakes import FakeModel
from tests.http.client import Answer, Client
from tests.http.conftest import ROOT, environment, running

ANSWERABLE = "¿Quiénes son los funcionarios responsables de reportar?"
OTHER = "¿Cuál es la periodicidad del reporte SIERJU?"
FOLLOW_UP = "¿y si no lo hago?"
LIMITS = ["entradas", "max", "hits", "misses", "hit_rate", "ttl_seg"]


@pytest.fixture
def cached_app(sample_index: Path, tmp_path: Path) -> Iterator[Callable[..., Flask]]:
    """Return a maker of applications with a cache of their own."""
    settings = Settings(index_dir=sample_index, llm="ninguno", data_dir=tmp_path, cache_max=100)
    holder = IndexHolder(sample_index, opener=opener_for(settings))
    yield lambda **options: create_app(settings, holder=holder, **options)
    holder.close()


def ask(client: FlaskClient, *said: str, **body: str) -> tuple[str, Answer]:
    """Send what was said by turns; return X-Cache and the answer."""
    messages = [{"role": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(said)]
    response = client.post("/siaa/chat", json={"messages": messages, **body})
    return response.headers["X-Cache"], Answer(response.status_code, {}, response.get_data())


def test_the_same_events_again(cached_app: Callable[..., Flask]) -> None:
    client = cached_app().test_client()
    state, first = ask(client, ANSWERABLE)
    assert state == "MISS"
    state, again = ask(client, ANSWERABLE)
    assert state == "HIT"
    assert again.events == first.events
    state, shouted = ask(client, ANSWERABLE.upper())
    assert state == "HIT"
    assert shouted.events[1:] == first.events[1:]
    assert shouted.events[0]["pregunta_buscada"] == ANSWERABLE.upper()


def test_a_follow_up_never_gets_the_answer_of_another_conversation(cached_app: Callable[..., Flask]) -> None:
    client = cached_app().test_client()
    one = ask(client, ANSWERABLE, "…", FOLLOW_UP)
    other = ask(client, OTHER, "…", FOLLOW_UP)
    alone = ask(client, FOLLOW_UP)
    assert {one[0], other[0], alone[0]} == {"MISS"}
    searched = {answer.events[0]["pregunta_buscada"] for _, answer in (one, other, alone)}
    assert len(searched) == 3
    again = ask(client, ANSWERABLE, "otra cosa", FOLLOW_UP)
    assert again[0] == "HIT"  # what was answered before does not matter: what was asked does
    assert again[1].events == one[1].events


def test_one_collection_is_another_answer(cached_app: Callable[..., Flask]) -> None:
    client = cached_app().test_client()
    ask(client, OTHER)
    state, answer = ask(client, OTHER, coleccion="sierju")
    assert state == "MISS"
    assert {row["coleccion"] for row in answer.events[0]["documentos"]} == {"sierju"}


NEVER = ["receta del ajiaco con guascas", "juzgado civil", "hola", f"Soy 52.345.678. {ANSWERABLE}"]


@pytest.mark.parametrize("question", NEVER)
def test_never_kept(cached_app: Callable[..., Flask], question: str) -> None:
    client = cached_app().test_client()
    assert [ask(client, question)[0] for _ in range(2)] == ["MISS", "MISS"]
    assert client.get("/siaa/cache").json["entradas"] == 0


SCRIPTS = [
    FakeModel(["Los jueces"], failure=ModelCutError("x")),  # failed under way
    FakeModel(["Los jueces y los"]),  # cut by its limit of tokens
    FakeModel([REFUSAL]),
]


@pytest.mark.parametrize("model", SCRIPTS, ids=["failure", "cut", "refusal"])
def test_what_a_model_did_not_finish_is_not_kept(cached_app: Callable[..., Flask], model: FakeModel) -> None:
    client = cached_app(model=model).test_client()
    assert [ask(client, ANSWERABLE)[0] for _ in range(2)] == ["MISS", "MISS"]
    assert len(model.asked) == 2


def test_a_model_is_not_asked_what_is_known(cached_app: Callable[..., Flask]) -> None:
    model = FakeModel(["Los ", "jueces."])
    client = cached_app(model=model).test_client()
    assert ask(client, ANSWERABLE)[0] == "MISS"
    state, answer = ask(client, ANSWERABLE)
    assert (state, answer.answer, len(model.asked)) == ("HIT", "Los jueces.", 1)
    # What a model said is no answer of the quotations, nor of another model.
    assert ask(cached_app().test_client(), ANSWERABLE)[0] == "MISS"
    another = FakeModel(["Los magistrados."])
    another.name = "otro"
    assert ask(cached_app(model=another).test_client(), ANSWERABLE)[1].answer == "Los magistrados."


def test_figures_and_emptying(cached_app: Callable[..., Flask]) -> None:
    client = cached_app().test_client()
    for question in (ANSWERABLE, ANSWERABLE, OTHER):
        ask(client, question)
    figures = client.get("/siaa/cache").json
    assert list(figures) == LIMITS
    assert (figures["entradas"], figures["hits"], figures["misses"]) == (2, 1, 2)
    assert client.get("/siaa/estado").json["cache"] == figures
    answer = client.delete("/siaa/cache")
    assert answer.json == {"vaciado": True, "mensaje": "Se olvidaron 2 respuestas."}
    assert ask(client, ANSWERABLE)[0] == "MISS"


def test_a_locked_cache_and_log_break_no_answer(cached_app: Callable[..., Flask], tmp_path: Path) -> None:
    client = cached_app().test_client()
    ask(client, ANSWERABLE)
    locks = [sqlite3.connect(path, isolation_level=None) for path in tmp_path.glob("*.sqlite3")]
    for lock in locks:
        lock.execute("BEGIN EXCLUSIVE")
    state, answer = ask(client, ANSWERABLE)
    assert (state, answer.events[-1]) == ("MISS", "[DONE]")
    assert client.get("/siaa/log").status_code == 503
    assert client.delete("/siaa/cache").json["codigo"] == "cache_no_disponible"
    assert client.post("/siaa/opinion", json={"pregunta": "x", "util": True}).status_code == 503
    assert client.get("/siaa/estado").json["cache"]["entradas"] == 0
    for lock in locks:
        lock.close()


def test_a_new_generation_answers_anew(tmp_path: Path) -> None:
    corpus, index = tmp_path / "corpus", tmp_path / "indice"
    shutil.copytree(ROOT / "corpus", corpus)
    variables = {"SIAA_CORPUS_DIR": str(corpus), "SIAA_INDEX_DIR": str(index), "SIAA_CACHE_MAX": "50"}
    _index(variables)
    with running(**variables, SIAA_DATA_DIR=str(tmp_path / "datos")) as client:
        assert [client.chat(ANSWERABLE).headers["x-cache"] for _ in range(2)] == ["MISS", "HIT"]
        before = client.chat(ANSWERABLE)
        document = corpus / "acuerdo_no._psaa16-10476.md"
        text = document.read_text(encoding="utf-8")
        document.write_text(text.replace("funcionarios responsables", "servidores responsables"), encoding="utf-8")
        _index(variables)
        assert client.request("POST", "/siaa/recargar").json["recargado"]
        after = client.chat(ANSWERABLE)
        assert after.headers["x-cache"] == "MISS"
        assert after.headers["x-siaa-generacion"] != before.headers["x-siaa-generacion"]
        assert "servidores responsables" in after.answer


def test_two_services_share_a_cache(sample_index: Path, tmp_path: Path) -> None:
    variables = {"SIAA_INDEX_DIR": str(sample_index), "SIAA_DATA_DIR": str(tmp_path), "SIAA_CACHE_MAX": "50"}
    with running(**variables) as one, running(**variables) as other:
        assert one.chat(ANSWERABLE).headers["x-cache"] == "MISS"
        assert other.chat(ANSWERABLE).headers["x-cache"] == "HIT"
        with ThreadPoolExecutor(16) as pool:
            answers = list(pool.map(lambda n: (one, other)[n % 2].chat(f"{OTHER} {n}"), range(64)))
        assert all(answer.events[-1] == "[DONE]" for answer in answers)
        assert one.get("/siaa/cache").json["entradas"] <= 50
        lines = one.get("/siaa/log", n="500").json["total"]
        assert lines == 66
    assert (tmp_path / FILE_NAME).exists()


def test_the_answer_does_not_wait_for_what_cannot_be_written(sample_index: Path, tmp_path: Path) -> None:
    (tmp_path / "datos").write_text("un archivo donde iría la carpeta", encoding="utf-8")
    with running(
        SIAA_INDEX_DIR=str(sample_index), SIAA_DATA_DIR=str(tmp_path / "datos"), SIAA_CACHE_MAX="50"
    ) as client:
        _answers(client)


def _answers(client: Client) -> None:
    for _ in range(3):
        answer = client.chat(ANSWERABLE)
        assert (answer.status, answer.events[-1], answer.headers["x-cache"]) == (200, "[DONE]", "MISS")


def _index(variables: dict[str, str]) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "indexer"],
        cwd=ROOT,
        env=environment(**variables),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
