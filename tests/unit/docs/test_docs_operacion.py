"""The documentation names every setting, metric, error code and exit code; docs/operacion.md says what to do."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import indexer
import service
import siaa
from indexer import __main__ as command
from indexer.commands import COMMANDS, DONE, FOUND
from indexer.review import CHECKS
from service.http.http_errors import HTTP_FAILURES
from siaa.config import Settings
from siaa.errors import SiaaError
from tests.deploy.queries import offered_metrics

ROOT = Path(__file__).resolve().parents[3]
PAGES = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.md")}
OPERATION = PAGES["operacion.md"]
INDEXING = PAGES["indexacion.md"]


def all_errors() -> Iterator[type[SiaaError]]:
    """Yield every failure that any module defines."""
    for package in (siaa, indexer, service):
        for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            if not module.name.endswith(("__main__", ".wsgi")):  # these two start something
                importlib.import_module(module.name)
    pending: list[type[SiaaError]] = [SiaaError]
    while pending:
        found = pending.pop()
        pending += found.__subclasses__()
        if found.__module__.split(".")[0] in ("siaa", "indexer", "service"):
            yield found


CODES = sorted({error.code for error in all_errors()} | {code for code, _ in HTTP_FAILURES.values()})
EXIT_CODES = sorted(
    {DONE, FOUND} | {value for name, value in vars(command).items() if name.isupper() and isinstance(value, int)}
)
METRICS = sorted({re.sub(r"_(bucket|sum|count)$", "", name) for name in offered_metrics()})


@pytest.mark.parametrize("name", sorted(Settings.model_fields))
def test_every_setting_is_somewhere_in_the_documentation(name: str) -> None:
    assert any(f"`SIAA_{name.upper()}`" in text for text in PAGES.values())


@pytest.mark.parametrize("metric", METRICS)
def test_every_metric_has_its_row(metric: str) -> None:
    assert re.search(rf"^\| `{metric}` \| .+ \| .+ \|$", OPERATION, re.MULTILINE)


@pytest.mark.parametrize("code", CODES)
def test_every_error_code_is_in_the_table(code: str) -> None:
    table = OPERATION[OPERATION.index("## Códigos de error") : OPERATION.index("## Códigos de salida")]
    assert f"`{code}`" in table


@pytest.mark.parametrize("code", EXIT_CODES)
def test_every_exit_code_says_what_to_do(code: int) -> None:
    table = OPERATION[OPERATION.index("## Códigos de salida") :]
    assert re.search(rf"^\| {code} \| .+ \| .+ \|$", table, re.MULTILINE)
    assert re.search(rf"^\| {code} \|", INDEXING, re.MULTILINE)


@pytest.mark.parametrize("order", COMMANDS)
def test_every_order_of_the_indexer_has_its_row(order: str) -> None:
    assert re.search(rf"^\| .*`{order}\b", INDEXING, re.MULTILINE)


def test_every_kind_of_finding_has_its_row() -> None:
    source = (ROOT / "indexer" / "review.py").read_text(encoding="utf-8")
    kinds = set(re.findall(r'Finding\("(\w+)"', source))
    assert len(kinds) >= len(CHECKS) - 1  # two checks share a kind
    for kind in kinds:
        assert re.search(rf"^\| `{kind}` \|", INDEXING, re.MULTILINE), kind


@pytest.mark.parametrize("anchor", re.findall(r"\]\((?:operacion\.md)?#([\w-]+)\)", OPERATION))
def test_every_mark_that_the_page_points_to_exists(anchor: str) -> None:
    headings = re.findall(r"^#+ (.*)$", OPERATION, re.MULTILINE)
    known = {re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings}
    assert anchor in known | set(re.findall(r'<a id="([\w-]+)"></a>', OPERATION))
