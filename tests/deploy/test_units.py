"""The units of systemd and the line of cron say what the programs need; `make test-deploy` asks the real tools."""

from __future__ import annotations

import re

import pytest

from indexer import __main__ as indexer
from service.__main__ import WRONG_USE
from siaa.config import Settings
from tests.deploy.files import DEPLOY, UNITS, read_environment, read_unit, seconds

SERVICES = [name for name in UNITS if name.endswith(".service")]
CRON = DEPLOY / "cron" / "siaa-index"

# What each unit of a program must say, and why.
HARDENING = {
    "User": "siaa",  # a user of its own
    "NoNewPrivileges": "yes",
    "ProtectSystem": "strict",  # everything is read-only ...
    "ProtectHome": "yes",
    "PrivateTmp": "yes",
    "PrivateDevices": "yes",
    "CapabilityBoundingSet": "",  # no capability, not even after a set-uid program
    "RestrictNamespaces": "yes",
}
# ... but what each has to write; neither may write the documents.
WRITES = {
    "siaa.service": ["/var/lib/siaa/datos"],  # not the index: only builds change it
    "siaa-index.service": ["/var/lib/siaa/indice", "-/var/lib/siaa/vectores"],  # the minus: it may be missing
}


@pytest.mark.parametrize("name", SERVICES)
def test_a_program_is_confined(name: str) -> None:
    service = read_unit(DEPLOY / "systemd" / name)["Service"]
    assert {key: service[key][-1] for key in HARDENING} == HARDENING
    assert service["ReadWritePaths"] == WRITES[name]
    assert "-/srv/siaa/corpus" in service["ReadOnlyPaths"]
    assert re.fullmatch(r"\d+G", service["MemoryMax"][0])


@pytest.mark.parametrize("name", UNITS)
def test_a_unit_says_nothing_twice(name: str) -> None:
    lists = {"ReadOnlyPaths", "ReadWritePaths", "Environment", "SystemCallFilter"}
    for section, keys in read_unit(DEPLOY / "systemd" / name).items():
        for key, values in keys.items():
            assert key in lists or len(values) == 1, f"[{section}] {key}"


def test_the_service_restarts_unless_its_settings_are_wrong() -> None:
    service = read_unit(DEPLOY / "systemd" / "siaa.service")["Service"]
    assert service["Restart"] == ["on-failure"]
    assert service["RestartPreventExitStatus"] == [str(WRONG_USE)]


def test_answers_under_way_have_time_to_end() -> None:
    service = read_unit(DEPLOY / "systemd" / "siaa.service")["Service"]
    grace = Settings.model_fields["stop_seconds"].default
    assert seconds(service["TimeoutStopSec"][0]) >= grace + 30  # and some to close
    assert service["KillMode"] == ["mixed"]  # the signal goes to the main process, which tells the others


def test_only_0_is_a_success_and_only_what_mends_itself_is_tried_again() -> None:
    service = read_unit(DEPLOY / "systemd" / "siaa-index.service")["Service"]
    assert service["Type"] == ["oneshot"]
    assert service["SuccessExitStatus"] == [str(indexer.FINE)]
    assert service["Restart"] == ["on-failure"]
    for_a_person = {1, indexer.WRONG_USE, indexer.STOPPED, indexer.NOT_PUBLISHED}
    assert set(map(int, service["RestartPreventExitStatus"][0].split())) == for_a_person
    assert indexer.LOCKED not in for_a_person


def test_a_build_has_no_network_and_stays_behind_the_service() -> None:
    service = read_unit(DEPLOY / "systemd" / "siaa-index.service")["Service"]
    assert service["PrivateNetwork"] == ["yes"]
    assert int(service["Nice"][0]) > 0


def test_the_timer_runs_nightly_and_makes_up_for_a_night_it_missed() -> None:
    timer = read_unit(DEPLOY / "systemd" / "siaa-index.timer")
    assert timer["Timer"]["OnCalendar"] == ["*-*-* 02:30:00"]
    assert timer["Timer"]["Persistent"] == ["true"]
    assert seconds(timer["Timer"]["RandomizedDelaySec"][0]) > 0
    assert timer["Timer"]["Unit"] == ["siaa-index.service"]
    assert timer["Install"]["WantedBy"] == ["timers.target"]


def test_the_environment_names_only_settings_and_the_folders_of_the_units() -> None:
    found = read_environment(DEPLOY / "siaa.env")
    assert set(found) <= {f"SIAA_{name.upper()}" for name in Settings.model_fields}
    assert found["SIAA_CORPUS_DIR"] == "/srv/siaa/corpus"
    assert [found["SIAA_DATA_DIR"]] == WRITES["siaa.service"]
    assert [found["SIAA_INDEX_DIR"], "-" + found["SIAA_VECTORS_DIR"]] == WRITES["siaa-index.service"]


def test_the_folders_of_the_units_are_made_for_their_user() -> None:
    rows = [line.split() for line in (DEPLOY / "systemd" / "siaa.tmpfiles.conf").read_text().splitlines() if line]
    owners = {row[1]: row[3] for row in rows if row[0] == "d"}
    for folders in WRITES.values():
        assert {owners[folder.lstrip("-")] for folder in folders} == {"siaa"}


def test_the_line_of_cron() -> None:
    text = CRON.read_text(encoding="utf-8")
    assert text.endswith("\n")  # cron ignores a last line without its end
    assert re.fullmatch(r"[A-Za-z0-9_-]+", CRON.name)  # cron ignores files of other names
    lines = [line for line in text.splitlines() if line and not line.startswith("#") and "=" not in line.split()[0]]
    assert len(lines) == 1
    *when, user = lines[0].split()[:6]
    command = lines[0].split(maxsplit=6)[6]
    assert when == ["30", "2", "*", "*", "*"]
    assert user == "siaa"
    assert "%" not in command  # cron would end the line there
    assert "-m indexer" in command
    assert ">>/var/log/siaa/index.log 2>&1" in command
