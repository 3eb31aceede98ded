"""The watch over a model: found when it comes, dropped when it goes, and no question waits for either."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Generator, Sequence

import pytest

from siaa.answering.llm.protocol import ChatMessage
from siaa.answering.model_watch import ModelWatch, open_watch
from siaa.config import Settings
from siaa.published.index_holder import FragmentBudget

SETTINGS = Settings()


class Server:
    """A model that is up or not as the test says; `hold` makes it slow to tell."""

    def __init__(self, name: str, *, up: bool = False, context: int = 4096) -> None:
        self.name = name
        self.up = up
        self.context_tokens = context
        self.hold = threading.Event()
        self.hold.set()
        self.failure: Exception | None = None

    def available(self) -> bool:
        self.hold.wait(10)
        if self.failure:
            raise self.failure
        return self.up

    def stream(self, conversation: Sequence[ChatMessage], *, max_tokens: int) -> Generator[str, None, None]:
        raise AssertionError("no one asks")


def test_a_model_that_comes_up_later_is_found_and_one_that_goes_is_dropped() -> None:
    first, second = Server("a"), Server("b")
    watch = ModelWatch(SETTINGS, candidates=[first, second])
    watch.look()
    assert watch.current() is None
    second.up = True
    watch.look()
    assert watch.current() is second
    second.up = False
    watch.look()
    assert watch.current() is second  # one look may fail on a busy machine
    watch.look()
    assert watch.current() is None
    first.up = True
    watch.look()
    assert watch.current() is first


def test_a_model_that_the_settings_name_is_asked_whether_it_is_up_or_not() -> None:
    model = Server("a")
    watch = ModelWatch(SETTINGS, fixed=model)
    assert watch.current() is model
    watch.look()
    assert watch.current() is model


def test_the_budget_follows_the_model() -> None:
    model = Server("a", up=True, context=2048)
    watch = ModelWatch(SETTINGS, candidates=[model])
    assert watch.budget() == FragmentBudget(2, 3)  # without a model, what the settings allow
    watch.look()
    assert watch.budget() == FragmentBudget(1, 3)
    model.up = False
    watch.look()
    watch.look()
    assert watch.budget() == FragmentBudget(2, 3)


def test_no_one_waits_for_a_slow_server() -> None:
    model = Server("a", up=True)
    model.hold.clear()
    watch = ModelWatch(SETTINGS, candidates=[model])
    begun = time.monotonic()
    watch.start(wait=0.05)
    assert watch.current() is None
    assert time.monotonic() - begun < 1
    model.hold.set()
    deadline = time.monotonic() + 5
    while watch.current() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    assert watch.current() is model
    watch.close()


def test_starting_waits_for_a_quick_one_and_looks_again_by_itself() -> None:
    model = Server("a", up=True)
    watch = ModelWatch(SETTINGS, candidates=[model], away=0.02, present=0.02)
    watch.start(wait=5)
    assert watch.current() is model
    model.up = False
    deadline = time.monotonic() + 5
    while watch.current() is not None and time.monotonic() < deadline:
        time.sleep(0.01)
    assert watch.current() is None
    watch.close()


def test_a_look_that_fails_unexpectedly_is_logged_and_not_the_last(caplog: pytest.LogCaptureFixture) -> None:
    model = Server("a", up=True)
    model.failure = RuntimeError("raro")
    watch = ModelWatch(SETTINGS, candidates=[model], away=0.02)
    watch.start(wait=5)
    assert "fallo inesperado" in caplog.text
    model.failure = None
    deadline = time.monotonic() + 5
    while watch.current() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    assert watch.current() is model
    watch.close()


def test_changes_are_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    model = Server("qwen", up=True, context=1024)
    watch = ModelWatch(SETTINGS, candidates=[model], away=0.01, present=0.01)
    watch.start(wait=5)
    time.sleep(0.1)
    watch.close()
    assert caplog.text.count("responde el modelo qwen, con un contexto de 1024 tokens") == 1
    assert caplog.text.count("/siaa/fragmento se limita a lo mismo") == 1
    assert caplog.text.count("con una pregunta larga ni eso cabe") == 1


@pytest.mark.parametrize("values", [{}, {"llm": "ninguno"}])
def test_nothing_to_look_for_starts_no_thread(values: dict[str, str]) -> None:
    before = threading.active_count()
    watch = open_watch(Settings.model_validate(values))
    watch.start(wait=5)
    assert threading.active_count() == before
    assert watch.current() is None
    watch.close()
