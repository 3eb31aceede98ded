"""Citations that can be checked: of a model's answer, of any text, and where their links lead.

1. Each sentence of a model's answer is tied to the slice that holds it up, or marked; a setting withholds the rest.
2. When the passages may not hold the answer, nothing of it is sent before one sentence stands; else it is refused.
3. /siaa/citas/verificar says of each citation of a text whether its document says it.
4. The link of a source marks its very words.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from flask import Flask

from siaa.answering import wording
from siaa.answering.reasons import Code, Reason
from siaa.answering.refusal import Decision
from siaa.answering.wording import REFUSAL, told
from siaa.config import Settings
from tests.fakes import FakeModel
from tests.http.client import Answer, Client
from tests.http.test_chat import ANSWERABLE, ask, kinds

TRUE = "El periodo de los miembros es de dos (2) años, que se cuentan desde la elección."
QUESTION = "¿Cuál es el periodo de los miembros del comité de convivencia?"
DOUBTFUL = "¿Quiénes reportan con guascas y ajiaco los miembros del comité de convivencia?"
AppMaker = Callable[..., Flask]


# -- what a model says ----------------------------------------------------------------------------------------------


def say(app: AppMaker, *pieces: str, question: str = QUESTION, **options: Any) -> Answer:
    return ask(app(model=FakeModel(pieces), **options), question)


def test_a_true_sentence_is_tied_to_its_slice(sample_app: AppMaker) -> None:
    answer = say(sample_app, TRUE)
    last = answer.events[-2]
    assert answer.answer == TRUE
    (sentence,) = last["oraciones"]
    assert sentence == {"inicio": 0, "fin": len(TRUE), "estado": "verificada", "fuente": 1}
    assert last["fuentes"][0]["cita"] == TRUE
    assert last["fuentes"][0]["articulo"] == "5"


# a sentence -> its state
SAID = [
    (f"Según el artículo 5 de la Resolución 0208 de 2020: «{TRUE}»", "verificada"),
    ("El periodo de los miembros es de tres (3) años, que se cuentan desde la elección.", "sin_sustento"),
    (f"El artículo 4 dice: «{TRUE}»", "mal_atribuida"),
    ("El periodo de los miembros es de dos años.", "parcial"),
    ("El periodo de los miembros no es de dos (2) años, que se cuentan desde la elección.", "sin_sustento"),
]


@pytest.mark.parametrize(("said", "state"), SAID)
def test_every_sentence_has_its_state(sample_app: AppMaker, said: str, state: str) -> None:
    answer = say(sample_app, said)
    assert answer.events[-2]["oraciones"][0]["estado"] == state
    marked = "Aviso:" in answer.answer
    assert marked == (state in ("sin_sustento", "mal_atribuida"))


def test_what_is_marked_is_counted(sample_app: AppMaker) -> None:
    answer = say(sample_app, f"{TRUE} La luna es verde. ", "El sol es azul.")
    assert answer.answer.endswith(
        "Aviso: 2 frases de esta respuesta no constan en los documentos; compruébelas antes de usarlas."
    )
    assert [row["estado"] for row in answer.events[-2]["oraciones"]] == ["verificada", "sin_sustento", "sin_sustento"]
    assert [row["fuente"] for row in answer.events[-2]["oraciones"]] == [1, 0, 0]


def test_without_any_support_the_sources_are_what_was_read(sample_app: AppMaker) -> None:
    answer = say(sample_app, "La luna es verde.")
    assert answer.events[-2]["fuentes"]
    assert {source["estado"] for source in answer.events[-2]["fuentes"]} == {"sin_sustento"}


def withholding(sample_app: AppMaker) -> AppMaker:
    def make(**options: Any) -> Flask:
        app = sample_app(**options)
        context = app.extensions["siaa"]
        settings = context.settings.model_copy(update={"citas": "retener"})
        app.extensions["siaa"] = replace(context, assistant=replace(context.assistant, settings=settings))
        return app

    return make


def test_what_nothing_holds_up_is_withheld(sample_app: AppMaker) -> None:
    answer = say(withholding(sample_app), "La luna es verde. ", f"{TRUE} El sol", " es azul.")
    assert answer.answer.strip() == TRUE
    assert [row["estado"] for row in answer.events[-2]["oraciones"]] == ["verificada"]


def test_nothing_left_is_a_refusal(sample_app: AppMaker) -> None:
    answer = say(withholding(sample_app), "La luna es verde.")
    assert answer.answer == REFUSAL
    assert answer.events[-2]["cercano"]["motivo"].startswith(told(Reason(Code.UNSUPPORTED_ANSWER)))


def test_the_setting_has_two_values() -> None:
    assert Settings(citas="retener").citas == "retener"
    assert Settings().citas == "marcar"


def test_in_doubt_nothing_is_sent_before_a_sentence_stands(sample_app: AppMaker) -> None:
    app = sample_app(model=FakeModel(["La luna es verde."]))
    shown = app.test_client().get("/siaa/enrutar", query_string={"q": DOUBTFUL, "explicar": "1"}).json
    assert shown["explicacion"]["rechazo"]["decision"] == Decision.ONLY_IF_THERE
    refused = ask(app, DOUBTFUL)
    assert (refused.answer, kinds(refused)) == (REFUSAL, ["documentos", "choices", "cercano", "[DONE]"])
    held = say(sample_app, "La luna es verde. ", TRUE, " Y más.", question=DOUBTFUL)
    assert held.answer.startswith(f"La luna es verde. {TRUE} Y más.")


def test_in_doubt_the_model_is_told(sample_app: AppMaker) -> None:
    model = FakeModel([TRUE])
    ask(sample_app(model=model), DOUBTFUL)
    ask(sample_app(model=model), ANSWERABLE)
    doubtful, plain = (asked[-1].content for asked in model.asked)
    assert wording.DOUBTFUL in doubtful
    assert wording.DOUBTFUL not in plain


def test_a_refusing_model_is_told_to_the_reader(sample_app: AppMaker) -> None:
    assert say(sample_app, REFUSAL).events[-2]["cercano"]["motivo"].startswith(told(Reason(Code.MODEL_REFUSED)))


# -- why not --------------------------------------------------------------------------------------------------------

# question -> words of the reason
REASONS = [
    ("¿Qué dispone el artículo 99 del Acuerdo PSAA16-10476?", "no tiene el artículo 99"),
    ("¿Qué dice la Ley 9999 de 2001 sobre los jueces?", "No hay ningún documento «Ley 9999 de 2001»"),
    ("¿Qué receta de ajiaco con guascas y pollo lleva el formulario?", "«guascas»"),
]


@pytest.mark.parametrize(("question", "reason"), REASONS)
def test_a_refusal_says_why_and_shows_the_nearest(service: Client, question: str, reason: str) -> None:
    answer = service.chat(question)
    assert answer.answer == REFUSAL
    nearest = answer.events[-2]["cercano"]
    assert reason in nearest["motivo"]
    assert nearest["cita"]


def test_the_score_is_shown(service: Client) -> None:
    routed = service.get("/siaa/enrutar", q=ANSWERABLE, explicar="1").json
    fragment = service.get("/siaa/fragmento", doc="acuerdo_no._psaa16-10476.md", q=ANSWERABLE, explicar="1").json
    for shown in (routed, fragment):
        assert list(shown["explicacion"]["rechazo"]) == ["valor", "decision", "motivo"]
    assert "explicacion" not in service.get("/siaa/enrutar", q=ANSWERABLE).json


# -- any text -------------------------------------------------------------------------------------------------------


def verify(client: Client, text: Any) -> Answer:
    return client.request(
        "POST", "/siaa/citas/verificar", json.dumps({"texto": text}).encode(), Content_Type="application/json"
    )


RESOLUTION = "la Resolución 0208 de 2020"
# text with one citation -> state, words of the reason, article it stands in
DRAFTS: list[tuple[str, str, str, str | None]] = [
    (f"El artículo 5 de {RESOLUTION} dice: «{TRUE}»", "verificada", "", "5"),
    (f"«{TRUE}»", "verificada", "", "5"),
    (f"Según el artículo 5 de {RESOLUTION}, el periodo de los miembros es de dos años, que se cuentan desde la "
     "elección.", "verificada", "", "5"),
    # Words that it does not say: an invented ending, another number.
    (f"El artículo 5 de {RESOLUTION} dice: «El periodo de los miembros es de dos (2) años, prorrogables.»",
     "sin_sustento", "dice esas palabras", None),
    (f"El artículo 5 de {RESOLUTION} dice: «El periodo de los miembros es de tres (3) años».",
     "sin_sustento", "", None),
    (f"Según el artículo 5 de {RESOLUTION}, el periodo de los miembros es de cuatro años.", "sin_sustento", "", None),
    # In another article, or another document.
    (f"El artículo 6 de {RESOLUTION} dice: «{TRUE}»", "mal_atribuida", "el artículo 5 de resolucion_0208_2020.md", "5"),
    (f"El artículo 5 del Acuerdo PSAA16-10476 dice: «{TRUE}»", "mal_atribuida", "resolucion_0208_2020.md", "5"),
    # Article 1 is not article 14.
    ("El artículo 14 del Acuerdo PSAA16-10476 dice: «El SIERJU es el sistema con el que la Rama Judicial recoge, "
     "procesa y estudia sus cifras de gestión.»", "mal_atribuida", "el artículo 1 de", "1"),
    ("El artículo 1 del Acuerdo PSAA16-10476 dice: «El SIERJU es el sistema con el que la Rama Judicial recoge, "
     "procesa y estudia sus cifras de gestión.»", "verificada", "", "1"),
    # An article that the document does not have, a document that is not in the corpus.
    ("El artículo 99 del Acuerdo PSAA16-10476 ordena cerrar los despachos.",
     "sin_sustento", "no tiene el artículo 99", None),
    (f"El artículo 99 del Acuerdo PSAA16-10476 dice: «{TRUE}»", "mal_atribuida", "no tiene el artículo 99", "5"),
    ("Así lo dispone la Ley 9999 de 2001.", "sin_sustento", "No hay ningún documento «Ley 9999 de 2001»", None),
    (f"La Ley 9999 de 2001 dice: «{TRUE}»", "mal_atribuida", "No hay ningún documento", "5"),
    ("Según el documento inventado.md: «El periodo es de diez años completos».", "sin_sustento", "inventado.md", None),
    (f"Según el documento resolucion_0208_2020.md: «{TRUE}»", "verificada", "", "5"),
    # A bare reference claims only that the place exists.
    ("Véase el artículo 5 del Acuerdo PSAA16-10476.", "verificada", "existe", "5"),
    ("Véase el artículo 5.", "sin_sustento", "No se sabe de qué documento", None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "state", "reason", "article"), DRAFTS)
def test_each_citation_has_its_state(service: Client, text: str, state: str, reason: str, article: str | None) -> None:
    answer = verify(service, text).json
    (found,) = answer["citas"]
    assert (found["estado"], found["fuente"] and found["fuente"]["articulo"]) == (state, article)
    assert reason in found["motivo"]
    assert text[found["inicio"] : found["fin"]] == found["texto"]
    assert answer["resumen"][state] == 1


def test_spans_of_the_documents_are_exact(service: Client, sample_app: AppMaker) -> None:
    found = verify(service, " ".join(text for text, *_ in DRAFTS)).json["citas"]
    with sample_app().extensions["siaa"].holder.lease() as retriever:
        generation = retriever.generation
        sources = [each["fuente"] for each in found if each["fuente"]]
        assert len(sources) > 5
        for source in sources:
            text = generation.text_of(generation.find(source["doc"]))
            assert text[source["inicio"] : source["fin"]] == source["cita"]


def test_a_document_named_before_holds_for_what_follows(service: Client) -> None:
    text = f"El texto es {RESOLUTION}. Su artículo 5 dice: «{TRUE}» Su artículo 6 dice: «{TRUE}»"
    states = [each["estado"] for each in verify(service, text).json["citas"]]
    assert states[1:] == ["verificada", "mal_atribuida"]


def test_text_without_citations(service: Client) -> None:
    answer = verify(service, "Hola. Esto es una nota.").json
    assert answer["citas"] == []
    assert set(answer["resumen"].values()) == {0}


def test_headers_name_the_generation(service: Client) -> None:
    assert verify(service, "Hola.").headers["x-siaa-generacion"].startswith("gen-")


# body -> status, code
BAD: list[tuple[bytes, int, str]] = [
    (b"{", 400, "texto_invalido"),
    (b"[]", 400, "texto_invalido"),
    (b"{}", 400, "texto_invalido"),
    (b'{"texto": 5}', 400, "texto_invalido"),
    (b'{"texto": "  "}', 400, "texto_invalido"),
    (b'{"texto": "a\\u0000b"}', 400, "texto_invalido"),
    (b'{"texto": "\\ud800"}', 400, "texto_invalido"),
    (json.dumps({"texto": "a" * 20_001}).encode(), 400, "texto_invalido"),
    (b'{"texto": "' + b"a" * 70_000 + b'"}', 413, "peticion_demasiado_grande"),
]


@pytest.mark.parametrize(("body", "status", "code"), BAD)
def test_bad_bodies(service: Client, body: bytes, status: int, code: str) -> None:
    answer = service.request("POST", "/siaa/citas/verificar", body, Content_Type="application/json")
    assert (answer.status, answer.json["codigo"]) == (status, code)


def test_only_json_by_post(service: Client) -> None:
    assert service.request("POST", "/siaa/citas/verificar", b"x", Content_Type="text/plain").status == 415
    assert service.get("/siaa/citas/verificar").status == 405


# -- links ----------------------------------------------------------------------------------------------------------


def marked_text(page: str) -> str:
    marks = re.findall(r'<mark class="cita">(.*?)</mark>', page, re.DOTALL)
    return html.unescape(re.sub(r"<[^>]+>", "", " ".join(marks)))


def test_the_link_of_a_source_marks_its_very_words(service: Client) -> None:
    for source in service.chat(ANSWERABLE).events[-2]["fuentes"]:
        path, _, anchor = source["enlace"].partition("#")
        page = service.get(path)
        assert page.status == 200
        assert f'id="{anchor}"' in page.text
        assert page.text.count("autofocus") == 1
        words = re.findall(r"\w+", source["cita"])
        assert re.findall(r"\w+", marked_text(page.text)) == words[-len(re.findall(r"\w+", marked_text(page.text))) :]
        assert len(marked_text(page.text)) > len(source["cita"]) * 0.8


# value of cita -> status
SPANS = [
    ("0-10", 200),
    ("999998-999999", 200),
    ("10-10", 400),
    ("10-5", 400),
    ("a-b", 400),
    ("-5", 400),
    ("1-2-3", 400),
]


@pytest.mark.parametrize(("value", "status"), SPANS)
def test_the_span_is_checked(service: Client, value: str, status: int) -> None:
    answer = service.get("/siaa/ver/circular_012_2023.md", cita=value)
    assert answer.status == status


def test_a_span_that_is_gone_is_said(service: Client) -> None:
    assert "La cita ya no está" in service.get("/siaa/ver/circular_012_2023.md", cita="999998-999999").text
