"""A build that goes on from the published generation gives what a build of everything gives.

1. Equal: every file of the generation to the byte, but the Whoosh index, whose live postings and stored fields are the
   same, and the record of where Whoosh has each passage.
2. Only what is new or changed is read; a table of how text is analysed that changed means to read everything.
3. Documents deleted from Whoosh stay few, and so do its segments.
"""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from indexer import reuse
from indexer.build import BuildResult, build
from indexer.linguistics import sample_share
from indexer.reporting import Reporter
from siaa.config import OWN_CONFIG_DIR, Settings
from siaa.generation import DOCUMENTS, MANIFEST, WHOOSH, Generation, open_generation
from siaa.search import kept_postings, whoosh_index
from tests.indexer.conftest import write_corpus

DOCUMENTS_OF_TEST = {
    "acuerdo_5_2020.md": "# Acuerdo 5 de 2020\n\n## ARTÍCULO 1º — PLAZO\n\nEl plazo vence el quinto día hábil.\n\n"
    "## ARTÍCULO 2º — RECURSO\n\nContra esta decisión procede el recurso de apelación.\n",
    "circular_7.txt": "CIRCULAR 7\n\nLos juzgados reportan la estadística trimestral del despacho en la plataforma.\n",
    "manuales/manual_reparto.md": "# Manual de reparto\n\nEl reparto de las demandas se hace el mismo día.\n\n"
    "1. Revise la demanda.\n2. Regístrela.\n\nEl Código General del Proceso (Ley 1564 de 2012) rige el reparto.\n",
    "normativa/ley_1564_de_2012.md": "# Ley 1564 de 2012\n\n**ARTÍCULO 1. Objeto.** Este código regula los procesos.\n",
    "normativa/zz_final.md": "# Documento final\n\nUn texto más sobre el archivo de los expedientes judiciales.\n",
}


def put(name: str, text: str) -> Callable[[Path], None]:
    """Write or replace one document."""
    return lambda folder: write_corpus(folder, {name: text})


def remove(name: str) -> Callable[[Path], None]:
    """Delete one document."""
    return lambda folder: (folder / name).unlink()


def rename(old: str, new: str) -> Callable[[Path], None]:
    """Give one document another path."""

    def change(folder: Path) -> None:
        (folder / new).parent.mkdir(parents=True, exist_ok=True)
        (folder / old).rename(folder / new)

    return change


def all_of(*changes: Callable[[Path], None]) -> Callable[[Path], None]:
    """Make several changes at once."""

    def change(folder: Path) -> None:
        for one in changes:
            one(folder)

    return change


LONG_AND_NEW = "# Novedad\n\n" + "\n\n".join(f"Párrafo {n} sobre la novedad número {n} del archivo." for n in range(60))

CHANGES = {
    # an article more in the middle of the corpus
    "changed": (put("circular_7.txt", "CIRCULAR 7\n\nSe reporta el quinto día.\n\nSe reporta en la plataforma.\n"), 4),
    "first": (put("acuerdo_5_2020.md", "# Acuerdo 5 de 2020\n\nEl plazo es otro.\n"), 4),
    "last": (put("normativa/zz_final.md", "# Documento final\n\nOtro texto, sin expedientes.\n"), 4),
    "added": (
        put("manuales/guia_nueva.md", "# Guía nueva\n\nLas tutelas se radican en línea, según la Ley 9 de 1999.\n"),
        5,
    ),
    "long": (put("manuales/a_larga.md", LONG_AND_NEW), 5),
    "removed": (remove("manuales/manual_reparto.md"), 4),
    "renamed": (rename("circular_7.txt", "normativa/circular_siete.txt"), 4),
    "emptied": (put("circular_7.txt", ""), 4),
    "copied": (put("manuales/copia.md", DOCUMENTS_OF_TEST["acuerdo_5_2020.md"]), 5),
    # PDF in disguise: read, left out and reported; nothing is indexed anew
    "unreadable": (put("imagen.md", "%PDF-1.7\n\x00\x01\x02\x03" * 50), 5),
    # two of five change: more than may be deleted in an index, which is written anew
    "half": (
        all_of(
            put("acuerdo_5_2020.md", "# Acuerdo 5 de 2020\n\nNada queda.\n"),
            put("circular_7.txt", "CIRCULAR 7\n\nNi aquí.\n"),
            remove("normativa/zz_final.md"),
        ),
        2,
    ),
    "all": (all_of(*(put(name, f"# Otro\n\nCambió {name}.\n") for name in DOCUMENTS_OF_TEST)), 0),
}


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    write_corpus(tmp_path / "corpus", DOCUMENTS_OF_TEST)
    return Settings(corpus_dir=tmp_path / "corpus", index_dir=tmp_path / "indice")


