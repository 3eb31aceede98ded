"""A list that is announced and is not there.

1. A colon at the end announces a list, or the text of another norm.
2. It is lost when nothing but notes, page frames or a parágrafo follows in its article.
3. The chat says so, in each of its ways to answer, and puts no other article in its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from siaa.answering.events import Nearest, Sources
from siaa.answering.extractive import MAX_CHARS
from siaa.answering.reasons import Code
from siaa.answering.wording import DOUBTFUL, REFUSAL, why_nearest
from siaa.lost_lists import Announced, announced, is_lost
from tests.asking import ask, text_of
from tests.building import build_retriever
from tests.fakes import FakeModel

LIST, TEXT = Announced.LIST, Announced.TEXT

ANNOUNCEMENTS = [
    ("Son deberes del auxiliar los siguientes:", LIST),
    ("El informe deberá contener:", LIST),  # no word but the colon says it
    ("**Le está prohibido:**", LIST),  # in bold
    ("Los sujetos de que trata el artículo anterior:", LIST),  # an article that is only mentioned
    ("El artículo 5 de la Ley 9 quedará así:", TEXT),
    ("Se crea un artículo nuevo del siguiente tenor:", TEXT),
    ("Agréguese el siguiente parágrafo:", TEXT),
    ("Parágrafo. Adicionado por el art. 2, Ley 9 de 2001, así:", TEXT),
    ("Adiciónase un parágrafo al artículo 7 de la Ley 9 de 2001:", TEXT),
    ("El auxiliar firma el acta.", None),
    ("El horario es de 8:00 a 12:00", None),  # a colon inside
]


@pytest.mark.parametrize(("sentence", "what"), ANNOUNCEMENTS)
def test_what_is_announced(sentence: str, what: Announced | None) -> None:
    assert announced(sentence) is what


RESTS = [
    (LIST, "", True),
    (LIST, "\n\n(Modificado por el artículo 3 (nuevo) de la Ley 9)\n\n[Nota del editor]\n", True),
    (LIST, "\nPágina 2 de 3\n", True),  # what a page prints
    (LIST, "\n\nPARÁGRAFO 1. Salvo norma especial.", True),
    (TEXT, "\n\nPARÁGRAFO 1. Salvo norma especial.", False),  # that is the text
    (LIST, "\n\n1. Firmar el acta.", False),
    (LIST, "\n\n(Derogado) El auxiliar firma.", False),  # brackets that begin a sentence
    (LIST, "\n\nFirmar el acta.", False),  # a list without marks
    (LIST, "\n\n(" * 2000, True),  # in linear time
]


@pytest.mark.parametrize(("what", "rest", "lost"), RESTS)
def test_what_is_lost(what: Announced, rest: str, lost: bool) -> None:
    assert is_lost(what, rest) is lost


# -- in the chat ----------------------------------------------------------------------------------------------------

LAW = (
    "# Ley 9 de 2001\n\n"
    "## Artículo 4\n\nARTÍCULO 4. Deberes. Son deberes de los auxiliares de la justicia, según cargo, los siguientes:"
    "\n\n(Modificado por el artículo 3 de la Ley 11 de 2004)\n\n"
    "## Artículo 5\n\nARTÍCULO 5. Prohibiciones. A los auxiliares de la justicia les está prohibido:\n\n"
    "1. Recibir dádivas de las partes.\n\n2. Ausentarse sin permiso.\n\n"
    "## Artículo 6\n\nARTÍCULO 6. Registro. El registro lo lleva la secretaría del juzgado.\n\n"
    "## Artículo 7\n\nARTÍCULO 7. Vigencia. Rige desde su publicación.\n"
)
NOTICE = "El artículo 4 de ley_9_de_2001.md anuncia una lista que no está en ese documento."


def told(
    folder: Path, question: str, *, says: Sequence[str] | None = None, law: str = LAW
) -> tuple[str, Nearest | None]:
    """Return the text of an answer, a model's that `says` it if given, and the nearest passage after a refusal."""
    retriever = build_retriever(folder, {"normativa/ley_9_de_2001.md": law})
    model = FakeModel(says) if says is not None else None
    events = ask(retriever, question, model=model)
    return text_of(events), next((event for event in events if isinstance(event, Nearest)), None)


