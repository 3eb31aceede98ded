"""Tell the articles of a document from those it cites, and from those it quotes out of other laws.

"Artículo 104A" between quotation marks, or after "tendrá un artículo 104A del siguiente tenor:", is an article of the
penal code inside the law that changes it: a reader who asks for article 104A of that law must not find it there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from indexer.readers.lines import Line
from siaa.references import find_references, opening_article
from siaa.text import fold, squeeze, strip_markup

_MAX_CAPTION = 120  # characters of a label: number and epigraph


@dataclass(frozen=True, slots=True)
class Opening:
    """An article that a line opens: its number and its caption ("ARTÍCULO 5°.- Funcionarios responsables").

    `is_bare` tells that the line holds the number and nothing else, `fills_line` that the caption is the whole line.
    """

    number: str
    caption: str
    is_bare: bool
    fills_line: bool


_WORD = re.compile(r"\W{0,12}art(?:iculo|iculos)?\b", re.I)
_SENTENCE_END = re.compile(r"\s?\.+\s?[-–—]{0,2}(?=\s*$|\s*[-–—]?\s+[A-ZÁÉÍÓÚÜÑ¿¡“«\"0-9(])")
_EDGES = " .:;-—–*_"


def find_opening(line: Line, following: str = "") -> Opening | None:
    """Return the article that `line` opens, None if it opens none or only mentions one.

    `following` is the text after the line in its paragraph, for a caption that goes on there.
    """
    if not _WORD.match(line.folded):
        return None
    text = line.raw[:400]
    found = opening_article(text)
    if found is None:
        return None
    rest = strip_markup("x" + text[found.end :])[1:].strip(_EDGES)
    whole = squeeze(strip_markup(text + " " + following[:200]))
    caption, ends = _caption(whole, _opening_length(text[: found.end]))
    plain = strip_markup(line.raw[:400]).strip(_EDGES)
    return Opening(found.number, caption, is_bare=not rest, fills_line=not rest or (ends and caption == plain))


def _opening_length(opening: str) -> int:
    """Return how many characters of the caption the opening itself takes."""
    return len(strip_markup(opening).rstrip(_EDGES))


def _caption(whole: str, opening: int) -> tuple[str, bool]:
    """Return (caption, whether an epigraph ends it): the opening with the sentence after it, if that is short."""
    start = opening
    while start < len(whole) and whole[start] in _EDGES + "°ºªo" and not whole[start : start + 2].isalpha():
        start += 1
    end = _SENTENCE_END.search(whole, start, _MAX_CAPTION + 40)
    if end and start < end.start() <= _MAX_CAPTION:
        return whole[: end.start()].strip(_EDGES), True
    if len(whole) <= _MAX_CAPTION and not end:
        return whole.strip(_EDGES), True
    return whole[:start].strip(_EDGES), False


_ANNOUNCES = re.compile(
    r"\b(?:quedara?n?|asi|tenor|adicion\w+|modifi\w+|sustituy\w+|introduc\w+|agreg\w+|incorpor\w+|remplaz\w+|reemplaz\w+|"
    r"nuevos? articulos?|siguientes? articulos?|tendra\w*|texto|redaccion|redactad\w+)\b"
)
_OPENS_QUOTE = re.compile(r"[\s*_>]*[“«\"]")
_TAIL = 500  # characters at the end of a paragraph that can announce a quoted article
_MAX_QUOTED = 400  # blocks after which a quotation that nobody closed is over


class ArticleSequence:
    """Follow the document's own articles, to know which openings are quoted from elsewhere.

    `last_places`: number of an article -> where it is opened for the last time, in the text.
    """

    def __init__(self, last_places: Mapping[str, int] | None = None) -> None:
        self._last_places = last_places or {}
        self._own = ""  # number of the document's current article
        self._quoted = ""  # number of the last quoted article inside it
        self._announced: set[str] | None = None  # numbers named by a paragraph that announces a quotation
        self._owed: set[str] = set()  # numbers announced since the current article opened and not seen yet
        self._quotes = False  # whether the current article quotes others, for sure
        self._quote_blocks = 0  # blocks since an unclosed quotation mark opened one, 0 if none
        self._last: tuple[str, bool] | None = None  # the bare opening just seen and whether it was own

    def note(self, block: str) -> None:
        """Take note of a finished paragraph or item: what it announces, and quotation marks that stay open."""
        self._last = None
        self._announced = _announced_numbers(block)
        self._owed |= self._announced or set()
        balance = sum(block.count(c) for c in "“«") - sum(block.count(c) for c in "”»")
        odd = block.count('"') % 2 == 1
        if self._quote_blocks:
            closed = balance < 0 or odd
            self._quote_blocks = 0 if closed or self._quote_blocks > _MAX_QUOTED else self._quote_blocks + 1
        elif _OPENS_QUOTE.match(block) and (balance > 0 or odd):
            self._quote_blocks = 1

    def is_own(self, line: Line, opening: Opening) -> bool:
        """Tell whether the article that `line` opens is the document's own, and go on from it."""
        number = opening.number
        own = self._decide(line, number)
        if own:
            self._own, self._quoted, self._quote_blocks = number, "", 0
            self._owed, self._quotes = set(), False
        else:
            self._quoted, self._quotes = number, True
            self._owed.discard(number)
        self._announced = None
        self._last = (number, own) if opening.is_bare else None
        return own

    def _decide(self, line: Line, number: str) -> bool:
        if _OPENS_QUOTE.match(line.raw) and (
            self._announced is not None or not (self._own and _follows(self._own, number))
        ):
            return False
        if self._last and self._last[0] == number:
            return self._last[1]
        if (self._announced and number in self._announced) or (self._quotes and number in self._owed):
            return False
        if not self._own or _follows(self._own, number):
            return True
        if self._quote_blocks or self._announced is not None or self._is_leap(number, line.start):
            return False
        return not (self._quoted and _follows(self._quoted, number))

    def _is_leap(self, number: str, place: int) -> bool:
        """Tell whether `number` lies ahead of an article that is still to come.

        So it does in an article that quotes many, when their quotation marks close too early: 1, “2 ... 5”, 32, 35, 2.
        """
        if not self._quotes or _rank(number) <= _rank(self._own):
            return False
        return self._last_places.get(str(_rank(self._own) + 1), -1) > place


def _announced_numbers(block: str) -> set[str] | None:
    tail = fold(block[-_TAIL:]).rstrip(' *_"')
    if not tail.endswith(":") or not _ANNOUNCES.search(tail):
        return None
    numbers: set[str] = set()
    for reference in reversed(find_references(block[-_TAIL:])):
        if numbers and reference.kind == "norma":
            break  # further off stands who repealed this one: "Derogado por el art. 9, Ley 3. El artículo 5 dirá:"
        if reference.kind == "art":
            numbers.add(reference.number)
    return numbers


_NUMBER = re.compile(r"(\d+)(.*)")


def _rank(number: str) -> int:
    """Return the whole number of an article: 5 of "5_bis", -1 of one that has none ("unico")."""
    found = _NUMBER.fullmatch(number)
    return int(found[1]) if found else -1


def _follows(number: str, following: str) -> bool:
    """Tell whether an article comes right after another: 5 -> 6, 5 -> 5a, 5_bis -> 6; none after "unico"."""
    if number == "unico":
        return False
    one, two = _NUMBER.fullmatch(number), _NUMBER.fullmatch(following)
    if not one or not two:
        return True
    step = int(two[1]) - int(one[1])
    return (step == 1 and len(two[2]) == 0) or (step == 0 and two[2] > one[2])
