"""The page of a document: nothing in it runs or loads, everything in it can be linked to.

1. HTML of the document is shown as text; scripts, images, foreign schemes never come through.
2. Each heading and article has an anchor; `sec` names one by anchor, number or heading and takes the focus.
3. The terms of `q` are marked in text only, by stem, never inside code, links or attributes.
4. A large document takes a moment, not a minute.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from html.parser import HTMLParser

import pytest

from service.endpoints.document_page import render_page
from tests.http.client import Client

PSAA16 = "acuerdo_no._psaa16-10476.md"
LOADS = {"script", "img", "iframe", "object", "embed", "link", "style", "form", "input", "svg", "video", "base"}


class Elements(HTMLParser):
    """Collect what a browser would see as elements."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: Sequence[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attributes)))


def body_of(html: str) -> str:
    return html.partition("<main>")[2].partition("</main>")[0]


def page(text: str, **options: object) -> str:
    return render_page("x.md", "Título", text, **options).html  # type: ignore[arg-type]


# What a document may try
ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "![x](http://malo.example/pixel.png)",
    "![x](data:image/png;base64,AAAA)",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java\nscript:alert(1))",
    "[x](data:text/html,<script>alert(1)</script>)",
    "[x](vbscript:x)",
    "[x](file:///etc/passwd)",
    "[x](//malo.example)",
    "<javascript:alert(1)>",
    '[x](http://a "\\" onmouseover=alert(1) ")',
    "<a href='javascript:alert(1)'>x</a>",
    "<style>@import 'http://malo.example'</style>",
    "<iframe src=//malo.example></iframe>",
    "# <svg onload=alert(1)>",
    "| <script>x</script> |\n|---|\n| <b onclick=x>y</b> |",
    "```html\n<script>alert(1)</script>\n```",
    "`<script>`",
    "<!-- --><script>x</script>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    '# "><script>alert(1)</script>',
    'ARTÍCULO 5"><script>alert(1)</script>. Texto',
    "[x]: javascript:alert(1)\n\n[x]",
]


@pytest.mark.parametrize("text", ATTACKS)
def test_nothing_of_a_document_can_act(text: str) -> None:
    html = page(text, section="5", matches=lambda t: [m.span() for m in re.finditer("alert|x", t)])
    for tag, attributes in Elements(body_of(html)).found:
        assert tag not in LOADS
        assert not any(name.startswith("on") for name in attributes)
        assert set(attributes) <= {"id", "class", "href", "rel", "title", "tabindex", "autofocus", "start"}
        assert re.match(r"(https?://|#)", attributes.get("href") or "#")


def test_what_comes_from_the_request_is_escaped() -> None:
    html = render_page('"><script>x</script>', "<b>", "texto", section='<script>y</script>"').html
    assert [tag for tag, _ in Elements(html).found if tag in ("script", "b")] == []


def test_links_lead_out_without_a_trace() -> None:
    html = page("[x](https://a.example/b) [y](#art-5)")
    links = [attributes for tag, attributes in Elements(html).found if tag == "a"]
    assert [link["href"] for link in links] == ["https://a.example/b", "#art-5"]
    assert links[0]["rel"] == "noopener noreferrer nofollow"


DOCUMENT = """# Reglas generales

Introducción.

## Capítulo II: De los jueces

ARTÍCULO 5º.- FUNCIONARIOS. Los jueces responden.
ARTÍCULO SEXTO. Períodos.

**Artículo 104A.** Otro.

### ARTÍCULO 7 — ROLES

## Capítulo II: De los jueces
"""

# what is asked for -> the anchor that is found
SECTIONS = [
    ("art-5", "art-5"),  # an anchor
    ("#art-5", "art-5"),
    ("5", "art-5"),  # a number
    ("5º", "art-5"),
    ("artículo 5", "art-5"),
    ("ARTICULO 6", "art-6"),  # written in words in the text
    ("104a", "art-104a"),
    ("art. 7", "art-7"),  # an article that is a heading
    ("Capítulo II: De los jueces", "capitulo-ii-de-los-jueces"),  # a heading: the first of that name
    ("capitulo-ii-de-los-jueces-2", "capitulo-ii-de-los-jueces-2"),  # the second by its anchor
    ("de los jueces", "capitulo-ii-de-los-jueces"),  # part of a heading
    ("reglas generales", "reglas-generales"),
    ("99", ""),  # nothing
    ("?", ""),
]


@pytest.mark.parametrize(("section", "anchor"), SECTIONS)
def test_sections_are_found_by_anchor_number_and_heading(section: str, anchor: str) -> None:
    found = render_page("x.md", "x", DOCUMENT, section=section)
    assert found.section == anchor
    focused = [attributes["id"] for _, attributes in Elements(found.html).found if "autofocus" in attributes]
    assert focused == ([anchor] if anchor else [])
    assert ("No se encontró la sección" in found.html) == (not anchor)
    assert len([a for _, a in Elements(found.html).found if a.get("class") == "sec"]) == (1 if anchor else 0)


