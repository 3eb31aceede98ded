"""Tell the terminal what a build does: progress, warnings, what was left out, a summary."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TextIO, TypeVar

from tqdm import tqdm

from siaa.generation import INDEXED, LEFT_OUT, WITH_WARNINGS, FileReport, Manifest

_SHOWN = 100  # rows of each kind that the terminal shows; all are in the generation's manifest

Item = TypeVar("Item")


class Reporter:
    """Write to `stream` (standard error): a bar on a terminal, plain lines elsewhere."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream or sys.stderr

    def progress(self, items: Iterable[Item], what: str, total: int) -> Iterator[Item]:
        """Yield `items` while showing how many of `total` are done."""
        if not self.stream.isatty():
            self.say(f"{what}: {total}")
            return iter(items)
        return iter(tqdm(items, desc=what, total=total, file=self.stream, leave=False, dynamic_ncols=True))

    def say(self, text: str) -> None:
        """Write one line."""
        print(text, file=self.stream, flush=True)

    def warn(self, text: str) -> None:
        """Write one warning."""
        self.say(f"aviso: {text}")

    def files(self, reports: Iterable[FileReport], *, every: bool = False) -> None:
        """List the files left out and those with warnings, the first of each kind, or `every` file."""
        rows = list(reports)
        self._list([r for r in rows if r.state == LEFT_OUT], "archivos que quedan fuera", every=every)
        self._list([r for r in rows if r.state == WITH_WARNINGS], "archivos con avisos", every=every)
        if every:
            self._list([r for r in rows if r.state == INDEXED], "archivos indexados sin avisos", every=True)

    def _list(self, rows: list[FileReport], what: str, *, every: bool) -> None:
        if not rows:
            return
        self.say(f"{what}: {len(rows)}")
        shown = rows if every else rows[:_SHOWN]
        for row in shown:
            self.say(f"  {row.path}: {' '.join(row.reasons)}" if row.reasons else f"  {row.path}")
        if len(rows) > len(shown):
            self.say(f"  ... y {len(rows) - len(shown)} más: python -m indexer --detalle los muestra todos")

    def summary(self, manifest: Manifest, *, published: bool, seconds: float, kept: int = 0) -> None:
        """Write the totals of a build; `kept` documents were taken from the generation before."""
        states = Counter(report.state for report in manifest.reports)
        unchanged = f" ({kept} sin cambios)" if kept else ""
        done = "publicada" if published else "ya estaba al día"
        self.say(
            f"Índice {manifest.name}: {done}. {manifest.documents} documentos{unchanged}, {manifest.passages} pasajes, "
            f"{states[WITH_WARNINGS]} con avisos, {states[LEFT_OUT]} fuera, {seconds:.1f} s."
        )
