"""Assemble the fragment of a document: verbatim pieces under their headings, within the budget.

Passages are taken best first. Neighbours are joined without repeating what they share; a passage that would pass the
budget is cut where a sentence ends (or begins, when it stands before a piece already taken).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import NamedTuple

from siaa.generation import Generation, Passage
from siaa.model import Fragment, Piece
from siaa.records import DocumentRecord
from siaa.text import strip_markup

_SAME_PLACE = 0.6  # share of a passage that may already be taken before it is not worth a place
_SMALLEST_CUT = 120  # characters; less of a passage says nothing
_LONGEST_HEADING = 160  # characters; a longer one stays in the text and is shown shortened
_MOST_MARKUP = 40  # characters of Markdown around a heading; a longer line is no heading line
_TOUCHING = 2  # characters between neighbours that count as touching


class _Taken(NamedTuple):
    """What is taken of a passage, or, under the heading of the first, of several that join."""

    passage: Passage
    start: int
    end: int


def choose(ranked: Iterable[Passage], *, limit: int, articles: Sequence[str]) -> list[Passage]:
    """Return up to `limit` passages of those `ranked`, best first: the best of each article asked for, then by rank.

    A passage whose text another one repeats, or that is mostly taken already, is passed over. `ranked` is read only as
    far as it takes when no article is asked for.
    """
    chosen: list[Passage] = []
    for passage in _asked_first(list(ranked), articles) if articles else ranked:
        if len(chosen) == limit:
            break
        if all(passage.digest != other.digest and _shared(passage, other) <= _SAME_PLACE for other in chosen):
            chosen.append(passage)
    return chosen


def _asked_first(ranked: Sequence[Passage], articles: Sequence[str]) -> Iterable[Passage]:
    asked = [next((p for p in ranked if p.article == article), None) for article in articles]
    firsts = sorted((p for p in asked if p is not None), key=ranked.index)
    return [*firsts, *ranked]


def _shared(passage: Passage, other: Passage) -> float:
    shared = min(passage.end, other.end) - max(passage.start, other.start)
    return max(0, shared) / (passage.end - passage.start)


def assemble(chosen: Sequence[Passage], *, document: DocumentRecord, budget: int, generation: Generation) -> Fragment:
    """Return the fragment of the `chosen` passages, best first, of at most `budget` characters once rendered."""
    rendered = partial(_fragment, document=document, generation=generation)
    taken: list[_Taken] = []
    for passage in chosen:
        whole = _Taken(passage, passage.start, passage.end)
        fitting = next((t for t in _shorter(whole, taken) if rendered([*taken, t]).chars <= budget), None)
        if fitting is not None:
            taken.append(fitting)
    return rendered(taken)


def _shorter(whole: _Taken, taken: Sequence[_Taken]) -> Iterable[_Taken]:
    """Yield the passage, then what is left of it cut at one sentence after another."""
    yield whole
    follows = any(_joins(whole, other) and other.start > whole.start for other in taken)
    sentences = [start for start in whole.passage.sentences if whole.start < start < whole.end]
    if follows:  # its end joins a piece already taken: cut its beginning
        for start in sentences:
            if whole.end - start >= _SMALLEST_CUT:
                yield whole._replace(start=start)
        return
    for end in reversed(sentences):
        if end - whole.start >= _SMALLEST_CUT:
            yield whole._replace(end=end)


def _joins(one: _Taken, other: _Taken) -> bool:
    """Tell whether two stretches overlap, or touch within one section."""
    gap = max(one.start, other.start) - min(one.end, other.end)
    return gap < 0 or (gap <= _TOUCHING and _section(one.passage) == _section(other.passage))


def _section(passage: Passage) -> tuple[str, str]:
    return passage.heading, passage.article


def _fragment(taken: Sequence[_Taken], *, document: DocumentRecord, generation: Generation) -> Fragment:
    merged: list[_Taken] = []
    for stretch in sorted(taken, key=lambda t: (t.start, t.end)):
        if merged and _joins(merged[-1], stretch):
            merged[-1] = merged[-1]._replace(end=max(merged[-1].end, stretch.end))
        else:
            merged.append(stretch)
    pieces = (_piece(stretch, generation.slice(document, stretch.start, stretch.end)) for stretch in merged)
    return Fragment(document.doc_id, document.name, tuple(pieces))


def _piece(stretch: _Taken, text: str) -> Piece:
    """Return the stretch without its own heading line and without white space at the ends."""
    start, heading = stretch.start, stretch.passage.heading
    line, _, rest = text.partition("\n")
    if len(heading) > _LONGEST_HEADING:
        heading = heading[: _LONGEST_HEADING - 1].rstrip() + "…"
    elif len(line) <= len(heading) + _MOST_MARKUP and strip_markup(line) == heading and rest.strip():
        start, text = start + len(line) + 1, rest
    start += len(text) - len(text.lstrip())
    text = text.strip()
    return Piece(heading, start, start + len(text), text, stretch.passage.article)
