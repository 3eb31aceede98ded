"""Answer with the documents' own words: the sentences that answer best, quoted, with the place they stand in.

This is what a machine without a language model shows. It writes nothing of its own but the names of the places, so
that every word between quotation marks is a slice of a document; when too little of the question is in the passages,
it gives no answer at all.
"""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from service import messages
from siaa.model import Fragment, Piece
from siaa.sentences import clause_spans, is_heading_line, is_list_item, sentence_spans
from siaa.text import fold, squeeze

MAX_CHARS = 600  # characters of an extractive answer, introductions included (contract)
MIN_COVERAGE = 0.30  # share of the question's idf weight that the passages must hold; below, no answer
MIN_RELATIVE_SCORE = 0.25  # of the best sentence's score; weaker ones would only fill the answer up
SATURATION = 0.8  # BM25's k1, sentences
LENGTH_SHARE = 0.5  # BM25's b, sentences: sentences of laws are long by nature
TYPICAL_STEMS = 18.0  # stems of an ordinary sentence, the middle of the length penalty
LEAD_IN_SHARE = 0.6  # of a count in the sentence itself: what a list's lead-in says holds for each item
HEADING_SHARE = 0.3  # the same for the heading above
NEIGHBOUR_SHARE = 0.3  # the same for the sentences before and after
NEWS_HALF = 1.5  # stems beyond the question's at which a sentence keeps half its score: an echo answers nothing
PIECE_SHARE = 0.6  # of a sentence's score that rises and falls with its passage's score

HEADING_CHARS = 100  # characters of a heading that an introduction shows, at most
MIN_CUT_CHARS = 40  # characters; a shorter piece of a sentence would tell nothing
CAPTION_CHARS = 90  # characters of the caption of an article or a parágrafo, at most
_CAPTION = re.compile(r"\W*(?:articulo|art|paragrafo)\b")

