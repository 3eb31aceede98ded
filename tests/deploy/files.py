"""Read the files of deploy/ as their programs do, as far as the tests need."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"


def plain_root(folder: Path) -> Path:
    """Return the project by a path that units and crontabs take: a link in `folder` where it has spaces or signs."""
    if re.fullmatch(r"[A-Za-z0-9/._+-]+", str(ROOT)):
        return ROOT
    link = folder / "siaa"
    if not link.exists():
        link.symlink_to(ROOT, target_is_directory=True)
    return link


UNITS = ("siaa.service", "siaa-index.service", "siaa-index.timer")

Sections = dict[str, dict[str, list[str]]]


def read_unit(path: Path) -> Sections:
    """Return section -> key -> values in order; an unknown shape of a line is an error."""
    sections: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    section = ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith(("#", ";")):
            continue
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1]
            continue
        key, equals, value = line.partition("=")
        well_formed = equals and section and key.isalnum() and value == value.strip() and not value.endswith("\\")
        assert well_formed, f"{path.name}:{number}: {line}"
        sections[section][key].append(value)
    return {name: dict(keys) for name, keys in sections.items()}


def read_environment(path: Path) -> dict[str, str]:
    """Return the variables of an environment file, also those that are commented out as examples."""
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        name, equals, value = line.removeprefix("#").partition("=")
        if equals and name.isidentifier():
            found[name] = value
    return found


def seconds(span: str) -> float:
    """Return the seconds of a span such as "60s", "10min", "4h"."""
    units = {"s": 1, "min": 60, "h": 3600}
    number = span.rstrip("abcdefghijklmnopqrstuvwxyz")
    return float(number) * units[span[len(number) :]]


def read_instructions(path: Path) -> list[tuple[str, str]]:
    """Return the instructions of a container file: name in capitals and arguments, continuation lines joined."""
    joined, pending = [], ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.lstrip().startswith("#"):
            continue
        pending += line.rstrip()
        if pending.endswith("\\"):
            pending = pending[:-1]
        elif pending.strip():
            name, _, rest = pending.strip().partition(" ")
            joined.append((name.upper(), " ".join(rest.split())))
            pending = ""
        else:
            pending = ""
    return joined


def copied_into_image() -> list[str]:
    """Return the files and folders that the image takes from the checkout."""
    copies = [shlex.split(rest) for name, rest in read_instructions(DEPLOY / "Containerfile") if name == "COPY"]
    return [source for words in copies if not words[0].startswith("--from") for source in words[:-1]]


def install(destdir: Path | None, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the installation below `destdir` (None: for good), in an environment without settings of ours."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("SIAA_", "PREFIX", "DESTDIR"))}
    return subprocess.run(
        ["sh", str(DEPLOY / "install_schedule.sh")],
        # A checkout may lie where no unit can: by default the units are for a place of their own.
        env={**plain, **({"DESTDIR": str(destdir), "PREFIX": "/opt/siaa"} if destdir else {}), **variables},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
