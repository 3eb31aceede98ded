"""Read the lines of a stream from a model, server-sent events or one JSON object a line, trusting nothing about them.

What is known of such streams: comments and unknown fields are normal, `content` may be null and `choices` empty, an
error may come under status 200 as `event: error`, as `error:` field, as bare JSON, as a string or an object, and a
socket that closes cleanly says nothing about whether the answer is complete.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

MAX_LINE_BYTES = 1_000_000  # a piece of an answer is a few bytes; a longer line is a broken or hostile server


class BrokenStreamError(Exception):
    """The stream cannot be read on: a line without end, or data that is not JSON."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One event: the text it adds (often ""), and whether the answer is complete with it.

    `limited` says that it is complete only because its limit of tokens was reached. `prompt_tokens` is what the server
    says it read, where it does; 0 elsewhere.
    """

    text: str = ""
    finished: bool = False
    limited: bool = False
    prompt_tokens: int = 0


@dataclass(frozen=True, slots=True)
class StreamError:
    """An error that the server sent inside the stream: its text, with whatever type and code it has."""

    text: str


def read_lines(read: Callable[[int], bytes], *, block: int = 16_384) -> Iterator[bytes]:
    """Yield the lines that `read` brings, without their ends; the last one may lack an end.

    Raises BrokenStreamError when a line passes MAX_LINE_BYTES.
    """
    pending = b""
    while data := read(block):
        *lines, pending = (pending + data).split(b"\n")
        for line in lines:
            yield line.rstrip(b"\r")
        if len(pending) > MAX_LINE_BYTES:
            raise BrokenStreamError(f"a line of more than {MAX_LINE_BYTES} bytes")
    if pending:
        yield pending.rstrip(b"\r")


def read_events(lines: Iterable[bytes]) -> Iterator[Piece | StreamError | None]:
    """Yield what each line means; None for one without meaning (comment, blank), so that callers see time pass.

    Every `data:` line is an event of its own, as OpenAI's servers write them.

    Raises BrokenStreamError on a `data:` line that is not a JSON object: the text it held is lost, and an answer with
    a hole must not pass for whole.
    """
    kind = ""
    for raw in lines:
        line = raw.decode("utf-8", errors="replace").strip()
        field, _, value = ("json", "", line) if line.startswith("{") else line.partition(":")
        value = value.strip()
        kind = value if field == "event" else kind if line else ""
        if field == "error" or (field == "data" and kind == "error") or (field == "json" and '"error"' in value):
            yield StreamError(value)
        else:
            yield _data(value) if field == "data" else None


def _data(value: str) -> Piece | StreamError:
    if value == "[DONE]":
        return Piece(finished=True)
    try:
        event = json.loads(value)
    except (ValueError, RecursionError) as error:
        raise BrokenStreamError("data that is not JSON") from error
    if not isinstance(event, dict):
        raise BrokenStreamError("data that is not an object")
    if event.get("error"):
        return StreamError(json.dumps(event["error"], ensure_ascii=False))
    return _choice(event.get("choices"))


def _choice(choices: object) -> Piece:
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict):
        return Piece()
    delta = choice.get("delta")
    content = delta.get("content") if isinstance(delta, dict) else None
    reason = choice.get("finish_reason")
    return Piece(content if isinstance(content, str) else "", finished=bool(reason), limited=reason == "length")


def read_objects(lines: Iterable[bytes]) -> Iterator[Piece | StreamError | None]:
    """Yield what each line of Ollama's own stream means: a JSON object a line; None for a blank one.

    Raises BrokenStreamError on a line that is not an object, as `read_events` does.
    """
    for raw in lines:
        line = raw.decode("utf-8", errors="replace").strip()
        yield _object(line) if line else None


def _object(line: str) -> Piece | StreamError:
    try:
        item = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BrokenStreamError("a line that is not JSON") from error
    if not isinstance(item, dict):
        raise BrokenStreamError("a line that is not an object")
    if item.get("error"):
        return StreamError(json.dumps(item["error"], ensure_ascii=False))
    message = item.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    counted = item.get("prompt_eval_count")
    return Piece(
        content if isinstance(content, str) else "",
        finished=item.get("done") is True,
        limited=item.get("done_reason") == "length",
        prompt_tokens=counted if isinstance(counted, int) else 0,
    )
