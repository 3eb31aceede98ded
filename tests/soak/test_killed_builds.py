"""A builder killed at any moment costs nothing: the service answers from what was published, the next build heals."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from siaa.generation import generation_names, open_current
from tests.http.conftest import ROOT, environment, running
from tests.soak.scale import scaled
from tests.soak.test_publishing_under_load import write_edition

KILLS = scaled(short=3, long=50)
QUESTION = "¿Cuál es el plazo del trámite 3 ante la oficina 4?"


def start(*options: str, **variables: str) -> subprocess.Popen[bytes]:
    """Start a build."""
    return subprocess.Popen(
        [sys.executable, "-m", "indexer", *options],
        cwd=ROOT,
        env=environment(**variables),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def change(corpus: Path, number: int) -> None:
    """Change one document that nobody asks for here."""
    with (corpus / "normas" / "reglamento_7.md").open("a", encoding="utf-8") as file:
        file.write(f"\nArtículo {100 + number}. Se añade la nota {number}.\n")


def test_a_builder_killed_at_any_moment_costs_nothing(tmp_path: Path) -> None:
    corpus, index = tmp_path / "corpus", tmp_path / "indice"
    write_edition(corpus, 1)
    variables = {"SIAA_CORPUS_DIR": str(corpus), "SIAA_INDEX_DIR": str(index), "SIAA_DATA_DIR": str(tmp_path / "datos")}
    began = time.monotonic()
    assert start(**variables).wait(120) == 0
    whole = time.monotonic() - began
    change(corpus, 0)
    began = time.monotonic()
    assert start(**variables).wait(120) == 0
    partial = time.monotonic() - began
    chance = random.Random(6)
    ended = 0
    with running(**variables) as client:
        for number in range(1, KILLS + 1):
            if number % 2:  # of everything, or going on from the published one
                build = start("--rehacer", **variables)
            else:
                change(corpus, number)
                build = start(**variables)
            time.sleep((whole if number % 2 else partial) * chance.uniform(0.2, 1.05))
            if build.poll() is None:
                os.kill(build.pid, signal.SIGKILL)
            else:
                ended += 1
            build.wait(30)
            open_current(index).close()  # whole, whatever the moment was
            answer = client.get("/siaa/fragmento", doc="reglamento_3.md", q=QUESTION)
            assert answer.status == 200, answer.text
            assert "oficina 4" in answer.json["fragmento"]
            assert client.get("/readyz").json["status"] == "listo"
        write_edition(corpus, 2)
        assert start(**variables).wait(120) == 0
        assert not list(index.glob("tmp-*"))
        newest = open_current(index)
        newest.close()
        client.request("POST", "/siaa/recargar")
        assert client.chat(QUESTION).headers["x-siaa-generacion"] == newest.name
    assert len(generation_names(index)) <= 3
    print(f"\n{KILLS} construcciones, {KILLS - ended} matadas antes de terminar")
    print(f"una entera tarda {whole:.1f} s, una de un documento {partial:.1f} s")
