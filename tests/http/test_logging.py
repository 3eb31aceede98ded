"""What the log holds: a line per request without what was asked, and each level's share under [ENRUTADOR] at DEBUG."""

from __future__ import annotations

import io
import json
import logging
import re
from collections.abc import Callable, Iterator

import pytest
from flask import Flask

from service.http.request_log import configure, new_request_id
from siaa.config import Settings
from tests.fakes import FakeModel

QUESTION = "¿Cuál es la periodicidad del reporte SIERJU?"


def test_each_level_s_share_is_logged_without_the_question(
    sample_app: Callable[..., Flask], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="service")
    caplog.set_level(logging.DEBUG, logger="siaa")  # last: it is the handler's, too
    client = sample_app().test_client()
    client.get("/siaa/enrutar", query_string={"q": QUESTION})
    answer = client.post("/siaa/chat", json={"messages": [{"role": "user", "content": QUESTION}]})
    answer.get_data()
    answer.close()  # a stream is told of when it has ended
    routed = [line for line in caplog.messages if line.startswith("[ENRUTADOR]")]
    assert len(routed) == 4  # two documents, twice
    assert all("pasajes +" in line for line in routed)
    requests = [record for record in caplog.records if record.name == "service.http.request_tracking"]
    told = [re.fullmatch(r"(\w+ \S+ \d+) \d+\.\d ms gen-\S+", record.getMessage()) for record in requests]
    assert [found and found[1] for found in told] == ["GET /siaa/enrutar 200", "POST /siaa/chat 200"]
    assert not any("periodicidad" in line for line in caplog.messages)


@pytest.fixture
def log() -> Iterator[Callable[..., io.StringIO]]:
    """Return what configures the log of this process into a text; everything is as before at the end."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level

    def to_text(**settings: str) -> io.StringIO:
        text = io.StringIO()
        configure(Settings(**settings), stream=text)  # type: ignore[arg-type]
        return text

    yield to_text
    root.handlers[:], root.level = handlers, level


def test_a_line_per_request_as_json(sample_app: Callable[..., Flask], log: Callable[..., io.StringIO]) -> None:
    text = log(log_format="json")
    answer = (
        sample_app()
        .test_client()
        .get("/siaa/enrutar", query_string={"q": QUESTION}, headers={"X-Request-ID": "mesa-7.a_b"})
    )
    (line,) = [line for line in map(json.loads, text.getvalue().splitlines()) if "ruta" in line]
    assert answer.headers["X-Request-ID"] == line["peticion"] == "mesa-7.a_b"
    assert (line["metodo"], line["ruta"], line["estado"], line["nivel"]) == ("GET", "/siaa/enrutar", 200, "INFO")
    assert line["generacion"] == answer.headers["X-SIAA-Generacion"]
    assert line["ms"] >= 0
    assert "periodicidad" not in text.getvalue()


def test_what_the_thread_of_an_answer_logs_belongs_to_its_request(
    sample_app: Callable[..., Flask], log: Callable[..., io.StringIO]
) -> None:
    text = log(log_format="texto")
    model = FakeModel(["Los jueces"])
    broken = RuntimeError(f"la pregunta era {QUESTION}")
    model.failure = broken  # type: ignore[assignment]
    client = sample_app(model=model).test_client()
    answer = client.post(
        "/siaa/chat",
        json={"messages": [{"role": "user", "content": QUESTION}]},
        headers={"X-Request-ID": "abc123"},
    )
    assert "error_interno" in answer.get_data(as_text=True)
    answer.close()
    lines = text.getvalue()
    assert "ERROR service.endpoints.chat [abc123]: fallo inesperado" in lines
    assert "INFO service.http.request_tracking [abc123]: POST /siaa/chat 200" in lines
    assert "RuntimeError" in lines
    assert "periodicidad" not in lines  # an exception's text may quote anything


# what a client offers -> whether it is taken
OFFERED = [
    ("0123456789abcdef", True),
    ("a" * 64, True),
    ("a" * 65, False),  # too long for every line of a log
    ("", False),
    ("x y", False),  # would look like two fields
    ("-x", False),  # would look like an option to whoever searches for it
    ("{x}", False),
]


@pytest.mark.parametrize(("offered", "taken"), OFFERED)
def test_only_a_plain_id_is_taken_over(offered: str, taken: bool) -> None:
    assert (new_request_id(offered) == offered) is taken
    assert re.fullmatch(r"[0-9a-f]{16}", new_request_id(None))
