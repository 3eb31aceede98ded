"""Measure SIAA beside other engines: `make bench`, or `python -m tests.bench --corpus CARPETA`."""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

from siaa.command_line import SpanishParser
from siaa.generation import ARRAYS, Generation, Manifest, current_name
from siaa.profile import load_profile
from siaa.retrieval import Retriever
from tests.bench import report, whole
from tests.bench.engines import ENGINES, FILES, PREPARED
from tests.bench.generator import write_corpus
from tests.bench.measure import alternate
from tests.bench.questions import make_questions
from tests.bench.terms import Terms

RESULTS = Path(__file__).with_name("resultados.json")
_TOP = 50
_WARM = 30  # questions asked before measuring
_WHOOSH_QUESTIONS = 60  # of Whoosh, which is slow; its order is compared on all
_ALL = {name: engine for name, engine in ENGINES.items() if not name.startswith(("whoosh", "fts5"))}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what was asked for, write the results and the page; return 0."""
    options = _options(arguments)
    began = datetime.now(UTC)
    result: dict[str, Any] = {
        "fecha": began.isoformat(timespec="minutes"),
        "orden": "python -m tests.bench " + " ".join(arguments or sys.argv[1:]),
        "maquina": whole.machine(),
        "versiones": {name: version(name) for name in ("Whoosh-Reloaded", "tantivy", "bm25s", "numba", "numpy")},
        "preguntas": options.preguntas,
        "medidas": [],
    }
    if options.anadir and RESULTS.exists():
        result["medidas"] = json.loads(RESULTS.read_text(encoding="utf-8"))["medidas"]
    with TemporaryDirectory(prefix="siaa-bench-") as name:
        for label, corpus in _corpora(options, Path(name)):
            measured = _measure(label, corpus, Path(name) / "trabajo", options)
            result["medidas"] = [m for m in result["medidas"] if m["nombre"] != label] + [measured]
            shutil.rmtree(Path(name) / "trabajo")
            RESULTS.write_text(json.dumps(result, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    report.write(result)
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = SpanishParser(prog="python -m tests.bench", description="Mide SIAA junto a otros motores.")
    parser.add_argument("--tamanos", default="2000,20000,100000", help="pasajes de los corpus generados, con comas")
    parser.add_argument("--corpus", type=Path, help="carpeta de documentos reales que también se mide")
    parser.add_argument("--preguntas", type=int, default=500, help="preguntas por corpus")
    parser.add_argument("--segundos", type=float, default=10.0, help="segundos de carga por número de clientes")
    parser.add_argument("--anadir", action="store_true", help="conservar las medidas de otros corpus")
    return parser.parse_args(arguments)


def _corpora(options: argparse.Namespace, folder: Path) -> Any:
    if options.corpus:
        yield options.corpus.resolve().parent.name, options.corpus
    for size in (int(size) for size in options.tamanos.split(",") if size):
        target = folder / f"corpus-{size}"
        write_corpus(target, size)
        yield f"generado {size}", target
        shutil.rmtree(target)


def _measure(label: str, corpus: Path, work: Path, options: argparse.Namespace) -> dict[str, Any]:
    print(f"== {label}", file=sys.stderr, flush=True)
    index = work / "indice"
    index.mkdir(parents=True)
    built = whole.build(corpus, index)
    folder = index / str(current_name(index))
    generation = Generation(folder, Manifest.read(folder))
    retriever = Retriever(generation, profile=load_profile(generation, "calibrado"), max_docs=2, max_chunks=3)
    questions = make_questions(generation, options.preguntas)
    measured: dict[str, Any] = {
        "nombre": label,
        "documentos": generation.index.document_count,
        "pasajes": generation.index.passage_count,
        "construccion": built | {"disco_mb": _size(folder), "arreglos_mb": _size(folder / ARRAYS)},
        "generacion": _probe("generacion", folder),
        "etapas": whole.stages(retriever, [*questions[:_WARM], *questions]),
    }
    measured |= _engines(generation, retriever, questions, work)
    generation.close()
    with whole.service(index) as port:
        whole.load(port, questions, 2, 2.0)
        measured["carga"] = {str(n): whole.load(port, questions, n, options.segundos) for n in (1, 8, 32)}
    print(json.dumps(measured, ensure_ascii=False), file=sys.stderr, flush=True)
    return measured


def _engines(generation: Generation, retriever: Retriever, questions: Sequence[str], work: Path) -> dict[str, Any]:
    terms = Terms(generation)
    queries = [retriever.ask(question) for question in questions]
    asked = [(query.stems, query.words) for query in queries if query.stems]
    built: dict[str, Any] = {}
    for name in PREPARED:
        used = process_time()
        ENGINES[name].prepare(work, terms)
        key = name.split("_")[0]
        built[key] = {"construir_cpu_s": round(process_time() - used, 2), "disco_mb": _size(work / FILES[key])}
        built[key] |= _probe(name, work)
    del terms
    opened = {name: engine(work) for name, engine in ENGINES.items()}
    calls = {name: (lambda pair, e=engine: e.top(pair[0], pair[1], _TOP)) for name, engine in opened.items()}
    alternate(calls, asked[:5])
    fast = {name: call for name, call in calls.items() if name in _ALL}
    alternate(fast, asked[:_WARM])
    measured = alternate(fast, asked)
    slow = {name: call for name, call in calls.items() if name not in _ALL}
    measured |= alternate(slow, asked[:_WHOOSH_QUESTIONS])
    whoosh, siaa = opened["whoosh_campo"], opened["siaa_campo"]
    order = {
        "iguales": sum(whoosh.exhaustive_top(s, _TOP) == siaa.exhaustive_top(s, _TOP) for s, _ in asked),
        "con_limite": sum(whoosh.top(s, w, _TOP) == siaa.top(s, w, _TOP) for s, w in asked),
        "preguntas": len(asked),
    }
    return {"motores": built, "consulta": measured, "mismo_orden": order}


def _probe(engine: str, folder: Path) -> dict[str, float]:
    command = [sys.executable, "-m", "tests.bench.probe", engine, str(folder)]
    runs = [json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout) for _ in range(3)]
    return dict(min(runs, key=lambda run: run["abrir_cpu_ms"]))


def _size(folder: Path) -> float:
    return round(sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 2**20, 1)


if __name__ == "__main__":
    sys.exit(main())
