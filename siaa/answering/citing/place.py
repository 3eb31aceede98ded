"""Read a stretch of a document as claims are held against it: its words, sentences and references, each read once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from siaa.answering.citing.claims import Stem, Word, read_words
from siaa.references import Reference, find_references
from siaa.sentences import sentence_spans

_DOUBLE = frozenset("“”„‟«»＂")
_SINGLE = frozenset("‘’‚‛′´`＇")
_MARKUP = ("**", "__")


class Place:
    """A passage of a document that claims are held against: `text` begins at `start` of its document.

    `article` is the article it belongs to, "" for none. `is_norm` tells whether a reference names its document, and
    `is_file` whether a file name does.
    """

    def __init__(
        self,
        text: str,
        *,
        start: int,
        article: str,
        stem: Stem,
        is_norm: Callable[[Reference], bool],
        is_file: Callable[[str], bool],
    ) -> None:
        self.text = text
        self.start = start
        self.article = article
        self.is_norm = is_norm
        self.is_file = is_file
        self.stem = stem

    @cached_property
    def words(self) -> list[Word]:
        """Return the words of the passage that carry meaning."""
        return read_words(self.text, stem=self.stem)

    @cached_property
    def sentences(self) -> list[tuple[int, int]]:
        """Return the spans of its sentences."""
        return sentence_spans(self.text)

    @cached_property
    def flat(self) -> tuple[str, list[int]]:
        """Return the text as quotations are compared, and where each character of it stands."""
        return flatten(self.text)

    @cached_property
    def references(self) -> tuple[Reference, ...]:
        """Return the references that stand in the passage."""
        return find_references(self.text)

    @cached_property
    def joined(self) -> str:
        """Return the forms of the words, each between two line breaks."""
        return "\n" + "\n".join(word.form for word in self.words) + "\n"


def flatten(text: str) -> tuple[str, list[int]]:
    """Return `text` with plain quotation marks, single spaces and no emphasis, and the offset of each character."""
    characters: list[str] = []
    offsets: list[int] = []
    at = 0
    while at < len(text):
        if text.startswith(_MARKUP, at):
            at += 2
            continue
        character = text[at]
        if character.isspace():
            character = " "
        elif character in _DOUBLE:
            character = '"'
        elif character in _SINGLE:
            character = "'"
        if character != " " or (characters and characters[-1] != " "):
            characters.append(character)
            offsets.append(at)
        at += 1
    return "".join(characters), offsets
