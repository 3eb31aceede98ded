"""Measure the whole of SIAA: building a generation, a question stage by stage, and the service under clients."""

from __future__ import annotations

import http.client
import json
import os
import resource
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter, process_time
from typing import Any
from urllib.parse import quote

import numpy as np

from siaa.retrieval import Retriever
from tests.bench.measure import Figures, summary

_START_SECONDS = 60.0


def build(corpus: Path, index: Path) -> dict[str, float]:
    """Build a generation in a process of its own, then again with nothing to do; return seconds and peak memory."""
    environment = os.environ | {"SIAA_CORPUS_DIR": str(corpus), "SIAA_INDEX_DIR": str(index)}
    first = run_indexer(environment)
    again = run_indexer(environment)
    return {
        "cpu_s": first["cpu_s"],
        "reloj_s": first["reloj_s"],
        "memoria_mb": first["memoria_mb"],
        "nada_que_hacer_cpu_s": again["cpu_s"],
        "nada_que_hacer_reloj_s": again["reloj_s"],
    }


_CHILD = """
import json, resource, subprocess, sys, time
began = time.perf_counter()
subprocess.run([sys.executable, "-m", "indexer", *sys.argv[1:]], check=True, stderr=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({"cpu_s": round(used.ru_utime + used.ru_stime, 2), "reloj_s": round(time.perf_counter() - began, 2),
                  "memoria_mb": round(used.ru_maxrss / 1024)}))
"""


def run_indexer(environment: dict[str, str], *options: str) -> dict[str, float]:
    """Run `python -m indexer` in a process of its own; return its seconds of CPU and by the clock, and peak memory."""
    command = [sys.executable, "-c", _CHILD, *options]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return dict(json.loads(done.stdout))


def stages(retriever: Retriever, questions: Sequence[str]) -> dict[str, Figures]:
    """Return what each stage of a question takes, and all of them, in milliseconds."""
    used: dict[str, tuple[list[float], list[float]]] = {
        name: ([], []) for name in ("entender", "enrutar", "elegir", "total")
    }
    for question in questions:
        marks = [(process_time(), perf_counter())]
        query = retriever.ask(question)
        marks.append((process_time(), perf_counter()))
        routed = retriever.route(query)
        marks.append((process_time(), perf_counter()))
        _ = retriever.gather(routed).fragments
        marks.append((process_time(), perf_counter()))
        pairs = [("entender", 0, 1), ("enrutar", 1, 2), ("elegir", 2, 3), ("total", 0, 3)]
        for name, first, last in pairs:
            used[name][0].append((marks[last][0] - marks[first][0]) * 1000)
            used[name][1].append((marks[last][1] - marks[first][1]) * 1000)
    return {name: summary(cpu, wall) for name, (cpu, wall) in used.items()}


@contextmanager
def service(index: Path) -> Iterator[int]:
    """Run the service over an index; give its port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    environment = os.environ | {"SIAA_INDEX_DIR": str(index), "SIAA_PORT": str(port), "SIAA_LLM": "ninguno"}
    process = subprocess.Popen(
        [sys.executable, "-m", "service"], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        _wait(port, process)
        yield port
    finally:
        process.terminate()
        process.wait(30)


def _wait(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
            connection.request("GET", "/readyz")
            if connection.getresponse().status == 200:
                return
        except OSError:
            pass
        time.sleep(0.1)
    raise RuntimeError("El servicio no llegó a estar listo.")


def load(port: int, questions: Sequence[str], clients: int, seconds: float) -> dict[str, float]:
    """Ask `/siaa/enrutar` from `clients` connections for `seconds`; return rate, 95th percentile and errors."""
    times: list[float] = []
    errors = [0]
    until = time.monotonic() + seconds

    def client(first: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        position = first
        while time.monotonic() < until:
            began = perf_counter()
            try:
                connection.request("GET", "/siaa/enrutar?q=" + quote(questions[position % len(questions)]))
                answer = connection.getresponse()
                answer.read()
                errors[0] += answer.status != 200
            except (OSError, http.client.HTTPException):
                errors[0] += 1
                connection.close()
            times.append((perf_counter() - began) * 1000)
            position += 1

    before = time.monotonic()
    threads = [threading.Thread(target=client, args=(number * 37,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {
        "por_segundo": round(len(times) / (time.monotonic() - before), 1),
        "p50_ms": round(float(np.percentile(times, 50)), 1),
        "p95_ms": round(float(np.percentile(times, 95)), 1),
        "errores": errors[0],
    }


def machine() -> dict[str, Any]:
    """Describe the machine that the figures hold for."""
    model = next((line.split(":")[1].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")), "?")
    return {
        "procesador": model,
        "nucleos": os.cpu_count(),
        "memoria_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "sistema": f"{os.uname().sysname} {os.uname().release}",
        "python": sys.version.split()[0],
        "carga_al_empezar": round(os.getloadavg()[0], 2),
    }


def _lines(path: str) -> list[str]:
    return Path(path).read_text(encoding="utf-8").splitlines() if Path(path).exists() else []


def peak_mb() -> float:
    """Return the most memory that this process has held."""
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
