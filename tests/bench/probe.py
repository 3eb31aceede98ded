"""Open one engine in a process of its own and print what that costs: `python -m tests.bench.probe ENGINE FOLDER`."""

from __future__ import annotations

import gc
import json
import sys
from pathlib import Path
from time import perf_counter, process_time


def memory() -> dict[str, float]:
    """Return the resident and the private memory of this process, in MB (Linux)."""
    rows = dict(line.split(":", 1) for line in Path("/proc/self/smaps_rollup").read_text().splitlines()[1:])
    kilobytes = {name: int(value.split()[0]) for name, value in rows.items()}
    private = kilobytes["Private_Clean"] + kilobytes["Private_Dirty"]
    return {"residente_mb": round(kilobytes["Rss"] / 1024, 1), "privada_mb": round(private / 1024, 1)}


def main(engine: str, folder: str) -> None:
    """Open `engine`, or a whole generation, and print seconds and memory as JSON."""
    if engine == "generacion":
        from siaa.generation import Generation, Manifest, verify

        manifest = Manifest.read(Path(folder))
        began = process_time()
        verify(Path(folder), manifest)
        checked = process_time() - began

        def opened() -> object:
            return Generation(Path(folder), manifest)
    else:
        from tests.bench.engines import ENGINES

        checked = 0.0

        def opened() -> object:
            return ENGINES[engine](Path(folder))

    gc.collect()
    before = memory()
    began, used = perf_counter(), process_time()
    kept = opened()
    figures = {
        "abrir_ms": round((perf_counter() - began) * 1000, 1),
        "abrir_cpu_ms": round((process_time() - used) * 1000, 1),
        "comprobar_cpu_ms": round(checked * 1000, 1),
    }
    after = memory()
    figures |= {name: round(after[name] - before[name], 1) for name in after}
    figures["proceso_privada_mb"] = after["privada_mb"]
    del kept
    print(json.dumps(figures))


if __name__ == "__main__":
    main(*sys.argv[1:3])
