"""Write measurements as tables: what `make eval` prints, in Spanish, and Markdown for the documentation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tests.eval.bootstrap import Change
from tests.eval.results import Difference

# What issue 3 asks of each open set: must, goal.
TARGETS: dict[str, dict[str, tuple[float, float]]] = {
    "co_judicial": {"doc@1": (0.82, 0.87), "doc@2": (0.88, 0.93), "found": (0.75, 0.82), "found_doc": (0.85, 0.90)},
    "sierju": {"doc@1": (0.88, 0.94), "doc@2": (0.97, 1.0), "found": (0.86, 0.92), "found_doc": (0.88, 0.94)},
    "siaa_faq": {"doc@1": (0.98, 0.99), "doc@2": (0.99, 1.0), "found": (0.985, 0.995), "found_doc": (0.99, 1.0)},
    "siaa_manuales": {"doc@1": (0.96, 0.98), "doc@2": (0.995, 1.0)},
    "xquad_es": {"doc@1": (0.975, 0.985), "doc@2": (0.99, 0.995), "found": (0.965, 0.98), "found_doc": (0.975, 0.985)},
    "es_leyes": {"doc@1": (0.95, 0.965), "doc@2": (0.97, 0.985), "found": (0.95, 0.975), "found_doc": (0.97, 0.985)},
}
_HEADS = ("conjunto", "medida", "preg.", "ahora", "antes", "cambio", "intervalo 95 %", "gana", "pierde", "exigido")


def table_of_changes(differences: Iterable[Difference]) -> str:
    """Return the table of all sets and metrics, then the ids won and lost."""
    rows = list(differences)
    lines = [aligned(_HEADS, [_row(found) for found in rows])]
    moved = [found for found in rows if found.won or found.lost]
    if moved:
        lines.append("\nPreguntas que cambiaron frente a lo guardado:")
    for found in moved:
        gained = [f"+{identifier}" for identifier in found.won] + [f"-{identifier}" for identifier in found.lost]
        lines.append(f"  {found.set_name} {found.metric}: {' '.join(gained)}")
    return "\n".join(lines)


def _row(found: Difference) -> tuple[str, ...]:
    return (
        found.set_name,
        found.metric,
        str(found.questions),
        f"{found.now:.3f}",
        f"{found.before:.3f}" if found.before is not None else "",
        f"{found.change.mean:+.3f}" if found.change else "",
        interval(found.change) if found.change else "",
        str(len(found.won) or ""),
        str(len(found.lost) or ""),
        _verdict(found),
    )


def _verdict(found: Difference) -> str:
    target = TARGETS.get(found.set_name, {}).get(found.metric)
    if target is None:
        return ""
    must, goal = target
    reached = "meta" if found.now >= goal else "sí" if found.now >= must else "NO"
    return f"{must:g}/{goal:g} {reached}"


def interval(change: Change) -> str:
    """Return the interval of a change, with an asterisk when it leaves zero out."""
    return f"[{change.low:+.3f}, {change.high:+.3f}]{'*' if change.clear else ''}"


def aligned(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of columns as wide as their widest cell."""
    table = [tuple(heads), *map(tuple, rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])


def markdown(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [tuple(heads), tuple("---" for _ in heads), *map(tuple, rows)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
