"""What a build publishes, when it has nothing to do, and what stops it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from indexer import publishing, reading
from indexer.build import BuildResult
from indexer.corpus import Listing, SourceFile
from siaa.config import Settings
from siaa.errors import BuildLockedError, ConfigError, CorpusError, GenerationError
from siaa.generation import CURRENT, current_name, open_current
from tests.indexer.conftest import write_corpus

Run = Callable[..., tuple[BuildResult, str]]


def test_first_build_publishes_every_document(run_build: Run, settings: Settings) -> None:
    result, _ = run_build()
    generation = open_current(settings.index_dir)
    assert result.published
    assert [document.doc_id for document in generation.documents] == [
        "general/acuerdo_5_2020.md",
        "normativa/guia_reparto.md",
    ]
    assert generation.manifest.collections == {"general": 1, "normativa": 1}
    assert {report.state for report in generation.manifest.reports} == {"indexado"}


def test_unchanged_input_is_nothing_to_do(run_build: Run) -> None:
    first, _ = run_build()
    second, _ = run_build()
    assert not second.published
    assert second.manifest.name == first.manifest.name


def test_changed_text_makes_a_new_generation(run_build: Run, settings: Settings) -> None:
    first, _ = run_build()
    write_corpus(settings.corpus_dir, {"acuerdo_5_2020.md": "# Acuerdo 5 de 2020\n\nQueda sin plazo.\n"})
    second, _ = run_build()
    assert second.published
    assert second.manifest.inputs != first.manifest.inputs


def test_deleted_document_is_no_longer_found(run_build: Run, settings: Settings) -> None:
    run_build()
    (settings.corpus_dir / "acuerdo_5_2020.md").unlink()
    run_build()
    assert [document.name for document in open_current(settings.index_dir).documents] == ["guia_reparto.md"]


def test_changed_tuning_makes_a_new_generation(run_build: Run, tmp_path: Path) -> None:
    config = tmp_path / "ajustes"
    write_corpus(config, {"palabras_clave.toml": '[documentos]\n"guia_reparto.md" = ["demandas"]\n'})
    first, _ = run_build(config_dir=config)
    write_corpus(config, {"palabras_clave.toml": '[documentos]\n"guia_reparto.md" = ["reparto diario"]\n'})
    second, _ = run_build(config_dir=config)
    assert first.manifest.name != second.manifest.name


def test_manual_keyword_for_an_unknown_document_is_said(run_build: Run, tmp_path: Path) -> None:
    write_corpus(tmp_path / "ajustes", {"palabras_clave.toml": '[documentos]\n"no_existe.md" = ["plazo"]\n'})
    _, screen = run_build(config_dir=tmp_path / "ajustes")
    assert "no_existe.md" in screen


def test_broken_table_publishes_nothing(run_build: Run, settings: Settings, tmp_path: Path) -> None:
    run_build()
    before = current_name(settings.index_dir)
    write_corpus(tmp_path / "ajustes", {"sinonimos.toml": "grupos = ["})
    with pytest.raises(ConfigError, match=r"sinonimos\.toml"):
        run_build(config_dir=tmp_path / "ajustes")
    assert current_name(settings.index_dir) == before
    assert not list(settings.index_dir.glob("tmp-*"))


def test_bad_file_never_stops_a_run(run_build: Run, settings: Settings) -> None:
    (settings.corpus_dir / "escaneo.md").write_bytes(b"%PDF-1.7\n" + bytes(range(256)) * 40)
    (settings.corpus_dir / "hoja.xlsx").write_bytes(b"PK")
    result, _ = run_build()
    left_out = {report.path: report.reasons for report in result.manifest.reports if report.state == "excluido"}
    assert set(left_out) == {"general/escaneo.md", "hoja.xlsx"}
    assert "parece un PDF" in left_out["general/escaneo.md"][0]
    assert "formato no admitido (.xlsx)" in left_out["hoja.xlsx"][0]
    assert result.manifest.documents == 2


def test_a_file_that_vanishes_while_it_is_read_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listing = Listing((SourceFile(tmp_path / "no.md", "general/no.md", "general"),), ())
    monkeypatch.setattr(reading, "list_corpus", lambda folder: listing)
    corpus = reading.read_files(tmp_path)
    assert not corpus.files
    assert "no se pudo leer el archivo: desapareció" in corpus.reports[0].reasons[0]


def test_empty_document_is_indexed_without_passages(run_build: Run, settings: Settings) -> None:
    write_corpus(settings.corpus_dir, {"vacio.md": ""})
    result, _ = run_build()
    document = open_current(settings.index_dir).find("vacio.md")
    assert (document.size, document.passage_count) == (0, 0)
    assert next(r for r in result.manifest.reports if r.path == "general/vacio.md").state == "con_avisos"


def test_corpus_without_documents_publishes_nothing(run_build: Run, settings: Settings, tmp_path: Path) -> None:
    run_build()
    (tmp_path / "otro").mkdir()
    with pytest.raises(CorpusError, match="ningún documento"):
        run_build(corpus_dir=tmp_path / "otro")
    assert len(open_current(settings.index_dir).documents) == 2


def test_missing_corpus_is_a_clear_sentence(run_build: Run, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="SIAA_CORPUS_DIR"):
        run_build(corpus_dir=tmp_path / "no_esta")


def test_two_files_with_one_path_are_an_error(run_build: Run, settings: Settings) -> None:
    write_corpus(settings.corpus_dir, {"general/acuerdo_5_2020.md": "# Otro\n\nTexto.\n"})
    with pytest.raises(CorpusError, match="misma ruta"):
        run_build()


def test_same_name_in_two_collections_is_answered_by_path(run_build: Run, settings: Settings) -> None:
    write_corpus(settings.corpus_dir, {"normativa/acuerdo_5_2020.md": "# Copia\n\nTexto de la copia.\n"})
    run_build()
    names = [document.name for document in open_current(settings.index_dir).documents]
    assert names == ["general/acuerdo_5_2020.md", "normativa/acuerdo_5_2020.md", "guia_reparto.md"]


def test_second_build_at_once_is_refused(run_build: Run, settings: Settings) -> None:
    with publishing.build_lock(settings.index_dir), pytest.raises(BuildLockedError):
        run_build()


def test_what_a_killed_build_left_is_removed(run_build: Run, settings: Settings) -> None:
    run_build()
    (settings.index_dir / "tmp-999" / "whoosh").mkdir(parents=True)
    run_build()
    assert not list(settings.index_dir.glob("tmp-*"))


def test_damaged_generation_is_replaced(run_build: Run, settings: Settings) -> None:
    first, _ = run_build()
    victim = settings.index_dir / first.manifest.name / "documents.json"
    victim.write_bytes(victim.read_bytes()[:-5])
    with pytest.raises(GenerationError, match=r"documents\.json"):
        open_current(settings.index_dir)
    second, _ = run_build()
    assert second.published
    assert open_current(settings.index_dir).name == second.manifest.name


def test_only_three_generations_are_kept(run_build: Run, settings: Settings) -> None:
    for number in range(5):
        write_corpus(settings.corpus_dir, {"nota.md": f"# Nota {number}\n\nTexto.\n"})
        run_build()
    kept = sorted(path.name for path in settings.index_dir.glob("gen-*"))
    assert len(kept) == publishing.KEPT
    assert (settings.index_dir / CURRENT).read_text().strip() in kept


def test_index_folder_that_is_a_file_is_a_clear_sentence(run_build: Run, settings: Settings) -> None:
    settings.index_dir.write_text("no soy una carpeta")
    with pytest.raises(GenerationError, match="carpeta del índice"):
        run_build()


def test_linked_folder_is_left_out_and_said(run_build: Run, settings: Settings, tmp_path: Path) -> None:
    write_corpus(tmp_path / "fuera", {"ajeno.md": "# Ajeno\n\nTexto.\n"})
    (settings.corpus_dir / "enlace").symlink_to(tmp_path / "fuera", target_is_directory=True)
    result, _ = run_build()
    assert {r.path: r.state for r in result.manifest.reports}["enlace"] == "excluido"
    assert result.manifest.documents == 2


def test_link_to_a_file_outside_and_hidden_file_are_left_out_and_said(
    run_build: Run, settings: Settings, tmp_path: Path
) -> None:
    secret = tmp_path / "secreto.txt"
    secret.write_text("clave de la base de datos", encoding="utf-8")
    (settings.corpus_dir / "enlace.md").symlink_to(secret)
    (settings.corpus_dir / "dentro.md").symlink_to(settings.corpus_dir / "acuerdo_5_2020.md")
    write_corpus(settings.corpus_dir, {".oculto.md": "# Oculto\n"})
    result, _ = run_build()
    states = {report.path: report.state for report in result.manifest.reports}
    assert (states["enlace.md"], states[".oculto.md"], states["general/dentro.md"]) == (
        "excluido",
        "excluido",
        "indexado",
    )


def test_name_with_a_control_character_is_shown_without_it(run_build: Run, settings: Settings) -> None:
    write_corpus(settings.corpus_dir, {"a\nb.md": "# A\n\nTexto.\n"})
    result, _ = run_build()
    assert {r.path: r.state for r in result.manifest.reports}["a?b.md"] == "excluido"
