"""A small corpus and the settings to build it."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from indexer.build import BuildResult, build
from indexer.reporting import Reporter
from siaa.config import Settings

TWO_DOCUMENTS = {
    "acuerdo_5_2020.md": "# Acuerdo 5 de 2020\n\n## ARTÍCULO 1º — PLAZO\n\nEl plazo vence el quinto día hábil.\n",
    "normativa/guia_reparto.md": "# Guía de reparto\n\nEl reparto de las demandas se hace el mismo día.\n",
}


def write_corpus(folder: Path, files: dict[str, str]) -> None:
    """Write `files` below `folder`."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Return settings over a corpus of two documents in a folder of their own."""
    write_corpus(tmp_path / "corpus", TWO_DOCUMENTS)
    return Settings(corpus_dir=tmp_path / "corpus", index_dir=tmp_path / "indice")


@pytest.fixture
def run_build(settings: Settings) -> Callable[..., tuple[BuildResult, str]]:
    """Return a function that builds and gives the result and what the terminal showed."""

    def run(**changes: object) -> tuple[BuildResult, str]:
        screen = io.StringIO()
        result = build(settings.model_copy(update=changes), Reporter(screen))
        return result, screen.getvalue()

    return run
