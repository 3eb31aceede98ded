"""Conversations over the sample corpus: what is searched, what is asked back, and what is never mixed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from indexer.tuning import tuning_files
from siaa.answering.wording import REFUSAL
from siaa.config import Settings
from tests.http.client import Answer, Client

AppMaker = Callable[..., Flask]


def talk(client: Client, *said: str, **body: Any) -> Answer:
    """Send what a user and the service said by turns, the user first and last."""
    roles = ("user", "assistant")
    messages = [{"role": roles[number % 2], "content": text} for number, text in enumerate(said)]
    return client.chat("", messages=messages, **body)


def test_a_follow_up_is_searched_with_what_it_refers_to(service: Client) -> None:
    answer = talk(
        service, "¿Quiénes son los funcionarios responsables de reportar?", "…", "¿puede hacerlo un asistente?"
    )
    first = answer.events[0]
    assert first["pregunta_buscada"] == "¿puede hacer eso un asistente? (funcionarios responsables reportar)"
    assert first["documentos"][0]["doc"] == "acuerdo_no._psaa16-10476.md"
    assert "asistente" in answer.answer


def test_the_diagnostic_shows_what_a_follow_up_was_given(service: Client) -> None:
    answer = talk(
        service, "¿Quiénes son los funcionarios responsables de reportar?", "…", "¿puede hacerlo un asistente?"
    )
    searched = answer.events[0]["pregunta_buscada"]
    for source in answer.events[-2]["fuentes"]:
        assert source["cita"] in service.get("/siaa/fragmento", doc=source["doc"], q=searched).json["fragmento"]


@pytest.mark.parametrize(
    "before", ["¿Qué dice el artículo 5 del PSAA16-10476?", "¿Quiénes son los funcionarios responsables?"]
)
def test_another_article_of_the_same_document(service: Client, before: str) -> None:
    answer = talk(service, before, "…", "¿y el artículo 6?")
    assert answer.events[0]["documentos"][0]["doc"] == "acuerdo_no._psaa16-10476.md"
    assert answer.events[-2]["fuentes"][0]["articulo"] == "6"


@pytest.mark.parametrize(
    "question", ["¿Qué es un proceso sin trámite?", "acción de tutela plazo", "receta del ajiaco con guascas"]
)
def test_a_question_that_stands_alone_gets_the_same_answer_in_any_conversation(service: Client, question: str) -> None:
    alone = service.chat(question)
    after = talk(service, "¿Qué dice el artículo 5 del PSAA16-10476?", "…", question)
    assert after.events == alone.events


def test_an_ambiguous_question_is_asked_back(service: Client) -> None:
    answer = service.chat("¿Qué reporta el juzgado civil?")
    assert answer.status == 200
    assert answer.events[0] == {"documentos": [], "pregunta_buscada": "¿Qué reporta el juzgado civil?"}
    assert "1. Juzgado civil municipal" in answer.answer
    assert REFUSAL.rstrip(".") not in answer.answer
    assert answer.events[-2] == {"fuentes": [], "oraciones": []}
    assert answer.events[-1] == "[DONE]"


# reply -> document that it leads to
CHOICES = [("1", "guia_civil_municipal.md"), ("el del circuito", "juzgado_civil_circuito.md")]


@pytest.mark.parametrize(("said", "document"), CHOICES)
def test_a_choice_is_searched_and_never_asks_again(service: Client, said: str, document: str) -> None:
    answer = talk(service, "¿Qué asuntos conoce el juzgado civil?", "¿De qué juzgado civil se trata? …", said)
    assert answer.events[0]["documentos"][0]["doc"] == document
    assert "Puede responder con el número" not in answer.answer


@pytest.mark.parametrize("question", ["código civil", "acoso laboral", "juzgado civil municipal", "los bienes"])
def test_nothing_is_asked_back(service: Client, question: str) -> None:
    assert "Puede responder con el número" not in service.chat(question).answer


def test_clarifications_belong_to_their_corpus(tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("corpus")
    assert "aclaraciones.toml" in tuning_files(Settings())
    assert "aclaraciones.toml" not in tuning_files(Settings(corpus_dir=other))
