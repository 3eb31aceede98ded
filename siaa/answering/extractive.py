"""Answer with the documents' own words: the sentences that answer best, quoted, with the place they stand in.

This is what a machine without a language model shows. It writes nothing of its own but the names of the places, so
that every word between quotation marks is a slice of a document. Whether the passages can answer at all is decided
before (`siaa.answering.refusal`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from siaa.answering import wording
from siaa.answering.quotable import CAPTION, Unit, units_of
from siaa.model import Fragment, Piece
from siaa.sentences import clause_spans, is_list_item
from siaa.text import fold

MAX_CHARS = 600  # characters of an extractive answer, introductions included (contract)
MIN_RELATIVE_SCORE = 0.2  # of the best sentence's score; weaker ones would only fill the answer up
SATURATION = 0.8  # BM25's k1, sentences
LENGTH_SHARE = 0.6  # BM25's b, sentences: sentences of laws are long by nature
TYPICAL_STEMS = 18.0  # stems of an ordinary sentence, the middle of the length penalty
LEAD_IN_SHARE = 0.6  # of a count in the sentence itself: what a list's lead-in says holds for each item
HEADING_SHARE = 0.2  # the same for the heading above
NEIGHBOUR_SHARE = 0.3  # the same for the sentences before and after
NEWS_HALF = 0.7  # stems beyond the question's at which a sentence keeps half its score: an echo answers nothing
PIECE_SHARE = 0.6  # of a sentence's score that rises and falls with its passage's score
LATER_DOCUMENT = 0.5  # of a sentence's score outside the document that was routed first
CUE_BONUS = 0.3  # of a sentence's score, added when it has the form of what is asked: a number, a definition
LABEL_SHARE = 0.5  # of a label's score: a line in capitals, or a short one without an end, states nothing

MIN_CUT_CHARS = 40  # characters; a shorter piece of a sentence would tell nothing
LABEL_CHARS = 120  # characters; a longer line without a final stop is a sentence that was cut, not a label
TITLE_WORDS = 5  # words of a caption that is a title, "Artículo 4. Sanciones.", at most; a longer one may say something
PARAGRAPH_CHARS = 2  # characters between two paragraphs of an answer
LABEL_CAPITALS = 0.7  # share of capitals from which a line is a label
_ENDS = '.:;!?»"”)'

# What a question asks for -> the form of a sentence that gives it; both folded.
CUES: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    (
        re.compile(r"\b(?:cuant[oa]s?|maxim[oa]|minim[oa]|tope|porcentaje)\b"),
        re.compile(
            r"\d|\b(?:dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|trece|catorce|quince|dieci\w+|veint\w+"
            r"|treinta|cuarenta|cincuenta|sesenta|cien|mil|primer|tercer)"
        ),
    ),
    (
        re.compile(r"\bque (?:es|son|significa|se entiende)\b|\bdefinicion\b|\ben que consiste"),
        re.compile(
            r"\b(?:se entiende|entiende por|entendera|se define|consiste|es (?:el|la|un|una)"
            r"|son (?:los|las|aquell[oa]s)|se denomina|corresponde a)\b"
        ),
    ),
)

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
    """`text` is the answer, at most MAX_CHARS characters; `quotes` are what it quotes, in that order, best first."""

    text: str
    quotes: tuple[Quote, ...]


def extract(
    fragments: Sequence[Fragment],
    *,
    weights: Mapping[str, float],
    stems: Stems,
    question: str = "",
    expansion: Mapping[str, float] | None = None,
    piece_scores: Mapping[tuple[str, int], float] | None = None,
    articles: Sequence[str] = (),
    max_chars: int = MAX_CHARS,
) -> ExtractiveAnswer | None:
    """Quote the sentences of `fragments` that answer best; None when no sentence shares a word with the question.

    `fragments` come best document first. `weights`: stem of the question -> idf, unknown stems with the weight of the
    rarest; `expansion`: further stems at their reduced weight. `stems` is the analyzer's function; the words of
    `question` tell which form of sentence answers it. `piece_scores`: (doc_id, start of the piece) -> score of its
    passage, any scale. `articles`: those asked for; where a fragment has any of them nothing else is quoted, and each
    has its place, in this order, however little it says: "(Derogado)". `max_chars`: of the answer's text, fewer where
    a notice goes before it, at least 300.
    """
    terms = {**(expansion or {}), **weights}
    cue = _cue(question)
    asked = set(articles) & {piece.article for fragment in fragments for piece in fragment.pieces}
    scored: list[Unit] = []
    for fragment in fragments:
        later = LATER_DOCUMENT if fragment.doc_id != fragments[0].doc_id else 1.0
        for unit in units_of(fragment, asked):
            score = _score(unit, terms, stems) * _form(unit.text, cue)
            scored.append(replace(unit, score=score * _prior(fragment, unit.piece, piece_scores) * later))
    ranked = sorted((unit for unit in scored if unit.score > 0 or asked), key=lambda unit: -unit.score)
    if not ranked:
        return None

    def worth(text: str) -> float:
        return sum(terms.get(stem, 0.0) for stem in set(stems(text)))

    first = _one_of_each(ranked, [article for article in articles if article in asked], worth, max_chars=max_chars)
    quotes = _choose(ranked, worth, max_chars=max_chars, first=first)
    return ExtractiveAnswer(_render(quotes), tuple(quotes)) if quotes else None


def _score(unit: Unit, weights: Mapping[str, float], stems: Stems) -> float:
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


def _cue(question: str) -> re.Pattern[str] | None:
    asked = fold(question)
    return next((answers for asks, answers in CUES if asks.search(asked)), None)


def _form(text: str, cue: re.Pattern[str] | None) -> float:
    """Return the factor for the form of a sentence: more with the cue that the question asks for, less for a label."""
    factor = 1 + CUE_BONUS if cue and cue.search(fold(text)) else 1.0
    bare = text.rstrip("*_ ")
    letters = [character for character in bare if character.isalpha()]
    endless = bare[-1:] not in _ENDS and len(bare) < LABEL_CHARS and not is_list_item(bare)
    capitals = sum(character.isupper() for character in letters) > LABEL_CAPITALS * len(letters)
    title = len(bare.split()) <= TITLE_WORDS and bool(CAPTION.match(fold(bare)))
    return factor * (LABEL_SHARE if endless or title else 1.0) * (LABEL_SHARE if capitals else 1.0)


def _prior(fragment: Fragment, piece: Piece, scores: Mapping[tuple[str, int], float] | None) -> float:
    if not scores:
        return 1.0
    best = max(scores.values())
    own = scores.get((fragment.doc_id, piece.start), 0.0)
    return 1 - PIECE_SHARE + PIECE_SHARE * own / best if best > 0 else 1.0


# -- what is quoted, and how it reads -------------------------------------------------------------------------------


def _one_of_each(
    ranked: Sequence[Unit], articles: Sequence[str], worth: Callable[[str], float], *, max_chars: int
) -> list[Quote]:
    """Quote the best unit of each article, in order; each may take an even part of the room that is left."""
    chosen: list[Quote] = []
    for position, article in enumerate(articles):
        best = [unit for unit in ranked if unit.piece.article == article][:1]
        room = (max_chars - len(_render(chosen))) // (len(articles) - position) - PARAGRAPH_CHARS
        chosen = _joined(chosen, _choose(best, worth, max_chars=room))
    return chosen


def _choose(
    ranked: Sequence[Unit], worth: Callable[[str], float], *, max_chars: int, first: Sequence[Quote] = ()
) -> list[Quote]:
    """Take units from the best down while whole ones fit, behind those of `first`.

    Only the very best is cut when it is too long by itself.
    """
    chosen = list(first)
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


def _renderings(unit: Unit) -> Iterator[list[Quote]]:
    """Yield the ways to quote a unit, fullest first: an item with its lead-in, alone."""
    own = _quote(unit, unit.start, unit.end)
    if unit.lead_in:
        yield [_quote(unit, *unit.lead_in), own]
    yield [own]


def _quote(unit: Unit, start: int, end: int) -> Quote:
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


def _cut(unit: Unit, worth: Callable[[str], float], *, max_chars: int) -> list[Quote]:
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
            paragraphs.append(f"{wording.quote_introduction(quote.name, quote.article, quote.heading)} {marked}")
        place = _place(quote)
    return "\n\n".join(paragraphs)
