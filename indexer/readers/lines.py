"""Cut a text into lines with their places, in the forms that the structure rules compare."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from siaa.text import fold, strip_markup

_LOOKED_AT = 300  # characters of a line that rules look at: a heading or a caption is shorter
_LONG = 2000  # characters from which a line is searched for articles that open inside it


@dataclass(frozen=True, slots=True)
class Line:
    """One line: `text[start:end]`, line break included, and its beginning without white space and markup.

    `raw` is the whole line without outer white space; `plain` its first characters without Markdown marks; `folded`
    the same without accents and capitals. A blank line has all three empty.
    """

    start: int
    end: int
    raw: str
    plain: str
    folded: str

    @property
    def is_blank(self) -> bool:
        """Tell whether the line holds nothing but white space."""
        return not self.raw

    @property
    def is_bold(self) -> bool:
        """Tell whether the whole line is in bold or italics."""
        return len(self.raw) > 2 and self.raw[0] in "*_" and self.raw.rstrip(" .:")[-1:] in ("*", "_")

    @property
    def is_upper(self) -> bool:
        """Tell whether the line has letters, nearly all of them capitals."""
        letters = [c for c in self.plain if c.isalpha()]
        return len(letters) > 1 and sum(c.isupper() for c in letters) > 0.8 * len(letters)

    @property
    def starts_lower(self) -> bool:
        """Tell whether the line begins in lower case, as the rest of a sentence does."""
        return self.plain[:1].islower()

    @property
    def ends_open(self) -> bool:
        """Tell whether the line ends without the punctuation that ends a sentence or an item."""
        return self.raw.rstrip('*_ ”»"')[-1:] not in tuple(".:;?!")


def split_lines(text: str) -> list[Line]:
    """Return the lines of `text` in order; a line without breaks for thousands of characters is cut before articles."""
    return [_line(text, start, end) for start, end in _spans(text)]


def _line(text: str, start: int, end: int) -> Line:
    raw = text[start:end].strip()
    plain = strip_markup(raw[:_LOOKED_AT]) if raw else ""
    return Line(start, end, raw, plain, fold(plain))


# An article that opens in the middle of a line: after a full stop, with the dash or stop that follows its number.
_INNER_ARTICLE = re.compile(
    r"(?<=[.:;)”»\"] )(?=(?:Art[ií]culo|ART[IÍ]CULO|Art\.|ART\.)\s\d{1,4}\s?[°ºo]?\s?(?:[—–-]|\.(?:-|\s[A-ZÁÉÍÓÚ—–-])))"
)


def _spans(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        if end - start > _LONG:
            for inner in _INNER_ARTICLE.finditer(text, start, end):
                yield start, inner.start()
                start = inner.start()
        yield start, end
        start = end
