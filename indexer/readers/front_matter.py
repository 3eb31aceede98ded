"""Take the YAML front matter off a document: it describes the text, and is never part of it."""

from __future__ import annotations

import re
from typing import Any

import yaml

_MAX_BLOCK = 100_000  # characters; a longer block between two rules is text
_FENCED = re.compile(r"\n*---[ \t]*\n(.*?)(?<=\n)(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.S)
_OPENING = re.compile(r"\n*---[ \t]*\n")
_CLOSING = re.compile(r"(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
# A key as programs write it: small letters without accents. "PARA: Magistrados" heads a memorandum, and is text.
_PROGRAM_KEY = re.compile(r"[a-z][a-z0-9_-]{0,40}:(?:[ \t].*)?(?:\n|\Z)")
_GOES_ON = re.compile(r"(?:[ \t]+\S|-[ \t]).*(?:\n|\Z)")
_MIN_KEYS = 3  # keys from which lines with only one of their two rules are front matter
_KEY_LINE = re.compile(r"^([\w][\w .-]{0,60}?)\s*:\s*(.*)$")


def split_front_matter(text: str) -> tuple[dict[str, str], str, tuple[str, ...]]:
    """Return (metadata, body, warnings) of a normalised text.

    Front matter is what lies between `---` on the first line and the next `---` or `...`, and holds at least one key;
    otherwise the rule is just a rule. Where one of the two rules got lost, it is the run of three or more keys in small
    letters beside the other one. Values are strings as written; lists are joined by ", ".
    """
    found = _FENCED.match(text[:_MAX_BLOCK])
    if found and (found[1].strip() == "" or _has_key(found[1])):
        metadata, complaints = _read(found[1])
        return metadata, text[found.end() :], complaints
    start, end, after = _half_fenced(text[:_MAX_BLOCK])
    if not after:
        return {}, text, ()
    metadata, complaints = _read(text[start:end])
    return metadata, text[after:], (_HALF_FENCED, *complaints)


_BROKEN = "La cabecera YAML tiene errores: se leyó línea por línea como «clave: valor»."
_HALF_FENCED = "A la cabecera YAML le falta una de sus dos líneas «---»: se leyó como cabecera."


def _half_fenced(text: str) -> tuple[int, int, int]:
    """Return (start, end, start of the body) of front matter that has one of its two rules; zeros if there is none."""
    opening = _OPENING.match(text)
    start = opening.end() if opening else len(text) - len(text.lstrip("\n"))
    end, keys = start, 0
    while line := _PROGRAM_KEY.match(text, end) or (_GOES_ON.match(text, end) if keys else None):
        keys += line.re is _PROGRAM_KEY
        end = line.end()
    closing = _CLOSING.match(text, end)
    if keys < _MIN_KEYS or bool(opening) == bool(closing):
        return 0, 0, 0
    return start, end, closing.end() if closing else end


def _read(block: str) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return (metadata, warnings) of the lines of a front matter."""
    try:
        loaded = yaml.load(block, Loader=_PlainLoader)
    except (yaml.YAMLError, RecursionError, ValueError):
        return _key_lines(block), (_BROKEN,)
    if loaded in (None, ""):
        return {}, ()
    return (_flat(loaded), ()) if isinstance(loaded, dict) else (_key_lines(block), (_BROKEN,))


class _PlainLoader(yaml.BaseLoader):
    """Keep every scalar as the string that was written (no dates, no booleans), and refuse aliases.

    Aliases let ten lines unfold into gigabytes; no front matter needs them.
    """

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.events.AliasEvent):
            raise yaml.YAMLError("alias")
        return super().compose_node(parent, index)


def _has_key(block: str) -> bool:
    return any(_KEY_LINE.match(line) for line in block.split("\n"))


def _key_lines(block: str) -> dict[str, str]:
    pairs = (_KEY_LINE.match(line) for line in block.split("\n"))
    return {pair[1].strip().lower(): pair[2].strip().strip("\"'") for pair in pairs if pair}


def _flat(loaded: dict[Any, Any]) -> dict[str, str]:
    return {str(key).strip().lower(): _flat_value(value) for key, value in loaded.items()}


def _flat_value(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key}: {_flat_value(inner)}" for key, inner in value.items())
    if isinstance(value, list):
        return ", ".join(_flat_value(inner) for inner in value)
    return " ".join(str(value).split())
