"""GET /metrics: what is counted, and that no label holds anything of a question."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from prometheus_client.parser import text_string_to_metric_families

from service.app import create_app
from service.metrics import Metrics, Served
from siaa.answering.llm.protocol import ModelBusyError, ModelCutError
from siaa.config import Settings
from siaa.errors import GenerationError
from tests.fakes import FakeIndex, FakeModel

ANSWERABLE = "¿Quiénes son los funcionarios responsables de reportar?"


def samples(client: FlaskClient) -> dict[tuple[str, tuple[str, ...]], float]:
    """Return each figure by name and label values, in the order of the labels' names."""
    answer = client.get("/metrics")
    assert answer.status_code == 200
    assert answer.content_type.startswith("text/plain")
    families = text_string_to_metric_families(answer.get_data(as_text=True))
    return {(one.name, tuple(one.labels.values())): one.value for family in families for one in family.samples}


def ask(client: FlaskClient, question: str) -> None:
    answer = client.post("/siaa/chat", json={"messages": [{"role": "user", "content": question}]})
    answer.get_data()
    answer.close()


@pytest.fixture
def make_client(sample_index: Path, tmp_path: Path) -> Iterator[Callable[..., FlaskClient]]:
    apps: list[Flask] = []

    def make(model: FakeModel | None = None, **options: Any) -> FlaskClient:
        settings = Settings(index_dir=sample_index, data_dir=tmp_path, llm="ninguno", cache_max=10, **options)
        apps.append(create_app(settings, model=model))
        return apps[-1].test_client()

    yield make
    for app in apps:
        app.extensions["siaa"].holder.close()


def test_requests_stages_cache_and_refusals_are_counted(make_client: Callable[..., FlaskClient]) -> None:
    client = make_client()
    for question in (ANSWERABLE, ANSWERABLE, "receta del ajiaco con guascas"):
        ask(client, question)
    client.get("/siaa/ver/nada.md?q=secreto")
    client.get("/nada/secreto")
    client.open("/healthz", method="SECRETO")
    found = samples(client)
    assert found["siaa_http_requests_total", ("200", "POST", "/siaa/chat")] == 3
    assert found["siaa_http_requests_total", ("404", "GET", "/siaa/ver/<path:name>")] == 1
    assert found["siaa_http_requests_total", ("404", "GET", "-")] == 1
    assert found["siaa_http_requests_total", ("405", "OTRO", "-")] == 1
    assert found["siaa_http_request_seconds_count", ("/siaa/chat",)] == 3
    for stage in ("entender", "enrutar", "fragmento"):
        assert found["siaa_etapa_seconds_count", (stage,)] >= 2
    assert found["siaa_cache_total", ("acierto",)] == 1
    assert found["siaa_cache_total", ("fallo",)] == 2
    assert found["siaa_rechazos_total", ("sin_pasaje",)] == 1
    assert found["siaa_indice_problema", ()] == 0
    assert found["siaa_generacion_edad_seconds", ()] >= 0
    assert any(name == "siaa_generacion_info" and labels[0].startswith("gen-") for name, labels in found)
    assert "secreto" not in str(found).lower()
    assert "ajiaco" not in str(found)


def test_a_model_s_times_and_failures_are_counted(make_client: Callable[..., FlaskClient]) -> None:
    client = make_client(FakeModel(["Los funcionarios responsables ", "son los jueces."]))
    ask(client, ANSWERABLE)
    found = samples(client)
    assert found["siaa_etapa_seconds_count", ("primer_token",)] == 1
    assert found["siaa_etapa_seconds_count", ("modelo",)] == 1
    for model in (FakeModel(["Los"], failure=ModelCutError("x")), FakeModel(busy=ModelBusyError("x"))):
        client = make_client(model)
        ask(client, f"{ANSWERABLE} ¿Y cuándo?")
        code = (model.failure or model.busy).code  # type: ignore[union-attr]
        assert samples(client)["siaa_modelo_fallos_total", (code,)] == 1


def test_without_an_index_there_are_figures_too() -> None:
    index = FakeIndex("gen-a")
    index.failure = GenerationError("dañada")
    found = samples(create_app(Settings(llm="ninguno"), holder=index.holder()).test_client())
    assert found["siaa_indice_problema", ()] == 1
    assert not any(name == "siaa_generacion_info" for name, _ in found)


def test_a_clock_that_went_back_gives_no_negative_age() -> None:
    metrics = Metrics(clock=lambda: datetime(2026, 1, 1, tzinfo=UTC))
    text = metrics.render(Served("gen-a", datetime(2026, 1, 2, tzinfo=UTC), problem=False, streams=2)).decode()
    assert "siaa_generacion_edad_seconds 0.0" in text
    assert "siaa_streams_activos 2.0" in text
