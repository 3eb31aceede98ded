"""The index holder serves one generation at a time and loses no answer while it changes.

1. CURRENT is looked at no more than once a second.
2. A new generation is opened, then swapped in; the old one is closed when its last lease ends, once.
3. A generation that fails its check is never served: the old one stays, `problem` says why in Spanish.
4. Without any index a lease fails with a GenerationError that says what to do.
"""

from __future__ import annotations

import threading

import pytest

from siaa.errors import ConfigError, GenerationError
from tests.http.fakes import FakeIndex


def test_looks_at_current_once_a_second() -> None:
    index = FakeIndex("gen-a")
    holder = index.holder()
    for _ in range(5):
        with holder.lease():
            pass
    assert (index.name_reads, len(index.opened)) == (1, 1)
    index.now += 1.01
    with holder.lease():
        pass
    assert (index.name_reads, len(index.opened)) == (2, 1)


def test_takes_a_new_generation_and_closes_the_old_one_after_its_last_lease() -> None:
    index = FakeIndex("gen-a")
    holder = index.holder()
    with holder.lease() as old:
        index.name = "gen-b"
        index.now += 2
        with holder.lease() as new:
            assert (old.generation.name, new.generation.name) == ("gen-a", "gen-b")
            assert not old.generation.closed
    assert [retriever.generation.closed for retriever in index.opened] == [1, 0]
    holder.close()
    holder.close()
    assert [retriever.generation.closed for retriever in index.opened] == [1, 1]


# what fails -> what the reader is told
FAILURES = [
    (GenerationError("El archivo x está dañado."), "El archivo x está dañado."),  # a damaged generation
    (ConfigError("No existe el perfil «x»."), "No existe el perfil «x»."),  # a generation without our profile
    (RuntimeError("secreto"), "inesperado"),  # a fault of ours: its text is for the log
]


@pytest.mark.parametrize(("failure", "told"), FAILURES)
def test_keeps_the_old_generation_when_the_new_one_fails(failure: Exception, told: str) -> None:
    index = FakeIndex("gen-a")
    holder = index.holder()
    with holder.lease():
        pass
    index.name, index.failure = "gen-b", failure
    index.now += 2
    with holder.lease() as retriever:
        assert retriever.generation.name == "gen-a"
    assert told in (holder.problem or "")
    assert "secreto" not in (holder.problem or "")
    index.failure = None
    assert holder.reload()
    assert holder.problem is None


def test_a_failed_generation_is_not_opened_at_every_request() -> None:
    index = FakeIndex("gen-a")
    index.failure = GenerationError("dañada")
    holder = index.holder()
    for _ in range(3):
        index.now += 2
        with pytest.raises(GenerationError, match="dañada"), holder.lease():
            pass
    index.failure = None
    index.now += 60
    with holder.lease():
        pass
    assert len(index.opened) == 1


# CURRENT as it is found -> what the reader is told
MISSING = [
    (None, "make index"),  # nothing published yet
    (GenerationError("CURRENT no se puede leer."), "CURRENT no se puede leer."),  # unreadable
    (OSError("disco"), "inesperado"),  # a fault that nobody foresaw
]


@pytest.mark.parametrize(("name", "told"), MISSING)
def test_without_an_index_says_what_to_do(name: str | Exception | None, told: str) -> None:
    index = FakeIndex()
    index.name = name
    holder = index.holder()
    with pytest.raises(GenerationError, match=told), holder.lease():
        pass
    index.name = "gen-a"
    index.now += 2
    with holder.lease() as retriever:
        assert retriever.generation.name == "gen-a"


def test_many_threads_lose_no_lease_while_generations_change() -> None:
    index = FakeIndex("gen-0")
    holder = index.holder()
    wrong: list[str] = []

    def read() -> None:
        for _ in range(300):
            with holder.lease() as retriever:
                if retriever.generation.closed:
                    wrong.append(retriever.generation.name)

    threads = [threading.Thread(target=read) for _ in range(6)]
    for thread in threads:
        thread.start()
    for number in range(1, 40):
        index.name = f"gen-{number}"
        holder.reload()
    for thread in threads:
        thread.join()
    assert not wrong
    holder.close()
    assert all(retriever.generation.closed == 1 for retriever in index.opened)
