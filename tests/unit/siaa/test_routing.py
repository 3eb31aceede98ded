"""Which document a question reaches, and that its points say why."""

from __future__ import annotations

from pathlib import Path

import pytest

from siaa.retrieval import Retriever
from tests.building import build_retriever

TEXTS = {
    "general/constitucion_politica_1991.md": (
        "# Constitución Política\n\n## Artículo 23\n\nToda persona puede presentar peticiones respetuosas.\n\n"
        "## Artículo 281\n\nEl defensor del pueblo será elegido por la cámara.\n"
    ),
    "normativa/ley_24_de_1992.md": (
        "# Ley 24 de 1992\n\n## Artículo 1\n\nOrganización y funcionamiento de la defensoría.\n\n"
        "## Artículo 281\n\nEl defensor del pueblo será elegido por la cámara.\n"
    ),
    "normativa/ley_820_de_2003.md": (
        "# Ley 820 de 2003\n\n## Artículo 20\n\nReajuste del canon de arrendamiento de vivienda urbana.\n\n"
        "## Artículo 21\n\nTerminación por mutuo acuerdo.\n"
    ),
    "sierju/familia_formulario.md": "# Formulario juzgado de familia\n\n- Inventario inicial\n- Entradas por reparto\n",
    "sierju/familia_manual.md": (
        "# Manual juzgado de familia\n\nInventario inicial es el número de procesos al comenzar. "
        "Entradas por reparto son los procesos asignados.\n"
    ),
}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Retriever:
    return build_retriever(tmp_path_factory.mktemp("rutas"), TEXTS)


def _reached(retriever: Retriever, question: str) -> list[str]:
    return [item.document.name for item in retriever.route(retriever.ask(question)).documents]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("reajuste del canon de arrendamiento", "ley_820_de_2003.md"),  # by its passages
        ("¿Quién elige al defensor del pueblo?", "constitucion_politica_1991.md"),  # the supreme norm of two alike
        ("inventario inicial en juzgado de familia", "familia_manual.md"),  # the manual explains, the form has blanks
        ("¿Qué dice el artículo 1 de la Ley 24 de 1992?", "ley_24_de_1992.md"),  # by its number
        ("¿Qué dice la Ley 24 de 1992 del canon de arrendamiento?", "ley_24_de_1992.md"),  # named: first in any case
    ],
)
def test_first_document(small: Retriever, question: str, first: str) -> None:
    assert _reached(small, question)[0] == first


def test_naming_a_document_gives_one(small: Retriever) -> None:
    routed = small.route(small.ask("terminación del contrato en la Ley 820 de 2003"))
    assert (routed.max_docs, len(routed.documents)) == (1, 1)


def test_norm_that_the_index_lacks_is_reported(small: Retriever) -> None:
    routed = small.route(small.ask("canon de arrendamiento en la Ley 9999 de 2015"))
    assert routed.missing == ("ley_9999",)
    assert routed.documents[0].document.name == "ley_820_de_2003.md"


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("canon de arrendamiento en la ley de 2020", ("ley_2020",)),  # no law of that year
        ("canon de arrendamiento, acuerdo 2023", ("acuerdo_2023",)),  # no agreement at all
        ("canon de arrendamiento en la ley de 2003", ()),  # it may be Ley 820
        ("peticiones en la constitución de 1991", ()),  # there under its name
        ("peticiones en la constitución política", ()),  # neither number nor year
    ],
)
def test_norm_named_by_its_year_that_the_index_lacks_is_reported(
    small: Retriever, question: str, missing: tuple[str, ...]
) -> None:
    assert small.route(small.ask(question)).missing == missing


def test_collection_keeps_others_out(small: Retriever) -> None:
    routed = small.route(small.ask("defensor del pueblo"), collection="normativa")
    assert {item.document.collection for item in routed.documents} == {"normativa"}


def test_no_evidence_gives_no_document(small: Retriever) -> None:
    assert _reached(small, "zzyzx qwfpg") == []


def test_score_is_the_sum_of_its_reasons(small: Retriever) -> None:
    for item in small.route(small.ask("defensor del pueblo según la constitución")).documents:
        assert item.score == sum(contribution.points for contribution in item.contributions)
        assert all(contribution.why for contribution in item.contributions)


def test_documents_below_the_line_score_no_more_than_the_last_chosen(small: Retriever) -> None:
    routed = small.route(small.ask("el defensor del pueblo y el canon de arrendamiento"))
    assert routed.below
    assert max(item.score for item in routed.below) <= min(item.score for item in routed.documents)


def test_level_of_weight_zero_adds_nothing(tmp_path: Path) -> None:
    silent = build_retriever(tmp_path, TEXTS, weights={"pasajes": 0.0})
    routed = silent.route(silent.ask("reajuste del canon de arrendamiento"))
    assert all(c.signal != "pasajes" for item in routed.documents for c in item.contributions)
