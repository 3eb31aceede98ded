"""Speak to any server with OpenAI's `/v1/chat/completions`: llama.cpp, vLLM, LM Studio, Ollama."""

from __future__ import annotations

import json
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict

import requests
from urllib3.exceptions import HTTPError, ReadTimeoutError

from service.llm.events import BrokenStreamError, StreamError, read_events, read_lines
from service.llm.protocol import (
    ChatMessage,
    ModelBusyError,
    ModelContextError,
    ModelCutError,
    ModelError,
    ModelSilentError,
    ModelUnavailableError,
)
from service.llm.slots import Slots

PROBE_TIMEOUT = 2.0  # seconds to wait for `/health` and `/v1/models`, which a healthy server answers at once
ERROR_BODY_BYTES = 65_536  # bytes of an error page that are looked at

# Words of an error (server's text, type or code, in lower case) -> what it means. First match wins.
ERROR_WORDS: tuple[tuple[tuple[str, ...], type[ModelError]], ...] = (
    (
        ("exceed_context_size", "context_length", "context size", "context length", "context window", "too long"),
        ModelContextError,
    ),
    (("rate_limit", "rate limit", "too many requests", "429", "overloaded", "queue is full"), ModelBusyError),
)
ERROR_STATUS: dict[int, type[ModelError]] = {
    408: ModelSilentError,
    413: ModelContextError,
    429: ModelBusyError,
    504: ModelSilentError,
}


class OpenAIModel:
    """A client that any number of threads may share; each call has a connection of its own.

    `url` is the server's address, with or without `/v1`. `model` "" takes the first model the server offers. Timeouts
    are seconds: to connect, and without an event from the model (before the first piece and between pieces).
    """

    def __init__(
        self,
        url: str,
        *,
        model: str = "",
        concurrency: int = 2,
        connect_timeout: float = 5.0,
        read_timeout: float = 60.0,
    ) -> None:
        self.url = url.rstrip("/").removesuffix("/v1").rstrip("/")
        self._model = model
        self._chosen = model
        self._slots = Slots(concurrency)
        self._connect_timeout = connect_timeout
        self._read_timeout = read_timeout

    @property
    def name(self) -> str:
        """Return the model's name; "" until the server was asked."""
        return self._chosen

    def available(self) -> bool:
        """Tell whether the server is up, not loading, and offers a model. Never raises."""
        try:
            with self._ask("GET", "/health", timeout=PROBE_TIMEOUT) as health:
                if health.status_code == requests.codes.service_unavailable:
                    return False  # llama.cpp while it loads; servers without this path answer 404
            return bool(self._first_model())
        except ModelError:
            return False

    def stream(self, conversation: Sequence[ChatMessage], *, max_tokens: int) -> Generator[str, None, None]:
        """Yield the answer's pieces at temperature 0 (see LanguageModel.stream)."""
        return self._slots.hold(lambda: self._pieces(tuple(conversation), max_tokens))

    def _pieces(self, conversation: Sequence[ChatMessage], max_tokens: int) -> Generator[str, None, None]:
        self._chosen = self._chosen or self._first_model()
        body = {
            "model": self._chosen,
            "messages": [asdict(message) for message in conversation],
            "max_tokens": max_tokens,
            "temperature": 0,
            "stream": True,
        }
        with self._ask("POST", "/v1/chat/completions", body=body, timeout=self._read_timeout) as response:
            if response.status_code != requests.codes.ok:
                if response.status_code == requests.codes.not_found:
                    self._chosen = self._model  # the server may offer another model now: ask it again next time
                raise _refusal(response)
            yield from self._answer(response)

    def _answer(self, response: requests.Response) -> Iterator[str]:
        """Yield the pieces; end only when the server says the answer is complete."""
        written, alive = False, time.monotonic()
        for event in read_events(_lines(response)):
            if isinstance(event, StreamError):
                raise _meaning(event.text, ModelCutError if written else ModelUnavailableError)
            if event is None:
                # A server that only sends comments is as silent as one that sends nothing.
                if time.monotonic() - alive > self._read_timeout:
                    raise ModelSilentError("only comments in the time allowed")
                continue
            alive = time.monotonic()
            if event.text:
                written = True
                yield event.text
                alive = time.monotonic()  # a slow reader is not a silent model
            if event.finished:
                break
        else:
            raise ModelCutError("the stream ended without finish_reason or [DONE]")
        if not written:
            raise ModelSilentError("complete, and empty")

    def _first_model(self) -> str:
        with self._ask("GET", "/v1/models", timeout=PROBE_TIMEOUT) as response:
            if response.status_code != requests.codes.ok:
                raise _refusal(response)
            try:
                return str(json.loads(_body(response))["data"][0]["id"])
            except (ValueError, LookupError, TypeError) as error:
                raise ModelUnavailableError("/v1/models names no model") from error

    @contextmanager
    def _ask(self, method: str, path: str, *, timeout: float, body: object = None) -> Iterator[requests.Response]:
        """Send one request and close its connection at the end, which frees the server's slot.

        Raises ModelError for all that the network can do, also while the answer is read.
        """
        with requests.Session() as session:
            # Questions go to the address in the settings and nowhere else: no proxies or .netrc from the environment.
            session.trust_env = False
            with _translated():
                response = session.request(
                    method,
                    self.url + path,
                    json=body,
                    stream=True,
                    allow_redirects=False,
                    timeout=(self._connect_timeout, timeout),
                    headers={"Accept-Encoding": "identity"},
                )
            try:
                with _translated():
                    yield response
            finally:
                response.close()


@contextmanager
def _translated() -> Iterator[None]:
    """Turn what requests and urllib3 raise into the failures that SIAA names."""
    try:
        yield
    except (requests.ReadTimeout, ReadTimeoutError) as error:
        raise ModelSilentError(str(error)) from error
    except (HTTPError, BrokenStreamError) as error:
        raise ModelCutError(str(error)) from error
    except requests.RequestException as error:
        raise ModelUnavailableError(str(error)) from error


def _lines(response: requests.Response) -> Iterator[bytes]:
    # `iter_lines` waits for full blocks or keeps a line of any length; `read1` gives what has arrived.
    return read_lines(lambda size: bytes(response.raw.read1(size, decode_content=True)))


def _refusal(response: requests.Response) -> ModelError:
    status = response.status_code
    error = _meaning(_body(response).decode("utf-8", errors="replace"), ERROR_STATUS.get(status, ModelUnavailableError))
    error.detail = f"HTTP {status}: {error.detail}"
    return error


def _meaning(text: str, otherwise: type[ModelError]) -> ModelError:
    lowered = text.lower()
    for words, kind in ERROR_WORDS:
        if any(word in lowered for word in words):
            return kind(text[:500])
    return otherwise(text[:500])


def _body(response: requests.Response) -> bytes:
    """Return at most ERROR_BODY_BYTES of the body; what cannot be read of an error page does not matter."""
    body = b""
    try:
        while len(body) < ERROR_BODY_BYTES and (block := response.raw.read1(ERROR_BODY_BYTES, decode_content=True)):
            body += block
    except HTTPError:
        pass
    return body
