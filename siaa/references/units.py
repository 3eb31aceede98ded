"""Read the units of a norm: articles, paragraphs, numerals, titles and so on, with their lists and ranges."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from siaa.references.numerals import roman_value, words_at
from siaa.references.patterns import GAP, MONTHS, NUMBER_SIGN, YEAR, end_of
from siaa.references.reference import Reference

MAX_RANGE = 50  # members that a range may name; of a longer one only the two ends count

# kind: names in full, abbreviations with their dot
UNIT_HEADS = {
    "art": (r"articulos?|arts?", r"arts?[.˚]"),
    "par": (r"paragrafos?", r"parag\."),
    "num": (r"numeral(?:es)?", r"num\.(?=\s?\d[\d.]{0,8}\s{1,2}(?:del?\s)?(?:el\s)?art)"),
    "lit": (r"literal(?:es)?|letras?", r"lit\."),
    "tit": (r"titulos?", r"tit\."),
    "cap": (r"capitulos?|caps?", r"caps?\."),
    "sec": (r"seccion(?:es)?", r"secc?\."),
    "anx": (r"anexos?", r"anx\."),
    "lib": (r"libros?", r"lib\."),
}

_LEAD = re.compile(rf"(?:(?:del|desde\sel)\s{{1,4}}(?=\d))?{NUMBER_SIGN}")
_TRANSITORY = re.compile(r"\s{0,4}\(?transitori[oa]s?(?![a-z])\)?")
_MAY_BE_TRANSITORY = {"art", "par"}
_ROMAN_KINDS = {"tit", "cap", "sec", "anx", "lib"}
_NAMED = {kind: re.compile(r"(unic)[oa](?![a-z])") for kind in ("art", "par", "anx", "cap", "tit", "lib", "sec")} | {
    "tit": re.compile(r"(unic|preliminar)[oa]?(?![a-z])")
}
_ENDINGS = r"er|ero|ro|do|to|mo|vo|no|era|ra|da|ta|ma|va|na"
_DIGITS = re.compile(
    r"0*(?P<n>[1-9]\d{0,2}\.\d{3}(?![.\d])|\d{1,4}(?!\d))(?P<sub>(?:\.\d{1,3}(?!\d))*)(?!/\d|\s?%|\d)"
    rf"(?P<mark>\.?\s?˚|\.?o(?![a-z0-9ñ)])|(?:{_ENDINGS})(?![a-z0-9ñ]))?"
)
_FEMININE = re.compile(r"\.?a(?![a-z0-9ñ)])")
_LATIN = r"bis|ter|quater|quinquies|sexies|septies|octies|novies|nonies|decies|undecies|duodecies"
# With what may follow it: "803 bis h." and "216 bis 2.".
_LATIN_SUFFIX = re.compile(
    rf"(?:\s{{1,2}}|-|\.)?({_LATIN})(?![a-zñ])(?:[ ]([b-df-nñp-tv-xz]|[a-zñ](?=\.\s)|\d(?=\.|\s|$))(?![a-z0-9ñ)'˚]))?"
)
# A letter of its own counts where it cannot be a word ("104 A.", "5 B de"), the initials of a code ("29 C.P.") or a
# literal ("5 c)").
_CLOSED = r'(?=[ \t]{0,4}(?:$|[.,;:?!"\]])|\s{1,4}(?:del?|y|ley)(?![a-zñ]))'
_LETTER_SUFFIX = re.compile(
    r"-?((?!o)[a-zñ])(?![a-z0-9ñ)'˚])"
    rf"|[ ](?:(a){_CLOSED}|([bcdfghjklmnñpqrstvwxz])(?![a-z0-9ñ)'˚]))(?!\.\s?(?:[a-z](?![a-zñ])|[\d˚]))"
)
_NUMBER_TAIL = re.compile(r"-(\d{1,2})(?![\d/-]|\.\d)")
_ROMAN = re.compile(r"(?=[ivxl])(?!l(?![a-z]))(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})(?![a-z0-9ñ])")
_LETTER = re.compile(
    r'[("\']?(?:(?P<one>[a-zñ])[)"\']{1,2}|(?P<weak>[aeouy])(?=\s{0,2}(?:$|[.,;:?!])|\s{1,4}(?:del|de\s(?:la|los|las|el|es))'
    r"(?![a-z]))|(?P<bare>[b-df-nñp-tv-xz])(?![a-z0-9ñ'˚]))"
)
_NO_ITEM = re.compile(
    r"/\d|\s{0,4}%|\s{1,4}(?:dias?|mes(?:es)?|a[nñ]os?|horas?|minutos?|semanas?|trimestres?|euros?|pesos|salarios?|smlmv|"
    rf"veces|personas?|miembros|por\sciento|metros|del?\s{{1,4}}(?:{MONTHS}|{YEAR}))(?![a-zñ0-9])"
)
_AND = r"(?:y/o|[yeou])"
_MORE = re.compile(
    rf"(?P<range>\s{{1,4}}(?:al?|hasta(?:\sel)?)\s{{1,4}}|\s?-\s?)|\s{{0,2}}[,;]\s{{0,4}}(?:{_AND}\s{{1,4}})?(?:(?:el|al|del)\s)?"
    rf"|\s{{1,4}}{_AND}\s{{1,4}}(?:(?:el|al|del)\s)?"
)
# In the singular ("articulo 19 y 20") only numbers follow; of articles also a chain of commas that ends in "y 21".
_PAIR = rf"(?P<range>\s{{1,4}}al?\s{{1,4}}(?=\d))|\s{{1,4}}{_AND}\s{{1,4}}(?:el\s)?(?=\d|[ivxl]{{1,6}}(?![a-z]))"
_CHAIN = rf"\s?,\s{{0,2}}(?=(?:\d{{1,4}}[˚o]?\s?,\s{{0,2}}){{0,20}}\d{{1,4}}[˚o]?\s{{1,2}}{_AND}\s{{1,2}}\d)"
_MORE_SINGULAR = re.compile(_PAIR)
_MORE_ARTICLES = re.compile(f"{_PAIR}|{_CHAIN}")
_MORE_LETTERS = re.compile(rf"\s{{0,2}},\s{{0,2}}(?=[a-zñ]\))|\s{{1,4}}{_AND}\s{{1,4}}(?=[a-zñ]\))")
_MORE_OF_KIND = {"art": _MORE_ARTICLES, "lit": _MORE_LETTERS}
# "los articulos 85, numeral 13, 101 y 104": the numeral belongs to 85, and the list goes on.
_ASIDE = re.compile(
    r"\s?,?\s{1,2}(?:numeral|literal|letra|inciso|paragrafo|apartado|parrafo|ordinal)\s{1,2}(?:\d[\d.]{0,8}˚?|[a-z]\)?)"
    rf"(?=\s?,\s{{0,4}}\d|\s{{1,4}}{_AND}\s{{1,4}}\d)"
)
_SEVERAL_SECTIONS = 4  # "2.2.3.1 del Decreto 1069" is one article number; "149.1.1" is article 149 with its paragraphs


class Item(NamedTuple):
    """One number in a list."""

    number: str
    detail: str  # "2.1" of "149.2.1"
    start: int
    end: int
    written: str  # digits, words, roman, letter or name


class Listed(NamedTuple):
    """What stands after the name of a kind."""

    items: list[Item]  # a member that a range implies has the span of the range
    transitory: bool
    opening_end: int  # end of the first item, with a "transitorio" that follows it


def units_at(folded: str, head: re.Match[str], kind: str) -> Iterator[Reference]:
    """Yield the references whose name is `head`: every member of a list, and those that a range implies."""
    listed = listed_at(folded, head.end(), kind, plural=head[0].rstrip(".˚").endswith("s"))
    if listed is None:
        return
    for position, item in enumerate(listed.items):
        start = head.start() if position == 0 else item.start
        yield _unit(kind, item, start, listed.transitory)


def _unit(kind: str, item: Item, start: int, transitory: bool) -> Reference:
    name, number = kind, item.number
    if transitory and kind == "art":
        kind = name = "art_trans"
    elif transitory:
        name, number = (f"{kind}_trans", number) if number else (kind, "transitorio")
    token = f"{name}_{number}" if number else name
    tokens = (token, f"{token}.{item.detail}") if item.detail else (token,)
    return Reference(kind, token, "", number, "", start, item.end, tokens)


def listed_at(folded: str, pos: int, kind: str, *, plural: bool) -> Listed | None:
    """Return the numbers that stand at `pos`, right after the name of their kind."""
    pos = end_of(GAP, folded, pos)
    before = _TRANSITORY.match(folded, pos) if kind in _MAY_BE_TRANSITORY else None
    start = end_of(GAP, folded, before.end()) if before else pos
    item = _member_at(folded, end_of(_LEAD, folded, start), kind, plural)
    if item is None:
        bare = Item("", "", pos, before.end(), "name") if before else None
        return Listed([bare], True, bare.end) if bare else None
    opening = item
    items = [item]
    while len(items) < 4 * MAX_RANGE and (more := _continued(folded, item, kind, plural)):
        is_range, following = more
        if is_range:
            items += _between(item, following)
        items.append(following)
        item = following
    after = _TRANSITORY.match(folded, item.end) if before is None and kind in _MAY_BE_TRANSITORY else None
    if after:
        items[-1] = items[-1]._replace(end=after.end())
    end = after.end() if after and item is opening else opening.end
    return Listed(items, bool(before or after), end)


def _member_at(folded: str, pos: int, kind: str, plural: bool) -> Item | None:
    """Return the item at `pos`, with the second number of an inserted article: 771-2, but not in "articulos 5-8"."""
    item = _item_at(folded, pos, kind)
    if item is None or kind != "art" or not item.number.isdigit() or item.detail:
        return item
    tail = _NUMBER_TAIL.match(folded, item.end)
    if tail is None or (plural and int(tail[1]) > int(item.number)):
        return item
    return item._replace(number=f"{item.number}-{tail[1]}", end=tail.end())


def _item_at(folded: str, pos: int, kind: str) -> Item | None:
    if kind == "lit":
        letter = _LETTER.match(folded, pos)
        return Item(letter[letter.lastgroup or 0], "", pos, letter.end(), "letter") if letter else None
    if digits := _DIGITS.match(folded, pos):
        return _digit_item(folded, digits, kind)
    if words := words_at(folded, pos):
        return _with_suffix(folded, Item(str(words[0]), "", pos, words[1], "words"), kind)
    if (named := _NAMED.get(kind)) and (name := named.match(folded, pos)):
        return Item("unico" if name[1] == "unic" else name[1], "", pos, name.end(), "name")
    if kind in _ROMAN_KINDS and (roman := _ROMAN.match(folded, pos)):
        return _with_suffix(folded, Item(str(roman_value(roman[0])), "", pos, roman.end(), "roman"), kind)
    return None


def _digit_item(folded: str, digits: re.Match[str], kind: str) -> Item:
    number, detail, end = digits["n"], digits["sub"].lstrip("."), digits.end()
    if kind == "art":
        if "." in number:  # "articulo 1.902 del Codigo Civil"
            number = number.replace(".", "")
        if detail.count(".") + 2 >= _SEVERAL_SECTIONS:
            number, detail = f"{number}.{detail}", ""
    else:
        number, detail = number + digits["sub"], ""
    item = Item(number, detail, digits.start(), end, "digits")
    if kind == "sec" and not digits["mark"] and (feminine := _FEMININE.match(folded, end)):
        item = item._replace(end=feminine.end())
    return item if detail else _with_suffix(folded, item, kind)


def _with_suffix(folded: str, item: Item, kind: str) -> Item:
    """Add "bis" or, to an article in digits, a letter (104A) or a second number (771-2)."""
    if latin := _LATIN_SUFFIX.match(folded, item.end):
        number = "_".join(part for part in (item.number, latin[1], latin[2]) if part)
        return item._replace(number=number, end=latin.end())
    if kind != "art" or item.written != "digits":
        return item
    if letter := _LETTER_SUFFIX.match(folded, item.end):
        return item._replace(number=item.number + (letter[1] or letter[2] or letter[3]), end=letter.end())
    return item


def _continued(folded: str, item: Item, kind: str, plural: bool) -> tuple[bool, Item] | None:
    """Return the next member of a list, and whether it ends a range; None where the list ends."""
    pos = item.end
    if plural and kind == "art" and (aside := _ASIDE.match(folded, pos)):
        pos = aside.end()
    if not plural and (item.detail or item.written not in ("digits", "roman", "letter")):
        return None  # "articulo 149.1 y 2": the 2 is a paragraph
    pattern = _MORE if plural else _MORE_OF_KIND.get(kind, _MORE_SINGULAR)
    separator = pattern.match(folded, pos)
    following = _member_at(folded, separator.end(), kind, plural) if separator else None
    if separator is None or following is None or _NO_ITEM.match(folded, following.end):
        return None
    if not plural and following.written != item.written:
        return None
    return "range" in separator.re.groupindex and separator["range"] is not None, following


def _between(first: Item, last: Item) -> Iterator[Item]:
    """Yield the members that a range implies, with the span of the range."""
    low, high = _rank(first), _rank(last)
    if low is None or high is None or not 0 < high - low < MAX_RANGE:
        return
    for value in range(low + 1, high):
        number = chr(value) if first.written == "letter" else str(value)
        yield Item(number, "", first.start, last.end, first.written)


def _rank(item: Item) -> int | None:
    if item.written == "letter":
        return ord(item.number)
    base = re.match(r"\d+", item.number)
    return int(base[0]) if base and not item.detail and "." not in item.number else None
