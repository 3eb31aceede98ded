"""Find out what people call a document: its aliases, the norms it is, its initials.

From the file name, the title, the title block, the front matter, and the corpus itself, where other documents say
"Codigo General del Proceso (Ley 1564 de 2012)". Computed once per document when indexing.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, NamedTuple

from pydantic import PlainSerializer

from siaa.analysis import Analyzer
from siaa.model import BlockKind, Document
from siaa.references import find_references
from siaa.text import fold, squeeze, strip_markup

Alias = tuple[str, ...]  # stems in reading order, once each

_TITLE_BLOCK_LINES = 16  # non-empty lines from the top among which a title block is looked for
_TITLE_BLOCK_SIZE = 6  # lines of it that count
_LONGEST_TITLE_LINE = 260  # characters; longer lines are text
_MIN_CAPITALS = 0.7  # share of capitals that makes a line part of a title block
_MINED_NAMES = 6  # names of one norm taken from the corpus, most frequent first
_LONGEST_ACRONYM = 8  # letters
_SHORT_WORD = re.compile(rf"\b[^\W\d_]{{2,{_LONGEST_ACRONYM}}}\b")

_NAME_BREAKS = re.compile(r"[_\-.\s/]+")
_RANK_AND_DATE = re.compile(
    r"^\s*(?:real decreto legislativo|real decreto[- ]ley|real decreto|ley organica|ley|decreto)\s*\d+\s*/\s*\d+\s*,?"
    r"\s*(?:de \d{1,2} de [a-z]+)?,?\s*"
)
_APPROVAL = re.compile(
    r"^por (?:el|la) que se (?:aprueban?|regulan?|establecen?)\s*(?:(?:el|la|los|las)\s)?"
    r"(?:texto refundido de (?:la|el))?"
)
_DATE = re.compile(r"\b(?:de|,)\s+\d{1,2}\s+de\s+\w+")
_FORM = re.compile(r"formulario sierju\s+(.{1,103})")
# What follows a title block: from here on, lines in capitals head parts of the text.
_AFTER_TITLE = re.compile(
    r"(?:tabla de contenidos?|contenido|indice|presentacion|introduccion|antecedentes|considerando|instrucciones"
    r"|preambulo|exposicion de motivos|a todos los que|resuelve|decreta|acuerda|dispongo|[ivx]{1,4}\W*$"
    r"|(?:titulo|capitulo|libro|parte|seccion|articulo|anexo)\b.{0,20}(?:\d|\b[ivx]+\b|preliminar|primer|unic))\b"
)
_CONNECTORS = frozenset(
    ("de", "del", "la", "las", "los", "el", "y", "e", "en", "a", "al", "para", "por", "sobre", "con", "lo")
)
_RANK_WORDS = frozenset(("ley", "real", "decreto", "organica", "legislativo"))
_FAMOUS_FIRST_WORDS = frozenset(
    ("constitucion", "codigo", "estatuto")
)  # alone they name a document when only one begins so

_NAMED_BEFORE = re.compile(
    r"((?:c[oó]digo|estatuto|r[eé]gimen|ley (?:general|estatutaria|marco))\s[^.,;:()\d\n]{3,60}?)"
    r"\s*[(–,-]+\s*(?:la\s+)?"
    r"((?:ley|decreto)\s+\d{1,4}\s+de\s+\d{4})",
    re.IGNORECASE,
)
_NAMED_AFTER = re.compile(
    r"((?:ley|decreto)\s+\d{1,4}\s+de\s+\d{4})\s*[,(–-]*\s*(?:por (?:la|el|medio de la) (?:cual|que) se "
    r"(?:expide|dicta|adopta)n? (?:el|la)\s+)?[“\"]?"
    r"((?:c[oó]digo|estatuto|estatutaria|r[eé]gimen)\s[^.,;:()\d\n”\"]{3,60})",
    re.IGNORECASE,
)


class Norm(NamedTuple):
    """A norm that a document is: rank ("ley", "acuerdo", "psaa16"), number and year, the last two possibly empty."""

    rank: str
    number: str
    year: str


@dataclass(frozen=True, slots=True)
class Identity:
    """What a document answers to. `acronyms` maps initials to how sure they are (1 whole, 0.7 a prefix of them)."""

    aliases: tuple[Alias, ...]
    norms: Annotated[tuple[Norm, ...], PlainSerializer(lambda norms: [norm._asdict() for norm in norms])]
    acronyms: Mapping[str, float]
    title_stems: tuple[str, ...]
    name_stems: tuple[str, ...]
    repealed: bool
    edition: str  # year of the edition, "" when the document does not say


@dataclass(frozen=True, slots=True)
class IdentityDraft:
    """What one document says of its identity, and what it tells of others, whatever the rest of the corpus holds."""

    names: tuple[Alias, ...]  # from the file name, the title and the title block
    acronyms: Mapping[str, float]
    title_stems: tuple[str, ...]
    name_stems: tuple[str, ...]
    repealed: bool
    edition: str
    short_words: Mapping[str, int]  # how much oftener each short word is written in small letters than in capitals
    norms: tuple[Norm, ...]
    told: tuple[tuple[str, str, str, str, int], ...]  # rank, number and year of norms, a name of each, and how often


def settle(drafts: Sequence[IdentityDraft], analyzer: Analyzer) -> tuple[Identity, ...]:
    """Return the identities that `drafts`, those of a whole corpus, give one another; in order."""
    told = _names_of_norms(drafts)
    ordinary = _ordinary_words(drafts, analyzer)
    return tuple(_with_famous_first_words([_settled(one, told, ordinary, analyzer) for one in drafts]))


def _settled(
    one: IdentityDraft, told: Mapping[Norm, Sequence[str]], ordinary: frozenset[str], analyzer: Analyzer
) -> Identity:
    names = [name for norm in one.norms for name in told.get(Norm("", norm.number, norm.year), ())]
    aliases = [*one.names, *(_alias(name, analyzer) for name in names)]
    aliases += [_norm_alias(norm) for norm in one.norms if norm.number]
    return Identity(
        aliases=tuple(dict.fromkeys(alias for alias in aliases if alias)),
        norms=one.norms,
        acronyms={acronym: sure for acronym, sure in one.acronyms.items() if acronym not in ordinary},
        title_stems=one.title_stems,
        name_stems=one.name_stems,
        repealed=one.repealed,
        edition=one.edition,
    )


def _names_of_norms(drafts: Iterable[IdentityDraft]) -> Mapping[Norm, list[str]]:
    """Return the names that the corpus gives to a norm beside its number, most frequent first."""
    counts: defaultdict[Norm, Counter[str]] = defaultdict(Counter)
    for one in drafts:
        for *norm, name, count in one.told:
            counts[Norm(*norm)][name] += count
    return {norm: [name for name, _ in names.most_common(_MINED_NAMES)] for norm, names in counts.items()}


def _ordinary_words(drafts: Iterable[IdentityDraft], analyzer: Analyzer) -> frozenset[str]:
    """Return the short words that are words before they are initials: the corpus writes them in lower case more often.

    Questions come in any case, so that "se" must not name the document called "Steam Engine".
    """
    initials = {acronym for one in drafts for acronym in one.acronyms}
    balance: Counter[str] = Counter()
    for one in drafts:
        for word in initials.intersection(one.short_words):
            balance[word] += one.short_words[word]
    tables = analyzer.tables
    known = tables.stop_words | tables.question_words | tables.title_words | tables.abbreviations.keys()
    return known | {word for word, surplus in balance.items() if surplus > 0}


def draft(document: Document, analyzer: Analyzer) -> IdentityDraft:
    """Return what `document` says; of the tables only stop words, title words and abbreviations are looked at."""
    block = _title_block(document)
    file_name = _readable_name(document)
    short_title = _short_title(document.title)
    norms = _norms(document, file_name)
    names = [file_name, short_title, *([short_title.split(",")[0]] if "," in short_title else []), *block]
    form = _FORM.search(fold(squeeze(" ".join(block))))
    names += [form[1]] if form else []
    return IdentityDraft(
        names=tuple(_alias(name, analyzer) for name in names),
        norms=norms,
        acronyms=_acronyms([document.title, *block[:2]], short_title),
        title_stems=tuple(stem for text in (document.title, file_name, *block[:3]) for stem in _stems(text, analyzer)),
        name_stems=tuple(dict.fromkeys(_stems(file_name, analyzer))),
        repealed=_repealed(document.metadata),
        edition=_edition(document, block, norms),
        told=_told(document.text),
        short_words=_short_words(document.text),
    )


def _short_words(text: str) -> Mapping[str, int]:
    balance: Counter[str] = Counter()
    for word, count in Counter(_SHORT_WORD.findall(text)).items():
        balance[fold(word)] += -count if word.isupper() else count
    return balance


def _readable_name(document: Document) -> str:
    return _NAME_BREAKS.sub(" ", document.name.rsplit(".", 1)[0]).strip()


def _stems(text: str, analyzer: Analyzer) -> list[str]:
    words = analyzer.expand_abbreviations(analyzer.words(text))
    return [analyzer.stem(word) for word in words if word not in analyzer.tables.stop_words]


def _alias(name: str, analyzer: Analyzer) -> Alias:
    words = analyzer.expand_abbreviations(analyzer.words(name))
    skipped = analyzer.tables.title_words | analyzer.tables.stop_words
    return tuple(dict.fromkeys(analyzer.stem(word) for word in words if word not in skipped))


def _norm_alias(norm: Norm) -> Alias:
    rank = "ley" if norm.rank.startswith(("ley", "real", "decreto")) else norm.rank
    return (rank, norm.number, *([norm.year] if norm.year else []))


def _short_title(title: str) -> str:
    """Return the folded title without rank, number, date and formula of approval."""
    return _APPROVAL.sub("", _RANK_AND_DATE.sub("", fold(title))).strip()


def _title_block(document: Document) -> tuple[str, ...]:
    """Return the lines in capitals or quotation marks at the top of a document, before a table of contents."""
    contents = next((b.start for b in document.blocks if b.kind is BlockKind.CONTENTS), len(document.text))
    lines = (strip_markup(line) for line in document.text[: min(contents, 6000)].splitlines())
    found = []
    for line in [line for line in lines if line][:_TITLE_BLOCK_LINES]:
        if _AFTER_TITLE.match(fold(line)):
            break
        if len(line) <= _LONGEST_TITLE_LINE and (line.startswith(("“", '"')) or _in_capitals(line)):
            found.append(line.strip('“”" '))
    return tuple(found[:_TITLE_BLOCK_SIZE])


def _in_capitals(line: str) -> bool:
    letters = [character for character in line if character.isalpha()]
    return bool(letters) and sum(c.isupper() for c in letters) > _MIN_CAPITALS * len(letters)


def _norms(document: Document, file_name: str) -> tuple[Norm, ...]:
    name = re.sub(r"\bno\b\.?", " ", fold(document.name.rsplit(".", 1)[0].replace("_", " ")))
    named = _norm_references(name) or _norm_references(file_name)
    titled = _norm_references(document.title)[:1]
    numbered = document.metadata.get("official_number", "") or document.metadata.get("numero", "")
    rank = document.metadata.get("rank", "")
    given = [Norm(rank.replace("-", "_"), *numbered.split("/"))] if re.fullmatch(r"\d+/\d{4}", numbered) else []
    return tuple(dict.fromkeys([*named, *(titled if not named else ()), *(given if not named and not titled else ())]))


def _norm_references(text: str) -> list[Norm]:
    return [Norm(r.rank, r.number, r.year) for r in find_references(text) if r.kind == "norma" and (r.number or r.year)]


def _told(text: str) -> tuple[tuple[str, str, str, str, int], ...]:
    counts: Counter[tuple[Norm, str]] = Counter()
    for norm_text, name in _pairs(text):
        for norm in _norm_references(norm_text)[:1]:
            counts[Norm("", norm.number, norm.year), fold(squeeze(name))] += 1
    return tuple((*norm, name, count) for (norm, name), count in counts.items())


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    for match in _NAMED_BEFORE.finditer(text):
        yield match[2], match[1]
    for match in _NAMED_AFTER.finditer(text):
        yield match[1], match[2]


def _acronyms(sources: Sequence[str], short_title: str) -> dict[str, float]:
    """Return the initials of the content words of the titles, whole and as prefixes of at least two letters."""
    found: dict[str, float] = {}
    ranks = re.match(r"\s*(ley organica|ley)\b", fold(sources[0])) if sources else None
    prefixes = {"ley": ("", "l"), "ley organica": ("", "lo", "l")}[ranks[1]] if ranks else ("",)
    for run in [*(run for source in sources for run in _capitalised_runs(source)), _content_words(short_title)]:
        initials = "".join(fold(word)[0] for word in run if fold(word) not in _RANK_WORDS)
        for size in range(1, min(len(initials), _LONGEST_ACRONYM) + 1):
            whole = size == len(initials)
            for prefix in prefixes:
                acronym = prefix + initials[:size]
                if len(acronym) >= 2 and (size >= 2 or (whole and prefix)):
                    found[acronym] = max(found.get(acronym, 0.0), 1.0 if whole else 0.7)
    return found


def _capitalised_runs(source: str) -> Iterator[list[str]]:
    run: list[str] = []
    for word in [*re.findall(r"[^\W\d_]+", _DATE.sub("", source)), "x"]:
        if fold(word) in _CONNECTORS:
            continue
        if word[0].isupper():
            run.append(word)
            continue
        if run:
            yield run
        run = []


def _content_words(short_title: str) -> list[str]:
    return [word for word in re.findall(r"[^\W\d_]+", short_title) if word not in _CONNECTORS and len(word) > 1]


def _with_famous_first_words(identities: Sequence[Identity]) -> Iterator[Identity]:
    """Give a document its first word as an alias when it is the only one called so: the Constitution."""
    holders = Counter(stem for identity in identities for stem in {s for alias in identity.aliases for s in alias})
    for identity in identities:
        first = next(
            (a[0] for a in identity.aliases[:2] if len(a) > 1 and _is_famous(a[0]) and holders[a[0]] == 1), None
        )
        yield replace(identity, aliases=(*identity.aliases, (first,))) if first else identity


def _is_famous(stem: str) -> bool:
    return any(word.startswith(stem) for word in _FAMOUS_FIRST_WORDS)


def _repealed(metadata: Mapping[str, str]) -> bool:
    status = metadata.get("status", metadata.get("estado", "in_force"))
    return bool(status) and fold(status) not in ("in_force", "vigente")


def _edition(document: Document, block: Sequence[str], norms: Sequence[Norm]) -> str:
    """Return the year a document was issued: by front matter, number, file name, title block or first lines."""
    sources = (
        document.metadata.get("fecha_documento", ""),
        *(norm.year for norm in norms),
        document.name,
        *block,
        document.text[:600],
    )
    years = (re.search(r"(?<!\d)(?:19|20)\d{2}(?!\d)", source) for source in sources)
    return next((year[0] for year in years if year), "")
