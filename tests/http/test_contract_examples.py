"""Every request that the two specification texts give as an example, on the sample corpus.

The same keys, the same `doc_especifico` and first document, and the articles and words that they name in the fragment;
sizes and numbers of chunks are those of our text.
"""

from __future__ import annotations

from typing import Any

import pytest

from siaa.config import CHUNK_SIZE
from tests.http.client import Answer, Client

PSAA16 = "acuerdo_no._psaa16-10476.md"
PCSJA19 = "acuerdo_pcsja19-11207.md"
LIMIT = 3 * CHUNK_SIZE


def get(client: Client, target: str) -> Answer:
    """Ask as curl does: the address as it is written, in UTF-8."""
    answer = client.raw_get(target.encode())
    assert answer.status == 200, answer.text
    assert answer.headers["content-type"] == "application/json; charset=utf-8"
    assert answer.headers["x-siaa-generacion"].startswith("gen-")
    return answer


# question as written in the address -> doc_especifico, first document
ROUTED: list[tuple[str, bool, str | None]] = [
    ("¿Cuál+es+la+periodicidad+del+reporte+SIERJU?", False, PSAA16),  # request
    ("¿Qué+dice+el+artículo+5+del+PSAA16?", True, PSAA16),  # specific document reference
    ("¿Quién+debe+capacitar+sobre+SIERJU?", False, PCSJA19),  # debugging wrong document selection
    ("periodicidad+del+formulario+SIERJU", False, PSAA16),  # formal phrasing
    ("cada+cuánto+reporto+en+SIERJU", False, None),  # casual phrasing: the guide may come before the agreement
    ("acuerdo+psaa16+10476", True, PSAA16),  # multi-level routing
    ("circular+2023", True, "circular_012_2023.md"),  # should set doc_especifico = true
    ("periodicidad+de+reportes", False, PSAA16),  # should set doc_especifico = false
]


@pytest.mark.parametrize(("question", "specific", "first"), ROUTED)
def test_enrutar(service: Client, question: str, specific: bool, first: str | None) -> None:
    answer = get(service, f"/siaa/enrutar?q={question}").json
    assert list(answer) == ["pregunta", "doc_especifico", "max_docs_usados", "docs_encontrados"]
    assert answer["pregunta"] == question.replace("+", " ")
    assert answer["doc_especifico"] is specific
    assert answer["max_docs_usados"] == (1 if specific else 2)
    assert 1 <= len(answer["docs_encontrados"]) <= answer["max_docs_usados"]
    for found in answer["docs_encontrados"]:
        assert list(found) == ["doc", "tamano", "coleccion", "chunks"]
    names = [found["doc"] for found in answer["docs_encontrados"]]
    assert names[0] == first if first else PSAA16 in names


def test_enrutar_first_example_finds_the_same_documents(service: Client) -> None:
    answer = get(service, "/siaa/enrutar?q=¿Cuál+es+la+periodicidad+del+reporte+SIERJU?").json
    first = answer["docs_encontrados"][0]
    assert (first["doc"], first["coleccion"]) == (PSAA16, "general")
    assert first["tamano"] >= 20_000
    assert first["chunks"] > 20


# document, question -> words that must be in the fragment, folded as they stand
FRAGMENTS = [
    (PSAA16, "funcionarios+responsables", ["ARTÍCULO 5", "ARTÍCULO 7"]),  # the example
    (PSAA16, "¿Cuáles+son+los+funcionarios+responsables?", ["ARTÍCULO 5"]),  # q of the table
    (PSAA16, "¿Qué+pasa+si+no+reporto+a+tiempo?", ["disciplinari"]),  # "sanction information"
    (PCSJA19, "¿Quién+capacita?", ["CENDOJ|UDAE|capacitación"]),
    (PSAA16, "reportar", []),
    (PSAA16, "¿Cuándo+debo+reportar?", ["periodicidad", "plazo", "quinto día hábil"]),
    (PSAA16, "artículo+5", ["ARTÍCULO 5"]),
    ("guia_civil_municipal.md", "procedimiento+de+ingreso", ["ingreso"]),
    (PSAA16, "artículo+19+y+20+sanciones", ["ARTÍCULO 19", "ARTÍCULO 20"]),
]


