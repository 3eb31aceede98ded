"""Understand a question: what is asked for, of which document, in the terms of the index."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from siaa.analysis import Analyzer
from siaa.config import MAX_QUESTION_CHARS
from siaa.errors import InvalidQuestionError
from siaa.question_text import Fault, find_fault, is_blank
from siaa.references import Reference, find_references
from siaa.text import fold, normalise, squeeze

_MIN_CORRECTED = 5  # letters; shorter words have too many neighbours
_LONG_WORD = 8  # letters from which two edits are looked for instead of one
_MAX_ACRONYM = 8
_LONGEST_ADDRESSEE = 100  # characters before the colon


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
    less.
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
    corrections: Mapping[str, str]
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
    """Raise InvalidQuestionError unless `raw` can be searched: something visible, not too long, no controls."""
    if is_blank(raw):
        raise InvalidQuestionError("La pregunta está vacía: escriba qué desea saber.")
    fault = find_fault(raw, limit=MAX_QUESTION_CHARS)
    if fault is Fault.LONG:
        length = len(unicodedata.normalize("NFC", raw))
        raise InvalidQuestionError(
            f"La pregunta tiene {length} caracteres y el máximo es {MAX_QUESTION_CHARS}: hágala más corta."
        )
    if fault:
        raise InvalidQuestionError("La pregunta contiene caracteres de control: escríbala de nuevo sin ellos.")


def parse(raw: str, *, analyzer: Analyzer, index: Words, holds_norm: Callable[[Reference], bool]) -> Query:
    """Return the question in the terms of the index.

    `holds_norm` tells whether a named norm is a document of the index. Raises InvalidQuestionError.
    """
    check_question(raw)
    text = squeeze(normalise(raw))
    folded = fold(text)
    references = find_references(text)
    held = [r for r in references if r.kind == "norma" and r.number and holds_norm(r)]
    local_text = _cut(text, held)
    typed = _content(_cut(local_text, [r for r in references if r.article] if held else []), analyzer)
    local, named = _content(local_text, analyzer), _content(text, analyzer)
    corrections = _corrections([*typed, *local], analyzer, index)
    words = _with(typed, corrections)
    stems = _stems(words, analyzer)
    sequence = tuple(token.word for token in analyzer.tokens(text))
    kinds = [e for e in analyzer.tables.expansions if any(pattern.search(folded) for pattern in e.patterns)]
    implied = _stems((word for kind in kinds for word in kind.words), analyzer)
    return Query(
        raw=raw,
        normalised=squeeze(folded),
        sequence=sequence,
        words=words,
        stems=stems,
        local_stems=_stems(_with(local, corrections), analyzer),
        name_stems=_stems(_with(named, corrections), analyzer),
        addressee=_addressee(text, corrections, analyzer),
        name_sequence=tuple(analyzer.stem(corrections.get(word, word)) for word in named),
        references=references,
        articles=tuple(dict.fromkeys(r.article for r in references if r.article)),
        acronyms=tuple(dict.fromkeys(w for w in sequence if w.isalpha() and 2 <= len(w) <= _MAX_ACRONYM)),
        kinds=tuple(kind.kind for kind in kinds),
        expansion=tuple(stem for stem in implied if stem not in stems),
        synonyms=_synonyms(stems, analyzer),
        corrections=corrections,
        wants_list=any(pattern.search(folded) for pattern in analyzer.tables.listings),
    )


def _addressee(text: str, corrections: Mapping[str, str], analyzer: Analyzer) -> tuple[str, ...]:
    """Return the stems of what a question names before a colon: "juzgado de familia: ¿cómo registro ...?"."""
    opening, colon, rest = text[: _LONGEST_ADDRESSEE + 1].partition(":")
    if not colon or not rest.strip() or "?" in opening:
        return ()
    return _stems(_with(_content(opening, analyzer), corrections), analyzer)


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


def _synonyms(stems: Sequence[str], analyzer: Analyzer) -> tuple[str, ...]:
    groups = [_stems(group, analyzer) for group in analyzer.tables.synonyms]
    found = dict.fromkeys(other for stem in stems for group in groups if stem in group for other in group)
    return tuple(stem for stem in found if stem not in stems)