Stems = Callable[[str], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Quote:
    """A verbatim slice of a document, `document.text[start:end] == text`, and the place it stands in."""

    doc_id: str
    name: str
    article: str
    heading: str
    start: int
    end: int
    text: str
    score: float


@dataclass(frozen=True, slots=True)
class ExtractiveAnswer:
    """`text` is the answer, at most MAX_CHARS characters; `quotes` are what it quotes, in the same order, best first.

    `coverage` is the share (0 to 1) of the question's weight that the passages hold.
    """

    text: str
    quotes: tuple[Quote, ...]
    coverage: float


def extract(
    fragments: Sequence[Fragment],
    *,
    weights: Mapping[str, float],
    stems: Stems,
    expansion: Mapping[str, float] | None = None,
    piece_scores: Mapping[tuple[str, int], float] | None = None,
    max_chars: int = MAX_CHARS,
) -> ExtractiveAnswer | None:
    """Quote the sentences of `fragments` that answer best; None when they do not answer.

    `weights`: stem of the question -> idf, unknown stems with the weight of the rarest; `expansion`: further stems at
    their reduced weight, which help to choose and never count as covered. `stems` is the analyzer's function.
    `piece_scores`: (doc_id, start of the piece) -> score of its passage, any scale. `max_chars`: of the answer's text,
    fewer where a notice goes before it, at least 300.
    """
    covered = coverage(fragments, weights=weights, stems=stems)
    if covered < MIN_COVERAGE:
        return None
    terms = {**(expansion or {}), **weights}
    scored = [
        replace(unit, score=_score(unit, terms, stems) * _prior(fragment, unit.piece, piece_scores))
        for fragment in fragments
        for unit in _units(fragment)
    ]
    ranked = sorted((unit for unit in scored if unit.score > 0), key=lambda unit: -unit.score)
    if not ranked:
        return None
    quotes = _choose(ranked, lambda text: sum(terms.get(stem, 0.0) for stem in set(stems(text))), max_chars=max_chars)
    if not quotes:
        return None
    return ExtractiveAnswer(_render(quotes), tuple(quotes), covered)


def coverage(fragments: Sequence[Fragment], *, weights: Mapping[str, float], stems: Stems) -> float:
    """Return the share of the question's weight whose stems stand in the fragments, their headings and names.

    0.0 for a question without stems.
    """
    total = sum(weights.values())
    if not total:
        return 0.0
    present: set[str] = set()
    for fragment in fragments:
        present |= set(stems(f"{fragment.name.replace('_', ' ')} {fragment.text}"))
    return sum(weight for stem, weight in weights.items() if stem in present) / total


# -- what can be quoted ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Unit:
    """A sentence or list item that can be quoted: `piece.text[start:end]`, and what it is read together with."""

    fragment: Fragment
    piece: Piece
    start: int
    end: int
    lead_in: tuple[int, int] | None  # of a list item: the sentence that announces the list
    around: str  # the sentences before and after
    score: float = 0.0

    @property
    def text(self) -> str:
        return self.piece.text[self.start : self.end]

    @property
    def lead_in_text(self) -> str:
        return self.piece.text[slice(*self.lead_in)] if self.lead_in else ""


def _units(fragment: Fragment) -> Iterator[_Unit]:
    for piece in fragment.pieces:
        spans = list(_quotable(piece.text))
        texts = [piece.text[slice(*span)] for span in spans]
        lead_in: tuple[int, int] | None = None
        for position, (start, end) in enumerate(spans):
            if texts[position].endswith(":") and not is_list_item(texts[position]):
                lead_in = (start, end)
            elif not is_list_item(texts[position]) and not _continues(piece.text, spans[:position], start):
                lead_in = None
            around = " ".join(texts[max(0, position - 1) : position] + texts[position + 1 : position + 2])
            if lead_in == (start, end) and _opens_list(texts[position + 1 : position + 2]):
                continue  # quoted with its items, and says nothing without them
            yield _Unit(fragment, piece, start, end, None if lead_in == (start, end) else lead_in, around)


def _quotable(text: str) -> Iterator[tuple[int, int]]:
    """Yield the sentences, not the headings; the caption of an article ("Artículo 5. Objeto.") with what follows it."""
    caption: int | None = None
    for start, end in sentence_spans(text):
        sentence = text[start:end]
        if is_heading_line(sentence) or messages.REFUSAL in sentence:  # its words appear in no other answer (contract)
            continue
        if len(sentence) <= CAPTION_CHARS and _CAPTION.match(fold(sentence)):
            caption = start if caption is None else caption
            continue
        yield (start if caption is None else caption), end
        caption = None


def _opens_list(following: Sequence[str]) -> bool:
    return bool(following) and is_list_item(following[0])


def _continues(text: str, before: Sequence[tuple[int, int]], start: int) -> bool:
    """Tell whether a plain sentence is the next one of a list item: no blank line stands between."""
    return bool(before) and is_list_item(text[slice(*before[-1])]) and "\n\n" not in text[before[-1][1] : start]


def _score(unit: _Unit, weights: Mapping[str, float], stems: Stems) -> float:
    """Score by BM25 over the sentence, what it is read together with counting for less."""
    own = stems(unit.text)
    counts: Counter[str] = Counter(own)
    shares = ((unit.lead_in_text, LEAD_IN_SHARE), (unit.piece.heading, HEADING_SHARE), (unit.around, NEIGHBOUR_SHARE))
    context: dict[str, float] = {}
    for text, share in shares:
        for stem in set(stems(text)):
            context[stem] = context.get(stem, 0.0) + share
    length = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * len(own) / TYPICAL_STEMS)
    score = 0.0
    for stem, weight in weights.items():
        count = counts[stem] + context.get(stem, 0.0)
        score += weight * count / (count + length)
    news = len(set(own) - weights.keys())
    return score * news / (news + NEWS_HALF)


def _prior(fragment: Fragment, piece: Piece, scores: Mapping[tuple[str, int], float] | None) -> float:
    if not scores:
        return 1.0
    best = max(scores.values())
    own = scores.get((fragment.doc_id, piece.start), 0.0)
    return 1 - PIECE_SHARE + PIECE_SHARE * own / best if best > 0 else 1.0


