"""The gate: no generation goes live that answers the operators' own questions worse than the published one."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from indexer.gate import AUDIT, judge_candidate
from indexer.golden import GoldenQuestion, GoldenSet, Outcome, load_golden
from siaa.errors import ConfigError
from siaa.generation import current_name, open_current
from tests.indexer.conftest import TWO_DOCUMENTS, write_corpus
from tests.indexer.test_command import command, environment

KEYWORD = '[documentos]\n"{document}" = ["plazo del reparto"]\n'
QUESTIONS = """
[[pregunta]]
id = "101"
texto = "¿Cuál es el plazo del reparto?"
documento = "guia_reparto.md"
critica = true
[[pregunta]]
texto = "¿Cuándo vence el plazo?"
documento = "acuerdo_5_2020.md"
articulo = "1"
palabras = ["quinto dia HABIL"]
[[pregunta]]
texto = "receta de ajiaco santafereño"
rechazar = true
"""


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """Return the environment of a corpus with its own keyword and questions; only the keyword decides the first."""
    write_corpus(tmp_path / "corpus", TWO_DOCUMENTS)
    files = {"palabras_clave.toml": KEYWORD.format(document="guia_reparto.md"), "preguntas.toml": QUESTIONS}
    write_corpus(tmp_path / "ajustes", files)
    return environment(tmp_path / "corpus", tmp_path / "indice", SIAA_CONFIG_DIR=str(tmp_path / "ajustes"))


def test_keyword_moved_to_the_wrong_document_is_stopped(env: dict[str, str], tmp_path: Path) -> None:
    index = tmp_path / "indice"
    first = command(env=env)
    assert first.returncode == 0, first.stderr
    assert "3 de 3 en verde" in first.stderr
    before = current_name(index)

    write_corpus(tmp_path / "ajustes", {"palabras_clave.toml": KEYWORD.format(document="acuerdo_5_2020.md")})
    spoilt = command(env=env)
    assert spoilt.returncode == 3
    assert "¿Cuál es el plazo del reparto?" in spoilt.stderr
    assert "  rojo (crítica): «¿Cuál es el plazo del reparto?» (id «101»): " in spoilt.stderr
    assert "se puso en ROJO (crítica): «¿Cuál es el plazo del reparto?» (id «101»)\n" in spoilt.stderr
    assert "a la fuerza" not in spoilt.stderr
    assert current_name(index) == before
    assert not list(index.glob("tmp-*"))

    assert command("--forzar", env=env).returncode == 2  # without saying why
    alone = command("--motivo", "prueba", env=env)
    assert alone.returncode == 3
    assert "--motivo no hace nada sin --forzar" in alone.stderr
    forced = command("--forzar", "--motivo", "prueba de los operadores", env=env)
    assert forced.returncode == 0, forced.stderr
    assert forced.stderr.endswith("Publicada a la fuerza: queda escrito en auditoria.jsonl.\n")
    assert current_name(index) != before
    entry = json.loads((index / AUDIT).read_text(encoding="utf-8").splitlines()[-1])
    assert entry["motivo"] == "prueba de los operadores"
    assert entry["generacion"] == current_name(index)
    assert "¿Cuál es el plazo del reparto?" in " ".join(entry["razones"])
    assert entry["quien"]
    assert entry["cuando"]

    idle = command("--forzar", "--motivo", "otra vez", env=env)
    assert idle.returncode == 0
    assert "No había nada que publicar: no se forzó nada y el motivo no queda escrito." in idle.stderr
    needless = command("--rehacer", "--forzar", "--motivo", "por si acaso", env=env)
    assert "No hizo falta forzar" in needless.stderr
    assert len((index / AUDIT).read_text(encoding="utf-8").splitlines()) == 1


def test_what_cannot_be_written_down_is_not_forced(env: dict[str, str], tmp_path: Path) -> None:
    index = tmp_path / "indice"
    assert command(env=env).returncode == 0
    before = current_name(index)
    write_corpus(tmp_path / "ajustes", {"palabras_clave.toml": KEYWORD.format(document="acuerdo_5_2020.md")})
    (index / AUDIT).mkdir()
    assert command("--forzar", "--motivo", "prueba", env=env).returncode == 4
    assert current_name(index) == before


def test_question_left_out_is_stopped(env: dict[str, str], tmp_path: Path) -> None:
    assert command(env=env).returncode == 0
    write_corpus(tmp_path / "ajustes", {"preguntas.toml": QUESTIONS.split('[[pregunta]]\ntexto = "receta')[0]})
    run = command(env=env)
    assert run.returncode == 3
    said = run.stderr.splitlines()[-2]  # the last line says that nothing was published
    assert said.startswith("error: La generación nueva no se publica: falta la pregunta de control «receta de ajiaco")
    assert "que la publicada tenía: ninguna puede faltar" in said
    assert "Devuélvala a preguntas.toml con el mismo texto, que sin id es su nombre" in said
    assert 'si la quitó a propósito, publique con --forzar --motivo "por qué".' in said

    assert command("--forzar", "--motivo", "ya no vale", env=env).returncode == 0
    write_corpus(tmp_path / "corpus", {"nota.md": "# Nota\n\nTexto nuevo.\n"})
    assert command(env=env).returncode == 0  # the one left out on purpose is asked for no more


def test_file_of_questions_taken_away_is_stopped(env: dict[str, str], tmp_path: Path) -> None:
    assert command(env=env).returncode == 0
    (tmp_path / "ajustes" / "preguntas.toml").unlink()
    run = command(env=env)
    assert run.returncode == 3
    assert "no se hace ninguna pregunta de control, y la publicada tenía 3" in run.stderr
    assert command("--forzar", "--motivo", "sin control", env=env).returncode == 0
    assert command("--rehacer", env=env).returncode == 0


def test_questions_left_behind_with_their_folder_are_told(env: dict[str, str]) -> None:
    """A corpus without a folder of settings has no gate; who had one may have forgotten the variable."""
    assert command(env=env).returncode == 0
    run = command(env={name: value for name, value in env.items() if name != "SIAA_CONFIG_DIR"})
    assert run.returncode == 0
    assert "¿falta SIAA_CONFIG_DIR?" in run.stderr


def test_a_question_left_out_is_told_by_its_id() -> None:
    before = (Outcome(replace(QUESTION, id="101", text="¿Cuándo?"), True, "a.md"),)
    other = Outcome(replace(QUESTION, id="102"), True, "a.md")
    (reason,) = judge_candidate(GoldenSet((other.question,), 1.0), (other,), before).reasons
    assert "«¿Cuándo?» (id «101»), que la publicada tenía" in reason
    assert "Devuélvala a preguntas.toml con el mismo id o" in reason


def test_critical_question_red_from_the_start_is_stopped(env: dict[str, str], tmp_path: Path) -> None:
    write_corpus(tmp_path / "ajustes", {"palabras_clave.toml": KEYWORD.format(document="acuerdo_5_2020.md")})
    run = command(env=env)
    assert run.returncode == 3
    assert "--forzar" in run.stderr
    assert current_name(tmp_path / "indice") is None


def test_question_that_the_chat_refuses_is_red(env: dict[str, str], tmp_path: Path) -> None:
    """A keyword that no document holds brings the document, and the chat still has nothing to quote."""
    question = '[[pregunta]]\ntexto = "¿Qué hago contra el matoneo?"\ndocumento = "guia_reparto.md"\n'
    keyword = '[documentos]\n"guia_reparto.md" = ["matoneo"]\n'
    write_corpus(tmp_path / "ajustes", {"preguntas.toml": question, "palabras_clave.toml": keyword})
    assert "el chat la rechaza" in command(env=env).stderr


def test_document_that_does_not_exist_is_said(env: dict[str, str], tmp_path: Path) -> None:
    question = '[[pregunta]]\ntexto = "¿Cuándo vence el plazo?"\ndocumento = "noexiste.md"\n'
    write_corpus(tmp_path / "ajustes", {"preguntas.toml": question})
    assert "aviso: preguntas.toml nombra «noexiste.md»" in command(env=env).stderr


def test_corpus_without_questions_is_said(env: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "ajustes" / "preguntas.toml").unlink()
    run = command(env=env)
    assert run.returncode == 0
    assert "sin preguntas de control" in run.stderr


def test_questions_are_part_of_the_generation(env: dict[str, str], tmp_path: Path) -> None:
    assert command(env=env).returncode == 0
    generation = open_current(tmp_path / "indice")
    assert "tuning/preguntas.toml" in generation.manifest.files


QUESTION = GoldenQuestion("q", "¿Qué?", "a.md", "", (), refused=False, critical=False)


def outcomes(marks: str) -> tuple[Outcome, ...]:
    """Return one outcome per mark: v green, r red; capitals are critical."""
    return tuple(
        Outcome(
            GoldenQuestion(str(n), f"pregunta {n}", "a.md", "", (), refused=False, critical=mark.isupper()),
            mark in "vV",
            "a.md",
        )
        for n, mark in enumerate(marks)
    )


@pytest.mark.parametrize(
    ("published", "candidate", "drop", "passes"),
    [
        ("vvvv", "vvvv", 0.0, True),  # nothing changed
        ("vvvV", "vvvR", 1.0, False),  # a critical one turned red, whatever the drop allowed
        ("vvvR", "vvvR", 0.0, True),  # a critical one that was red before
        ("vvvR", "vvvV", 0.0, True),  # better
        ("vvvv", "vvvr", 0.25, True),  # the fall allowed, exactly
        ("vvvv", "vvrr", 0.25, False),  # more than the fall allowed
        ("vvvv", "vvv", 0.25, False),  # one is missing
        ("vvv", "vvvr", 0.25, True),  # a new one that is red counts in the share only
        (None, "vrrr", 0.0, True),  # nothing published yet: no share to compare
        (None, "vR", 1.0, False),  # but a critical one must be green
    ],
)
def test_verdict(published: str | None, candidate: str, drop: float, passes: bool) -> None:
    golden = GoldenSet((), drop)
    before = None if published is None else outcomes(published)
    assert judge_candidate(golden, outcomes(candidate), before).passes is passes


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("[[pregunta]]\n", "texto"),  # no text
        ("[[pregunta]]\ntexto = 'a'\n", "rechazar"),  # asks for nothing
        ("[[pregunta]]\ntexto = 'a'\ndocumento = 'x'\nrechazar = true\n", "rechazar"),  # asks for both
        ("[[pregunta]]\ntexto = 'a'\ndocumeto = 'x'\n", "documeto"),  # a misspelt key
        ("bajada_permitida = 2\n", "bajada_permitida"),  # not a share
        ("[[pregunta]]\ntexto = 'a'\ndocumento = 'x'\n" * 2, "dos preguntas"),  # twice
        ("bajada_permitida = true\n", "bajada_permitida"),  # would count as 1
        ("[[pregunta]]\ntexto = 'a'\ndocumento = 'x'\ncritica = 'true'\n", "critica debe ser true"),  # a text
        ("[[preguntas]]\ntexto = 'a'\ndocumento = 'x'\n", "no se conoce preguntas"),  # a misspelt table
        ("[[pregunta]", "línea 1, columna 11: falta el corchete"),  # not TOML
    ],
)
def test_mistake_in_the_questions_is_named(tmp_path: Path, content: str, complaint: str) -> None:
    path = tmp_path / "preguntas.toml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ConfigError, match=complaint):
        load_golden(path)
