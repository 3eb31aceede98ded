"""What the log holds: a line per request without what was asked, and each level's share under [ENRUTADOR] at DEBUG."""

from __future__ import annotations

import logging
from collections.abc import Callable

import pytest
from flask import Flask

QUESTION = "¿Cuál es la periodicidad del reporte SIERJU?"


def test_each_level_s_share_is_logged_without_the_question(
    sample_app: Callable[..., Flask], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="service")
    client = sample_app().test_client()
    client.get("/siaa/enrutar", query_string={"q": QUESTION})
    client.post("/siaa/chat", json={"messages": [{"role": "user", "content": QUESTION}]}).get_data()
    routed = [line for line in caplog.messages if line.startswith("[ENRUTADOR]")]
    assert len(routed) == 4  # two documents, twice
    assert all("pasajes +" in line for line in routed)
    requests = [record for record in caplog.records if record.name == "service.app"]
    assert [record.getMessage().rpartition(" ")[0].rsplit(" ", 2)[0] for record in requests] == [
        "GET /siaa/enrutar",
        "POST /siaa/chat",
    ]
    assert not any("periodicidad" in line for line in caplog.messages)
