"""Answers are remembered for exactly what they depend on.

1. Same generation, model, limits, settings, collection and question: found. Any other: not.
2. Accents, capitals and white space make no other question.
3. Refusals, cut answers, talk and personal data are not kept.
4. The number of answers is bounded, the least used go first; an old answer is not found.
5. Processes share it; a file that cannot be used is as good as empty.
"""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from service.storage.answer_cache import FILE_NAME, AnswerCache
from siaa.answering.events import Delta, Event, Found, Nearest, Sentence, Source, Sources
from siaa.answering.ports import AnswerKey
from siaa.answering.reasons import Code, Reason
from siaa.config import Settings

SOURCE = Source("a.md", "general", "Título", "5", "Artículo 5", 10, 13, "uno", "verificada")
ASKED = AnswerKey("gen-a", "", (2, 3), None, "¿Quién reporta?")
ANSWER: tuple[Event, ...] = (
    Found((("a.md", "general"),), "¿Quién reporta?"),
    Delta("Según "),
    Delta("«uno»."),
    Sources((SOURCE,), (Sentence(7, 10, "verificada", 1),)),
)


class Clock:
    """A clock that stands still until it is told otherwise."""

    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def cache_in(folder: Path, clock: Clock | None = None, **options: Any) -> AnswerCache:
    return AnswerCache(Settings(data_dir=folder, **{"cache_max": 100, **options}), clock=clock or Clock())


def test_what_was_kept_is_found_whole(tmp_path: Path) -> None:
    cache = cache_in(tmp_path)
    cache.keep(ASKED, ANSWER)
    found = cache.find(ASKED)
    assert found == (ANSWER[0], Delta("Según «uno»."), ANSWER[3])


def test_the_event_tells_the_question_of_now(tmp_path: Path) -> None:
    cache = cache_in(tmp_path)
    cache.keep(ASKED, ANSWER)
    found = cache.find(replace(ASKED, searched="  QUIEN   reporta"))
    assert found is None  # signs are part of a question
    found = cache.find(replace(ASKED, searched="  ¿QUIEN   reporta?"))
    assert found
    assert found[0] == Found((("a.md", "general"),), "  ¿QUIEN   reporta?")


OTHERS = [
    replace(ASKED, generation="gen-b"),
    replace(ASKED, model="qwen"),
    replace(ASKED, limits=(1, 1)),
    replace(ASKED, collection="sierju"),
    replace(ASKED, searched="¿Quién lo reporta? (SIERJU)"),
]


@pytest.mark.parametrize("other", OTHERS)
def test_anything_else_is_another_answer(tmp_path: Path, other: AnswerKey) -> None:
    cache = cache_in(tmp_path)
    cache.keep(ASKED, ANSWER)
    assert cache.find(other) is None


# setting -> whether an answer depends on it
SETTINGS: list[tuple[dict[str, Any], bool]] = [
    ({"perfil": "clasico"}, True),
    ({"llm_max_tokens": 100}, True),
    ({"llm_url": "http://127.0.0.1:1"}, True),
    ({"port": 6000}, False),
    ({"cache_ttl": 50}, False),
    ({"admin_token": "clave"}, False),
]


@pytest.mark.parametrize(("options", "matters"), SETTINGS)
def test_settings(tmp_path: Path, options: dict[str, Any], matters: bool) -> None:
    cache_in(tmp_path).keep(ASKED, ANSWER)
    assert (cache_in(tmp_path, **options).find(ASKED) is None) == matters


