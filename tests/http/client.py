"""A plain HTTP client that sends exactly what it is given, and reads answers as the contract shapes them."""

from __future__ import annotations

import http.client
import json
import socket
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

TIMEOUT = 30  # seconds


@dataclass(frozen=True)
class Answer:
    """Status, headers with lower-case names, and body."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode("utf-8")

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def events(self) -> list[Any]:
        """Return the data of each server-sent event; `[DONE]` as it is, everything else parsed."""
        data = [block[6:] for block in self.text.split("\n\n") if block.startswith("data: ")]
        return [item if item == "[DONE]" else json.loads(item) for item in data]

    @property
    def answer(self) -> str:
        """Return the text of a chat's answer."""
        deltas = [event for event in self.events if isinstance(event, dict) and "choices" in event]
        return "".join(event["choices"][0]["delta"]["content"] for event in deltas)


class Client:
    """Talk to the service at `host`:`port`."""

    def __init__(self, host: str, port: int, *, pid: int = 0) -> None:
        self.host = host
        self.port = port
        self.pid = pid  # of the service's main process; 0 when nobody told

    def get(self, path: str, /, **parameters: str) -> Answer:
        """Ask for `path`, sent as it is, with `parameters` encoded."""
        return self.request("GET", path + (f"?{urlencode(parameters)}" if parameters else ""))

    def request(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Answer:
        connection = http.client.HTTPConnection(self.host, self.port, timeout=TIMEOUT)
        try:
            names = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body=body, headers=names)
            response = connection.getresponse()
            found = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, found, response.read())
        finally:
            connection.close()

    def chat(self, question: str, **body: Any) -> Answer:
        data = {"messages": [{"role": "user", "content": question}], **body}
        return self.request("POST", "/siaa/chat", json.dumps(data).encode(), Content_Type="application/json")

    def raw(self, request: bytes) -> Answer:
        """Send bytes as they are, and read one answer."""
        with socket.create_connection((self.host, self.port), timeout=TIMEOUT) as connection:
            connection.sendall(request)
            response = http.client.HTTPResponse(connection)
            response.begin()
            found = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, found, response.read())

    def raw_get(self, target: bytes) -> Answer:
        """Ask for a target of any bytes."""
        return self.raw(b"GET " + target + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")


def encoded(name: str) -> str:
    """Return a document's name as one path element, its slash as %2F."""
    return quote(name, safe="")
