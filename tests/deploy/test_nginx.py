"""The example for nginx keeps what streams, limits and logs need; `make test-deploy` asks nginx itself."""

from __future__ import annotations

import json
import re

from service.app import MAX_BODY_BYTES
from service.http.http_errors import HTTP_FAILURES
from service.http.wire import HEARTBEAT_SECONDS
from service.servers.server import IDLE_SECONDS
from tests.deploy.files import DEPLOY, seconds

TEXT = re.sub(r"(^|\s)#.*", "", (DEPLOY / "nginx.conf").read_text(encoding="utf-8"))


def values(directive: str) -> list[str]:
    return re.findall(rf"^\s*{directive}\s+([^;]+);", TEXT, re.MULTILINE)


def test_nothing_holds_a_stream_back() -> None:
    assert values("proxy_buffering") == ["off"]
    assert values("proxy_cache") == ["off"]
    assert values("gzip") == ["off"]
    assert values("proxy_http_version") == ["1.1"]


def test_silence_between_heartbeats_is_no_failure() -> None:
    assert seconds(values("proxy_read_timeout")[0]) >= 4 * HEARTBEAT_SECONDS


def test_a_connection_that_the_service_is_closing_is_not_used_again() -> None:
    assert seconds(values("keepalive_timeout")[0]) < IDLE_SECONDS


def test_the_limit_of_a_body_is_the_service_s_own() -> None:
    assert values("client_max_body_size") == [f"{MAX_BODY_BYTES // 1024}k", "1m"]  # the second, of /v1/


def test_no_question_gets_into_the_log() -> None:
    (form,) = values("log_format")
    assert not re.search(r"\$(request|request_uri|args|query_string|http_referer)\b", form)
    assert all(line.endswith(" siaa") for line in values("access_log"))


def test_what_a_client_says_of_itself_does_not_count() -> None:
    headers = dict(value.split(maxsplit=1) for value in values("proxy_set_header"))
    assert headers["X-Forwarded-For"] == "$remote_addr"  # never $proxy_add_x_forwarded_for, which keeps what came
    assert headers["Forwarded"] == headers["X-Forwarded-Prefix"] == '""'


def test_the_figures_are_for_this_machine_only() -> None:
    block = re.search(r"location = /metrics \{(.*?)\}", TEXT, re.DOTALL)
    assert block
    assert "deny all;" in block[1]


def test_what_nginx_refuses_has_the_shape_of_our_errors() -> None:
    refusals = {int(status): json.loads(body) for status, body in re.findall(r"return (\d+) '([^']*)';", TEXT)}
    code, sentence = HTTP_FAILURES[413]
    assert refusals[413] == {"error": sentence.format(limit="64 kB"), "codigo": code}
    assert set(refusals[503]) == {"error", "codigo"}
