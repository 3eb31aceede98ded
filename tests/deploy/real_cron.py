"""The line of cron, run by a real cron and by sh: `make test-deploy`. Takes up to a minute: cron's clock ticks so."""

from __future__ import annotations

import getpass
import subprocess
import time
from pathlib import Path

import pytest

from tests.deploy.files import DEPLOY, plain_root
from tests.deploy.tools import need, need_own_mounts, run

LINE = (DEPLOY / "cron" / "siaa-index").read_text(encoding="utf-8")
WAIT_SECONDS = 100  # a minute until the tick, and a build of the sample corpus

# Cron reads fixed folders: give it its own in a namespace of its own, so that nothing of this machine is run.
PRIVATE_CRON = """
set -e
for place in /etc/cron.d /var/spool/cron /run; do mkdir -p "$place"; mount -t tmpfs none "$place"; done
mkdir -p /var/spool/cron/crontabs
mount --bind /dev/null /etc/crontab
cp "$1" /etc/cron.d/siaa-index
exec "$2" -f
"""


@pytest.fixture
def line(tmp_path: Path) -> str:
    """The file of cron.d with folders of this test, every minute, as the user who runs it."""
    (tmp_path / "siaa.env").write_text(
        f'SIAA_INDEX_DIR="{tmp_path}/indice"\nSIAA_DATA_DIR={tmp_path}/datos\n', encoding="utf-8"
    )
    text = LINE.replace("/opt/siaa", str(plain_root(tmp_path))).replace("/etc/siaa/siaa.env", f"{tmp_path}/siaa.env")
    text = text.replace("/var/log/siaa", str(tmp_path))
    return text.replace("30 2 * * * siaa ", f"* * * * * {getpass.getuser()} ").replace("MAILTO=root", 'MAILTO=""')


def test_a_real_cron_builds_the_index(line: str, tmp_path: Path) -> None:
    need_own_mounts()
    file = tmp_path / "siaa-index"
    file.write_text(line, encoding="utf-8")
    file.chmod(0o644)  # cron ignores what others may write
    log = tmp_path / "index.log"
    cron = subprocess.Popen(["unshare", "--mount", "sh", "-c", PRIVATE_CRON, "sh", str(file), need("cron")])
    try:
        deadline = time.monotonic() + WAIT_SECONDS
        while not (log.exists() and "publicada" in log.read_text(encoding="utf-8")):
            assert time.monotonic() < deadline, log.read_text(encoding="utf-8") if log.exists() else "no corrió"
            assert cron.poll() is None
            time.sleep(0.5)
    finally:
        cron.terminate()
        cron.wait(timeout=10)
    assert (tmp_path / "indice" / "CURRENT").is_file()


def command_of(text: str) -> str:
    return next(row for row in text.splitlines() if row.startswith("* * * * *")).split(maxsplit=6)[6]


def test_nothing_to_do_says_nothing_and_takes_seconds(line: str, tmp_path: Path) -> None:
    assert run("sh", "-c", command_of(line)).stdout == ""
    began = time.monotonic()
    again = run("sh", "-c", command_of(line))
    assert (again.returncode, again.stdout) == (0, "")
    assert time.monotonic() - began < 10
    assert "ya estaba al día" in (tmp_path / "index.log").read_text(encoding="utf-8")


FAILURES = [
    ("SIAA_PORT=cero\n", "código 2."),  # a setting that cannot be used
    ("SIAA_CORPUS_DIR=/no/existe\n", "código 4."),  # nothing to index
]


@pytest.mark.parametrize(("setting", "told"), FAILURES, ids=[told for _, told in FAILURES])
def test_a_failure_is_written_to_whoever_reads_the_mail(line: str, tmp_path: Path, setting: str, told: str) -> None:
    with (tmp_path / "siaa.env").open("a", encoding="utf-8") as file:
        file.write(setting)
    assert told in run("sh", "-c", command_of(line)).stdout


def test_missing_settings_are_a_failure_too(line: str, tmp_path: Path) -> None:
    (tmp_path / "siaa.env").unlink()
    assert "SIAA: la construcción del índice terminó con el código" in run("sh", "-c", command_of(line)).stdout
