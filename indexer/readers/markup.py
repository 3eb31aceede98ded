"""Remove what a document inherited from HTML and Word, and nothing of its text.

Tags, scripts, comments, style sheets and the statistics that Word writes into exported pages would otherwise become
keywords and first passages. Every step is linear in the text; every step that removed something says so in Spanish.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from html.entities import html5

from indexer.readers.word import remove_word_remnants
from siaa.text import squeeze


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A text without remnants, the title of the HTML page it was (or ""), and Spanish warnings."""

    text: str
    page_title: str = ""
    warnings: tuple[str, ...] = ()


def clean_markup(text: str) -> Cleaned:
    """Return `text` without HTML comments, tags, Word remnants, and with entities decoded.

    Markdown is left alone, as are placeholders such as `<nombre del despacho>` and addresses in angle brackets.
    Example: `clean_markup("<p>Garant&iacutea</p>").text.strip() == "Garantía"`.
    """
    page = bool(_PAGE.search(text[:2000]))
    commentless = _remove_between(text, "<!--", "-->")
    tagless, title = _remove_tags(commentless, page=page)
    decoded = decode_entities(tagless)
    cleaned = remove_word_remnants(decoded)
    warnings = tuple(
        warning
        for happened, warning in (
            (page, "Era una página HTML: se conservó solo su texto."),
            (not page and tagless != commentless, "Se quitaron etiquetas HTML sueltas."),
            (cleaned != decoded, "Se quitaron restos de Word (estilos y metadatos)."),
        )
        if happened
    )
    return Cleaned(_BLANK_RUN.sub("\n\n", cleaned) if warnings else cleaned, title, warnings)


_PAGE = re.compile(r"<!doctype\s+html|<html[\s>]", re.I)
_BLANK_RUN = re.compile(r"\n(?:[ \t]*\n)+")


def _remove_between(text: str, start: str, end: str) -> str:
    """Remove every stretch from `start` to `end`, both included; an unclosed one stays as it is."""
    parts: list[str] = []
    position = 0
    while (opening := text.find(start, position)) >= 0 and (closing := text.find(end, opening + len(start))) >= 0:
        parts.append(text[position:opening])
        position = closing + len(end)
    parts.append(text[position:])
    return "".join(parts)


