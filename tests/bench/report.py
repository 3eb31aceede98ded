"""Write docs/rendimiento.md and its plot from the results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE, PLOT = DOCS / "rendimiento.md", DOCS / "rendimiento.svg"
_NAMES = {
    "siaa_campo": "SIAA, un campo",
    "tantivy_campo": "tantivy, un campo",
    "bm25s_campo": "bm25s (numba), un campo",
    "fts5_campo": "SQLite FTS5, un campo",
    "whoosh_campo": "Whoosh, un campo",
    "siaa_todos": "SIAA, todos los campos",
    "tantivy_todos": "tantivy, todos los campos",
    "whoosh_todos": "Whoosh, todos los campos",
}


def write(result: dict[str, Any]) -> None:
    """Write the page and the plot."""
    measures = sorted(result["medidas"], key=lambda m: m["pasajes"])
    parts = [_head(result), _ratios(measures), _queries(measures), _whole(measures), _load(measures)]
    parts += [_built(measures), _engines(measures), _growth(measures)]
    PAGE.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    _plot(measures)


def _head(result: dict[str, Any]) -> str:
    machine = result["maquina"]
    versions = ", ".join(f"{name} {number}" for name, number in result["versiones"].items())
    return f"""# Rendimiento

Lo escribe `make bench`; no se edita a mano. Las cifras de consulta son milisegundos de CPU de un solo hilo (la máquina
estaba ocupada: el tiempo de reloj está en `tests/bench/resultados.json`), p50 / p95
sobre {result["preguntas"]} preguntas por corpus, con los motores alternados pregunta a pregunta y los
mismos términos ya analizados. Se piden 50 pasajes.

- Orden: `{result["orden"]}`, el {result["fecha"]} (UTC).
- Máquina: {machine["procesador"]}, {machine["nucleos"]} núcleos, {machine["memoria_gb"]} GB, {machine["sistema"]},
  Python {machine["python"]}; carga al empezar {machine["carga_al_empezar"]}.
- Versiones: {versions}.
- Los corpus «generado N» son texto legal español inventado (`tests/bench/generator.py`); con
  `--corpus` se mide uno real.