def test_anchors_are_unique_and_skip_a_printed_table_of_contents() -> None:
    html = page("ARTÍCULO 1. Objeto ........ 3\n\nARTÍCULO 1. Objeto.\n\nARTÍCULO 1. Otro.\n")
    assert re.findall(r'id="(art-[^"]*)"', html) == ["art-1", "art-1-2"]
    assert html.index('id="art-1"') > html.index("........")


def test_terms_are_marked_in_text_only() -> None:
    text = "Los jueces y el juez. `jueces` [jueces](http://jueces.example) **jueces**"
    html = page(text, matches=lambda t: [m.span() for m in re.finditer("jueces", t)])
    assert html.count("<mark>jueces</mark>") == 3
    assert 'href="http://jueces.example"' in html
    assert "<code>jueces</code>" in html


def test_an_indented_line_is_no_code_and_a_table_is_a_table() -> None:
    html = page("    Texto con sangría\n\n| a | b |\n|---|---|\n| c | d |\n")
    assert "<code>" not in html
    assert "<td>c</td>" in html


def test_half_a_megabyte_takes_a_moment() -> None:
    sentence = "Los *jueces* deben [reportar](http://x.example) la **información**. "
    text = "\n\n".join(f"ARTÍCULO {number}. {sentence * 6}" for number in range(1500))
    began = time.monotonic()
    html = page(text, section="1400", matches=lambda t: [m.span() for m in re.finditer("jueces", t)])
    assert len(text) > 500_000
    assert 'id="art-1400"' in html
    assert time.monotonic() - began < 10


SLOW = [
    "[" * 20_000,
    "*" * 20_000,
    "> " * 5_000,
    "`" * 20_000,
    "- " * 5_000,
    "![" * 10_000,
    "<" * 20_000,
    "a|" * 20_000,
]


@pytest.mark.parametrize("text", SLOW)
def test_no_text_takes_forever(text: str) -> None:
    began = time.monotonic()
    page(text)
    assert time.monotonic() - began < 10


# -- over HTTP ------------------------------------------------------------------------------------------------------


def test_the_page_of_a_document(service: Client) -> None:
    answer = service.get(f"/siaa/ver/{PSAA16}", sec="art-5", q="funcionario responsable")
    assert answer.status == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'self'")
    assert "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["x-siaa-generacion"].startswith("gen-")
    elements = Elements(answer.text).found
    ids = [attributes["id"] for _, attributes in elements if attributes.get("id")]
    assert len(ids) == len(set(ids))
    assert {f"art-{number}" for number in range(1, 21)} <= set(ids)
    assert [attributes["id"] for _, attributes in elements if "autofocus" in attributes] == ["art-5"]
    marked = {word.casefold() for word in re.findall(r"<mark>([^<]*)</mark>", answer.text)}
    assert {"funcionarios", "responsables"} <= marked  # other endings of the same words
    assert not marked & {"los", "de", "la"}
    sheets = [attributes["href"] for tag, attributes in elements if tag == "link"]
    assert sheets == ["/siaa/estilo/ver.css"]
    assert service.get(sheets[0] or "").headers["content-type"].startswith("text/css")


def test_every_document_of_the_corpus_has_its_page(service: Client) -> None:
    for row in service.get("/siaa/documentos").json["documentos"]:
        answer = service.get(f"/siaa/ver/{row['doc']}")
        assert answer.status == 200
        anchors = set(re.findall(r'id="art-([^"]*)"', answer.text))
        assert set(row["articulos"]) <= anchors, row["doc"]


# What would take a pattern that tries every position minutes
HEAVY = [
    "Nombre " + "." * 20_000 + " firma",  # the leaders of a form
    "Art. 1" + " " * 50_000 + "x",
    "ARTÍCULO 1. x\n" * 5_000,  # one block, one name
    "# a\n" * 5_000,
    "# Título " + "#" * 40_000 + "x",
    "# Título" + " " * 40_000 + "x",
    "a " + ". " * 20_000 + " " * 10_000 + "x",
]


@pytest.mark.parametrize("text", HEAVY)
def test_no_line_takes_more_time_than_its_length(text: str) -> None:
    began = time.perf_counter()
    page(text, section="1", cited=(2, 4), matches=lambda _: [])
    assert time.perf_counter() - began < 3


def test_equal_articles_have_anchors_of_their_own_in_order() -> None:
    ids = [found["id"] for _, found in Elements(page("ARTÍCULO 1. x\n" * 3 + "\n# art-1-2\n")).found if found.get("id")]
    assert ids == ["art-1", "art-1-2", "art-1-3", "art-1-2-2"]
