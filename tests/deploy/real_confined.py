"""Both programs inside the walls that the units put up, without systemd: `make test-deploy`.

A namespace of mounts in which everything is read-only but the folder of `ReadWritePaths`, no capabilities, no new
privileges and, for a build, no network. The filter of system calls and the limits of memory are systemd's own.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.deploy.files import ROOT
from tests.deploy.tools import need_own_mounts, run
from tests.http.client import Client
from tests.http.conftest import free_port

# Everything read-only but the folder that may be written and, as with PrivateTmp, an empty one for temporary files.
WALLS = """
set -e
mount --bind "$1" "$1"
mount -t tmpfs none /var/tmp
mount -o remount,bind,ro /
for place in $(awk '$2 != "/" && $2 !~ "^/(proc|sys|dev)" {print $2}' /proc/mounts); do
    [ "$place" = "$1" ] || [ "$place" = /var/tmp ] || mount -o remount,bind,ro "$place" 2>/dev/null || true
done
shift
exec setpriv --no-new-privs --bounding-set=-all --inh-caps=-all --ambient-caps=-all "$@"
"""


def walled(writable: Path, *command: str, network: bool) -> list[str]:
    spaces = ["--mount"] if network else ["--mount", "--net"]
    return ["unshare", *spaces, "sh", "-c", WALLS, "sh", str(writable), *command]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need_own_mounts()
    folder = tmp_path_factory.mktemp("muros")
    for name in ("indice", "datos"):
        (folder / name).mkdir()
    return folder


def variables(folders: Path, **more: str) -> dict[str, str]:
    return {"SIAA_INDEX_DIR": f"{folders}/indice", "SIAA_DATA_DIR": f"{folders}/datos", "SIAA_LLM": "ninguno", **more}


def test_the_walls_stand(folders: Path) -> None:
    outside = folders / "fuera"
    tried = run(*walled(folders / "indice", "sh", "-c", f"echo x > {outside}", network=False))
    assert tried.returncode != 0
    assert not outside.exists()
    assert run(*walled(folders / "indice", "touch", f"{folders}/indice/prueba", network=False)).returncode == 0


@pytest.fixture(scope="module")
def indexed(folders: Path) -> Path:
    """Build an index within its walls; it writes nothing else."""
    command = walled(folders / "indice", sys.executable, "-m", "indexer", network=False)
    built = run(*command, timeout=300, PYTHONDONTWRITEBYTECODE="1", **variables(folders))
    assert built.returncode == 0, built.stdout
    assert not list((folders / "datos").iterdir())
    return folders


def test_a_build_writes_its_index(indexed: Path) -> None:
    assert (indexed / "indice" / "CURRENT").is_file()


def test_the_service_answers_with_an_index_it_cannot_write(indexed: Path) -> None:
    port = free_port()
    with subprocess.Popen(
        walled(indexed / "datos", sys.executable, "-m", "service", network=True),
        cwd=ROOT,
        env={**os.environ, **variables(indexed, SIAA_PORT=str(port)), "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.PIPE,
        text=True,
    ) as service:
        assert service.stdout is not None
        try:
            assert "SIAA atiende" in service.stdout.readline()
            client = Client("127.0.0.1", port)
            assert client.get("/readyz").status == 200
            assert client.get("/siaa/enrutar", q="periodicidad del reporte SIERJU").json["docs_encontrados"]
            body = b'{"messages": [{"role": "user", "content": "\xc2\xbfCu\xc3\xa1l es la periodicidad del reporte?"}]}'
            assert client.request("POST", "/siaa/chat", body, Content_Type="application/json").status == 200
        finally:
            service.terminate()
    assert list((indexed / "datos").iterdir())  # the cache of answers and the quality log
