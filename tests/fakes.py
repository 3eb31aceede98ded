"""Hand-written stand-ins for what is slow or cannot be made to fail on purpose: generations, models, a model server."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from siaa.answering.llm import ChatMessage, ModelError
from siaa.answering.llm.slots import Slots
from siaa.answering.llm.stream import Call, Stream
from siaa.published.index_holder import IndexHolder


class FakeGeneration:
    """A generation with a name, that knows whether it was closed."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.closed = 0
        self.documents: tuple[Any, ...] = ()
        self.manifest = SimpleNamespace(documents=0, chunks=0, collections={}, created="2026-01-01T00:00:00+00:00")

    def close(self) -> None:
        self.closed += 1


class FakeRetriever:
    """A retriever whose `ask` does what the test says; the other steps are never reached."""

    def __init__(self, name: str = "gen-a", ask: Callable[[str], Any] | None = None) -> None:
        self.generation = FakeGeneration(name)
        self.ask = ask or (lambda raw: SimpleNamespace(raw=raw))

    def route(self, query: Any, *, collection: str | None = None) -> Any:
        raise AssertionError("the fake has no index to route in")


class FakeIndex:
    """An index folder as IndexHolder sees it: a published name, and an opener that may fail."""

    def __init__(self, name: str | None = None) -> None:
        self.name: str | Exception | None = name
        self.failure: Exception | None = None
        self.whole: tuple[str, ...] = ()  # other generations, which open whatever fails
        self.opened: list[FakeRetriever] = []
        self.now = 0.0
        self.name_reads = 0

    def holder(self) -> IndexHolder:
        return IndexHolder(
            Path("indice"),
            opener=self.open,  # type: ignore[arg-type]
            read_name=self.read_name,
            list_names=lambda _: self.whole,
            clock=lambda: self.now,
            wall_clock=lambda: 1_700_000_000.0,
        )

    def open(self, folder: Path) -> FakeRetriever:
        if self.failure is not None and folder.name not in self.whole:
            raise self.failure
        self.opened.append(FakeRetriever(folder.name))
        return self.opened[-1]

    def read_name(self, _: Path) -> str | None:
        self.name_reads += 1
        if isinstance(self.name, Exception):
            raise self.name
        return self.name


class FakeModel:
    """A model that says its pieces, waiting before each for `gate` if there is one, and then fails or ends."""

    name = "guion"
    context_tokens = 4096

    def __init__(
        self,
        pieces: Sequence[str] = (),
        *,
        failure: ModelError | None = None,
        busy: ModelError | None = None,
        gate: threading.Event | None = None,
    ) -> None:
        self.pieces = pieces
        self.failure = failure
        self.busy = busy
        self.gate = gate
        self.asked: list[Sequence[ChatMessage]] = []
        self.closed = threading.Event()

    def available(self) -> bool:
        return True

    def stream(self, conversation: Sequence[ChatMessage], *, max_tokens: int) -> Stream:
        if self.busy is not None:
            raise self.busy
        self.asked.append(conversation)
        # As of a real client: any thread may close it.
        return Stream(Call(Slots(1).enter()), self._pieces())

    def _pieces(self) -> Generator[str, None, None]:
        try:
            for piece in self.pieces:
                if self.gate is not None:
                    self.gate.wait(10)
                yield piece
            if self.failure is not None:
                raise self.failure
        finally:
            self.closed.set()


@contextmanager
def model_server(pieces: Sequence[str], *, pause: float = 0.0) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Run an OpenAI-compatible server that answers every chat with `pieces`; yield its address and what it is sent.

    `pause` is the seconds before each piece. A client that leaves is entered as {"left": True}.
    """
    received: list[dict[str, Any]] = []
    chunks = [{"choices": [{"delta": {"content": piece}}]} for piece in pieces]
    chunks.append({"choices": [{"delta": {}, "finish_reason": "stop"}]})
    frames = [f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks] + [b"data: [DONE]\n\n"]

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._send("application/json", [b'{"data": [{"id": "guion"}]}'])

        def do_POST(self) -> None:
            received.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            try:
                self._send("text/event-stream", frames)
            except OSError:
                received.append({"left": True})

        def _send(self, kind: str, frames: Sequence[bytes]) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(sum(map(len, frames))))
            self.end_headers()
            for frame in frames:
                time.sleep(pause)
                self.wfile.write(frame)

        def log_message(self, *_: object) -> None:
            """Keep the test's output clean."""

    class Server(ThreadingHTTPServer):
        request_queue_size = 512  # hundreds may come at once
        daemon_threads = True

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", received
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
