"""The other orders of `python -m indexer`: list, check, diff, rollback, prune, review."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from siaa.generation import CURRENT, current_name
from tests.indexer.conftest import TWO_DOCUMENTS, write_corpus
from tests.indexer.test_command import command, environment


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """Return the environment of a corpus with two generations: the second changed one article and added a document."""
    write_corpus(tmp_path / "corpus", TWO_DOCUMENTS)
    env = environment(tmp_path / "corpus", tmp_path / "indice")
    assert command(env=env).returncode == 0
    changed = (
        TWO_DOCUMENTS["acuerdo_5_2020.md"].replace("quinto", "sexto") + "\n## ARTÍCULO 2º — VIGENCIA\n\nRige ya.\n"
    )
    write_corpus(tmp_path / "corpus", {"acuerdo_5_2020.md": changed, "nota.md": "# Nota\n\nTexto nuevo.\n"})
    assert command(env=env).returncode == 0
    return env


def test_list_marks_the_published_one(env: dict[str, str], tmp_path: Path) -> None:
    shown = command("list", env=env).stderr.splitlines()
    assert [line[0] for line in shown] == ["*", " "]
    assert str(current_name(tmp_path / "indice")) in shown[0]


def test_diff_names_documents_and_articles(env: dict[str, str]) -> None:
    run = command("diff", env=env)
    assert run.returncode == 1
    assert "+ documento general/nota.md" in run.stderr
    assert "artículos nuevos: 2; artículos cambiados: 1" in run.stderr


def test_rollback_publishes_the_older_one(env: dict[str, str], tmp_path: Path) -> None:
    newest = current_name(tmp_path / "indice")
    assert command("rollback", env=env).returncode == 0
    older = current_name(tmp_path / "indice")
    assert older is not None
    assert newest is not None
    assert older < newest
    assert command("rollback", env=env).returncode == 4  # there is none before it
    assert command("rollback", "gen-no-existe", env=env).returncode == 4
    assert command("rollback", "../..", env=env).returncode == 4


def test_check_finds_damage(env: dict[str, str], tmp_path: Path) -> None:
    assert command("check", env=env).returncode == 0
    victim = tmp_path / "indice" / str(current_name(tmp_path / "indice")) / "texts.utf32"
    victim.write_bytes(b"x" + victim.read_bytes()[1:])
    run = command("check", env=env)
    assert run.returncode == 1
    assert "dañado: ejecute «make index».\n" in run.stderr
    assert "prune" not in run.stderr


def test_check_says_that_an_old_damaged_generation_may_go(env: dict[str, str], tmp_path: Path) -> None:
    """Building mends nothing there; and what the sentence says is done by `prune`."""
    index = tmp_path / "indice"
    (old,) = (path for path in index.glob("gen-*") if path.name != current_name(index))
    (old / "texts.utf32").unlink()
    run = command("check", env=env)
    assert run.returncode == 1
    (line,) = (line for line in run.stderr.splitlines() if old.name in line)
    assert "el archivo texts.utf32; no es la publicada y puede borrarse: «python -m indexer prune" in line
    assert "make index" not in line
    (index / CURRENT).unlink()  # nothing is published: building is what helps
    assert "texts.utf32: ejecute «make index»" in command("check", env=env).stderr
    (index / CURRENT).write_text(max(path.name for path in index.glob("gen-*")), encoding="ascii")
    assert command("prune", "--conservar", "1", env=env).returncode == 0
    assert command("check", env=env).returncode == 0


def test_prune_never_removes_the_published_one(env: dict[str, str], tmp_path: Path) -> None:
    assert command("prune", "--conservar", "1", env=env).returncode == 0
    assert [path.name for path in (tmp_path / "indice").glob("gen-*")] == [current_name(tmp_path / "indice")]
    assert command("prune", "--conservar", "0", env=env).returncode == 2


def test_review_finds_faults_without_indexing(tmp_path: Path) -> None:
    articles = "\n".join(f"## Artículo {n}\n\nTexto del artículo.\n" for n in (1, 2, 4, 4))
    write_corpus(
        tmp_path / "corpus",
        {
            "vacio.md": "",
            "con_hueco.md": f"# Ley 1 de 2020\n\n{articles}",
            "uno.md": "# Uno\n\nEl mismo texto.\n",
            "otra/uno.md": "# Uno\n\nEl mismo  texto.\n",
            "roto.md": "# Roto\n\nLa notificaciÃ³n y la sesiÃ³n.\n",
        },
    )
    run = command("review", env=environment(tmp_path / "corpus", tmp_path / "indice"))
    assert run.returncode == 1
    assert "vacio: general/vacio.md" in run.stderr
    assert "falta en la numeración el artículo 3" in run.stderr
    assert "duplicado: general/uno.md, otra/uno.md" in run.stderr
    assert "nombre: general/uno.md, otra/uno.md" in run.stderr
    assert "lectura: general/roto.md" in run.stderr
    assert re.search(r"^5 documentos revisados, \d+ hallazgos\.$", run.stderr, re.MULTILINE)
    assert not (tmp_path / "indice").exists()


def test_review_counts_one_as_one(tmp_path: Path) -> None:
    write_corpus(tmp_path / "corpus", {"vacio.md": ""})
    run = command("review", env=environment(tmp_path / "corpus", tmp_path / "indice"))
    assert run.returncode == 1
    assert run.stderr.endswith("1 documento revisado, 1 hallazgo.\n")
