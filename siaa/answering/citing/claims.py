"""Read what a text claims: its sentences, what each quotes, what it names as its source, and its words in order.

Words are compared as they are written, or by stem where likeness is enough; numbers by value ("cinco (5)", "cinco" and
"5" are one). Words without meaning of their own are left out; those that turn a sentence round (no, sin, salvo, si ...)
are told apart.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from siaa.references import Reference, find_references
from siaa.references.numerals import words_at
from siaa.sentences import sentence_spans
from siaa.text import fold, normalise

QUOTED_WORDS = 3  # a shorter quotation is a word set apart, and is checked as a word


def _words(table: str) -> frozenset[str]:
    return frozenset(table.split())


NEGATIONS = _words("""
    no ni sin nunca jamas tampoco nadie nada ningun ninguna ninguno
""")
# What limits or conditions a sentence: with it, the same words say something else.
LIMITS = _words("""
    salvo excepto excepcion menos solo solamente unicamente exclusivamente si cuando siempre mientras aunque pero
""")
MONTHS = _words("""
    enero febrero marzo abril mayo junio julio agosto septiembre setiembre octubre noviembre diciembre
""")
_LIGHT = _words("""
    a al ante con de del el ella ellas ellos en es esa esas ese eso esos esta estas este esto estos la las le les lo
    los para por que se su sus un una unas uno unos dicha dichas dicho dichos son cual cuales
""")
# What introduces a citation and claims nothing itself.
FRAMING = _words("""
    segun conforme acuerdo acuerdos ley leyes decreto circular resolucion constitucion codigo estatuto documento
    articulo articulos art arts numeral literal paragrafo inciso seccion capitulo titulo texto norma dice dicen
    dispone establece establecen senala senalan indica indican expresa expresamente consagra ordena preve reza
    literalmente textualmente siguiente siguientes asi como previsto dispuesto establecido lo cita vease ver cfr
    respecto misma mismo tenor virtud ello tambien ademas y e afirma manifiesta contempla define prescribe estipula
    citado citada
