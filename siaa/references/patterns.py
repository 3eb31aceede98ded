"""Hold the patterns that units and norms share. They match folded text (`siaa.references.plain_text`)."""

from __future__ import annotations

import re


def end_of(pattern: re.Pattern[str], folded: str, pos: int) -> int:
    """Return where `pattern` ends that stands at `pos`; `pos` itself where it does not."""
    match = pattern.match(folded, pos)
    return match.end() if match else pos


# Between a name and its number: spaces and at most one line break, never the end of a paragraph.
GAP = re.compile(r"[ \t]{0,8}(?:\r?\n[ \t>]{0,8})?")
# "No.", "N.o", "num.", "nro", "#": optional.
NUMBER_SIGN = r"(?:(?:n(?:ros?|os?|um(?:ero)?s?)?(?![a-zñ])[ .]{0,2}˚?|#)[ \t]{0,4})?"
MONTHS = "enero|febrero|marzo|abril|mayo|junio|julio|agosto|sep?tiembre|octubre|noviembre|diciembre"
YEAR = r"(?:19|20)\d\d(?!\d)"