ASKED = ["¿Cuáles son los deberes de los auxiliares de la justicia?", "¿Qué dice el artículo 4 de la Ley 9 de 2001?"]


@pytest.mark.parametrize("question", ASKED)
def test_a_quotation_says_that_the_list_is_not_there(tmp_path: Path, question: str) -> None:
    text, _ = told(tmp_path, question)
    assert "los siguientes:»" in text
    assert text.count(NOTICE) == 1
    assert "dádivas" not in text  # the prohibitions would pass for duties
    assert len(text) <= MAX_CHARS


def test_no_better_scored_passage_stands_in_for_the_list(tmp_path: Path) -> None:
    """The prohibitions hold more words of this question than what announces the duties, and name none."""
    longer = LAW.replace(
        "auxiliares de la justicia les está", "auxiliares de la justicia de los juzgados del circuito les está"
    )
    text, _ = told(tmp_path, "¿Cuáles son los deberes de los auxiliares de los juzgados del circuito?", law=longer)
    assert text.count(NOTICE) == 1
    assert "dádivas" not in text


def test_a_list_that_stands_elsewhere_is_quoted_beside_the_notice(tmp_path: Path) -> None:
    manual = (
        "# Manual del auxiliar\n\n## Deberes\n\nSon deberes de los auxiliares de la justicia:\n\n- Firmar el acta.\n"
    )
    retriever = build_retriever(tmp_path, {"normativa/ley_9_de_2001.md": LAW, "general/manual.md": manual})
    events = ask(retriever, ASKED[0])
    text = text_of(events)
    assert "Firmar el acta" in text
    assert NOTICE in text


def test_nothing_is_said_of_a_list_that_is_there(tmp_path: Path) -> None:
    text, _ = told(tmp_path, "¿Qué está prohibido a los auxiliares de la justicia?")
    assert "dádivas" in text
    assert "anuncia" not in text


def test_a_list_in_a_further_passage_is_there(tmp_path: Path) -> None:
    """The items come behind so long a note that they stand in another passage than what announces them."""
    note = "(" + "Modificado por otra norma anterior del mismo rango. " * 14 + ")"
    text, _ = told(
        tmp_path,
        ASKED[0],
        law=LAW.replace("(Modificado por el artículo 3 de la Ley 11 de 2004)", f"{note}\n\n1. Firmar."),
    )
    assert "los siguientes:" in text
    assert "anuncia" not in text


def test_the_quotations_of_a_short_answer_and_the_notice_are_sources_apart(tmp_path: Path) -> None:
    retriever = build_retriever(tmp_path, {"normativa/ley_9_de_2001.md": LAW})
    events = ask(retriever, ASKED[0])
    text = text_of(events)
    sources = next(event for event in events if isinstance(event, Sources))
    for sentence in sources.sentences:
        assert text[sentence.start : sentence.end] == sources.sources[sentence.source - 1].text


def test_a_model_is_told_to_doubt_and_its_answer_carries_the_notice(tmp_path: Path) -> None:
    retriever = build_retriever(tmp_path, {"normativa/ley_9_de_2001.md": LAW})
    model = FakeModel(["Los auxiliares de la justicia tienen deberes según su cargo."])
    assert NOTICE in text_of(ask(retriever, ASKED[0], model=model))
    assert DOUBTFUL in model.asked[0][1].content


def test_a_model_that_was_cut_leaves_no_whole_sentence_behind(tmp_path: Path) -> None:
    text, _ = told(tmp_path, ASKED[0], says=["Los auxiliares de la justicia tienen"])
    assert text.endswith("otra copia de la norma")


def test_a_refusal_says_it_with_its_reason(tmp_path: Path) -> None:
    text, nearest = told(tmp_path, ASKED[0], says=[REFUSAL])
    assert text == REFUSAL
    assert nearest is not None
    assert [reason.code for reason in nearest.reasons] == [Code.MODEL_REFUSED, Code.LOST_LIST]
    assert why_nearest(nearest.reasons).endswith(NOTICE)


def test_another_question_of_the_document_is_answered_without_it(tmp_path: Path) -> None:
    text, _ = told(tmp_path, "¿Quién lleva el registro?")
    assert "secretaría" in text
    assert "anuncia" not in text
