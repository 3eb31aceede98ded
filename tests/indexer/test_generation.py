"""Opening a generation: names, slices, and what damage is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from indexer.build import BuildResult
from siaa.config import Settings
from siaa.errors import AmbiguousDocumentError, ConfigError, GenerationError, UnknownDocumentError
from siaa.generation import CURRENT, Generation, current_name, open_current
from siaa.profile import load_profile
from tests.indexer.conftest import write_corpus

Run = Callable[..., tuple[BuildResult, str]]


@pytest.fixture
def generation(run_build: Run, settings: Settings) -> Generation:
    """Return an open generation with one name that two documents bear."""
    write_corpus(
        settings.corpus_dir,
        {"sierju/acuerdo_5_2020.md": "# Otro\n\nTexto.\n", "Circular Nº 5 – Año.MD": "# C\n\nTexto.\n"},
    )
    run_build()
    return open_current(settings.index_dir)


@pytest.mark.parametrize(
    "name",
    [
        "guia_reparto.md",  # the bare name
        "normativa/guia_reparto.md",  # the path
        "GUIA_Reparto.MD",  # any case
        "guía_reparto.md",  # with an accent that the file lacks
    ],
)
def test_document_is_found_by_any_of_its_names(generation: Generation, name: str) -> None:
    assert generation.find(name).doc_id == "normativa/guia_reparto.md"


@pytest.mark.parametrize("name", ["circular nº 5 – año.md", "Circular Nº 5 - Año.MD"])
def test_name_with_signs_is_found(generation: Generation, name: str) -> None:
    assert generation.find(name).name == "Circular Nº 5 – Año.MD"


def test_name_of_two_documents_is_ambiguous(generation: Generation) -> None:
    with pytest.raises(AmbiguousDocumentError) as error:
        generation.find("acuerdo_5_2020.md")
    assert error.value.suggestions == ("general/acuerdo_5_2020.md", "sierju/acuerdo_5_2020.md")


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "..\\x", "x\0.md", "guia_repato.md", ""])
def test_unknown_name_never_reaches_the_disk(generation: Generation, name: str) -> None:
    with pytest.raises(UnknownDocumentError):
        generation.find(name)


def test_near_name_is_suggested(generation: Generation) -> None:
    with pytest.raises(UnknownDocumentError) as error:
        generation.find("guia_repato.md")
    assert "guia_reparto.md" in error.value.suggestions


def test_slices_are_those_of_the_text(generation: Generation) -> None:
    document = generation.find("guia_reparto.md")
    text = generation.text_of(document)
    assert len(text) == document.size
    assert generation.slice(document, 3, 40) == text[3:40]


@pytest.mark.parametrize("content", ["", "otra-cosa", "gen-../../x", "gen-20200101T000000Z-aaaaaaaa"])
def test_current_that_names_no_generation_is_refused(generation: Generation, settings: Settings, content: str) -> None:
    (settings.index_dir / CURRENT).write_text(content)
    with pytest.raises(GenerationError):
        open_current(settings.index_dir)


def test_no_index_is_a_clear_sentence(tmp_path: Path) -> None:
    assert current_name(tmp_path) is None
    with pytest.raises(GenerationError, match="make index"):
        open_current(tmp_path)


def test_every_damaged_file_is_refused(generation: Generation, settings: Settings) -> None:
    """Flip one byte in the middle of each file, one after the other: nothing damaged is ever opened."""
    for path in sorted(p for p in generation.folder.rglob("*") if p.is_file()):
        whole = path.read_bytes()
        if not whole:
            continue
        middle = len(whole) // 2
        path.write_bytes(whole[:middle] + bytes([whole[middle] ^ 0xFF]) + whole[middle + 1 :])
        with pytest.raises(GenerationError):
            open_current(settings.index_dir)
        path.write_bytes(whole)
    open_current(settings.index_dir)


def test_missing_and_added_files_are_refused(generation: Generation, settings: Settings) -> None:
    (generation.folder / "arrays" / "intruso.npy").write_bytes(b"x")
    with pytest.raises(GenerationError, match=r"intruso\.npy"):
        open_current(settings.index_dir)


def test_generation_of_another_format_is_refused(generation: Generation, settings: Settings) -> None:
    path = generation.folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"format": 0}))
    with pytest.raises(GenerationError, match="otra versión"):
        open_current(settings.index_dir)


@pytest.mark.parametrize("change", [{"documents": "muchos"}, {"reports": [{"path": "x.md"}]}, {"files": None}])
def test_manifest_with_values_of_other_types_is_refused(
    generation: Generation, settings: Settings, change: dict[str, object]
) -> None:
    path = generation.folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(GenerationError, match="no se puede leer"):
        open_current(settings.index_dir)


def test_unknown_profile_lists_the_known_ones(generation: Generation) -> None:
    with pytest.raises(ConfigError, match="calibrado, clasico"):
        load_profile(generation, "otro")
