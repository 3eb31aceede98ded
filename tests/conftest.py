"""The sample corpus, indexed once for all tests that ask it."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.build import build
from indexer.reporting import Reporter
from siaa.config import Settings
from siaa.generation import Generation, open_current
from siaa.profile import load_profile
from siaa.retrieval import Retriever


@pytest.fixture(scope="session")
def sample_generation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Generation]:
    """Return the project's own corpus as an open generation."""
    settings = Settings(index_dir=tmp_path_factory.mktemp("muestra"))
    build(settings, Reporter(io.StringIO()))
    generation = open_current(settings.index_dir)
    yield generation
    generation.close()


@pytest.fixture(scope="session")
def sample(sample_generation: Generation) -> Retriever:
    """Return a retriever over the sample corpus with the default profile."""
    profile = load_profile(sample_generation, "calibrado")
    return Retriever(sample_generation, profile=profile, max_docs=2, max_chunks=3)


@pytest.fixture(scope="session")
def sample_questions() -> list[dict[str, object]]:
    """Return the project's own questions on the sample corpus."""
    import json

    path = Path(__file__).parent / "eval" / "muestra" / "questions.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