@pytest.mark.parametrize(("document", "question", "words"), FRAGMENTS)
def test_fragmento(service: Client, document: str, question: str, words: list[str]) -> None:
    answer = get(service, f"/siaa/fragmento?doc={document}&q={question}").json
    assert list(answer) == ["documento", "pregunta", "fragmento", "chars"]
    assert (answer["documento"], answer["pregunta"]) == (document, question.replace("+", " "))
    fragment = answer["fragmento"]
    assert fragment.startswith(f"[DOC:{document.upper()}]\n\n### ")
    assert answer["chars"] == len(fragment) <= LIMIT
    for alternatives in words:
        assert any(word.casefold() in fragment.casefold() for word in alternatives.split("|")), fragment


def test_fragmento_first_example_shows_headings(service: Client) -> None:
    fragment = get(service, f"/siaa/fragmento?doc={PSAA16}&q=funcionarios+responsables").json["fragmento"]
    headings = [line for line in fragment.splitlines() if line.startswith("### ")]
    assert any("FUNCIONARIOS RESPONSABLES" in line.upper() for line in headings)


# -- the other endpoints of the contract, once each ------------------------------------------------------------------


def test_explained_routing(service: Client) -> None:
    answer = get(service, "/siaa/enrutar?q=¿Qué+dice+la+Ley+9999+de+2001+sobre+SIERJU?&explicar=1").json
    explanation = answer.pop("explicacion")
    assert list(answer) == ["pregunta", "doc_especifico", "max_docs_usados", "docs_encontrados"]
    assert list(explanation) == ["documentos", "por_debajo", "normas_ausentes", "rechazo"]
    assert len(explanation["normas_ausentes"]) == 1
    for row, found in zip(explanation["documentos"], answer["docs_encontrados"], strict=True):
        assert row["doc"] == found["doc"]
        assert row["puntaje"] == pytest.approx(sum(level["puntos"] for level in row["niveles"]), abs=0.01)
        assert all(list(level) == ["nivel", "senal", "puntos", "motivo"] for level in row["niveles"])


def test_explained_routing_names_a_missing_norm_of_which_only_the_year_is_told(service: Client) -> None:
    answer = get(service, "/siaa/enrutar?q=acuerdo+2023+periodicidad+del+reporte&explicar=1").json
    assert answer["explicacion"]["normas_ausentes"] == ["acuerdo_2023"]
    answer = get(service, "/siaa/enrutar?q=acuerdo+2019+informe+del+reporte&explicar=1").json
    assert answer["explicacion"]["normas_ausentes"] == []


def test_explained_fragment(service: Client) -> None:
    target = f"/siaa/fragmento?doc={PSAA16}&q=funcionarios+responsables"
    answer = get(service, f"{target}&explicar=1").json
    explanation = answer.pop("explicacion")
    assert answer == get(service, target).json
    assert list(explanation) == ["trozos", "por_debajo", "normas_ausentes", "rechazo"]
    for chunk in explanation["trozos"]:
        assert chunk["puntaje"] == pytest.approx(sum(signal["puntos"] for signal in chunk["senales"]), abs=0.01)


def test_a_collection_can_be_searched_alone(service: Client) -> None:
    answer = get(service, "/siaa/enrutar?q=periodicidad+del+reporte+SIERJU&coleccion=SIERJU").json
    assert {found["coleccion"] for found in answer["docs_encontrados"]} == {"sierju"}


def test_keywords(service: Client) -> None:
    answer = get(service, f"/siaa/keywords/{PSAA16.upper()}").json
    assert list(answer) == ["doc", "coleccion", "keywords", "detalle"]
    assert answer["doc"] == PSAA16
    assert [row["termino"] for row in answer["detalle"]] == answer["keywords"]
    assert sum(row["origen"] == "auto" for row in answer["detalle"]) <= 20
    assert all(list(row) == ["termino", "peso", "origen"] for row in answer["detalle"])


