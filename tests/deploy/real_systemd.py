"""What systemd itself says of the units: `make test-deploy`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.deploy.files import DEPLOY, UNITS, install, plain_root
from tests.deploy.tools import need, run

WORST_EXPOSURE = "20"  # tenths, of 100: what systemd calls "OK" or better


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    assert install(tmp_path, PREFIX=str(plain_root(tmp_path))).returncode == 0
    return tmp_path


def units(folder: Path) -> list[Path]:
    return [folder / "etc/systemd/system" / name for name in UNITS]


def test_verify_says_nothing(installed: Path) -> None:
    found = run(need("systemd-analyze"), "verify", *units(installed))
    assert (found.returncode, found.stdout) == (0, "")


WRONG = [
    ("siaa.service", "MemoryMax=4G", "MemoryMax=mucho"),  # a value that is ignored, with exit code 0
    ("siaa.service", "NoNewPrivileges=yes", "NoNewPrivilege=yes"),  # a key that does not exist, the same
    ("siaa-index.service", "Type=oneshot", "Type=oneshot\nRestartForceExitStatus=5"),  # not for this type
    ("siaa-index.timer", "OnCalendar=*-*-* 02:30:00", "OnCalendar=*-*-* 26:30:00"),  # no such hour
]


@pytest.mark.parametrize(("unit", "right", "wrong"), WRONG, ids=[wrong.splitlines()[-1] for _, _, wrong in WRONG])
def test_a_fault_would_be_seen(installed: Path, unit: str, right: str, wrong: str) -> None:
    path = installed / "etc/systemd/system" / unit
    text = path.read_text(encoding="utf-8")
    assert right in text
    path.write_text(text.replace(right, wrong), encoding="utf-8")
    assert run(need("systemd-analyze"), "verify", *units(installed)).stdout


@pytest.mark.parametrize("name", [name for name in UNITS if name.endswith(".service")])
def test_the_programs_are_hardly_exposed(installed: Path, name: str) -> None:
    path = installed / "etc/systemd/system" / name
    found = run(need("systemd-analyze"), "security", "--offline=true", f"--threshold={WORST_EXPOSURE}", path)
    assert found.returncode == 0, found.stdout[-300:]


@pytest.mark.skipif(os.getuid() != 0, reason="hace falta root")
def test_user_and_folders_are_made(installed: Path) -> None:
    made = run(need("systemd-sysusers"), f"--root={installed}", "siaa.conf")
    assert made.returncode == 0, made.stdout
    row = next(line for line in (installed / "etc/passwd").read_text().splitlines() if line.startswith("siaa:"))
    assert row.endswith(":/usr/sbin/nologin")
    user = int(row.split(":")[2])
    made = run(need("systemd-tmpfiles"), f"--root={installed}", "--create", "siaa.conf")
    assert (made.returncode, made.stdout) == (0, "")
    owners = {name: (installed / name).stat().st_uid for name in ("var/lib/siaa/indice", "var/lib/siaa/datos")}
    assert set(owners.values()) == {user}
    assert (installed / "var/lib/siaa").stat().st_uid == 0


def test_the_rules_for_users_and_folders_are_read(installed: Path) -> None:
    found = run(need("systemd-sysusers"), "--dry-run", DEPLOY / "systemd" / "siaa.sysusers.conf")
    assert found.returncode == 0, found.stdout
    assert "siaa" in found.stdout
