"""Measure what meaning costs a question: `python -m tests.bench.meaning` (figures of docs/adr/0012)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from siaa.command_line import SpanishParser
from siaa.config import Settings
from siaa.meaning import Vectors, connect
from siaa.meaning.vectors import to_fixed
from tests.bench.measure import Figures, alternate
from tests.fake_embedder import FakeEmbedder

QUESTIONS = (
    "¿Hasta cuándo hay plazo para entregar el informe?",
    "me cambié de casa y no avisé, ¿pueden seguir mandando los papeles a la de antes?",
    "¿Quién firma el inventario cuando el jefe está de vacaciones y no dejó encargado?",
    "si llego tarde tres veces en el mes, ¿me descuentan el día completo o solo las horas que falté?",
    "¿Qué documentos se necesitan para pedir el duplicado del carné?",
)
_ROUNDS = 10


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the processor time of a question; return 0."""
    parser = SpanishParser(prog="python -m tests.bench.meaning", description="Mide lo que cuesta comparar por sentido.")
    parser.add_argument("--pasajes", type=int, default=100_000)
    parser.add_argument("--dimensiones", type=int, default=384)
    options = parser.parse_args(arguments)
    drawn = np.random.default_rng(7)
    rows = drawn.standard_normal((options.pasajes, options.dimensiones)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    asked = [rows[place] for place in drawn.integers(0, len(rows), len(QUESTIONS))]
    with TemporaryDirectory(prefix="siaa-bench-") as name:
        Vectors(FakeEmbedder().fingerprint, to_fixed(rows)).save(Path(name) / "v")
        vectors = Vectors.open(Path(name) / "v")
        calls = {
            "16 bits (los que se usan)": _search(vectors.rows),
            "8 bits": _search(np.rint(rows * 127 / np.abs(rows).max()).astype(np.int8)),
            "medios": _search(rows.astype(np.float16)),
            "32 bits": lambda question: rows @ question,
        }
        _show(alternate(calls, asked * _ROUNDS))
    embedder, reason = connect(Settings())
    if embedder is None:
        print(reason)
    else:
        _show(alternate({f"codificar la pregunta ({embedder.name})": embedder.question}, QUESTIONS * _ROUNDS))
    return 0


def _search(rows: Any) -> Callable[[Any], Any]:
    """Return the search over numbers of any kind."""
    vectors = Vectors(FakeEmbedder().fingerprint, rows)
    return lambda question: vectors.top(vectors.similarities(question), 50)


def _show(measured: Mapping[str, Figures]) -> None:
    for what, figures in measured.items():
        print(f"{what:40} {figures['cpu_p50']:7.1f} ms de procesador, p95 {figures['cpu_p95']:.1f}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