def run(settings: Settings, **changes: object) -> tuple[BuildResult, Path, str]:
    """Build; return the result, the folder of the generation, and what the terminal showed."""
    screen = io.StringIO()
    used = settings.model_copy(update=changes)
    result = build(used, Reporter(screen))
    return result, used.index_dir / result.manifest.name, screen.getvalue()


@pytest.mark.parametrize("name", CHANGES)
def test_same_as_a_full_build(settings: Settings, tmp_path: Path, name: str) -> None:
    change, kept = CHANGES[name]
    run(settings)
    change(settings.corpus_dir)
    result, folder, screen = run(settings)
    assert result.kept == kept
    _, whole, _ = run(settings, index_dir=tmp_path / "otro")
    assert_equal(folder, whole)
    read = len(list(settings.corpus_dir.rglob("*.*"))) - kept
    assert (f"leyendo: {read}" in screen) == (read > 0)


def assert_equal(folder: Path, whole: Path) -> None:
    """Compare two generations, one spliced, one made anew."""
    spliced, anew = files(folder), files(whole)
    assert spliced.keys() == anew.keys()
    assert len(spliced) > 50
    for name, content in spliced.items():
        assert content == anew[name], name
    assert_whoosh_holds_what_the_arrays_hold(folder)


def files(folder: Path) -> dict[str, bytes]:
    """Return the files that do not hang on the history of an index."""
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {
        name: path.read_bytes()
        for name, path in found.items()
        if name not in (MANIFEST, "reuse/whoosh_numbers.npy") and not name.startswith(f"{WHOOSH}/")
    }


def assert_whoosh_holds_what_the_arrays_hold(folder: Path) -> None:
    with opened(folder) as generation, whoosh_index.open_reader(folder / WHOOSH) as reader:
        numbers = np.load(folder / reuse.REUSE / "whoosh_numbers.npy")
        assert reader.doc_count() == generation.index.passage_count == numbers.size
        position = {int(number): passage for passage, number in enumerate(numbers)}
        for field, kept in kept_postings.load(folder / reuse.REUSE).items():
            live = {
                term.decode(): sorted(
                    (position[number], count)
                    for number, count in postings(reader, field, term)
                    if not reader.is_deleted(number)
                )
                for term, _ in reader.iter_field(field)
            }
            expected = {
                term: list(zip(kept.passages[first:last].tolist(), kept.counts[first:last].tolist(), strict=True))
                for term, first, last in zip(kept.terms, kept.ptr[:-1], kept.ptr[1:], strict=True)
            }
            assert {term: found for term, found in live.items() if found} == expected
        for passage, number in enumerate(numbers.tolist()):
            stored = reader.stored_fields(number)
            owner = generation.passage(passage).document
            assert stored["doc_id"] == owner.doc_id
            assert stored["start"] == generation.passage(passage).start


def postings(reader: whoosh_index.IndexReader, field: str, term: bytes) -> Iterator[tuple[int, float]]:
    matcher = reader.postings(field, term)
    while matcher.is_active():
        yield matcher.id(), matcher.weight()
        matcher.next()


@contextmanager
def opened(folder: Path) -> Iterator[Generation]:
    generation = open_generation(folder)
    try:
        yield generation
    finally:
        generation.close()


