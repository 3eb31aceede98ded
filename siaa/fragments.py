"""Assemble the fragment of a document: verbatim pieces under their headings, within the budget.

Passages are taken best first. Neighbours are joined without repeating what they share; a passage that would pass the
budget is cut where a sentence ends (or begins, when it stands before a piece already taken).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from siaa.model import Fragment, Piece
from siaa.text import strip_markup

_SAME_PLACE = 0.6  # share of a passage that may already be taken before it is not worth a place
_SMALLEST_CUT = 120  # characters; less of a passage says nothing
_LONGEST_HEADING = 160  # characters; a longer one stays in the text and is shown shortened
_MOST_MARKUP = 40  # characters of Markdown around a heading; a longer line is no heading line
_TOUCHING = 2  # characters between neighbours that count as touching


@dataclass(frozen=True, slots=True)
class Span:
    """A passage that may go into a fragment; offsets are characters of the document, `sentences` where they begin."""

    start: int
    end: int
    heading: str
    article: str
    digest: int
    sentences: tuple[int, ...]


Slice = Callable[[int, int], str]


def choose(spans: Iterable[Span], *, limit: int, articles: Sequence[str]) -> list[Span]:
    """Return up to `limit` spans, best first: the best of each article asked for, then by rank.

    A span whose text another one repeats, or that is mostly taken already, is passed over. `spans` is read only as far
    as it takes when no article is asked for.
    """
    chosen: list[Span] = []
    for span in _asked_first(list(spans), articles) if articles else spans:
        if len(chosen) == limit:
            break
        if all(span.digest != other.digest and _shared(span, other) <= _SAME_PLACE for other in chosen):
            chosen.append(span)
    return chosen


def _asked_first(ranked: Sequence[Span], articles: Sequence[str]) -> Iterable[Span]:
    asked = [next((s for s in ranked if s.article == article), None) for article in articles]
    firsts = sorted((s for s in asked if s is not None), key=ranked.index)
    return [*firsts, *ranked]


def _shared(span: Span, other: Span) -> float:
    return max(0, min(span.end, other.end) - max(span.start, other.start)) / (span.end - span.start)


def assemble(chosen: Sequence[Span], *, doc_id: str, name: str, budget: int, slice_text: Slice) -> Fragment:
    """Return the fragment of the `chosen` spans, best first, of at most `budget` characters once rendered."""
    taken: list[Span] = []
    for span in chosen:
        fitting = next(
            (s for s in _shorter(span, taken) if _fragment([*taken, s], doc_id, name, slice_text).chars <= budget), None
        )
        if fitting is not None:
            taken.append(fitting)
    return _fragment(taken, doc_id, name, slice_text)


def _shorter(span: Span, taken: Sequence[Span]) -> Iterable[Span]:
    """Yield `span`, then what is left of it cut at one sentence after another."""
    yield span
    follows = any(_joins(span, other) and other.start > span.start for other in taken)
    sentences = [start for start in span.sentences if span.start < start < span.end]
    if follows:  # its end joins a piece already taken: cut its beginning
        for start in sentences:
            if span.end - start >= _SMALLEST_CUT:
                yield _cut(span, start, span.end)
        return
    for end in reversed(sentences):
        if end - span.start >= _SMALLEST_CUT:
            yield _cut(span, span.start, end)


def _cut(span: Span, start: int, end: int) -> Span:
    return Span(start, end, span.heading, span.article, span.digest, span.sentences)


def _joins(one: Span, other: Span) -> bool:
    """Tell whether two spans overlap, or touch within one section."""
    gap = max(one.start, other.start) - min(one.end, other.end)
    return gap < 0 or (gap <= _TOUCHING and one.heading == other.heading and one.article == other.article)


def _fragment(spans: Sequence[Span], doc_id: str, name: str, slice_text: Slice) -> Fragment:
    merged: list[Span] = []
    for span in sorted(spans, key=lambda s: (s.start, s.end)):
        if merged and _joins(merged[-1], span):
            merged[-1] = _cut(merged[-1], merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return Fragment(doc_id, name, tuple(_piece(span, slice_text) for span in merged))


def _piece(span: Span, slice_text: Slice) -> Piece:
    """Return the span without its own heading line and without white space at the ends."""
    text = slice_text(span.start, span.end)
    start = span.start
    line, _, rest = text.partition("\n")
    heading = span.heading
    if len(heading) > _LONGEST_HEADING:
        heading = heading[: _LONGEST_HEADING - 1].rstrip() + "…"
    elif len(line) <= len(heading) + _MOST_MARKUP and strip_markup(line) == heading and rest.strip():
        start, text = start + len(line) + 1, rest
    start += len(text) - len(text.lstrip())
    text = text.strip()
    return Piece(heading, start, start + len(text), text, span.article)
