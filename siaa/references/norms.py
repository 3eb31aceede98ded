"""Read the norms that a text cites: laws, decrees, agreements, circulars, and the series of the Judicatura."""

from __future__ import annotations

import re
from collections.abc import Iterator

from siaa.references.patterns import GAP, MONTHS, NUMBER_SIGN, YEAR, end_of
from siaa.references.reference import Reference

_REAL_DECRETO = r"real(?:es)?\s{1,4}decretos?"
_RD = r"(?:rd|r\.\s?d\.)"
# The longer name before the shorter one that begins it.
RANK_HEADS = {
    "real_decreto_legislativo": rf"{_REAL_DECRETO}\s{{1,4}}legislativos?|{_RD}\s?leg(?:islativo|\.)?|rdlg",
    "real_decreto_ley": rf"{_REAL_DECRETO}[\s-]{{1,4}}ley(?:es)?|{_RD}[ -]?ley|rdl|r\.\s?d\.\s?l\.",
    "real_decreto": rf"{_REAL_DECRETO}|{_RD}",
    "decreto_ley": r"decretos?[\s-]{1,4}ley(?:es)?",
    "decreto": (
        r"decretos?(?:\s{1,4}(?:legislativo|unico|reglamentario|nacional|extraordinario|supremo|distrital|ejecutivo)"
        r"(?:e?s)?){0,2}"
    ),
    "ley_organica": r"ley(?:es)?\s{1,4}organicas?|l\.\s?o\.|lo(?=\s\d{1,3}\s?/\s?\d\d)",
    "ley": r"ley(?:es)?(?:\s{1,4}(?:estatutari|ordinari)as?)?",
    "acto_legislativo": r"actos?\s{1,4}legislativos?",
    "acuerdo": r"acuerdos?",
    "circular": r"circular(?:es)?(?:\s{1,4}(?:externa|interna|conjunta|reglamentaria|basica|informativa)s?)?",
    "resolucion": r"resolucion(?:es)?(?:\s{1,4}(?:ejecutiva|administrativa|conjunta|reglamentaria|ministerial)s?)?",
    "constitucion": r"constitucion(?=\s{1,4}(?:politica|espa[nñ]ola|nacional|del?))",
}
# Series of the Consejo Superior de la Judicatura, its sections and its administration.
SERIES = r"psa[acrt]|pcsj[a-z]{1,2}|csj[a-z]{2,5}|desaj[a-z]{0,4}|deaj[a-z]{1,2}"
_SERIES_RANKS = {"a": "acuerdo", "c": "circular", "r": "resolucion"}  # by the last letter: PSAA, DEAJC, PCSJSR
# In Colombia these are numbered together with the plain rank, and cited as such; Spain numbers them apart, and writes
# number/year.
_NUMBERED_WITH = {"ley_organica": "ley", "decreto_ley": "decreto"}

_SPACES = r"\s{1,4}"
_DAY = rf"(?:\d{{1,2}}\s?˚?|primero|uno){_SPACES}de{_SPACES}(?:{MONTHS})(?![a-z])"
_DATED = rf"{_DAY}(?:{_SPACES}(?:del?{_SPACES})?(?P<dated>{YEAR}))?"
_OF_DATE = rf"del?{_SPACES}(?:fecha{_SPACES})?(?:dia\s)?{_DATED}"
_OF_YEAR = rf"del?{_SPACES}(?:a[nñ]o{_SPACES})?(?P<of>{YEAR})"
_TAIL = rf"(?:(?:{_SPACES}|\s?,\s{{0,4}})(?:{_OF_DATE}|{_OF_YEAR}))?"
_NUMBER = re.compile(
    rf"(?P<sign>{NUMBER_SIGN})(?:(?P<yy>\d\d)-(?=\d{{4,6}}(?!\d))(?!{YEAR}))?"
    r"0*(?P<number>[1-9]\d{0,2}\.\d{3}(?![.\d])|\d{1,6})(?:\.?\s?˚|[ao](?![a-zñ0-9]))?(?![a-zñ\d]|\s?%|[.,]\d)"
    rf"(?:\s?/\s?(?P<slash>{YEAR}|\d\d(?!\d))|\s?-\s?(?P<dash>{YEAR})|{_SPACES}del?\s'?(?P<short>[5-9]\d)"
    rf"(?![\d/.-]\d|\d|\s{{1,4}}(?:de|dias|a[nñ]os|articulos|meses|horas)(?![a-z])))?(?!\s?[-/]\s?\d){_TAIL}"
)
_DAY_AND_YEAR = re.compile(rf",?\s?(?:del?{_SPACES}(?:fecha{_SPACES})?(?:dia\s)?)?{_DATED}")
_YEAR_ALONE = re.compile(rf"{_OF_YEAR}|(?P<alone>{YEAR})(?!\s?[-/]\s?\d)")
_MORE = re.compile(r"\s{0,2}[,;]\s{0,4}(?:[ye]\s{1,4})?|\s{1,4}[ye]\s{1,4}")
_SERIES_HEAD = re.compile(rf"{NUMBER_SIGN}(?P<series>(?:{SERIES})(?![a-zñ])|[a-z]{{3,8}}(?=\d\d-\d))")
# psaa16-10476, psaa16 10476, psaa1610476, psaa no. 16-10476; the hyphen may stand before a page break.
_SERIES_NUMBER = re.compile(
    rf"\s?-?\s{{0,2}}{NUMBER_SIGN}(?P<yy>\d\d)(?:\s{{0,3}}[-/]\s{{0,8}}|\s(?=n|\d{{3}}){NUMBER_SIGN}(?!{YEAR})|(?=\d{{4}}))"
    rf"0*(?P<number>\d{{1,6}})(?!\d){_TAIL}"
)
_SERIES_NUMBER_ONLY = re.compile(rf"\s?-?\s{{0,2}}{NUMBER_SIGN}0*(?P<number>\d{{3,6}})(?!\d){_TAIL}")
_SERIES_ALONE = re.compile(r"(?P<yy>\d\d)(?!\d)")
_ABBREVIATION = re.compile(r"rd|lo|rdl.*|rdleg.*")
_CONSTITUTION = re.compile(
    rf"(?P<which>(?:{_SPACES}(?:politica|espa[nñ]ola|nacional))*)(?:{_SPACES}de{_SPACES}colombia)?"
    rf"(?:{_SPACES}(?:del?{_SPACES})?(?:a[nñ]o{_SPACES})?(?P<year>{YEAR}))?"
)


