"""Gather what the dashboard and the alarms ask Prometheus for, and what the service gives it."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import Any

import yaml

from service.metrics import Metrics, Served
from tests.deploy.files import DEPLOY


def dashboard() -> Any:
    return json.loads((DEPLOY / "grafana" / "siaa.json").read_text(encoding="utf-8"))


def rules() -> list[dict[str, Any]]:
    data = yaml.safe_load((DEPLOY / "prometheus" / "alertas.yml").read_text(encoding="utf-8"))
    return [rule for group in data["groups"] for rule in group["rules"]]


def dashboard_queries() -> list[str]:
    """Return every query of the dashboard with Grafana's variables filled in."""
    page = dashboard()
    found = [target["expr"] for panel in page["panels"] for target in panel["targets"]]
    found += [note["expr"] for note in page["annotations"]["list"]]
    return [query.replace("$__rate_interval", "5m").replace("$equipo", ".*") for query in found]


def offered_metrics() -> dict[str, set[str]]:
    """Return what the service offers: name of each sample -> its labels."""
    metrics = Metrics()
    metrics.request(route="/siaa/chat", method="POST", status=200, seconds=0.1)
    metrics.refusal("motivo")
    metrics.model_fault("codigo")
    text = metrics.render(Served("gen-1", datetime.now(UTC), False, 0)).decode()
    found: dict[str, set[str]] = {}
    for name, labels in re.findall(r"^(siaa_\w+?)(?:\{(.*)\})? \S+$", text, re.MULTILINE):
        found.setdefault(name, set()).update(re.findall(r"(\w+)=\"", labels))
    return {name: labels for name, labels in found.items() if not name.endswith("_created")}
