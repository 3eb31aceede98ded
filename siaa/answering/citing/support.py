"""Find what holds up a claim in the passages: the exact span, and how much of the claim stands in it.

Nothing here is a likeness in meaning. A quotation stands character by character; a sentence stands when its words,
its numbers and its negations stand in the passage one after the other, from where a clause begins to where it ends.
Everything less is partial at best.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from siaa.answering.citing.claims import LIMITS, NEGATIONS, Claim, Word, negations, turning_words
from siaa.answering.citing.place import Place, flatten
from siaa.answering.reasons import Code
from siaa.references import Reference, find_references

SAYING_WORDS = 3  # words with meaning that a sentence needs before it says anything that can be verified
PARTIAL_COVER = 0.6  # share of a claim's words from which a passage holds it up in part
ADDED_WORDS = 2  # words of the claim that each of several sentences must hold alone to be read together
WINDOW_SENTENCES = 3  # neighbouring sentences of a passage that are read together, at most
MARKER_CHARS = 3  # characters of the mark of a list item: "a)", "iv)"
NEGATED_WORDS = 3  # words before a quotation among which a negation changes what it says

_OMISSION = re.compile(r"\s*(?:\[\s*(?:\.{3}|…)\s*\]|\(\s*(?:\.{3}|…)\s*\)|\.{3}|…)\s*")
# What stands between two words where a clause begins that needs nothing before it, and where one ends.
_BEGINS = re.compile(r"[.;:?!|#«“»\"]|\n\s*\n|\n\s*[-*•·]")
_ENDS = re.compile(r"[.;:?!|]|\n\s*\n|\n\s*[-*•·#]")


class State(StrEnum):
    """How a sentence or a citation stands (contract); the values are what a reader gets."""

    VERIFIED = "verificada"
    PARTIAL = "parcial"
    UNSUPPORTED = "sin_sustento"
    MISATTRIBUTED = "mal_atribuida"


WORST_FIRST = (State.UNSUPPORTED, State.MISATTRIBUTED, State.PARTIAL, State.VERIFIED)
DOUBTFUL = frozenset(WORST_FIRST[:2])  # of a sentence that no passage holds up, or not where it says


@dataclass(frozen=True, slots=True)
class Support:
    """How a claim stands: in which of the places, `place.text[start:end]`, and why not better.

    `place` is -1 when nothing holds it up. `cover` is the share of its words that the span holds.
    """

    state: State
    place: int = -1
    start: int = 0
    end: int = 0
    cover: float = 0.0
    reason: Code | None = None


def find_support(claim: Claim, places: Sequence[Place]) -> Support:
    """Return how `claim` stands in `places`, in the best of them."""
    found = [_in_place(claim, place, number) for number, place in enumerate(places)]
    best = max(
        found, key=lambda support: (WORST_FIRST.index(support.state), support.cover, -support.place), default=None
    )
    if best is None or best.state is State.UNSUPPORTED:
        return Support(State.UNSUPPORTED, reason=Code.NOT_SAID if claim.quote else Code.NOT_THERE)
    exact_elsewhere = [s for s in found if s.state is State.MISATTRIBUTED and s.cover >= 1.0]
    if best.state is State.PARTIAL and best.cover < 1.0 and exact_elsewhere:
        return exact_elsewhere[0]
    return best


def worst(supports: Iterable[Support]) -> Support:
    """Return the support that holds up least."""
    return min(supports, key=lambda support: WORST_FIRST.index(support.state))


def find_quotation(quoted: str, place: Place) -> tuple[int, int, Code | None] | None:
    """Return where `quoted` stands in the passage, and why not exactly (None if it does); None if nowhere.

    Exact is character by character but for white space, emphasis and the form of quotation marks, between whole words.
    """
    wanted = flatten(quoted)[0].strip()
    flat, offsets = place.flat
    if span := _whole(wanted, flat):
        start, end = offsets[span[0]], offsets[span[1] - 1] + 1
        return start, end, Code.CUT_NEGATION if _is_negated(place, start) else None
    parts = [part.strip() for part in _OMISSION.split(wanted) if part.strip()]
    loose = [part.casefold().rstrip(" .,;:") for part in parts]
    spans = list(_in_order(loose, flat.casefold())) if len(flat.casefold()) == len(flat) else []
    if not spans or len(spans) < len(loose):
        return None
    return offsets[spans[0][0]], offsets[spans[-1][1] - 1] + 1, Code.NEARLY


def _in_place(claim: Claim, place: Place, number: int) -> Support:
    support = _quotation_in(claim, place, number) if claim.quote else _words_in(claim, place, number)
    if support.state is State.UNSUPPORTED:
        return support
    return _attributed(claim, place, support)


def _quotation_in(claim: Claim, place: Place, number: int) -> Support:
    found = find_quotation(claim.quoted, place)
    if found is None:
        return Support(State.UNSUPPORTED)
    start, end, fault = found
    if fault:
        return Support(State.PARTIAL, number, start, end, 0.99, fault)
    whole = _exact(claim.words, place)
    if not claim.core or (whole and whole[0] <= start and end <= whole[1]):
        return Support(State.VERIFIED, number, start, end, 1.0)
    held = {word.key for word in place.words}
    if any(word.is_number and word.key not in held for word in claim.core):
        return Support(State.UNSUPPORTED)
    return Support(State.PARTIAL, number, start, end, 1.0, Code.REST_UNPROVEN)


def _words_in(claim: Claim, place: Place, number: int) -> Support:
    """Hold a claim without a quotation against a passage: first all its words, then those that are not its sources."""
    if span := _exact(claim.words, place):
        return Support(State.VERIFIED, number, *span, 1.0)
    if not claim.core:
        return Support(State.UNSUPPORTED)
    if span := _exact(claim.core, place):
        return Support(State.VERIFIED, number, *span, 1.0)
    return _partly(claim, place, number)


def _partly(claim: Claim, place: Place, number: int) -> Support:
    words = [word for word in claim.core if word.key not in NEGATIONS | LIMITS]
    wanted = {word.key for word in words}
    tokens = {reference.token for reference in claim.mentions}
    best = Support(State.UNSUPPORTED)
    for start, end in _windows(place, wanted):
        window = [word for word in place.words if start <= word.start < end]
        held = {word.key for word in window}
        cover = len(wanted & held) / len(wanted)
        if cover < PARTIAL_COVER or cover <= best.cover or negations(claim.core) != negations(window):
            continue
        stand = {r.token for r in place.references if start <= r.start < end}
        if any(word.is_number and word.key not in held for word in words) or not tokens <= stand:
            continue
        best = Support(State.PARTIAL, number, start, end, min(cover, 0.99), Code.NEARLY)
    return best


def _windows(place: Place, wanted: set[str]) -> Iterator[tuple[int, int]]:
    """Yield every sentence of the passage alone, then with those after it that hold words the others do not."""
    own = [wanted & {w.key for w in place.words if start <= w.start < end} for start, end in place.sentences]
    for size in range(1, WINDOW_SENTENCES + 1 if wanted else 1):
        for first in range(len(own) - size + 1):
            run = own[first : first + size]
            if size > 1 and min(_alone(run, position) for position in range(size)) < ADDED_WORDS:
                continue
            yield place.sentences[first][0], place.sentences[first + size - 1][1]


def _alone(run: Sequence[set[str]], position: int) -> int:
    """Return how many words only the sentence at `position` holds."""
    return len(run[position] - set().union(*(keys for other, keys in enumerate(run) if other != position)))


def _exact(words: Sequence[Word], place: Place) -> tuple[int, int] | None:
    """Return where `words` stand one after the other as a whole clause, in sentences that add no other turn.

    None when the sentence they stand in has a negation or a condition that they leave out, or goes on before or behind
    them: "los jueces reportan" does not stand in "los jueces reportan los lunes".
    """
    if len(words) < SAYING_WORDS:
        return None
    wanted = "\n" + "\n".join(word.form for word in words) + "\n"
    at = place.joined.find(wanted)
    while at >= 0:
        first = place.joined.count("\n", 0, at)
        last = first + len(words) - 1
        start, end = place.words[first].start, place.words[last].end
        if _is_whole(words, place, first, last):
            return _with_marks(place.text, start, end)
        at = place.joined.find(wanted, at + 1)
    return None


def _is_whole(words: Sequence[Word], place: Place, first: int, last: int) -> bool:
    start, end = place.words[first].start, place.words[last].end
    if first:
        before = place.words[first - 1]
        between = place.text[before.end : start]
        marker = before.end - before.start <= MARKER_CHARS and between.lstrip().startswith(")")
        if not marker and not _BEGINS.search(between):
            return False
    if last + 1 < len(place.words) and not _ENDS.search(place.text[end : place.words[last + 1].start]):
        return False
    spans = [span for span in place.sentences if span[0] < end and start < span[1]]
    around = [word for word in place.words if spans and spans[0][0] <= word.start < spans[-1][1]]
    return turning_words(around) == turning_words(words)


def _with_marks(text: str, start: int, end: int) -> tuple[int, int]:
    """Take in the article before the first word and the stop behind the last one."""
    before = re.search(r"(?:\b(?:el|la|los|las|un|una|en|al?|del?|se|por|para|con|su|sus|lo)\s+)+$", text[:start], re.I)
    after = re.match(r"[.;:!?)»”\"]+", text[end:])
    return before.start() if before else start, end + (after.end() if after else 0)


def _whole(wanted: str, flat: str) -> tuple[int, int] | None:
    """Return where `wanted` stands in `flat` with no word or number going on at either end."""
    at = flat.find(wanted) if wanted else -1
    while at >= 0:
        end = at + len(wanted)
        if not _goes_on(flat[max(0, at - 2) : at][::-1], wanted[0]) and not _goes_on(flat[end : end + 2], wanted[-1]):
            return at, end
        at = flat.find(wanted, at + 1)
    return None


def _goes_on(outside: str, edge: str) -> bool:
    """Tell whether a word or number goes on from `edge` into `outside`: 1 in 14, 5 in 5.3."""
    if not edge.isalnum() or not outside:
        return False
    return outside[0].isalnum() or (edge.isdigit() and outside[0] in ".,-/" and outside[1:2].isdigit())


def _in_order(parts: Sequence[str], flat: str) -> Iterator[tuple[int, int]]:
    """Yield where each part stands behind the one before; ends early when one does not."""
    at = 0
    for part in parts:
        span = _whole(part, flat[at:])
        if span is None:
            return
        yield at + span[0], at + span[1]
        at += span[1]


def _is_negated(place: Place, start: int) -> bool:
    """Tell whether a negation stands right before `start`, in the same sentence."""
    opening = next((a for a, b in place.sentences if a <= start < b), start)
    before = re.findall(r"[^\W\d_]+", place.text[opening:start])[-NEGATED_WORDS:]
    return any(word.lower() in NEGATIONS for word in before)


# -- where a claim says it comes from --------------------------------------------------------------------------------


def _attributed(claim: Claim, place: Place, support: Support) -> Support:
    """Hold the sources that a claim names against the place that its words stand in."""
    span = place.text[support.start : support.end]
    sources = claim.sources if claim.quote or not _exact(claim.words, place) else ()
    articles = [r for r in sources if r.article]
    norms = [r for r in sources if r.kind == "norma"]
    units = [r for r in sources if r.kind not in ("art", "art_trans", "norma")]
    of_place = [r.article == place.article for r in articles]
    if (articles and not any(of_place)) or (norms and not any(place.is_norm(norm) for norm in norms)):
        return _moved(support)
    if claim.files and not any(place.is_file(name) for name in claim.files):
        return _moved(support)
    doubtful = not all(of_place) or not all(place.is_norm(norm) for norm in norms)
    if doubtful or not all(_stands_in_unit(unit, place, support.start, span) for unit in units):
        state = State.PARTIAL if support.state is State.VERIFIED else support.state
        return Support(state, support.place, support.start, support.end, support.cover, Code.SOURCE_UNPROVEN)
    return support


def _moved(support: Support) -> Support:
    return Support(State.MISATTRIBUTED, support.place, support.start, support.end, support.cover, Code.OTHER_PLACE)


def _stands_in_unit(unit: Reference, place: Place, start: int, span: str) -> bool:
    """Tell whether the last paragraph, numeral or chapter opened before the span, or at it, is the one named."""
    before = [r for r in place.references if r.kind == unit.kind and r.start <= start]
    inside = [r for r in find_references(span[:60]) if r.kind == unit.kind]
    opened = inside[:1] or before[-1:]
    return bool(opened) and opened[0].token == unit.token