FOUND, SOURCES = ANSWER[0], ANSWER[3]
BY_MODEL = replace(ASKED, model="qwen")
NOT_KEPT: list[tuple[str, AnswerKey, tuple[Event, ...]]] = [
    ("refusal", ASKED, (FOUND, Delta("No."), Nearest(None, (Reason(Code.NOTHING_TO_QUOTE),)))),
    ("no end", ASKED, (FOUND, Delta("Sí."))),
    ("talk", ASKED, (Found((), "hola"), Delta("Buen día."), Sources())),
    ("nothing said", ASKED, (FOUND, Delta(" "), SOURCES)),
    ("cut by the limit of tokens", BY_MODEL, (FOUND, Delta("Los jueces y los"), SOURCES)),
    ("somebody's number in the answer", ASKED, (FOUND, Delta("Llame al 300 123 4567."), SOURCES)),
    ("somebody's address in a quotation", ASKED, (FOUND, Delta("Sí."), Sources((replace(SOURCE, text="a@b.co"),)))),
    ("somebody's number in the question", replace(ASKED, searched="soy c.c. 52.345.678"), ANSWER),
]


@pytest.mark.parametrize(("why", "asked", "events"), NOT_KEPT)
def test_not_kept(tmp_path: Path, why: str, asked: AnswerKey, events: tuple[Event, ...]) -> None:
    cache = cache_in(tmp_path)
    cache.keep(asked, events)
    assert cache.find(asked) is None, why
    assert cache.figures().entries == 0


def test_a_whole_answer_of_a_model_is_kept(tmp_path: Path) -> None:
    cache = cache_in(tmp_path)
    cache.keep(BY_MODEL, ANSWER)
    assert cache.find(BY_MODEL)


def test_old_answers_are_not_found(tmp_path: Path) -> None:
    clock = Clock()
    cache = cache_in(tmp_path, clock, cache_ttl=60)
    cache.keep(ASKED, ANSWER)
    clock.now += 59
    assert cache.find(ASKED)
    clock.now += 1
    assert cache.find(ASKED) is None
    assert cache.figures().entries == 0


def test_the_least_used_go_first(tmp_path: Path) -> None:
    clock = Clock()
    cache = cache_in(tmp_path, clock, cache_max=3)
    asked = [replace(ASKED, searched=f"pregunta {word}") for word in ("una", "dos", "tres", "cuatro")]
    for row in asked[:3]:
        clock.now += 1
        cache.keep(row, ANSWER)
    clock.now += 1
    assert cache.find(asked[0])
    clock.now += 1
    cache.keep(asked[3], ANSWER)
    assert [cache.find(row) is not None for row in asked] == [True, False, True, True]


def test_processes_share_answers_and_figures(tmp_path: Path) -> None:
    one, other = cache_in(tmp_path), cache_in(tmp_path)
    assert one.find(ASKED) is None
    one.keep(ASKED, ANSWER)
    assert other.find(ASKED)
    for cache in (one, other):
        figures = cache.figures()
        assert (figures.entries, figures.hits, figures.misses, figures.hit_rate) == (1, 1, 1, 0.5)
    assert other.empty() == 1
    assert one.find(ASKED) is None


def test_switched_off(tmp_path: Path) -> None:
    cache = cache_in(tmp_path, cache_max=0)
    cache.keep(ASKED, ANSWER)
    assert cache.find(ASKED) is None
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_no_cache(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"esto no es SQLite" * 100)
    cache = cache_in(tmp_path)
    cache.keep(ASKED, ANSWER)
    assert cache.find(ASKED) is None
    assert cache.figures().entries == 0
    assert cache.empty() is None


def test_content_that_another_wrote(tmp_path: Path) -> None:
    cache = cache_in(tmp_path)
    cache.keep(ASKED, ANSWER)
    with sqlite3.connect(tmp_path / FILE_NAME) as connection:
        connection.execute("UPDATE respuestas SET contenido = '{}'")
    connection.close()
    assert cache.find(ASKED) is None


def test_only_the_owner_may_read_it(tmp_path: Path) -> None:
    cache = cache_in(tmp_path / "datos")
    cache.keep(ASKED, ANSWER)
    assert all(path.stat().st_mode & 0o077 == 0 for path in (tmp_path / "datos").iterdir())
