"""Which passage of a document answers, and that its points say why."""

from __future__ import annotations

from pathlib import Path

import pytest

from siaa.retrieval import Retriever, Selected
from tests.building import build_retriever

ACUERDO = """# Acuerdo PSAA16-10476

El Consejo expide este acuerdo en la ciudad de Bogotá.

## Artículo 4. Roles del sistema

El sistema tiene administradores y usuarios que cargan los datos.

## Artículo 5. Funcionarios responsables

Son responsables los jueces y los magistrados de cada despacho.

## Artículo 6. Periodicidad

El reporte se presenta dentro de los cinco días hábiles siguientes al trimestre. Véase el artículo 5.

## Artículo 20. Sanciones

Quien no reporte a tiempo responde ante la autoridad disciplinaria.

## Publicación

Comuníquese. Diana Pérez, presidenta.
"""
OTRO = "# Guía de audiencias\n\nLas audiencias se graban y los jueces las presiden.\n"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Retriever:
    return build_retriever(
        tmp_path_factory.mktemp("pasajes"), {"general/acuerdo_psaa16-10476.md": ACUERDO, "general/guia.md": OTRO}
    )


def _select(retriever: Retriever, question: str) -> Selected:
    document = next(d for d in retriever.generation.documents if d.name.startswith("acuerdo"))
    return retriever.select(retriever.ask(question), document)


def _best(retriever: Retriever, question: str) -> str:
    return max(_select(retriever, question).chosen, key=lambda scored: scored.score).passage.article


@pytest.mark.parametrize(
    ("question", "article"),
    [
        ("¿Cada cuánto se presenta el reporte?", "6"),  # by its words
        ("¿Qué dice el artículo 5 del PSAA16-10476?", "5"),  # the article itself, not the one that mentions it
        ("periodicidad", "6"),  # by its heading alone
        ("quien responde ante la autoridad disciplinaria", "20"),  # by words close to each other
    ],
)
def test_best_passage(small: Retriever, question: str, article: str) -> None:
    assert _best(small, question) == article


def test_who_signs_is_looked_for_at_both_ends(small: Retriever) -> None:
    """The name is under no word of the question."""
    fragment = _select(small, "¿Quién firmó el PSAA16-10476?").fragment
    assert "Diana Pérez" in fragment.text


def test_score_is_the_sum_of_its_reasons(small: Retriever) -> None:
    selected = _select(small, "sanciones por no presentar el reporte")
    for scored in (*selected.chosen, *selected.below):
        assert scored.score == sum(contribution.points for contribution in scored.contributions)
        assert all(contribution.why for contribution in scored.contributions)


def test_word_of_the_same_family_counts_less_than_the_word_itself(tmp_path: Path) -> None:
    text = "# Ley\n\n## Uno\n\nTodos son iguales aquí.\n\n## Dos\n\nLa igualdad rige.\n\n## Tres\n\nNada de eso.\n"
    retriever = build_retriever(tmp_path, {"general/ley.md": text, "general/guia.md": OTRO})
    document = next(d for d in retriever.generation.documents if d.name == "ley.md")
    chosen = {c.passage.heading: c for c in retriever.select(retriever.ask("¿Qué igualdad hay?"), document).chosen}
    assert [c.signal for c in chosen["Uno"].contributions if c.signal in ("base", "parientes")] == ["parientes"]
    assert chosen["Dos"].score > chosen["Uno"].score
    assert "Tres" not in chosen


def test_other_half_of_a_cut_paragraph_follows_the_half_that_answers(tmp_path: Path) -> None:
    filler = " ".join(f"El oficio número {n} se archiva sin más." for n in range(100, 125))
    text = f"# Guía\n\n## Archivo\n\nLa custodia empieza así. {filler}\n\n## Otro\n\nSe archiva.\n"
    retriever = build_retriever(tmp_path, {"general/guia.md": text, "general/otra.md": OTRO})
    document = next(d for d in retriever.generation.documents if d.name == "guia.md")
    chosen = retriever.select(retriever.ask("custodia"), document).chosen
    first, second = sorted(chosen, key=lambda scored: scored.passage.start)[:2]
    assert "vecino" not in {c.signal for c in first.contributions}
    assert [c.signal for c in second.contributions] == ["vecino"]


def test_title_of_the_document_is_no_heading_to_cover(tmp_path: Path) -> None:
    text = "# Reglamento de custodia\n\nPresentación del texto.\n\n## Custodia de bienes\n\nLa llevan otros.\n"
    retriever = build_retriever(tmp_path, {"general/reglamento.md": text, "general/otra.md": OTRO})
    document = next(d for d in retriever.generation.documents if d.name == "reglamento.md")
    chosen = retriever.select(retriever.ask("custodia"), document).chosen
    covered = {c.passage.heading for c in chosen if any(x.signal == "encabezado" for x in c.contributions)}
    assert covered == {"Custodia de bienes"}


def test_question_without_known_terms_gets_the_beginning(small: Retriever) -> None:
    selected = _select(small, "zzyzx qwfpg")
    assert [scored.passage.ordinal for scored in selected.chosen] == [0]


def test_classic_profile_scores_by_tfidf(tmp_path: Path) -> None:
    classic = build_retriever(
        tmp_path, {"general/acuerdo_psaa16-10476.md": ACUERDO, "general/guia.md": OTRO}, profile="clasico"
    )
    assert _best(classic, "¿Qué dice el artículo 5 del PSAA16-10476?") == "5"