# -- what is quoted, and how it reads -------------------------------------------------------------------------------


def _choose(ranked: Sequence[_Unit], worth: Callable[[str], float], *, max_chars: int) -> list[Quote]:
    """Take units from the best down while whole ones fit; only the very best is cut when it is too long by itself."""
    chosen: list[Quote] = []
    for unit in ranked:
        if unit.score < MIN_RELATIVE_SCORE * ranked[0].score:
            break
        for quotes in _renderings(unit):
            candidate = _joined(chosen, quotes)
            if len(_render(candidate)) <= max_chars:
                chosen = candidate
                break
        else:
            if not chosen:
                chosen = _cut(unit, worth, max_chars=max_chars)
    return chosen


def _renderings(unit: _Unit) -> Iterator[list[Quote]]:
    """Yield the ways to quote a unit, fullest first: an item with its lead-in, alone."""
    own = _quote(unit, unit.start, unit.end)
    if unit.lead_in:
        yield [_quote(unit, *unit.lead_in), own]
    yield [own]


def _quote(unit: _Unit, start: int, end: int) -> Quote:
    piece, fragment = unit.piece, unit.fragment
    return Quote(
        doc_id=fragment.doc_id,
        name=fragment.name,
        article=piece.article,
        heading=piece.heading,
        start=piece.start + start,
        end=piece.start + end,
        text=piece.text[start:end],
        score=round(unit.score, 4),
    )


def _joined(chosen: Sequence[Quote], quotes: Sequence[Quote]) -> list[Quote]:
    """Add what is not quoted yet; quotes of one place stay together, behind the place's best."""
    result = list(chosen)
    for quote in quotes:
        if any(_holds(other, quote) for other in result):
            continue
        same = [position for position, other in enumerate(result) if _place(other) == _place(quote)]
        result.insert(same[-1] + 1 if same else len(result), quote)
    return result


def _holds(outer: Quote, inner: Quote) -> bool:
    return outer.doc_id == inner.doc_id and outer.start <= inner.start and inner.end <= outer.end


def _cut(unit: _Unit, worth: Callable[[str], float], *, max_chars: int) -> list[Quote]:
    """Return the run of whole clauses of a too long unit that is worth most and fits; none if there is no room."""
    room = max_chars - len(_render([_quote(unit, unit.start, unit.start)]))
    if room < MIN_CUT_CHARS:
        return []
    clauses = [(unit.start + start, unit.start + end) for start, end in clause_spans(unit.text, longest=room)]
    runs = [
        (first[0], last[1])
        for position, first in enumerate(clauses)
        for last in clauses[position:]
        if last[1] - first[0] <= room
    ]
    best = max(runs, key=lambda run: (worth(unit.piece.text[slice(*run)]), -run[0], run[1]))
    return [_quote(unit, *best)]


def _place(quote: Quote) -> tuple[str, str]:
    return quote.doc_id, f"art {quote.article}" if quote.article else quote.heading


def _render(quotes: Sequence[Quote]) -> str:
    """Write the quotations, one paragraph for each place: `Según el documento X, artículo 5: «...» «...»`."""
    paragraphs: list[str] = []
    place: tuple[str, str] | None = None
    for quote in quotes:
        marked = f"«{quote.text}»"
        if _place(quote) == place:
            paragraphs[-1] += f" {marked}"
        else:
            paragraphs.append(f"{_introduction(quote)} {marked}")
        place = _place(quote)
    return "\n\n".join(paragraphs)


def _introduction(quote: Quote) -> str:
    heading = squeeze(quote.heading)
    if quote.article:
        place = messages.PLACE_ARTICLE.format(article=quote.article.replace("_", " "))
    elif heading:
        place = messages.PLACE_HEADING.format(heading=textwrap.shorten(heading, HEADING_CHARS, placeholder="…"))
    else:
        return messages.QUOTE_INTRODUCTION_BARE.format(name=quote.name)
    return messages.QUOTE_INTRODUCTION.format(name=quote.name, place=place)
