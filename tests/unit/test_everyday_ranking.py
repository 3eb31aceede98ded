"""Everyday words reach the documents that never write them, say so, and change nothing in `clasico`."""

from __future__ import annotations

from pathlib import Path

import pytest

from siaa.retrieval import Retriever
from tests.building import build_retriever

LAWS = {
    "trabajo.md": "# Estatuto laboral\n\n"
    "## Descansos\n\nLos domingos son de descanso.\n\n"
    "## Despido\n\nEl empleador que decida la terminación unilateral del contrato pagará una indemnización.\n",
    "rios.md": "# Estatuto de aguas\n\n## Cauces\n\nLos cauces y las riberas son de uso público.\n",
    "naves.md": "# Estatuto fluvial\n\n## Naves\n\nEl capitán de la nave responde por la carga.\n",
}
ASKED = "¿Mi jefe me botó?"


@pytest.fixture
def laws(tmp_path: Path) -> Retriever:
    return build_retriever(tmp_path, LAWS)


def test_the_document_is_reached_and_the_reason_names_the_word(laws: Retriever) -> None:
    first = laws.route(laws.ask(ASKED)).documents[0]
    (why,) = (c.why for c in first.contributions if c.signal == "cotidianas")
    assert first.document.name == "trabajo.md"
    assert "«jefe»" in why


def test_a_question_of_everyday_words_only_stays_within_the_weight(laws: Retriever) -> None:
    first = laws.route(laws.ask(ASKED)).documents[0]
    assert 0 < first.score <= laws.profile.routing["cotidianas"]


def test_the_passage_is_chosen_and_the_reason_names_the_word(laws: Retriever) -> None:
    selected = laws.select(laws.ask(ASKED), laws.route(laws.ask(ASKED)).documents[0].document)
    (why,) = (c.why for c in selected.chosen[0].contributions if c.signal == "cotidianas")
    assert selected.chosen[0].heading == "Despido"
    assert why == "contiene lo que los documentos escriben por «jefe», «boto»"


def test_it_leads_one_way(laws: Retriever) -> None:
    assert laws.ask("¿Qué paga el empleador?").everyday == ()


def test_a_question_in_the_words_of_the_documents_gains_nothing(laws: Retriever) -> None:
    routed = laws.route(laws.ask("terminación unilateral del contrato"))
    assert all(c.signal != "cotidianas" for c in routed.documents[0].contributions)


def test_clasico_understands_without_them(tmp_path: Path) -> None:
    classic = build_retriever(tmp_path, LAWS, profile="clasico")
    assert classic.ask(ASKED).everyday == classic.ask(ASKED).written == ()
