"""Show a document as an HTML page in which nothing of it can act: rendered, sanitised, with anchors and marks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

import nh3
from jinja2 import Environment, FileSystemLoader
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from service.endpoints.cited_span import CitedSpan
from siaa.references import opening_article
from siaa.text import fold, normalise, squeeze, strip_markup

STYLE_PATH = "/siaa/estilo/ver.css"
_SERVICE = Path(__file__).parent.parent
STYLE = (_SERVICE / "static" / "ver.css").read_text(encoding="utf-8")
_TEMPLATE = Environment(
    loader=FileSystemLoader(_SERVICE / "templates"), autoescape=True, trim_blocks=True, keep_trailing_newline=True
).get_template("ver.html")
# Nothing may load or run but the style sheet of the service itself.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

_CLEANER = nh3.Cleaner(
    tags={
        *("h1", "h2", "h3", "h4", "h5", "h6", "p", "a", "blockquote", "ul", "ol", "li", "pre", "hr", "br"),
        *("table", "thead", "tbody", "tr", "th", "td", "strong", "em", "code", "span", "mark"),
    },
    attributes={"a": {"href", "title"}, "ol": {"start"}, "span": {"tabindex", "autofocus"}, "*": {"id", "class"}},
    url_schemes={"http", "https"},
    link_rel="noopener noreferrer nofollow",
    strip_comments=True,
)
_LINK = re.compile(r"(?:https?://|#)", re.IGNORECASE)
_LEADERS = re.compile(r"(?:\.[ \t]?){3}\.\Z")  # dots before a page number: a printed table of contents
_LEADERS_CHARS = 7  # the most that four such dots take
_NOT_SLUG = re.compile(r"[^a-z0-9ñ]+")
_ARTICLE_WORD = re.compile(r"art(?:iculo)?s?[.\s-]+")
MAX_SLUG = 80  # characters of an anchor made from a heading
MAX_LABEL = 2000  # characters of a heading that are compared with a section asked for, which has no more

_NO_SECTION = "No se encontró la sección «{section}» en este documento."
_NO_CITATION = "La cita ya no está en este lugar: el documento cambió desde que se citó."

Matches = Callable[[str], Sequence[tuple[int, int]]]  # text -> spans to mark, in order, not overlapping


@dataclass(frozen=True, slots=True)
class Page:
    """The HTML page; `section` is the anchor that was found for the section asked for, "" if none was."""

    html: str
    section: str


def render_page(
    name: str,
    title: str,
    text: str,
    *,
    section: str | None = None,
    cited: tuple[int, int] | None = None,
    matches: Matches | None = None,
    prefix: str = "",
) -> Page:
    """Render the Markdown `text` of the document `name` as a page.

    `section` is an anchor ("art-5"), an article ("5", "artículo 5") or a heading, in any case, with or without accents;
    it is marked and takes the focus, which scrolls to it without any script. `cited` are the offsets of a citation:
    its words are marked, and take the focus instead. `matches` finds what else to mark. `prefix` begins the address of
    the style sheet.
    """
    span = CitedSpan(text, *cited) if cited else None
    tokens = _PARSER.parse(span.text if span else text)
    if span:
        span.apply(tokens)
    anchors = _Anchors()
    anchors.visit(tokens)
    target = anchors.find(section) if section else None
    _put_anchors(tokens, anchors.places, chosen=target, focused=not (span and span.found))
    for token in tokens:
        if token.type == "inline" and token.children is not None:
            token.children = list(_safe(token.children, matches))
    body = Markup(_CLEANER.clean(_PARSER.renderer.render(tokens, _PARSER.options, {})))
    notices = [_NO_SECTION.format(section=section)] if section and not target else []
    notices += [_NO_CITATION] if span and not span.found else []
    html = _TEMPLATE.render(name=name, title=title, style=prefix + STYLE_PATH, notices=notices, body=body)
    return Page(html, target.anchor if target else "")


class _SafeMarkdown(MarkdownIt):
    def validateLink(self, url: str) -> bool:
        return bool(_LINK.match(url))


def _parser() -> MarkdownIt:
    parser = _SafeMarkdown("commonmark", {"html": False}).enable("table")
    # Legal texts are indented for looks; an indented line is no code.
    parser.disable("code")
    return parser


_PARSER = _parser()


# -- anchors --------------------------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class _Place:
    """Something that can be linked to: line `line` of the inline token at `index`."""

    index: int
    line: int
    anchor: str
    label: str  # folded heading, "" for an article inside a paragraph
    article: str


class _Anchors:
    """The headings and articles of a document in order, each with an anchor of its own."""

    def __init__(self) -> None:
        self.places: list[_Place] = []
        self._taken: set[str] = set()
        self._last: dict[str, int] = {}  # name -> the last number that was added to it

    def visit(self, tokens: Sequence[Token]) -> None:
        for index, token in enumerate(tokens):
            if token.type != "inline":
                continue
            heading = tokens[index - 1].type == "heading_open"
            for line, content in enumerate(token.content.split("\n")):
                self._add(index, line, content, heading=heading and line == 0)

    def find(self, section: str) -> _Place | None:
        """Return the place that `section` names, exact anchors first, then articles, then headings."""
        wanted = squeeze(fold(normalise(section))).lstrip("#")
        number = _ARTICLE_WORD.sub("", wanted).strip(" .-").replace(" ", "_")
        tests: tuple[Callable[[_Place], bool], ...] = (
            lambda place: place.anchor == wanted,
            lambda place: bool(place.article) and place.article == number,
            lambda place: bool(place.label) and place.label == wanted,
            lambda place: place.anchor == _slug(wanted),
            lambda place: bool(place.label) and wanted in place.label,
        )
        return next((place for test in tests for place in self.places if wanted and test(place)), None)

    def _add(self, index: int, line: int, content: str, *, heading: bool) -> None:
        opening = opening_article(content)
        if (opening is None and not heading) or _is_contents_line(content):
            return
        plain = strip_markup(squeeze(content)[:MAX_LABEL])
        article = opening.number if opening else ""
        name = f"art-{article}" if article else _slug(fold(plain)) or "seccion"
        self.places.append(_Place(index, line, self._free(name), fold(plain) if heading else "", article))

    def _free(self, name: str) -> str:
        anchor, number = name, self._last.get(name, 1)
        while anchor in self._taken:
            number += 1
            anchor = f"{name}-{number}"
        self._taken.add(anchor)
        self._last[name] = number
        return anchor


def _slug(folded: str) -> str:
    return _NOT_SLUG.sub("-", folded).strip("-")[:MAX_SLUG].rstrip("-")


def _is_contents_line(line: str) -> bool:
    return bool(_LEADERS.search(line.rstrip().rstrip("0123456789").rstrip()[-_LEADERS_CHARS:]))


def _put_anchors(tokens: Sequence[Token], places: Sequence[_Place], *, chosen: _Place | None, focused: bool) -> None:
    """Put an empty element with its anchor before the line of each place; mark the block of the chosen one."""
    starts: dict[int, list[int]] = {}
    for place in reversed(places):  # the last first: what comes before keeps its position
        children = tokens[place.index].children or []
        if place.index not in starts:
            starts[place.index] = _starts_of_lines(children)
        lines = starts[place.index]
        focus = ' class="ancla" tabindex="-1" autofocus=""' if place is chosen and focused else ' class="ancla"'
        mark = Token("html_inline", "", 0, content=f'<span id="{escape(place.anchor)}"{focus}></span>')
        children.insert(lines[place.line] if place.line < len(lines) else 0, mark)
    if chosen:
        tokens[chosen.index - 1].attrSet("class", "sec")


def _starts_of_lines(children: Sequence[Token]) -> list[int]:
    breaks = [position + 1 for position, child in enumerate(children) if child.type in ("softbreak", "hardbreak")]
    return [0, *breaks]


# -- what is inside a line ------------------------------------------------------------------------------------------


def _safe(children: Sequence[Token], matches: Matches | None) -> Iterator[Token]:
    """Yield inline tokens with images as their description and matches marked; images are never loaded."""
    for child in children:
        if child.type == "image":
            yield _text(f"[imagen: {child.content}]" if child.content else "[imagen]")
        elif child.type == "text" and matches is not None:
            yield from _marked(child, matches(child.content))
        else:
            yield child


def _marked(token: Token, spans: Sequence[tuple[int, int]]) -> Iterator[Token]:
    at = 0
    for start, end in spans:
        if at < start:
            yield _text(token.content[at:start])
        yield Token("html_inline", "", 0, content=f"<mark>{escape(token.content[start:end])}</mark>")
        at = end
    if at < len(token.content):
        yield _text(token.content[at:])


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)