@pytest.mark.parametrize(
    ("table", "addition", "kept"),
    [
        # decide which terms come out of a text, and what a document is called
        ("palabras_vacias.txt", "\nexpediente\n", 0),
        ("palabras_titulo.txt", "\nfinal\n", 0),
        ("abreviaturas.toml", '\nmanl = "manual"\n', 0),
        # are looked at when a question comes, or over all documents together
        ("sinonimos.toml", None, 5),
        ("palabras_pregunta.txt", "\nreparto\n", 5),
        ("palabras_clave.toml", '"circular_7.txt" = ["estadística"]\n', 5),
    ],
)
def test_tables(settings: Settings, tmp_path: Path, table: str, addition: str | None, kept: int) -> None:
    config = tmp_path / "config"
    shutil.copytree(OWN_CONFIG_DIR, config, ignore=shutil.ignore_patterns("preguntas.toml", "palabras_clave.toml"))
    (config / "palabras_clave.toml").write_text("[palabras_clave]\n", encoding="utf-8")
    run(settings, config_dir=config)
    text = (config / table).read_text(encoding="utf-8")
    (config / table).write_text(text + addition if addition else f"{text}\n# un comentario\n", encoding="utf-8")
    result, folder, _ = run(settings, config_dir=config)
    assert result.published
    assert result.kept == kept
    _, whole, _ = run(settings, config_dir=config, index_dir=tmp_path / "otro")
    assert_equal(folder, whole)


def test_many_builds_leave_few_segments(settings: Settings, tmp_path: Path) -> None:
    write_corpus(settings.corpus_dir, {f"mas/doc_{n}.md": f"# Doc {n}\n\nTexto {n} del archivo.\n" for n in range(40)})
    run(settings)
    seen = []
    for number in range(10):
        put("circular_7.txt", f"CIRCULAR 7\n\nSe reporta el día {number} de cada mes.\n")(settings.corpus_dir)
        result, folder, _ = run(settings)
        assert result.kept == 44
        with whoosh_index.open_reader(folder / WHOOSH) as reader:
            seen.append((whoosh_index.segment_count(reader), reader.doc_count_all() - reader.doc_count()))
    assert [segments for segments, _ in seen] == [2, 3, 4, 5, 6, 7, 8, 1, 2, 3]
    assert all(deleted <= 0.25 * 46 for _, deleted in seen)
    _, whole, _ = run(settings, index_dir=tmp_path / "otro")
    assert_equal(folder, whole)


def test_rebuilding_by_order_reads_everything(settings: Settings) -> None:
    run(settings)
    result = build(settings, Reporter(io.StringIO()), force=True)
    assert result.published
    assert result.kept == 0


def test_without_what_may_be_reused_everything_is_read(settings: Settings) -> None:
    """A generation of an older version has no such folder, or another key: a verified one either way."""
    _, folder, _ = run(settings)
    (folder / reuse.REUSE / "key").write_text("otra", encoding="ascii")
    put("circular_7.txt", "CIRCULAR 7\n\nOtra.\n")(settings.corpus_dir)
    result, _, _ = run(settings)  # the folder does not pass its digests any more
    assert result.kept == 0


def test_share_of_a_sample_changes_seldom() -> None:
    assert sample_share(1) == sample_share(128) == 8000
    assert sample_share(1025) == sample_share(2000) == sample_share(2048) == 1_500_000 // 2048
    assert all(sample_share(n) * n <= 1_500_000 for n in (200, 999, 5000, 100_000))


def test_corpus_that_outgrows_its_share_is_read_again(settings: Settings) -> None:
    run(settings)
    write_corpus(settings.corpus_dir, {f"mas/doc_{n}.md": f"# Doc {n}\n\nTexto {n}.\n" for n in range(300)})
    result, folder, _ = run(settings)
    assert result.kept == 0
    with opened(folder) as generation:
        assert generation.manifest.documents == 305
    assert (folder / DOCUMENTS).is_file()