![Milisegundos de CPU por consulta según el número de pasajes]({PLOT.name})"""


def _ratios(measures: Sequence[dict[str, Any]]) -> str:
    rows = []
    for m in measures:
        asked = m["consulta"]
        cells = [m["nombre"]]
        for kind in ("campo", "todos"):
            siaa, other = asked[f"siaa_{kind}"], asked[f"tantivy_{kind}"]
            cells.append(" / ".join(f"{siaa[p] / other[p]:.2f}" for p in ("cpu_p50", "cpu_p95")))
        order = m["mismo_orden"]
        cells.append(f"{order['iguales']} de {order['preguntas']} ({order['con_limite']})")
        rows.append(cells)
    return (
        "## SIAA frente a tantivy\n\n"
        + _table(
            [
                "corpus",
                "un campo, × tantivy (p50 / p95)",
                "todos los campos, × tantivy",
                "mismo orden que Whoosh BM25F",
            ],
            rows,
        )
        + (
            "\n\nEl orden se compara con el de Whoosh sin límite; entre paréntesis, con un límite de 50: Whoosh salta "
            "entonces bloques por una cota que a veces es demasiado baja, y pierde algún pasaje."
        )
    )


def _queries(measures: Sequence[dict[str, Any]]) -> str:
    rows = [[label, *(_pair(m["consulta"][name]) for m in measures)] for name, label in _NAMES.items()]
    return "## Una consulta (ms de CPU, p50 / p95)\n\n" + _table(["motor", *_titles(measures)], rows)


def _whole(measures: Sequence[dict[str, Any]]) -> str:
    labels = {
        "entender": "entender",
        "enrutar": "enrutar",
        "elegir": "elegir y componer 2 fragmentos",
        "total": "total",
    }
    rows = [[label, *(_pair(m["etapas"][name]) for m in measures)] for name, label in labels.items()]
    return "## La pregunta entera (ms de CPU, p50 / p95)\n\n" + _table(["etapa", *_titles(measures)], rows)


def _load(measures: Sequence[dict[str, Any]]) -> str:
    rows = [
        [m["nombre"], n, f["por_segundo"], f["p50_ms"], f["p95_ms"], f["errores"]]
        for m in measures
        for n, f in m["carga"].items()
    ]
    return "## `/siaa/enrutar` con varios clientes (reloj; los clientes usan los mismos núcleos)\n\n" + _table(
        ["corpus", "clientes", "respuestas/s", "p50 ms", "p95 ms", "errores"], rows
    )


def _built(measures: Sequence[dict[str, Any]]) -> str:
    keys = {
        "cpu_s": "construir, s de CPU (con spaCy)",
        "memoria_mb": "memoria del proceso mayor, MB",
        "nada_que_hacer_cpu_s": "sin nada que hacer, s de CPU",
        "disco_mb": "generación en disco, MB",
        "arreglos_mb": "de ellos, los arreglos, MB",
    }
    rows = [[label, *(m["construccion"][key] for m in measures)] for key, label in keys.items()]
    opened = {
        "abrir_cpu_ms": "abrir una generación, ms de CPU (sin comprobar)",
        "comprobar_cpu_ms": "comprobar sus resúmenes, ms de CPU",
        "privada_mb": "memoria privada que añade abrirla, MB",
    }
    rows += [[label, *(m["generacion"][key] for m in measures)] for key, label in opened.items()]
    return "## Construir y abrir (`python -m indexer`)\n\n" + _table(["", *_titles(measures)], rows)


def _engines(measures: Sequence[dict[str, Any]]) -> str:
    rows = []
    for engine in ("siaa", "whoosh", "tantivy", "bm25s", "fts5"):
        for m in measures:
            f = m["motores"][engine]
            rows.append(
                [
                    engine,
                    m["nombre"],
                    f["construir_cpu_s"],
                    f["disco_mb"],
                    f["abrir_ms"],
                    f["residente_mb"],
                    f["privada_mb"],
                ]
            )
    note = (
        "SIAA se deriva del índice de Whoosh: su tiempo se suma al de Whoosh. SIAA, Whoosh y tantivy indexan los "
        "cuatro campos; bm25s y FTS5, solo el cuerpo. La memoria es la que añade abrirlo."
    )
    heads = ["motor", "corpus", "construir (s CPU)", "disco (MB)", "abrir (ms)", "residente (MB)", "privada (MB)"]
    return f"## Los índices\n\n{note}\n\n" + _table(heads, rows)


def _growth(measures: Sequence[dict[str, Any]]) -> str:
    sized = [m for m in measures if m["nombre"].startswith("generado")]
    rows = []
    for first, last in pairwise(sized):
        for name in ("siaa_campo", "siaa_todos", "tantivy_todos", "whoosh_todos"):
            rows.append(
                [
                    _NAMES[name],
                    f"{first['pasajes']} a {last['pasajes']}",
                    _times(first["consulta"][name], last["consulta"][name]),
                ]
            )
        rows.append(
            [
                "pregunta entera",
                f"{first['pasajes']} a {last['pasajes']}",
                _times(first["etapas"]["total"], last["etapas"]["total"]),
            ]
        )
    return "## Cómo crece\n\n" + _table(["", "pasajes", "× (p50 / p95)"], rows)


def _times(first: dict[str, float], last: dict[str, float]) -> str:
    return " / ".join(f"{last[p] / first[p]:.2f}" for p in ("cpu_p50", "cpu_p95"))


def _pair(figures: dict[str, float]) -> str:
    return f"{figures['cpu_p50']:.2f} / {figures['cpu_p95']:.2f}"


def _titles(measures: Sequence[dict[str, Any]]) -> list[str]:
    return [f"{m['nombre']} ({m['pasajes']} pasajes)" for m in measures]


def _table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def _plot(measures: Sequence[dict[str, Any]]) -> None:
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "siaa"
    from matplotlib import pyplot

    sized = [m for m in measures if m["nombre"].startswith("generado")] or measures
    figure, axes = pyplot.subplots(figsize=(8, 5))
    for name, label in _NAMES.items():
        style = "-" if name.endswith("campo") else "--"
        values = [m["consulta"][name]["cpu_p50"] for m in sized]
        axes.plot([m["pasajes"] for m in sized], values, style, marker="o", label=label)
    axes.plot(
        [m["pasajes"] for m in sized],
        [m["etapas"]["total"]["cpu_p50"] for m in sized],
        ":",
        marker="s",
        label="SIAA, pregunta entera",
    )
    axes.set(xscale="log", yscale="log", xlabel="pasajes", ylabel="ms de CPU por consulta (mediana)")
    axes.grid(True, which="both", alpha=0.3)
    axes.legend(fontsize=8)
    figure.savefig(PLOT, metadata={"Date": None}, bbox_inches="tight")