""")
_ORDINAL = re.compile(r"(?:primer|segund|tercer|cuart|quint|sext|septim|octav|noven|\w*(?:decim|esim))[oa]?s?")
_TOKEN = re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?(?![\d.])|\d+(?:[.,]\d+)*|[^\W_]+|[%$€]")
_ENDING = re.compile(r"(\d+)(?:o|a|er|era|ro|ra|do|da|to|ta|mo|ma|vo|va|no)")
_PAIRS = {"«": "»", "“": "”", "„": "“", '"': '"', "‟": "”", "＂": "＂"}
_ASIDE = re.compile(r"\s*\([^()]{0,200}\)")
_REMARK = re.compile(r"segun|conforme|vease|ver|cfr|asi|como")
_FILE = re.compile(r"[^\s«»“”\"(),;:]{1,120}\.(?:md|txt|pdf|docx?|html?)\b", re.IGNORECASE)

Stem = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Word:
    """A word with meaning: `key` is its stem, "#5" for a number, "#mayo" for a month; offsets are of the text read.

    `form` is the folded word itself, for a number its key.
    """

    key: str
    form: str
    start: int
    end: int

    @property
    def is_number(self) -> bool:
        """Tell whether the word is a number or a month: what must stand as it is."""
        return self.key.startswith("#")


@dataclass(frozen=True, slots=True)
class Claim:
    """A stretch of a text that stands or falls as one: `text[start:end]`, with at most one quotation.

    `quote` is the span inside the quotation marks, None without one. `sources` are the references it names as where
    it comes from, `mentions` those that are part of what it says. `words` are all its words, `core` those without the
    sources it names and without the quotation. `files` are file names in it.
    """

    start: int
    end: int
    text: str
    quote: tuple[int, int] | None
    words: tuple[Word, ...]
    core: tuple[Word, ...]
    sources: tuple[Reference, ...]
    mentions: tuple[Reference, ...]
    files: tuple[str, ...]

    @property
    def quoted(self) -> str:
        """Return the words between the quotation marks, "" without any."""
        return self.text[slice(*self.quote)] if self.quote else ""


def sentence_units(text: str) -> list[tuple[int, int]]:
    """Return the spans of the sentences of `text`; sentences that one quotation holds are one."""
    quotes = quotation_spans(text)
    units: list[tuple[int, int]] = []
    number = 0
    for start, end in sentence_spans(text):
        while number < len(quotes) and quotes[number][1] <= start:
            number += 1
        if units and number < len(quotes) and quotes[number][0] < start:
            units[-1] = (units[-1][0], end)
        else:
            units.append((start, end))
    return units


def quotation_spans(text: str) -> list[tuple[int, int]]:
    """Return the spans inside the outermost quotation marks of `text`: «», “”, straight ones; not unclosed ones.

    Linear in the length of `text`.
    """
    opened: list[tuple[int, str]] = []  # where, and the mark that closes it
    waiting: Counter[str] = Counter()
    closed: list[tuple[int, int]] = []
    for at, character in enumerate(text):
        if waiting[character]:
            close = ""
            while close != character:
                start, close = opened.pop()
                waiting[close] -= 1
            closed.append((start + 1, at))
        elif close := _PAIRS.get(character, ""):
            opened.append((at, close))
            waiting[close] += 1
    outermost: list[tuple[int, int]] = []
    for start, end in sorted(closed):
        if not outermost or start > outermost[-1][1]:
            outermost.append((start, end))
    return outermost


def unclosed_quotation(text: str) -> int:
    """Return where the first quotation opens that does not end in `text`, its length if none does."""
    at = 0
    for start, end in [*quotation_spans(text), (len(text) + 1, len(text) + 1)]:
        for position in range(at, start - 1):
            if text[position] in _PAIRS:
                return position
        at = end + 1
    return len(text)


def read_claims(text: str, start: int, end: int, *, stem: Stem) -> list[Claim]:
    """Return the claims of the sentence `text[start:end]`: one for each quotation, else one."""
    sentence = normalise(text[start:end])
    quotes = [(a, b) for a, b in quotation_spans(sentence) if len(read_words(sentence[a:b], stem=stem)) >= QUOTED_WORDS]
    edges = [0, len(sentence)]
    for _, stop in quotes[:-1]:
        aside = _ASIDE.match(sentence, stop + 1)
        edges.insert(-1, aside.end() if aside else stop + 1)
    claims: list[Claim] = []
    for position, (first, last) in enumerate(pairwise(edges)):
        quote = (quotes[position][0] - first, quotes[position][1] - first) if quotes else None
        claims.append(_claim(sentence[first:last], start + first, quote, stem))
    return claims


def read_words(text: str, *, stem: Stem) -> list[Word]:
    """Return the words of `text` that carry meaning, in order."""
    folded = fold(text)
    words: list[Word] = []
    at = 0
    while match := _TOKEN.search(folded, at):
        at = match.end()
        if match[0] in _LIGHT:
            continue
        if match[0] in MONTHS:
            words.append(Word(f"#{match[0]}", f"#{match[0]}", match.start(), at))
        elif number := _number_at(folded, match):
            words = _with_number(words, number[0], match.start(), number[1])
            at = number[1]
        else:
            key = match[0] if match[0] in NEGATIONS | LIMITS else stem(match[0])
            words.append(Word(key, match[0], match.start(), at))
    return words


def turning_words(words: Sequence[Word]) -> list[str]:
    """Return the words that negate or limit, in order."""
    return [word.key for word in words if word.key in NEGATIONS or word.key in LIMITS]


def negations(words: Sequence[Word]) -> int:
    """Return how many of the words negate."""
    return sum(word.key in NEGATIONS for word in words)


def _number_at(folded: str, match: re.Match[str]) -> tuple[str, int] | None:
    """Return the value and the end of the number that begins at a token, in digits or in words."""
    written = match[0]
    if written[0].isdigit():
        ending = _ENDING.fullmatch(written)
        digits = ending[1] if ending else written
        if re.fullmatch(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?", digits):
            digits = digits.replace(".", "")
        if not re.fullmatch(r"[\d.,]+", digits):
            return None
        return digits.replace(",", ".").lstrip("0") or "0", match.end()
    if written == "mil":
        return "1000", match.end()
    found = None if _ORDINAL.fullmatch(written) else words_at(folded, match.start())
    return (str(found[0]), found[1]) if found else None


def _with_number(words: list[Word], value: str, start: int, end: int) -> list[Word]:
    """Add a number: "dos mil" is one, and so is the repetition in "cinco (5)"."""
    last = words[-1] if words and words[-1].is_number and start - words[-1].end <= 2 else None
    if last is None:
        return [*words, _number(value, start, end)]
    before = last.key[1:]
    if before == value:
        return [*words[:-1], _number(before, last.start, end)]
    if before.isdigit() and value.isdigit() and start - last.end == 1:
        if value == "1000" and int(before) < 1000:
            return [*words[:-1], _number(str(int(before) * 1000), last.start, end)]
        if int(value) < 1000 <= int(before) and int(before) % 1000 == 0:
            return [*words[:-1], _number(str(int(before) + int(value)), last.start, end)]
    return [*words, _number(value, start, end)]


def _number(value: str, start: int, end: int) -> Word:
    return Word(f"#{value}", f"#{value}", start, end)


def _claim(text: str, offset: int, quote: tuple[int, int] | None, stem: Stem) -> Claim:
    words = read_words(text, stem=stem)
    outside = [w for w in words if quote is None or w.end <= quote[0] or w.start >= quote[1]]
    references = [r for r in find_references(text) if quote is None or r.end <= quote[0] or r.start >= quote[1]]
    files = [match for match in _FILE.finditer(text) if quote is None or not quote[0] <= match.start() < quote[1]]
    named = _joined([*((r.start, r.end) for r in references), *(match.span() for match in files)])
    frame = {stem(word) for word in FRAMING}
    taken = _introduction(outside, named, frame)
    # Behind the claim or between it and its quotation too: "... (artículo 5 del Acuerdo X)".
    behind = _introduction(outside[::-1], named, frame)
    if behind and (quote is not None or _is_set_apart(text, outside, min(behind))):
        taken |= behind
    if quote is not None:
        taken |= {w.start for w in outside if _within(w, named) or w.key in frame}
    core = tuple(word for word in outside if word.start not in taken)
    at = sorted(taken)
    sources = [r for r in references if bisect_left(at, r.start) < bisect_left(at, r.end)]
    inner = [r for r in references if bisect_left(at, r.start) >= bisect_left(at, r.end)]
    return Claim(
        start=offset,
        end=offset + len(text),
        text=text,
        quote=quote,
        words=tuple(words),
        core=core,
        sources=tuple(sources),
        mentions=tuple(inner),
        files=tuple(match[0] for match in files),
    )


def _introduction(words: Sequence[Word], named: Sequence[tuple[int, int]], frame: set[str]) -> set[int]:
    """Return where the words stand that name a source at this end of a claim; none if they name none."""
    taken: list[Word] = []
    for word in words:
        if not _within(word, named) and word.key not in frame:
            break
        taken.append(word)
    return {word.start for word in taken} if any(_within(word, named) for word in taken) else set()


def _is_set_apart(text: str, words: Sequence[Word], start: int) -> bool:
    """Tell whether what begins at `start` is a remark on where the rest comes from, not a part of what it says."""
    before = max((word.end for word in words if word.start < start), default=0)
    first = next(word for word in words if word.start == start)
    return "(" in text[before:start] or _REMARK.match(fold(text[start : first.end])) is not None


def _joined(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return what `spans` cover as spans in order that do not overlap."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def _within(word: Word, spans: Sequence[tuple[int, int]]) -> bool:
    """Tell whether a word begins inside one of `spans`, which are in order and do not overlap."""
    before = bisect_right(spans, word.start, key=lambda span: span[0])
    return before > 0 and word.start < spans[before - 1][1]


def each_claim(text: str, *, stem: Stem) -> Iterator[tuple[tuple[int, int], list[Claim]]]:
    """Yield the span of each sentence of `text` with its claims; sentences without a word are passed over."""
    for start, end in sentence_units(text):
        claims = [claim for claim in read_claims(text, start, end, stem=stem) if claim.words]
        if claims:
            yield (start, end), claims
