"""Mark the very words of a citation in a rendered document: found by offsets, through all its Markdown.

Two characters that the text does not hold are set at the ends of the span before the Markdown is parsed, and turned
into marks, or removed, afterwards. They stand behind what opens a line (`## `, `1. `, `| `), so that they change no
structure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from urllib.parse import quote

from markdown_it.token import Token

CITED_ANCHOR = "cita"  # where links to a citation go

_FREE = range(0xE000, 0xF900)  # code points for private use
_OPENS_LINE = re.compile(r"(?:\s|\|(?!\|)|#{1,6}[ \t]|[-*+>•][ \t]|\d{1,9}[.)][ \t])+")
_CLOSES_LINE = " \t\n*_|#"
_BEGIN = '<mark class="cita">'
_ANCHOR = f'<span id="{CITED_ANCHOR}" class="ancla" tabindex="-1" autofocus=""></span>'


class CitedSpan:
    """The span `text[start:end]` of a document, on its way through the Markdown parser."""

    def __init__(self, text: str, start: int, end: int) -> None:
        free = (chr(code) for code in _FREE)
        self._open, self._close = (character for character, _ in zip(_unused(free, text), range(2), strict=False))
        self._inside = False
        self.found = False
        self.text = self._set(text, start, end)

    def _set(self, text: str, start: int, end: int) -> str:
        end = min(end, len(text))
        opening = _OPENS_LINE.match(text, start, end)
        start = opening.end() if opening else start
        end = start + len(text[start:end].rstrip(_CLOSES_LINE))
        if start >= end:
            return text
        return text[:start] + self._open + text[start:end] + self._close + text[end:]

    def apply(self, tokens: Sequence[Token]) -> None:
        """Turn the two characters in parsed `tokens` into marks."""
        for token in tokens:
            if token.type == "inline" and token.children is not None:
                token.children = list(self._marked(token.children))
            self._clean(token)

    def _marked(self, children: Sequence[Token]) -> Iterator[Token]:
        for child in children:
            self._clean(child, content=False)
            if child.type == "text":
                yield from self._parts(child)
                continue
            self._inside = self._ends_inside(child.content)
            self._clean(child)
            yield child

    def _parts(self, child: Token) -> Iterator[Token]:
        for part in re.split(f"([{self._open}{self._close}])", child.content):
            if part in (self._open, self._close):
                self._inside = part == self._open
            elif part and self._inside:
                if not self.found:
                    yield _html(_ANCHOR)
                self.found = True
                yield _html(_BEGIN)
                yield Token("text", "", 0, content=part)
                yield _html("</mark>")
            elif part:
                yield Token("text", "", 0, content=part)

    def _ends_inside(self, content: str) -> bool:
        marks = [character for character in content if character in (self._open, self._close)]
        return marks[-1] == self._open if marks else self._inside

    def _clean(self, token: Token, *, content: bool = True) -> None:
        if content:
            token.content = self._without(token.content)
        for name, value in token.attrs.items():
            if isinstance(value, str):
                token.attrs[name] = self._without(value)

    def _without(self, text: str) -> str:
        for character in (self._open, self._close):
            text = text.replace(character, "").replace(quote(character), "")
        return text


def _unused(characters: Iterator[str], text: str) -> Iterator[str]:
    return (character for character in characters if character not in text)


def _html(content: str) -> Token:
    return Token("html_inline", "", 0, content=content)
