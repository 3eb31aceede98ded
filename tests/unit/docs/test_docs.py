"""The documentation names every row of the tables that it is about, and names nothing that is not there."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

from indexer import __main__ as command
from indexer.commands import parser
from indexer.readers import READERS
from siaa.config import Settings
from siaa.generation import ARRAYS, CURRENT, DOCUMENTS, MANIFEST, TEXTS, TUNING, WHOOSH
from siaa.routing import ROUTING_LEVELS
from siaa.selection import SIGNALS

ROOT = Path(__file__).resolve().parents[3]
READMES = ("README.md", "README.es.md")
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    if path.name != "CHANGELOG.md"  # tells of what was
)

FIELDS = sorted(Settings.model_fields)
VARIABLES = {f"SIAA_{name.upper()}" for name in FIELDS}
CONFIG_FILES = sorted(path.name for path in (ROOT / "config").rglob("*") if path.is_file())
EXIT_CODES = sorted({value for name, value in vars(command).items() if name.isupper() and isinstance(value, int)})
OPTIONS = sorted(set(re.findall(r"--[a-z]+", parser().format_usage())))
TARGETS = re.findall(r"^([a-z-]+):[^#\n]*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def ranking_pages() -> str:
    found = [ROOT / "docs" / "configuracion.md", ROOT / "docs" / "ranking.md"]
    return "".join(path.read_text(encoding="utf-8") for path in found if path.is_file())


def row_of(first_cell: str, text: str) -> str:
    found = re.search(rf"^\| `{re.escape(first_cell)}`.*$", text, re.MULTILINE)
    assert found, f"ninguna fila de tabla empieza por {first_cell}"
    return found[0]


@pytest.mark.parametrize("name", FIELDS)
def test_every_setting_has_its_row_with_default_and_range(name: str) -> None:
    row = row_of(f"SIAA_{name.upper()}", page("docs/configuracion.md"))
    field = Settings.model_fields[name]
    if isinstance(field.default, bool):
        assert f"`{int(field.default)}`" in row
    elif isinstance(field.default, int | float):
        assert f"`{field.default:g}`" in row or f"`{field.default}`" in row
    bounds = [
        getattr(rule, side) for rule in field.metadata for side in ("ge", "gt", "le", "lt") if hasattr(rule, side)
    ]
    for bound in bounds:
        assert bound is None or re.search(rf"\b{bound}\b", row), f"{name}: falta el límite {bound}"


@pytest.mark.parametrize("name", PAGES)
def test_no_page_names_a_variable_that_is_not_there(name: str) -> None:
    named = set(re.findall(r"\bSIAA_[A-Z][A-Z_]*[A-Z]\b", page(name)))
    assert named <= VARIABLES


@pytest.mark.parametrize("name", CONFIG_FILES)
def test_every_file_of_config_is_described(name: str) -> None:
    assert f"`{name}`" in page("docs/configuracion.md")


def test_every_routing_level_is_described() -> None:
    text = ranking_pages()
    for level in ROUTING_LEVELS:
        assert level.level in row_of(level.signal, text)


@pytest.mark.parametrize("signal", sorted(SIGNALS))
def test_every_signal_is_described(signal: str) -> None:
    row_of(signal, ranking_pages())


@pytest.mark.parametrize("suffix", sorted(READERS))
@pytest.mark.parametrize("name", ["docs/indexacion.md", *READMES])
def test_every_format_is_named(name: str, suffix: str) -> None:
    assert f"`{suffix}`" in page(name)


@pytest.mark.parametrize("code", EXIT_CODES)
@pytest.mark.parametrize("name", ["docs/indexacion.md", *READMES])
def test_every_exit_code_has_its_row(name: str, code: int) -> None:
    assert re.search(rf"^\| {code} \|", page(name), re.MULTILINE)


@pytest.mark.parametrize("flag", sorted(o for a in parser()._actions for o in a.option_strings if o[:2] == "--"))
def test_every_option_of_the_indexer_is_described(flag: str) -> None:
    assert f"`{flag}`" in page("docs/indexacion.md")


@pytest.mark.parametrize("entry", [CURRENT, MANIFEST, DOCUMENTS, TEXTS, f"{WHOOSH}/", f"{ARRAYS}/", f"{TUNING}/"])
@pytest.mark.parametrize("name", ["docs/indexacion.md", "ARCHITECTURE.md"])
def test_every_part_of_a_generation_is_named(name: str, entry: str) -> None:
    assert entry in page(name)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", READMES)
def test_every_target_of_make_is_named(name: str, target: str) -> None:
    assert target == "help" or f"`make {target}`" in page(name)


@pytest.mark.parametrize("path", sorted((ROOT / "docs" / "adr").glob("0*.md")), ids=lambda path: path.stem)
def test_every_decision_is_listed(path: Path) -> None:
    assert f"]({path.name})" in page("docs/adr/README.md")


@pytest.mark.parametrize("name", PAGES)
def test_every_link_leads_somewhere(name: str) -> None:
    for target in re.findall(r"\]\((?!https?:|#)([^)#\s]+)", page(name)):
        assert ((ROOT / name).parent / target).exists(), target


@pytest.mark.parametrize("name", PAGES)
def test_every_module_and_function_named_exists(name: str) -> None:
    for dotted in re.findall(r"`((?:siaa|indexer|service)(?:\.\w+)+)`", page(name)):
        assert _exists(dotted), dotted


def _exists(dotted: str) -> bool:
    """Tell whether a dotted name is a module, or an attribute of one."""
    parts = dotted.split(".")
    for size in range(len(parts), 0, -1):
        try:
            found: object = importlib.import_module(".".join(parts[:size]))
        except ModuleNotFoundError:
            continue
        for attribute in parts[size:]:
            if not hasattr(found, attribute):
                return False
            found = getattr(found, attribute)
        return True
    return False
