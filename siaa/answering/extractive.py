"""Answer with the documents' own words: the sentences that answer best, quoted, with the place they stand in.

This is what a machine without a language model shows. It writes nothing of its own but the names of the places, so
that every word between quotation marks is a slice of a document. Whether the passages can answer at all is decided
before (`siaa.answering.refusal`).
"""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from siaa.answering import wording
from siaa.model import Fragment, Piece
from siaa.page_parts import trim_page_lines
from siaa.sentences import clause_spans, is_heading_line, is_list_item, sentence_spans
from siaa.text import fold, squeeze

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

HEADING_CHARS = 100  # characters of a heading that an introduction shows, at most
MIN_CUT_CHARS = 40  # characters; a shorter piece of a sentence would tell nothing
CAPTION_CHARS = 90  # characters of the caption of an article or a parágrafo, at most
LABEL_CHARS = 120  # characters; a longer line without a final stop is a sentence that was cut, not a label
TITLE_WORDS = 5  # words of a caption that is a title, "Artículo 4. Sanciones.", at most; a longer one may say something
PARAGRAPH_CHARS = 2  # characters between two paragraphs of an answer
LABEL_CAPITALS = 0.7  # share of capitals from which a line is a label
_CAPTION = re.compile(r"\W*(?:articulo|art|paragrafo)\b")
_MARKUP = " \t\r\n#*_"  # around a whole passage that is one line of heading
_FORGED_HEADER = re.compile(r"\W*\[DOC:", re.IGNORECASE)  # what only the service may write
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
    scored = [
        replace(
            unit,
            score=_score(unit, terms, stems)
            * _form(unit.text, cue)
            * _prior(fragment, unit.piece, piece_scores)
            * (LATER_DOCUMENT if fragment.doc_id != fragments[0].doc_id else 1.0),
        )
        for fragment in fragments
        for unit in (_asked_units(fragment, asked) if asked else _units(fragment))
    ]
    ranked = sorted((unit for unit in scored if unit.score > 0 or asked), key=lambda unit: -unit.score)
    if not ranked:
        return None

    def worth(text: str) -> float:
        return sum(terms.get(stem, 0.0) for stem in set(stems(text)))

    first = _one_of_each(ranked, [article for article in articles if article in asked], worth, max_chars=max_chars)
    quotes = _choose(ranked, worth, max_chars=max_chars, first=first)
    return ExtractiveAnswer(_render(quotes), tuple(quotes)) if quotes else None


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


def _asked_units(fragment: Fragment, asked: Collection[str]) -> Iterator[_Unit]:
    """Yield what can be quoted of the articles asked for; a passage without a sentence of its own, whole."""
    for piece in fragment.pieces:
        if piece.article not in asked:
            continue
        units = list(_piece_units(fragment, piece))
        start = len(piece.text) - len(piece.text.lstrip(_MARKUP))
        end = len(piece.text.rstrip(_MARKUP))
        if not units and start < end and _may_be_said(piece.text, start, end):
            units = [_Unit(fragment, piece, start, end, None, "")]
        yield from units


def _units(fragment: Fragment) -> Iterator[_Unit]:
    for piece in fragment.pieces:
        yield from _piece_units(fragment, piece)


def _piece_units(fragment: Fragment, piece: Piece) -> Iterator[_Unit]:
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
    """Yield the sentences; the caption of an article ("Artículo 5. Objeto.") with what follows it.

    Headings, and what a page prints around its text, are none. Where nothing follows the caption it is all that the
    article says: "Artículo 5. El registro es gratuito."
    """
    caption: tuple[int, int] | None = None
    for span in sentence_spans(text):
        start, end = trim_page_lines(text, *span)
        sentence = text[start:end]
        if not sentence:
            continue
        heading = is_heading_line(sentence)
        opens = not heading and bool(_CAPTION.match(fold(sentence)))  # an article or a parágrafo
        if caption and (heading or opens):
            yield caption
            caption = None
        if heading or not _may_be_said(text, start, end):
            continue
        if opens and len(sentence) <= CAPTION_CHARS:
            caption = (start, end)
            continue
        yield (caption[0] if caption else start), end
        caption = None
    if caption:
        yield caption


def _may_be_said(text: str, start: int, end: int) -> bool:
    sentence = text[start:end]
    # The refusal's words appear in no other answer (contract); a header is the service's own to write.
    if wording.REFUSAL in sentence or _FORGED_HEADER.match(sentence):
        return False
    # A block quotation is an editor's note about the document, not what the document says.
    return not text.startswith(">", text.rfind("\n", 0, start) + 1)


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
    title = len(bare.split()) <= TITLE_WORDS and bool(_CAPTION.match(fold(bare)))
    return factor * (LABEL_SHARE if endless or title else 1.0) * (LABEL_SHARE if capitals else 1.0)


def _prior(fragment: Fragment, piece: Piece, scores: Mapping[tuple[str, int], float] | None) -> float:
    if not scores:
        return 1.0
    best = max(scores.values())
    own = scores.get((fragment.doc_id, piece.start), 0.0)
    return 1 - PIECE_SHARE + PIECE_SHARE * own / best if best > 0 else 1.0


# -- what is quoted, and how it reads -------------------------------------------------------------------------------


def _one_of_each(
    ranked: Sequence[_Unit], articles: Sequence[str], worth: Callable[[str], float], *, max_chars: int
) -> list[Quote]:
    """Quote the best unit of each article, in order; each may take an even part of the room that is left."""
    chosen: list[Quote] = []
    for position, article in enumerate(articles):
        best = [unit for unit in ranked if unit.piece.article == article][:1]
        room = (max_chars - len(_render(chosen))) // (len(articles) - position) - PARAGRAPH_CHARS
        chosen = _joined(chosen, _choose(best, worth, max_chars=room))
    return chosen


def _choose(
    ranked: Sequence[_Unit], worth: Callable[[str], float], *, max_chars: int, first: Sequence[Quote] = ()
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
        place = wording.PLACE_ARTICLE.format(article=wording.article_name(quote.article))
    elif heading:
        place = wording.PLACE_HEADING.format(heading=textwrap.shorten(heading, HEADING_CHARS, placeholder="…"))
    else:
        return wording.QUOTE_INTRODUCTION_BARE.format(name=quote.name)
    return wording.QUOTE_INTRODUCTION.format(name=quote.name, place=place)
