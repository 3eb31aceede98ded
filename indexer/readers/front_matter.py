"""Take the YAML front matter off a document: it describes the text, and is never part of it."""

from __future__ import annotations

import re
from typing import Any

import yaml

_MAX_BLOCK = 100_000  # characters; a longer block between two rules is text
_FENCED = re.compile(r"---[ \t]*\n(.*?)(?<=\n)(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.S)
_KEY_LINE = re.compile(r"^([\w][\w .-]{0,60}?)\s*:\s*(.*)$")


def split_front_matter(text: str) -> tuple[dict[str, str], str, tuple[str, ...]]:
    """Return (metadata, body, warnings) of a normalised text.

    Front matter is only what lies between `---` on the first line and the next `---` or `...`, and holds at least one
    key; otherwise the rule is just a rule. Values are strings as written; lists are joined by ", ".
    """
    found = _FENCED.match(text[:_MAX_BLOCK]) if text.startswith("---") else None
    if not found or not (found[1].strip() == "" or _has_key(found[1])):
        return {}, text, ()
    block, body = found[1], text[found.end() :]
    try:
        loaded = yaml.load(block, Loader=_PlainLoader)
    except (yaml.YAMLError, RecursionError, ValueError):
        return _key_lines(block), body, (_BROKEN,)
    if loaded in (None, ""):
        return {}, body, ()
    if not isinstance(loaded, dict):
        return _key_lines(block), body, (_BROKEN,)
    return _flat(loaded), body, ()


_BROKEN = "La cabecera YAML tiene errores: se leyó línea por línea como «clave: valor»."


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
