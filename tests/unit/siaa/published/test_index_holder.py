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
from tests.fakes import FakeIndex


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


def test_a_damaged_generation_at_the_start_is_stood_in_for_by_the_newest_whole_one() -> None:
    index = FakeIndex("gen-c")
    index.failure, index.whole = GenerationError("gen-c está dañada."), ("gen-a", "gen-b", "gen-d")
    holder = index.holder()
    with holder.lease() as retriever:
        # What is newer than the published one was left by the operator, and comes last.
        assert retriever.generation.name == "gen-b"
    assert (holder.problem or "").startswith("gen-c está dañada.")
    assert "gen-b" in (holder.problem or "")
    for _ in range(3):
        index.now += 2
        with holder.lease() as retriever:
            assert retriever.generation.name == "gen-b"
    assert len(index.opened) == 1
    index.failure = None  # the next build heals
    assert holder.reload()
    assert holder.problem is None
    with holder.lease() as retriever:
        assert retriever.generation.name == "gen-c"


# CURRENT as it is found while there are whole generations -> what the reader is told
LOST = [
    (None, "CURRENT"),  # the file is gone
    (GenerationError("CURRENT no nombra una generación."), "no nombra"),
    (OSError("disco"), "inesperado"),
]


@pytest.mark.parametrize(("name", "told"), LOST)
def test_without_a_usable_current_the_newest_whole_one_is_served(name: str | Exception | None, told: str) -> None:
    index = FakeIndex()
    index.name, index.whole = name, ("gen-a", "gen-b")
    holder = index.holder()
    with holder.lease() as retriever:
        assert retriever.generation.name == "gen-b"
    assert told in (holder.problem or "")


def test_a_generation_found_damaged_in_service_answers_no_more() -> None:
    index = FakeIndex("gen-b")
    index.whole = ("gen-a",)
    holder = index.holder()
    with holder.lease() as damaged:
        holder.reject("gen-x", "otra")  # not the one in service
        assert holder.problem is None
        index.failure = GenerationError("gen-b está dañada.")
        holder.reject("gen-b", "gen-b está dañada.")
        with holder.lease() as retriever:
            assert retriever.generation.name == "gen-a"
        assert not damaged.generation.closed  # its answer under way ends
    assert damaged.generation.closed == 1
    assert "gen-a" in (holder.problem or "")


def test_a_damaged_one_that_nothing_can_stand_in_for_says_why_until_it_is_healed() -> None:
    index = FakeIndex("gen-b")
    holder = index.holder()
    with holder.lease():
        pass
    index.failure = GenerationError("gen-b está dañada.")
    holder.reject("gen-b", "gen-b está dañada.")
    for _ in range(2):
        index.now += 2
        with pytest.raises(GenerationError, match="gen-b está dañada"), holder.lease():
            pass
    index.name, index.failure = "gen-c", None
    index.now += 2
    with holder.lease() as retriever:
        assert retriever.generation.name == "gen-c"
    assert holder.problem is None