def norms_at(folded: str, head: re.Match[str], rank: str) -> Iterator[Reference]:
    """Yield the norms whose rank is written at `head`: one, or several after a plural."""
    if rank == "constitucion":
        yield from _constitution(folded, head)
        return
    pos = end_of(GAP, folded, head.end())
    if series := _SERIES_HEAD.match(folded, pos):
        norm = _series_norm(folded, head.start(), series["series"], series.end(), rank)
        if norm:
            yield norm
        return
    norm = _numbered(folded, head.start(), pos, rank) or _of_year(folded, head.start(), pos, rank)
    plural = head[0].split()[0].endswith("s")
    if norm and _ABBREVIATION.fullmatch(re.sub(r"[\s.-]", "", head[0])) and not norm.year:
        return
    while norm:
        yield norm
        more = _MORE.match(folded, norm.end) if plural else None
        norm = _numbered(folded, more.end(), more.end(), rank) if more else None


def series_norms_at(folded: str, head: re.Match[str]) -> Iterator[Reference]:
    """Yield the norm whose series (PSAA, PCSJA ...) is `head`, if a number or a year follows."""
    norm = _series_norm(folded, head.start(), head[0], head.end(), "")
    if norm:
        yield norm


def _series_norm(folded: str, start: int, series: str, pos: int, rank: str) -> Reference | None:
    rank = rank or _SERIES_RANKS.get(series[-1], "")
    if found := _SERIES_NUMBER.match(folded, pos):
        name, number = f"{series}{found['yy']}", found["number"]
        tokens = (f"{name}-{number}", f"{rank}_{number}") if rank else (f"{name}-{number}",)
        return _norm(name, number, _century(found["yy"]), start, found.end(), tokens)
    if found := _SERIES_NUMBER_ONLY.match(folded, pos):
        number, year = found["number"], found["dated"] or found["of"] or ""
        tokens = (f"{rank}_{number}",) if rank else (f"{series}-{number}",)
        return _norm(series, number, year, start, found.end(), tokens)
    if found := _SERIES_ALONE.match(folded, pos):
        name = f"{series}{found['yy']}"
        return _norm(name, "", _century(found["yy"]), start, found.end(), (name,))
    return None


def _numbered(folded: str, start: int, pos: int, rank: str) -> Reference | None:
    found = _NUMBER.match(folded, pos)
    if found is None:
        return None
    number, year = found["number"].replace(".", ""), _year(found)
    unsigned = not found["sign"] and not found["yy"]
    # Colombian laws have reached these numbers, and nobody cites a law by its year alone: "ley 1952" is a number.
    year_alone = not year and rank != "ley" and re.fullmatch(YEAR, number)
    if unsigned and (year_alone or _DAY_AND_YEAR.match(folded, pos)):
        return None  # "circular 2023", "resolucion 12 de marzo de 2020": see `_of_year`
    tokens = _tokens(rank, number, year)
    if rank in _NUMBERED_WITH and not found["slash"]:
        tokens += _tokens(_NUMBERED_WITH[rank], number, year)
    return _norm(rank, number, year, start, found.end(), tokens)


def _of_year(folded: str, start: int, pos: int, rank: str) -> Reference | None:
    found = _DAY_AND_YEAR.match(folded, pos)
    year = found["dated"] if found else None
    if not year:
        found = _YEAR_ALONE.match(folded, pos)
        year = (found["alone"] or found["of"]) if found else None
    if found is None or not year or (rank == "acuerdo" and folded.endswith("de ", 0, start)):
        return None
    return _norm(rank, "", year, start, found.end(), (f"{rank}_{year}",))


def _constitution(folded: str, head: re.Match[str]) -> Iterator[Reference]:
    found = _CONSTITUTION.match(folded, head.end())
    if found is None or not (found["which"] or found["year"]):
        return
    year = found["year"] or ""
    tokens = ("constitucion", f"constitucion_{year}") if year else ("constitucion",)
    yield _norm("constitucion", "", year, head.start(), found.end(), tokens)


def _norm(rank: str, number: str, year: str, start: int, end: int, tokens: tuple[str, ...]) -> Reference:
    return Reference("norma", tokens[0], rank, number, year, start, end, tokens)


def _tokens(rank: str, number: str, year: str) -> tuple[str, ...]:
    return (f"{rank}_{number}", f"{rank}_{number}_{year}") if year else (f"{rank}_{number}",)


def _year(found: re.Match[str]) -> str:
    written = found["slash"] or found["dash"] or found["short"] or found["yy"]
    if written:
        return written if len(written) == 4 else _century(written)
    return found["dated"] or found["of"] or ""


def _century(two_digits: str) -> str:
    return ("19" if two_digits >= "50" else "20") + two_digits