def test_a_path_takes_its_slash_raw_or_encoded(service: Client) -> None:
    listed = get(service, "/siaa/documentos?coleccion=sierju").json["documentos"]
    name = listed[0]["doc"].rsplit("/", 1)[-1]
    for endpoint in ("keywords", "ver"):
        raw = service.get(f"/siaa/{endpoint}/sierju/{name}")
        encoded = service.get(f"/siaa/{endpoint}/sierju%2F{name}")
        assert (raw.status, encoded.status) == (200, 200)
        assert raw.body == encoded.body


def test_density(service: Client) -> None:
    answer = get(service, "/siaa/densidad/SIERJU").json
    assert list(answer) == ["termino", "top_docs", "total_docs"]
    values = [row["densidad"] for row in answer["top_docs"]]
    assert values == sorted(values, reverse=True)
    assert 1 <= len(values) <= 10
    assert all(value == round(value, 6) for value in values)


def test_debug_tokens(service: Client) -> None:
    answer = get(service, "/siaa/debug_tokens?q=¿Cuándo+debo+reportar+según+el+artículo+5+del+PSAA16-10476?+xqzw").json
    assert list(answer) == [
        "pregunta_original", "pregunta_normalizada", "tokens", "referencias", "expansion", "correcciones",
        "tokens_con_match", "tokens_sin_match", "docs_candidatos",
    ]  # fmt: skip
    assert "art_5" in answer["referencias"]
    assert answer["expansion"]
    assert "xqzw" in answer["tokens_sin_match"]
    assert PSAA16 in answer["docs_candidatos"]


def test_documents(service: Client) -> None:
    answer = get(service, "/siaa/documentos").json
    assert list(answer) == ["total", "documentos"]
    assert answer["total"] == len(answer["documentos"]) >= 14
    keys = ["doc", "titulo", "coleccion", "tamano", "chunks", "articulos", "avisos"]
    assert all(list(row) == keys for row in answer["documentos"])
    assert {row["coleccion"] for row in answer["documentos"]} == {"general", "normativa", "sierju"}
    assert [row["doc"] for row in get(service, "/siaa/documentos?q=PSAA16").json["documentos"]] == [PSAA16]


@pytest.mark.parametrize("path", ["/siaa/estado", "/siaa/status"])
def test_state(service: Client, path: str) -> None:
    answer = get(service, path).json
    assert list(answer) == [
        "status", "version", "generacion", "documentos_cargados", "chunks", "colecciones", "model", "modelo_disponible",
        "usuarios_activos", "cache", "indice",
    ]  # fmt: skip
    assert (answer["status"], answer["modelo_disponible"]) == ("ok", False)
    assert list(answer["indice"]) == ["construido", "actualizado"]
    assert sum(answer["colecciones"].values()) == answer["documentos_cargados"]


def test_health(service: Client) -> None:
    assert service.get("/healthz").json == {"status": "ok"}
    assert service.get("/readyz").json["status"] == "listo"
    assert service.request("POST", "/siaa/recargar").json["recargado"] is False


# accents, capitals, NFD, typographic signs: the same documents and the same fragment
VARIANTS = [
    "¿CUÁL ES LA PERIODICIDAD DEL REPORTE SIERJU?",
    "cual es la periodicidad del reporte sierju",
    "¿Cua\u0301l es la periodicidad del reporte SIERJU?",
    "“¿Cuál es la periodicidad del reporte SIERJU?”",
]


@pytest.mark.parametrize("question", VARIANTS)
def test_accents_and_case_make_no_difference(service: Client, question: str) -> None:
    def answer(raw: str) -> tuple[Any, Any]:
        routed = service.get("/siaa/enrutar", q=raw).json["docs_encontrados"]
        return routed, service.get("/siaa/fragmento", doc=PSAA16, q=raw).json["fragmento"]

    assert answer(question) == answer("¿Cuál es la periodicidad del reporte SIERJU?")
