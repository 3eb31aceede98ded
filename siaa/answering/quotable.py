"""Say what of a fragment can be quoted: its sentences and list items, each with what it is read together with."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from siaa.answering import wording
from siaa.model import Fragment, Piece
from siaa.page_parts import trim_page_lines
from siaa.sentences import is_heading_line, is_list_item, sentence_spans
from siaa.text import fold

CAPTION_CHARS = 90  # characters of the caption of an article or a parágrafo, at most
CAPTION = re.compile(r"\W*(?:articulo|art|paragrafo)\b")  # of an article or a parágrafo, folded
_MARKUP = " \t\r\n#*_"  # around a whole passage that is one line of heading
_FORGED_HEADER = re.compile(r"\W*\[DOC:", re.IGNORECASE)  # what only the service may write


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence or list item that can be quoted: `piece.text[start:end]`, and what it is read together with."""

    fragment: Fragment
    piece: Piece
    start: int
    end: int
    lead_in: tuple[int, int] | None  # of a list item: the sentence that announces the list
    around: str  # the sentences before and after
    score: float = 0.0

    @property
    def text(self) -> str:
        """Return what would be quoted."""
        return self.piece.text[self.start : self.end]

    @property
    def lead_in_text(self) -> str:
        """Return the sentence that announces the list, "" for none."""
        return self.piece.text[slice(*self.lead_in)] if self.lead_in else ""


def units_of(fragment: Fragment, asked: Collection[str] = ()) -> Iterator[Unit]:
    """Yield what can be quoted, only of the articles `asked` for if there are any.

    A passage of such an article without a sentence of its own is quoted whole: "(Derogado)".
    """
    for piece in fragment.pieces:
        if asked and piece.article not in asked:
            continue
        units = list(_piece_units(fragment, piece))
        start = len(piece.text) - len(piece.text.lstrip(_MARKUP))
        end = len(piece.text.rstrip(_MARKUP))
        if asked and not units and start < end and _may_be_said(piece.text, start, end):
            units = [Unit(fragment, piece, start, end, None, "")]
        yield from units


def _piece_units(fragment: Fragment, piece: Piece) -> Iterator[Unit]:
    spans = list(_quotable(piece.text))
    texts = [piece.text[slice(*span)] for span in spans]
    lead_in: tuple[int, int] | None = None
    for position, (start, end) in enumerate(spans):
        if texts[position].endswith(":") and not is_list_item(texts[position]):
            lead_in = (start, end)
        elif not is_list_item(texts[position]) and not _continues(piece.text, spans[:position], start):
            lead_in = None
        around = " ".join(texts[max(0, position - 1) : position] + texts[position + 1 : position + 2])
        if lead_in == (start, end) and _opens_list(texts[position + 1 : position + 2]):
            continue  # quoted with its items, and says nothing without them
        yield Unit(fragment, piece, start, end, None if lead_in == (start, end) else lead_in, around)


def _quotable(text: str) -> Iterator[tuple[int, int]]:
    """Yield the sentences; the caption of an article ("Artículo 5. Objeto.") with what follows it.

    Headings, and what a page prints around its text, are none. Where nothing follows the caption it is all that the
    article says: "Artículo 5. El registro es gratuito."
    """
    caption: tuple[int, int] | None = None
    for span in sentence_spans(text):
        start, end = trim_page_lines(text, *span)
        sentence = text[start:end]
        if not sentence:
            continue
        heading = is_heading_line(sentence)
        opens = not heading and bool(CAPTION.match(fold(sentence)))  # an article or a parágrafo
        if caption and (heading or opens):
            yield caption
            caption = None
        if heading or not _may_be_said(text, start, end):
            continue
        if opens and len(sentence) <= CAPTION_CHARS:
            caption = (start, end)
            continue
        yield (caption[0] if caption else start), end
        caption = None
    if caption:
        yield caption


def _may_be_said(text: str, start: int, end: int) -> bool:
    sentence = text[start:end]
    # The refusal's words appear in no other answer (contract); a header is the service's own to write.
    if wording.REFUSAL in sentence or _FORGED_HEADER.match(sentence):
        return False
    # A block quotation is an editor's note about the document, not what the document says.
    return not text.startswith(">", text.rfind("\n", 0, start) + 1)


def _opens_list(following: Sequence[str]) -> bool:
    return bool(following) and is_list_item(following[0])


def _continues(text: str, before: Sequence[tuple[int, int]], start: int) -> bool:
    """Tell whether a plain sentence is the next one of a list item: no blank line stands between."""
    return bool(before) and is_list_item(text[slice(*before[-1])]) and "\n\n" not in text[before[-1][1] : start]
