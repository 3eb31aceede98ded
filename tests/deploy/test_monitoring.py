"""The dashboard and the alarms ask for what the service offers, and every alarm has its row in docs/operacion.md."""

from __future__ import annotations

import re
from itertools import combinations

import pytest

from siaa.config import Settings
from siaa.retrieval import Stage
from tests.deploy.files import ROOT
from tests.deploy.queries import dashboard, dashboard_queries, offered_metrics, rules

OFFERED = offered_metrics()
ALARMS = rules()
QUERIES = [*dashboard_queries(), *(rule["expr"] for rule in ALARMS)]
OPERATION = (ROOT / "docs" / "operacion.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_asks_for_what_there_is(query: str) -> None:
    for name, selector in re.findall(r"\b(siaa_\w+)(?:\{([^}]*)\})?", query):
        assert name in OFFERED, name
        labels = set(re.findall(r"(\w+)\s*=~?\"", selector))
        assert labels <= OFFERED[name] | {"instance", "job"}, f"{name}: {labels}"
    for stage in re.findall(r'etapa="(\w+)"', query):
        assert stage in set(Stage)


@pytest.mark.parametrize("query", [q for q in QUERIES if " by (" in q])
def test_a_grouping_names_labels_there_are(query: str) -> None:
    known = set().union(*OFFERED.values()) | {"le"}
    for labels in re.findall(r"\bby \(([^)]*)\)", query):
        assert {label.strip() for label in labels.split(",")} <= known


def test_the_dashboard_shows_every_metric() -> None:
    shown = " ".join(dashboard_queries())
    for name in {re.sub(r"_(bucket|sum|count)$", "", name) for name in OFFERED}:
        assert name in shown, name


def test_panels_do_not_cover_each_other() -> None:
    panels = dashboard()["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    for one, other in combinations((panel["gridPos"] for panel in panels), 2):
        apart = (
            one["x"] + one["w"] <= other["x"]
            or other["x"] + other["w"] <= one["x"]
            or one["y"] + one["h"] <= other["y"]
            or other["y"] + other["h"] <= one["y"]
        )
        assert apart, (one, other)
    assert all(panel["gridPos"]["x"] + panel["gridPos"]["w"] <= 24 for panel in panels)


def test_no_two_alarms_bear_one_name() -> None:
    names = [rule["alert"] for rule in ALARMS]
    assert len(set(names)) == len(names)
    assert sorted(re.findall(r"^\| `(Siaa\w+)` \|", OPERATION, re.MULTILINE)) == sorted(names)


@pytest.mark.parametrize("rule", ALARMS, ids=lambda rule: rule["alert"])
def test_an_alarm_says_what_to_do_and_has_its_row(rule: dict[str, object]) -> None:
    annotations = rule["annotations"]
    labels = rule["labels"]
    assert isinstance(annotations, dict)
    assert isinstance(labels, dict)
    assert set(annotations) == {"resumen", "que_hacer"}
    assert labels["gravedad"] in {"critica", "alta", "media", "baja"}
    assert re.search(rf"^\| `{rule['alert']}` \|", OPERATION, re.MULTILINE)


def test_the_alarm_of_full_threads_rings_before_they_are() -> None:
    rule = next(rule for rule in ALARMS if rule["alert"] == "SiaaMuchasRespuestasALaVez")
    limit = int(rule["expr"].rsplit(maxsplit=1)[1])
    threads = Settings.model_fields["threads"].default
    assert limit == threads * 3 // 4
    assert f"los {threads}" in rule["annotations"]["resumen"]


def test_anchors_that_alarms_name_exist() -> None:
    headings = re.findall(r"^#+ (.*)$", OPERATION, re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings}
    marks = set(re.findall(r'<a id="([\w-]+)"></a>', OPERATION))
    for rule in ALARMS:
        for anchor in re.findall(r"operacion\.md#([\w-]+)", rule["annotations"]["que_hacer"]):
            assert anchor in anchors | marks, anchor
