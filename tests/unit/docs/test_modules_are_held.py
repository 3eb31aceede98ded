"""Every module has a test that is called as it is, or a row of tests/README.md that says which test holds it."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
ROWS = re.findall(r"^\| (`.*`) \| `(.*)` \|$", (ROOT / "tests/README.md").read_text(encoding="utf-8"), re.MULTILINE)
LISTED = [module for modules, _ in ROWS for module in re.findall(r"`([^`]+)`", modules)]
A_LINE = 3  # lines of an `__init__.py` that says only what its package is


def modules() -> list[Path]:
    found = (path for package in ("siaa", "indexer", "service") for path in (ROOT / package).rglob("*.py"))
    return [path for path in found if path.name != "__init__.py" or len(path.read_text().splitlines()) > A_LINE]


def own_test(module: Path) -> Path:
    name = module.parent.name if module.name == "__init__.py" else module.stem
    return ROOT / "tests/unit" / module.relative_to(ROOT).parent / f"test_{name}.py"


def test_every_module_is_held() -> None:
    without = sorted(str(path.relative_to(ROOT)) for path in modules() if not own_test(path).is_file())
    assert sorted(LISTED) == without


def test_every_test_that_is_named_is_there() -> None:
    assert [test for _, test in ROWS if not (ROOT / test).is_file()] == []


def test_no_test_of_the_core_knows_the_service() -> None:
    """The core can be asked without it; what needs a socket is in tests/http."""
    core = [*(ROOT / "tests/unit/siaa").rglob("*.py"), *(ROOT / "tests").glob("*.py")]
    assert [
        path.name for path in core if re.search(r"^\s*(?:from|import) service\b", path.read_text(), re.MULTILINE)
    ] == []
