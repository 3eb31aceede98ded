"""Understand a question: what is asked for, of which document, in the terms of the index."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from siaa.analysis import Analyzer
from siaa.config import MAX_QUESTION_CHARS
from siaa.errors import InvalidQuestionError
from siaa.everyday import Everyday
from siaa.references import Reference, find_references
from siaa.text import fold, normalise, squeeze

_MIN_CORRECTED = 5  # letters; shorter words have too many neighbours
_LONG_WORD = 8  # letters from which two edits are looked for instead of one
_MAX_ACRONYM = 8
_LONGEST_ADDRESSEE = 100  # characters before the colon
_TRANSITORY = "trans_"


class Words(Protocol):
    """What understanding a question needs of an index."""

    def has_word(self, word: str) -> bool:
        """Tell whether a folded surface word is in the index."""

    def has_stem(self, stem: str) -> bool:
        """Tell whether a stem is in the index."""

    def near_words(self, word: str, *, max_distance: int) -> list[tuple[str, int, int]]:
        """Return near words with distance and count, best first."""


@dataclass(frozen=True, slots=True)
class Query:
    """A question in the terms of the index. Stems and words are in reading order, once each.

    `stems` and `words` find passages everywhere: without question words and without the norm that the question names,
    when the index has that norm. `local_stems` choose inside a document and keep the article's number. `name_stems`
    hold everything, for names of documents, and `name_sequence` the same with repetitions. `sequence` is every word as
    written. `articles` are those asked for ("5", "14_bis", "trans_5"). `synonyms` and `expansion` are stems that count
    less. `everyday` are the everyday expressions found, and `written` the stems that documents write for them, without
    those of the question. `unknown` are words that the index holds in no form.
    """

    raw: str
    normalised: str
    sequence: tuple[str, ...]
    words: tuple[str, ...]
    stems: tuple[str, ...]
    local_stems: tuple[str, ...]
    name_stems: tuple[str, ...]
    name_sequence: tuple[str, ...]
    addressee: tuple[str, ...]
    references: tuple[Reference, ...]
    articles: tuple[str, ...]
    acronyms: tuple[str, ...]
    kinds: tuple[str, ...]
    expansion: tuple[str, ...]
    synonyms: tuple[str, ...]
    everyday: tuple[Everyday, ...]
    written: tuple[str, ...]
    corrections: Mapping[str, str]
    unknown: tuple[str, ...]
    wants_list: bool

    @property
    def norms(self) -> tuple[Reference, ...]:
        """Return the norms that the question names, in order."""
        return tuple(reference for reference in self.references if reference.kind == "norma")

    @property
    def names_document(self) -> bool:
        """Tell whether the question names a document by identifier, or by rank and number or year (contract)."""
        return bool(self.norms)


def check_question(raw: str) -> None:
    """Raise InvalidQuestionError unless `raw` can be searched: some text, not too long in NFC, no controls."""
    if not raw.strip():
        raise InvalidQuestionError("La pregunta está vacía: escriba qué desea saber.")
    length = len(unicodedata.normalize("NFC", raw))
    if length > MAX_QUESTION_CHARS:
        raise InvalidQuestionError(
            f"La pregunta tiene {length} caracteres y el máximo es {MAX_QUESTION_CHARS}: hágala más corta."
        )
    if any(unicodedata.category(c) in ("Cc", "Cs") and c not in "\t\n\r" for c in raw):
        raise InvalidQuestionError("La pregunta contiene caracteres de control: escríbala de nuevo sin ellos.")


def parse(
    raw: str, *, analyzer: Analyzer, index: Words, holds_norm: Callable[[Reference], bool], everyday: bool = True
) -> Query:
    """Return the question in the terms of the index.

    `holds_norm` tells whether a named norm is a document of the index; without `everyday`, no everyday words are looked
    for. Raises InvalidQuestionError.
    """
    check_question(raw)
    text = squeeze(normalise(raw))
    folded = fold(text)
    references = find_references(text)
    sequence = tuple(token.word for token in analyzer.tokens(text))
    said = analyzer.everyday.find(sequence) if everyday else ()
    articles = tuple(dict.fromkeys(_article(r) for r in references if r.kind in ("art", "art_trans")))
    held = [r for r in references if r.kind == "norma" and r.number and holds_norm(r)]
    local_text = _cut(text, held)
    route_text = _cut(local_text, [r for r in references if r.kind in ("art", "art_trans")] if held else [])
    typed = _content(route_text, analyzer)
    known = {stem for found in said for stem in found.asked}
    doubtful = (word for word in (*typed, *_content(local_text, analyzer)) if analyzer.stem(word) not in known)
    corrections = _corrections(doubtful, analyzer, index)
    words = _with(typed, corrections)
    stems = _stems(words, analyzer)
    named = _content(text, analyzer)
    return Query(
        raw=raw,
        normalised=squeeze(folded),
        sequence=sequence,
        words=words,
        stems=stems,
        local_stems=_stems(_with(_content(local_text, analyzer), corrections), analyzer),
        name_stems=_stems(_with(named, corrections), analyzer),
        addressee=_addressee(text, corrections, analyzer),
        name_sequence=tuple(analyzer.stem(corrections.get(word, word)) for word in named),
        references=references,
        articles=articles,
        acronyms=tuple(
            dict.fromkeys(
                t.word for t in analyzer.tokens(text) if t.word.isalpha() and 2 <= len(t.word) <= _MAX_ACRONYM
            )
        ),
        kinds=tuple(e.kind for e in analyzer.tables.expansions if any(p.search(folded) for p in e.patterns)),
        expansion=_expansion(folded, stems, analyzer),
        synonyms=_synonyms(stems, analyzer),
        everyday=said,
        written=_written(said, stems),
        corrections=corrections,
        unknown=tuple(w for w in words if not index.has_word(w) and not index.has_stem(analyzer.stem(w))),
        wants_list=any(pattern.search(folded) for pattern in analyzer.tables.listings),
    )


def _addressee(text: str, corrections: Mapping[str, str], analyzer: Analyzer) -> tuple[str, ...]:
    """Return the stems of what a question names before a colon: "juzgado de familia: ¿cómo registro ...?"."""
    opening, colon, rest = text[: _LONGEST_ADDRESSEE + 1].partition(":")
    if not colon or not rest.strip() or "?" in opening:
        return ()
    return _stems(_with(_content(opening, analyzer), corrections), analyzer)


def _article(reference: Reference) -> str:
    return (_TRANSITORY if reference.kind == "art_trans" else "") + reference.number


def _cut(text: str, references: Iterable[Reference]) -> str:
    """Blank out `references`, keeping all offsets."""
    for reference in references:
        text = text[: reference.start] + " " * (reference.end - reference.start) + text[reference.end :]
    return text


def _content(text: str, analyzer: Analyzer) -> list[str]:
    """Return the words that say what is asked; the question words too when nothing else is left."""
    words = analyzer.expand_abbreviations([token.word for token in analyzer.tokens(text)])
    words = [word for word in words if word not in analyzer.tables.stop_words]
    return [word for word in words if word not in analyzer.tables.question_words] or words


def _with(words: Sequence[str], corrections: Mapping[str, str]) -> tuple[str, ...]:
    """Return the words, each followed by its correction: the typed word is never replaced."""
    return tuple(dict.fromkeys(w for word in words for w in (word, corrections.get(word, word))))


def _stems(words: Iterable[str], analyzer: Analyzer) -> tuple[str, ...]:
    return tuple(dict.fromkeys(analyzer.stem(word) for word in words))


def _corrections(words: Iterable[str], analyzer: Analyzer, index: Words) -> dict[str, str]:
    found: dict[str, str] = {}
    for word in dict.fromkeys(words):
        if not word.isalpha() or index.has_word(word) or index.has_stem(analyzer.stem(word)):
            continue
        correction = _with_tilde(word, index) or _nearest(word, index)
        if correction:
            found[word] = correction
    return found


def _with_tilde(word: str, index: Words) -> str | None:
    """Return the word with one n as the letter with tilde, when the index holds that: never the reverse."""
    variants = (word[:i] + "ñ" + word[i + 1 :] for i, letter in enumerate(word) if letter == "n")
    return next((variant for variant in variants if index.has_word(variant)), None)


def _nearest(word: str, index: Words) -> str | None:
    if len(word) < _MIN_CORRECTED:
        return None
    near = index.near_words(word, max_distance=1 if len(word) < _LONG_WORD else 2)
    return next((found for found, distance, _ in near if _is_likely(word, found, distance)), None)


def _is_likely(word: str, found: str, distance: int) -> bool:
    """Tell whether `found` may be what was meant: people seldom miss the first letter, and then nothing else."""
    return found[0] == word[0] or (distance == 1 and found[-2:] == word[-2:])


def _expansion(folded: str, stems: Sequence[str], analyzer: Analyzer) -> tuple[str, ...]:
    kinds = (e for e in analyzer.tables.expansions if any(p.search(folded) for p in e.patterns))
    found = _stems((word for kind in kinds for word in kind.words), analyzer)
    return tuple(stem for stem in found if stem not in stems)


def _written(said: Iterable[Everyday], stems: Sequence[str]) -> tuple[str, ...]:
    found = dict.fromkeys(stem for expression in said for stem in expression.written)
    return tuple(stem for stem in found if stem not in stems)


def _synonyms(stems: Sequence[str], analyzer: Analyzer) -> tuple[str, ...]:
    groups = [_stems(group, analyzer) for group in analyzer.tables.synonyms]
    found = dict.fromkeys(other for stem in stems for group in groups if stem in group for other in group)
    return tuple(stem for stem in found if stem not in stems)
