"""Measure what a changed document costs beside building everything: `python -m tests.bench.incremental`.

A corpus is generated, built, and built again after a sentence was added to one document, at its end and in its first
lines (which spaCy reads). Every build is a process of its own; figures are seconds of CPU, children included.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.bench.generator import write_corpus
from tests.bench.whole import run_indexer

_SENTENCE = "El plazo para interponer la queja vence el décimo día hábil."


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print a table, return 0."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.incremental", description=__doc__.splitlines()[0])
    parser.add_argument("--documentos", type=int, default=2000)
    parser.add_argument("--pasajes", type=int, default=20, help="pasajes de cada documento, más o menos")
    options = parser.parse_args(arguments)
    with TemporaryDirectory(prefix="siaa-bench-") as name:
        corpus, index = Path(name) / "corpus", Path(name) / "indice"
        write_corpus(corpus, options.documentos * options.pasajes, per_document=options.pasajes)
        environment = os.environ | {"SIAA_CORPUS_DIR": str(corpus), "SIAA_INDEX_DIR": str(index)}
        names = sorted(corpus.rglob("*.md"))
        whole = run_indexer(environment)["cpu_s"]
        rows = [("todo", whole)]
        _append(names[len(names) // 2])
        rows.append(("uno cambiado, al final", run_indexer(environment)["cpu_s"]))
        _insert(names[len(names) // 3])
        rows.append(("uno cambiado, en sus primeras líneas", run_indexer(environment)["cpu_s"]))
        names[-1].unlink()
        rows.append(("uno menos", run_indexer(environment)["cpu_s"]))
        rows.append(("nada", run_indexer(environment)["cpu_s"]))
        rows.append(("todo (--rehacer)", run_indexer(environment, "--rehacer")["cpu_s"]))
    print("| qué cambió | s de CPU | × todo |\n|---|---|---|")
    for label, seconds in rows:
        print(f"| {label} | {seconds:.1f} | {seconds / whole:.3f} |")
    return 0


def _append(path: Path) -> None:
    path.write_text(path.read_text(encoding="utf-8") + f"\n{_SENTENCE}\n", encoding="utf-8")


def _insert(path: Path) -> None:
    title, rest = path.read_text(encoding="utf-8").split("\n", 1)
    path.write_text(f"{title}\n\n{_SENTENCE}\n{rest}", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
