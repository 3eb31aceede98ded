"""docs/api.md names every endpoint, every key and parameter, and every error code that there is."""

from __future__ import annotations

import re

import pytest

from service.endpoints.routes import document_of
from service.http import failures
from service.http.http_errors import HTTP_FAILURES, STATUS
from service.metrics import HIT, MISS, Metrics
from siaa.answering.llm import protocol
from siaa.answering.reasons import REFUSALS
from siaa.errors import SiaaError
from siaa.retrieval import Stage
from tests.http.conftest import ROOT

DOCUMENT = document_of("1.2.3")
PAGE = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
MODEL_ERRORS = [kind for kind in vars(protocol).values() if isinstance(kind, type) and issubclass(kind, SiaaError)]
OWN = [kind for kind in vars(failures).values() if isinstance(kind, type) and issubclass(kind, SiaaError)]
CODES = {kind.code for kind in [*STATUS, *MODEL_ERRORS, *OWN]} - {SiaaError.code}
CODES |= {code for code, _ in HTTP_FAILURES.values()}


@pytest.mark.parametrize("code", sorted(CODES))
def test_every_code_has_its_row(code: str) -> None:
    assert re.search(rf"^\| `{code}` \| \d{{3}} \|", PAGE, re.MULTILINE)


@pytest.mark.parametrize("name", Metrics().names())
def test_every_figure_has_its_row(name: str) -> None:
    assert re.search(rf"^\| `{name}` \|", PAGE, re.MULTILINE)


def test_every_kind_of_refusal_and_stage_is_explained() -> None:
    for word in (*REFUSALS, *Stage, HIT, MISS):
        assert f"`{word}`" in PAGE


@pytest.mark.parametrize("path", sorted(DOCUMENT["paths"]))
def test_every_endpoint_is_described(path: str) -> None:
    assert re.sub(r"\{(\w+)\}", r"<\1>", path) in PAGE


def names_as_code(text: str) -> set[str]:
    """Return the words that stand in code."""
    return {word for code in re.findall(r"`([^`\n]+)`", text) for word in re.findall(r"\w+", code)}


@pytest.mark.parametrize("shape", sorted(DOCUMENT["components"]["schemas"]))
def test_every_key_of_every_object_is_named(shape: str) -> None:
    assert set(DOCUMENT["components"]["schemas"][shape]["properties"]) <= names_as_code(PAGE)


OPERATIONS = [(path, method) for path, methods in DOCUMENT["paths"].items() for method in methods]


@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_what_an_operation_takes_and_answers_is_named_where_it_is_described(path: str, method: str) -> None:
    heading = method.upper() + " " + path.replace("{", "<").replace("}", ">")
    sections = [section for section in re.split("^## ", PAGE, flags=re.MULTILINE) if heading in section]
    operation = DOCUMENT["paths"][path][method]
    wanted = {parameter["name"] for parameter in operation.get("parameters", [])}
    for part in (operation.get("requestBody", {}), *(operation["responses"].get(code, {}) for code in ("200", "202"))):
        reference = part.get("content", {}).get("application/json", {}).get("schema", {}).get("$ref", "")
        wanted |= set(DOCUMENT["components"]["schemas"].get(reference.rpartition("/")[2], {}).get("properties", {}))
    assert wanted <= names_as_code("".join(sections))


def test_no_row_is_about_nothing() -> None:
    assert set(re.findall(r"^\| `(\w+)` \| \d{3} \|", PAGE, re.MULTILINE)) == CODES
