"""Time calls in CPU and in wall time, alternating what is compared, so that a busy moment hits all alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from time import perf_counter, process_time
from typing import Any

import numpy as np

Figures = dict[str, float]


def alternate(subjects: Mapping[str, Callable[[Any], object]], inputs: Iterable[Any]) -> dict[str, Figures]:
    """Call every subject with every input, one after the other, and summarise the milliseconds of each subject."""
    cpu: dict[str, list[float]] = {name: [] for name in subjects}
    wall: dict[str, list[float]] = {name: [] for name in subjects}
    for value in inputs:
        for name, subject in subjects.items():
            began, used = perf_counter(), process_time()
            subject(value)
            cpu[name].append((process_time() - used) * 1000)
            wall[name].append((perf_counter() - began) * 1000)
    return {name: summary(cpu[name], wall[name]) for name in subjects}


def summary(cpu: list[float], wall: list[float]) -> Figures:
    """Return median and 95th percentile of CPU and wall milliseconds."""
    return {
        "cpu_p50": _round(np.percentile(cpu, 50)),
        "cpu_p95": _round(np.percentile(cpu, 95)),
        "reloj_p50": _round(np.percentile(wall, 50)),
        "reloj_p95": _round(np.percentile(wall, 95)),
    }


def _round(value: float | np.floating[Any]) -> float:
    return round(float(value), 3)