# What replaces a tag. Only known names are tags: "<nombre del despacho>" is text. Blocks become lines.
_BREAK, _PARAGRAPH, _NOTHING = "\n", "\n\n", ""
_BLOCK_TAGS = (
    "address article aside blockquote body center dd div dl dt fieldset figure footer form header hr html main nav ol "
    "p pre section table tbody tfoot thead ul head title"
)
_INLINE_TAGS = (
    "a abbr acronym area b base basefont big button caption cite code col colgroup dfn em embed font i iframe img "
    "input ins kbd label legend link map mark meta noscript object optgroup option param q s samp select small span "
    "strike strong sub sup svg path textarea time tt u var wbr o:p st1:personname"
)
_REPLACEMENTS: dict[str, tuple[str, str]] = {  # name -> (for the opening tag, for the closing tag)
    **dict.fromkeys(_BLOCK_TAGS.split(), (_PARAGRAPH, _PARAGRAPH)),
    **{f"h{level}": (f"\n\n{'#' * level} ", _PARAGRAPH) for level in range(1, 7)},
    **dict.fromkeys(_INLINE_TAGS.split(), (_NOTHING, _NOTHING)),
    "br": (_BREAK, _BREAK),
    "li": ("\n- ", _BREAK),
    "tr": ("\n| ", _BREAK),
    "td": (_NOTHING, " | "),
    "th": (_NOTHING, " | "),
}
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9:]*)((?:\s[^<>]*)?)/?>|<![A-Za-z\[][^<>]*>|<\?xml[^<>]*>")
_INVISIBLE_ELEMENT = re.compile(r"<(script|style|noscript|template)\b", re.I)
_TITLE = re.compile(r"<title[^<>]*>([^<]*)<", re.I)
_BROKEN_NAMES = r"(?:TITLE|HEAD|BODY|HTML|DIV|P|FONT|B|I|SPAN|TABLE|TR|TD|CENTER|LINK|META|IMG|BR)"
_BROKEN_TAGS = re.compile(
    rf"^[ \t]*/?{_BROKEN_NAMES}>[ \t]*$"  # "/TITLE>": alone on its line
    rf"|^[ \t]*{_BROKEN_NAMES}(?:[ \t]+[\w-]+=[\"'][^\"'<>\n]*[\"'])+[ \t]*/?>"  # 'P ALIGN="LEFT">Text'
    rf"|<(?:/{_BROKEN_NAMES}|{_BROKEN_NAMES}(?:[ \t]+[\w-]+=[\"'][^\"'<>\n]*[\"'])+)[ \t]*$",  # "Text </FONT"
    re.I | re.M,
)
# What counts the visits of a page, left behind as text when the marks of its comment or script got lost.
_COUNTER_LINE = re.compile(
    r"^[ \t]*(?:(?:end )?(?:global site tag|google tag manager|google analytics)\b[^\n.]{0,20}(?:\.js\b[^\n.]{0,30})?"
    r"|(?:window\.)?dataLayer\b[^\n]{0,200}|(?:function )?gtag\([^\n]{0,200})$",
    re.I | re.M,
)


def _remove_tags(text: str, *, page: bool) -> tuple[str, str]:
    if "<" not in text:
        return text, ""
    title = _TITLE.search(text) if page else None
    if page and title:
        text = text[: title.start()] + "<" + text[title.end() :]
    text = _remove_invisible_elements(text)
    if page:  # in a page, line breaks and indentation of the source mean nothing but white space
        text = _WHITE_SPACE.sub(" ", text)
    lines = "\n".join(_inside_table_row(line) if line.startswith("|") else line for line in text.split("\n"))
    cleaned = _TAG.sub(_replacement, lines)
    if cleaned != text:
        cleaned = _COUNTER_LINE.sub("", _BROKEN_TAGS.sub("", cleaned))
    if page:
        cleaned = _EMPTY_ITEM.sub("", _LINE_EDGES.sub("", _SPACES.sub(" ", cleaned)))
    return cleaned, squeeze(decode_entities(title[1])) if title else ""


_WHITE_SPACE = re.compile(r"\s+")
_LINE_EDGES = re.compile(r"^[ \t]+|(?<=\S)[ \t]+$", re.M)
_SPACES = re.compile(r" {2,}")
_EMPTY_ITEM = re.compile(r"^(?:[-|]|#{1,6})$", re.M)


def _replacement(tag: re.Match[str]) -> str:
    if tag[2] is None:
        return ""
    opening, closing = _REPLACEMENTS.get(tag[2].lower(), (tag[0], tag[0]))
    return closing if tag[1] else opening


def _inside_table_row(row: str) -> str:
    """Keep a Markdown table row on its line: `<br>` in a cell is a space."""
    return _TAG.sub(lambda tag: " " if _replacement(tag) != tag[0] else tag[0], row) if "<" in row else row


def _remove_invisible_elements(text: str) -> str:
    """Remove scripts and style sheets with their content; an unclosed one loses only its tag."""
    parts: list[str] = []
    position = 0
    folded = text.lower() if len(text.lower()) == len(text) else text
    unclosed: set[str] = set()
    for opening in _INVISIBLE_ELEMENT.finditer(text):
        name = opening[1].lower()
        if opening.start() < position or name in unclosed:
            continue
        closing = folded.find(f"</{name}", opening.end())
        if closing < 0:
            unclosed.add(name)
            continue
        parts.append(text[position : opening.start()])
        end = text.find(">", closing)
        position = end + 1 if end >= 0 else len(text)
    parts.append(text[position:])
    return "".join(parts)


# Entities that HTML allows without a semicolon, as far as Spanish prose uses them: "desconexi&oacuten".
_BARE = sorted(
    (name for name in html5 if not name.endswith(";") and (len(html5[name]) == 1 and html5[name].isalpha())),
    key=len,
    reverse=True,
)
_BARE_SIGNS = ["iquest", "iexcl", "laquo", "raquo", "ordm", "ordf", "deg", "nbsp", "quot", "middot", "shy", "sect"]
_ACCENTED = ("Aacute", "Eacute", "Iacute", "Oacute", "Uacute", "Ntilde", "Uuml")
_CAPITALS = {name.upper(): html5[name] for name in _ACCENTED}  # "&AACUTE;", of a text that was put in capitals
_ESCAPED_TWICE = re.compile(r"&amp;(?=[A-Za-z](?:acute|tilde|uml)|(?:#\d{2,5}|nbsp|quot|ordm|deg|[lr]aquo);)")
_ENTITY = re.compile(
    r"(?P<address>(?:https?://|www\.|\?[\w.%-]+=)\S*)"
    r"|&(?P<closed>\#\d{1,7}|\#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});"
    rf"|&(?P<bare>{'|'.join([*_BARE, *_BARE_SIGNS, *_CAPITALS])})(?!=)"
)


def decode_entities(text: str) -> str:
    """Return `text` with HTML entities decoded, also those that lost their semicolon; addresses keep their `&`.

    Example: `decode_entities("desconexi&oacuten, ?a=1&copy=2") == "desconexión, ?a=1&copy=2"`.
    """
    return _ENTITY.sub(_entity, _ESCAPED_TWICE.sub("&", text)) if "&" in text else text


def _entity(found: re.Match[str]) -> str:
    if found["address"]:
        return found["address"].replace("&amp;", "&")
    if found["closed"]:
        return _CAPITALS.get(found["closed"]) or html.unescape(found[0])
    return _CAPITALS.get(found["bare"]) or html5[found["bare"]]
