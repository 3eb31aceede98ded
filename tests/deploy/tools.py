"""Find the real tools that `make test-deploy` asks, or say how to install them."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

_PACKAGES = {"systemd-analyze": "systemd", "cron": "cron", "nginx": "nginx-light", "openssl": "openssl"}


def need(tool: str) -> str:
    """Return the path of a tool; its absence is a failure that names the Debian package."""
    found = shutil.which(tool, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    if found is None:
        pytest.fail(f"falta {tool}: apt-get install --no-install-recommends {_PACKAGES.get(tool, tool)}", pytrace=False)
    return found


def run(*command: str | Path, timeout: float = 60, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command with standard error joined to its output; a wrong exit code is the caller's matter."""
    return subprocess.run(
        list(map(str, command)),
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=timeout,
        check=False,
    )


def need_own_mounts() -> None:
    """Skip where this user may not mount anything in a namespace of its own."""
    tried = run("unshare", "--mount", "sh", "-c", "mount -t tmpfs none /mnt")
    if tried.returncode:
        pytest.skip(f"hace falta poder montar (root, CAP_SYS_ADMIN): {tried.stdout.strip()}")
