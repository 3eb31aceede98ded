"""What `make install-schedule` puts where, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.deploy.files import ROOT, UNITS, install, read_environment, read_unit


def test_a_dry_run_writes_below_its_folder_only_and_says_what_to_run(tmp_path: Path) -> None:
    run = install(tmp_path)
    assert run.returncode == 0, run.stderr
    files = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert files == {
        *(f"etc/systemd/system/{unit}" for unit in UNITS),
        "usr/lib/sysusers.d/siaa.conf",
        "usr/lib/tmpfiles.d/siaa.conf",
        "etc/siaa/siaa.env",
    }
    assert all(name in run.stdout for name in files)
    assert "systemctl enable --now siaa.service siaa-index.timer" in run.stdout


def test_the_units_name_the_folders_they_were_installed_for(tmp_path: Path) -> None:
    run = install(
        tmp_path, PREFIX="/opt/otra", SIAA_CORPUS_DIR="/datos/docs", SIAA_INDEX_DIR="/datos/i", SIAA_DATA_DIR="/datos/d"
    )
    assert run.returncode == 0, run.stderr
    build = read_unit(tmp_path / "etc/systemd/system/siaa-index.service")["Service"]
    assert build["ExecStart"] == ["/opt/otra/.venv/bin/python -m indexer"]
    assert build["WorkingDirectory"] == ["/opt/otra"]
    assert build["ReadOnlyPaths"] == ["/opt/otra", "-/datos/docs"]
    assert build["ReadWritePaths"] == ["/datos/i", "-/datos/vectores"]
    assert read_unit(tmp_path / "etc/systemd/system/siaa.service")["Service"]["ReadWritePaths"] == ["/datos/d"]
    environment = read_environment(tmp_path / "etc/siaa/siaa.env")
    assert (environment["SIAA_CORPUS_DIR"], environment["SIAA_INDEX_DIR"]) == ("/datos/docs", "/datos/i")
    assert environment["SIAA_VECTORS_DIR"] == "/datos/vectores"


def test_by_default_the_units_name_this_checkout(tmp_path: Path) -> None:
    run = install(tmp_path, PREFIX="")
    if run.returncode:  # the checkout lies where no unit can
        assert str(ROOT) in run.stderr
        return
    assert read_unit(tmp_path / "etc/systemd/system/siaa.service")["Service"]["WorkingDirectory"] == [str(ROOT)]


def test_homes_are_visible_only_to_those_who_live_there(tmp_path: Path) -> None:
    install(tmp_path, PREFIX="/home/ana/siaa")
    assert read_unit(tmp_path / "etc/systemd/system/siaa.service")["Service"]["ProtectHome"] == ["read-only"]


def test_the_settings_of_the_operator_stay(tmp_path: Path) -> None:
    install(tmp_path)
    settings = tmp_path / "etc/siaa/siaa.env"
    settings.write_text("SIAA_PORT=8080\n", encoding="utf-8")
    run = install(tmp_path)
    assert settings.read_text(encoding="utf-8") == "SIAA_PORT=8080\n"
    assert "se conserva" in run.stdout


REFUSED = [
    {"PREFIX": "/srv/con espacio"},  # a unit would cut the path there
    {"PREFIX": "relativa"},  # a unit needs a whole path
    {"SIAA_CORPUS_DIR": "/srv/100%"},  # % is a specifier of systemd
    {"SIAA_INDEX_DIR": "/srv/a|b"},  # the sign that sed uses
]


@pytest.mark.parametrize("variables", REFUSED, ids=lambda v: next(iter(v.values())))
def test_a_path_that_no_unit_can_hold_is_refused(variables: dict[str, str], tmp_path: Path) -> None:
    run = install(tmp_path, **variables)
    assert run.returncode == 1
    assert "No se instaló nada." in run.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(Path("/run/systemd/system").is_dir(), reason="would install here")
def test_without_systemd_or_root_it_offers_the_line_of_cron() -> None:
    run = install(None)
    assert run.returncode == 1
    assert "No se instaló nada." in run.stderr
    if " " not in str(ROOT):  # such a checkout is refused before
        assert f"30 2 * * * cd {ROOT} && .venv/bin/python -m indexer" in run.stderr
