"""What is written down of a question: its events decide the alert, a failure or a reader who left the rest."""

from __future__ import annotations

import pytest

from siaa.answering.events import Delta, Event, Found, Nearest, Sentence, Source, Sources
from siaa.answering.exchange import Exchange
from siaa.answering.reasons import Code, Reason

FOUND, SAID = Found((("a.md", "general"),), "¿quién reporta?"), Delta("Los jueces.")
SOURCE = Source("a.md", "general", "T", "5", "", 0, 3, "uno", "verificada")
REFUSED = Nearest(None, (Reason(Code.MISSING_ARTICLE), Reason(Code.LOST_LIST)))


def sources(state: str) -> Sources:
    return Sources((SOURCE,), (Sentence(0, 3, state, 1),))


# events -> alert, code
ALERTS: list[tuple[list[Event], str, str]] = [
    ([FOUND, SAID, sources("verificada")], "OK", ""),
    ([FOUND, SAID, sources("parcial")], "OK", ""),
    ([FOUND, SAID, sources("sin_sustento")], "POSIBLE_ALUCINACION", ""),
    ([FOUND, SAID, sources("mal_atribuida")], "POSIBLE_ALUCINACION", ""),
    (
        [FOUND, SAID, Nearest(None, (Reason(Code.MISSING_ARTICLE), Reason(Code.LOST_LIST)))],
        "SIN_CONTEXTO",
        "articulo_ausente",
    ),
]


@pytest.mark.parametrize(("events", "alert", "code"), ALERTS)
def test_alerts(events: list[Event], alert: str, code: str) -> None:
    ticks = iter([1.0, 1.25])
    exchange = Exchange("¿y quién?", searched="otra", clock=lambda: next(ticks))
    assert [exchange.note(event) for event in events] == events
    line = exchange.line()
    assert (line.kind, line.alert, line.code, line.milliseconds, line.complete) == ("DOC", alert, code, 250, True)
    assert (line.question, line.searched) == ("¿y quién?", "¿quién reporta?")
    assert (line.answer, line.documents) == ("Los jueces.", ("a.md",))


def test_a_failure_keeps_what_was_said() -> None:
    exchange = Exchange("¿quién?", events=[FOUND, SAID], failure="modelo_cortado")
    line = exchange.line()
    assert (line.kind, line.alert, line.code, line.answer) == ("ERROR", "ERROR", "modelo_cortado", "Los jueces.")


def test_before_anything_was_found_the_question_is_the_one_that_was_understood() -> None:
    assert Exchange("¿y quién?", searched="¿quién firma?", complete=False).line().searched == "¿quién firma?"
