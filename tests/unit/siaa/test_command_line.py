"""Every command line says in Spanish what it admits and what is wrong, and ends with 2 for wrong use."""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

import pytest

from indexer.commands import parser as indexer_parser
from siaa.command_line import SpanishParser

ROOT = Path(__file__).resolve().parents[3]

# What argparse says by itself.
ENGLISH = re.compile(
    r"\b(usage|error: argument|arguments?:|options:|show|message|exit|invalid|choice|choose|from|unrecognized|expected"
    r"|following|required|ambiguous|could match|ignored|allowed|with|value)\b"
)


def even(text: str) -> int:
    if int(text) % 2:
        raise argparse.ArgumentTypeError("debe ser par")
    return int(text)


def parser() -> SpanishParser:
    """Return a parser with one argument of each kind."""
    made = SpanishParser(prog="prueba", description="Prueba.")
    made.add_argument("archivo")
    made.add_argument("--puerto", type=int)
    made.add_argument("--parte", type=float)
    made.add_argument("--forma", choices=["texto", "json"])
    made.add_argument("--par", type=even)
    made.add_argument("--dos", nargs=2)
    made.add_argument("--varios", nargs="+")
    either = made.add_mutually_exclusive_group()
    either.add_argument("--rehacer", action="store_true")
    either.add_argument("--revisar", action="store_true")
    return made


# arguments -> what is said
WRONG = [
    ([], "falta archivo."),
    (["a", "b"], "no se conoce «b»."),
    (["a", "--otra=1"], "no se conoce «--otra=1»."),
    (["a", "--puerto"], "--puerto: necesita un valor."),
    (["a", "--varios"], "--varios: necesita al menos un valor."),
    (["a", "--dos", "1"], "--dos: necesita 2 valores."),
    (["a", "--puerto", "cien"], "--puerto: no vale «cien»: debe ser un número entero."),
    (["a", "--parte", "media"], "--parte: no vale «media»: debe ser un número."),
    (["a", "--forma", "xml"], "--forma: no se conoce «xml»; vale texto, json."),
    (["a", "--par", "3"], "--par: debe ser par."),  # the sentence of the argument's own type
    (["a", "--re"], "«--re» puede ser --rehacer, --revisar: escríbala entera."),
    (["a", "--rehacer=1"], "--rehacer: no admite un valor, y trae «1»."),
    (["a", "--rehacer", "--revisar"], "--revisar: no se puede usar junto con --rehacer."),
]


@pytest.mark.parametrize(("arguments", "said"), WRONG)
def test_what_is_wrong_is_said(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        parser().parse_args(arguments)
    shown = capsys.readouterr().err
    assert end.value.code == 2
    assert f"prueba: error: {said}" in shown
    assert not ENGLISH.search(shown)


def test_one_of_several_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    made = SpanishParser(prog="prueba")
    either = made.add_mutually_exclusive_group(required=True)
    either.add_argument("--uno")
    either.add_argument("--otro")
    with pytest.raises(SystemExit):
        made.parse_args([])
    assert "error: falta uno de estos: --uno, --otro." in capsys.readouterr().err


def test_right_use_is_read() -> None:
    found = parser().parse_args(["a", "--puerto", "80", "--forma", "json", "--dos", "1", "2"])
    assert (found.archivo, found.puerto, found.forma, found.dos) == ("a", 80, "json", ["1", "2"])


def test_the_help_of_every_order_of_the_indexer(capsys: pytest.CaptureFixture[str]) -> None:
    for order in ([], ["build"], ["review"], ["list"], ["check"], ["diff"], ["rollback"], ["prune"]):
        with pytest.raises(SystemExit) as end:
            indexer_parser().parse_args([*order, "--help"])
        shown = capsys.readouterr().out
        assert end.value.code == 0
        assert shown.startswith("uso: python -m indexer")
        assert "mostrar esta ayuda" in shown
        assert not ENGLISH.search(shown)


@pytest.mark.parametrize(
    "module", ["indexer", "service", "service.own_model.model_weights", "service.own_model.embedded_model"]
)
def test_every_program_refuses_what_it_does_not_know(module: str) -> None:
    run = subprocess.run(
        [sys.executable, "-m", module, "--no-existe"],
        cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=60, check=False,
    )  # fmt: skip
    assert run.returncode == 2
    assert run.stderr.startswith(f"uso: python -m {module}")
    assert not ENGLISH.search(run.stderr)
