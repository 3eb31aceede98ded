"""The n with tilde is a letter: "ano" finds "año" only where no document says "ano", and never the other way round."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from indexer.build import build
from indexer.reporting import Reporter
from siaa.config import Settings
from siaa.generation import open_current
from siaa.profile import load_profile
from siaa.retrieval import Retriever
from tests.indexer.conftest import write_corpus

YEAR = {"calendario.md": "# Calendario\n\nEl año judicial empieza en enero.\n"}
ANATOMY = {"salud.md": "# Salud\n\nLa revisión del ano la hace el médico.\n"}


def _first(folder: Path, files: dict[str, str], question: str) -> list[str]:
    write_corpus(folder / "corpus", files)
    settings = Settings(corpus_dir=folder / "corpus", index_dir=folder / "indice")
    build(settings, Reporter(io.StringIO()))
    generation = open_current(settings.index_dir)
    retriever = Retriever(generation, profile=load_profile(generation, "calibrado"), max_docs=2, max_chunks=3)
    return [item.document.name for item in retriever.route(retriever.ask(question)).documents]


@pytest.mark.parametrize(
    ("files", "question", "found"),
    [
        (YEAR, "ano judicial", ["calendario.md"]),  # typed without the tilde, and only the year exists
        (YEAR, "ano", ["calendario.md"]),  # alone too
        (YEAR | ANATOMY, "ano", ["salud.md"]),  # both exist: what was typed is meant
        (YEAR | ANATOMY, "año", ["calendario.md"]),  # never the reverse
        (ANATOMY, "año", []),
    ],
)
def test_letter_with_tilde(tmp_path: Path, files: dict[str, str], question: str, found: list[str]) -> None:
    assert _first(tmp_path, files, question) == found
