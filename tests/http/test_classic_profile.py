"""The examples of the contract with the profile that has its numbers, on the sample corpus: the same answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.http.client import Client
from tests.http.conftest import running
from tests.http.test_contract_examples import FRAGMENTS, LIMIT, PSAA16, ROUTED, get


@pytest.fixture(scope="module")
def classic(sample_index: Path) -> Iterator[Client]:
    """Serve the sample corpus with the profile `clasico`."""
    with running(SIAA_INDEX_DIR=str(sample_index), SIAA_PERFIL="clasico") as client:
        yield client


@pytest.mark.parametrize(("question", "specific", "first"), ROUTED)
def test_enrutar(classic: Client, question: str, specific: bool, first: str | None) -> None:
    answer = get(classic, f"/siaa/enrutar?q={question}").json
    assert answer["doc_especifico"] is specific
    assert answer["max_docs_usados"] == (1 if specific else 2)
    names = [found["doc"] for found in answer["docs_encontrados"]]
    assert 1 <= len(names) <= answer["max_docs_usados"]
    assert names[0] == first if first else PSAA16 in names, names


@pytest.mark.parametrize(("document", "question", "words"), FRAGMENTS)
def test_fragmento(classic: Client, document: str, question: str, words: list[str]) -> None:
    answer = get(classic, f"/siaa/fragmento?doc={document}&q={question}").json
    fragment = answer["fragmento"]
    assert fragment.startswith(f"[DOC:{document.upper()}]\n\n### ")
    assert answer["chars"] == len(fragment) <= LIMIT
    for alternatives in words:
        assert any(word.casefold() in fragment.casefold() for word in alternatives.split("|")), fragment


def test_explained_levels_are_those_of_the_contract(classic: Client) -> None:
    rows = get(classic, "/siaa/enrutar?q=periodicidad+del+formulario+SIERJU&explicar=1").json["explicacion"]
    signals = {level["senal"] for row in rows["documentos"] for level in row["niveles"]}
    assert signals <= {"claves_automaticas", "claves_manuales", "densidad", "nombre_archivo", "norma"}
    assert "densidad" in signals
