"""The container file is whole and careful, as far as that shows without an engine."""

from __future__ import annotations

import json
import re

from siaa.config import Settings
from tests.deploy.files import DEPLOY, ROOT, copied_into_image, read_instructions

FILE = DEPLOY / "Containerfile"
INSTRUCTIONS = read_instructions(FILE)
KNOWN = {"FROM", "ARG", "ENV", "WORKDIR", "RUN", "COPY", "USER", "VOLUME", "EXPOSE", "STOPSIGNAL", "HEALTHCHECK", "CMD"}


def rest(name: str) -> list[str]:
    return [arguments for instruction, arguments in INSTRUCTIONS if instruction == name]


def test_it_holds_only_instructions() -> None:
    assert INSTRUCTIONS[0][0] == "FROM"
    assert {name for name, _ in INSTRUCTIONS} <= KNOWN


def test_bases_have_a_version_and_no_registry() -> None:
    for base in (line.split()[0] for line in rest("FROM")):
        assert re.fullmatch(r"python:3\.11[\w.-]*", base)


def test_everything_that_is_copied_is_there_and_passes_the_ignore_file() -> None:
    allowed = {line[1:] for line in (DEPLOY / ".containerignore").read_text().splitlines() if line.startswith("!")}
    for source in copied_into_image():
        assert (ROOT / source).exists(), source
        assert source in allowed, source
    assert allowed == set(copied_into_image())


def test_both_engines_ignore_the_same() -> None:
    assert (DEPLOY / ".containerignore").read_text() == (DEPLOY / "Containerfile.dockerignore").read_text()


def test_every_package_is_checked_by_its_digest() -> None:
    installs = re.findall(r"pip install[^&;]*", " ".join(rest("RUN")))
    assert len(installs) == 4
    assert all("--require-hashes" in command for command in installs)


def test_it_runs_as_an_ordinary_user() -> None:
    names = [name for name, _ in INSTRUCTIONS]
    assert rest("USER") == ["10001"]  # a number: engines can tell that it is not root
    assert "RUN" not in names[names.index("USER") :]
    assert "COPY" not in names[names.index("USER") :]


def test_what_it_writes_is_in_volumes() -> None:
    volumes = json.loads(rest("VOLUME")[0])
    environment = dict(pair.split("=", 1) for pair in rest("ENV")[-1].split())
    settings = {name for name in environment if name.startswith("SIAA_")}
    assert settings <= {f"SIAA_{name.upper()}" for name in Settings.model_fields}
    assert {environment[f"SIAA_{name}_DIR"] for name in ("INDEX", "VECTORS", "DATA", "MODEL")} == set(volumes)
    assert environment["SIAA_CORPUS_DIR"] not in volumes  # mounted by the operator, read-only
    assert environment["SIAA_PROXY"] == "1"  # everything that comes into a container comes through something


def test_its_commands_are_lists() -> None:
    health = rest("HEALTHCHECK")[0]
    assert json.loads(rest("CMD")[0]) == ["python", "-m", "service"]
    command = json.loads(health[health.index("CMD") + 3 :])
    assert command[:2] == ["python", "-c"]
    compile(command[2], "HEALTHCHECK", "exec")
    assert "/healthz" in command[2]
