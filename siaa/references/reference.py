"""What a legal reference is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reference:
    """A legal reference in a text.

    `kind`: art, art_trans, par, num, lit, tit, cap, sec, anx, lib (units of a norm) or norma. `token` is the canonical
    search token and `tokens` all of them, `token` first. `rank` (norms only): acuerdo, ley, real_decreto ... or a
    series such as psaa16. `number` is "" for a norm cited by its year alone; `year` has four digits or is "". `start`
    and `end` are characters of the text that was given, end exclusive; what a range implies has the span of the range.
    """

    kind: str
    token: str
    rank: str
    number: str
    year: str
    start: int
    end: int
    tokens: tuple[str, ...]

    @property
    def article(self) -> str:
        """Return the number of the article it names, as passages bear it ("5", "trans_5"); "" for another unit."""
        return {"art": self.number, "art_trans": f"trans_{self.number}"}.get(self.kind, "")


@dataclass(frozen=True, slots=True)
class ArticleOpening:
    """The article that a line opens: its number ("5", "104a", "14_bis", "trans_5", "trans", "unico").

    `end` is where the caption's number ends in the line.
    """

    number: str
    end: int
