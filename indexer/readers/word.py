"""Remove what Word leaves in exported pages: statistics, languages and a style sheet, before the text proper begins.

Such a block reads "Normal 0 21 false false false ES-CO X-NONE /* Style Definitions */ table.MsoNormalTable {mso-...}",
on one line or one word a line, often after the author's name and the dates of editing.
"""

from __future__ import annotations

import re

_TRACE = re.compile(r"X-NONE|mso-[a-z]|MsoNormal|Style Definitions")

# Inside a line (or across lines): the statistics of Word and its style sheet, in the order in which Word writes them.
_RUNS = (
    re.compile(r"\bNormal\s+0(?:\s+\d{1,3})?(?:\s+(?:false|true)\b){2,6}(?:\s+(?:[A-Z]{2}-[A-Z]{2}|X-NONE)\b)*"),
    re.compile(r"/\*\s{0,5}(?:Style|Font) Definitions\s{0,5}\*/(?:[^{}]{0,300}\{[^{}]{0,4000}\}){0,200}"),
    re.compile(r"(?:[A-Z]{2}-[A-Z]{2}\s+)?\bX-NONE\b(?:\s+(?:X-NONE|[A-Z]{2}-[A-Z]{2})\b)*"),
)
_STYLE_LINE = re.compile(r"\{?\s*(?:mso|font|margin|line|text|tab|page|size)[a-z-]*\s*:[^\n]{0,200}[;}]\s*$|\}$")
_STRONG = (  # a line that only Word writes
    re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"),
    re.compile(r"(?:Normal|Clean|false|true|X-NONE|[A-Z]{2}-[A-Z]{2}|MicrosoftInternetExplorer4)"),
    re.compile(r"/\*.{0,40}\*/|(?:table|p|li|div|span|h\d)\.Mso\w+.{0,60}|@page.{0,60}|\{?mso-.{0,200}"),
)
_NUMBER = re.compile(r"\d{1,7}(?:\.\d{1,4})?")
_MAX_NAMES = 4  # lines with author, editor and the like that may stand before the first number
_MAX_NAME = 40  # characters of such a line
_MARKER = "\x00"  # stands where a run was removed; normalised text holds no NUL


def remove_word_remnants(text: str) -> str:
    """Return `text` without the blocks that Word left; texts without a trace of Word come back unchanged."""
    if not _TRACE.search(text):
        return text
    for run in _RUNS:
        text = run.sub(_MARKER, text)
    lines = text.split("\n")
    doomed = _block_lines([line.strip() for line in lines])
    kept = (line.replace(_MARKER, " ") for number, line in enumerate(lines) if number not in doomed)
    return "\n".join(kept)


def _block_lines(lines: list[str]) -> set[int]:
    """Return the numbers of the lines that belong to a block of Word's.

    Strong lines are Word's by themselves; numbers and braces only between or before strong ones; a few short names
    only before the numbers that precede a time stamp.
    """
    filled = [number for number, line in enumerate(lines) if line]
    strong = [place for place, number in enumerate(filled) if _is_strong(lines[filled[place]])]
    doomed: set[int] = set()
    reach = -1
    for place in strong:
        doomed.add(place)
        if place <= reach:
            continue
        before = place
        while before - 1 > reach and _is_weak(lines[filled[before - 1]]):
            before -= 1
        stamped = _STRONG[0].fullmatch(lines[filled[place]]) is not None
        if stamped and before < place:
            before = _with_names(lines, filled, before, floor=reach)
        doomed.update(range(before, place))
        reach = place
    return {filled[place] for place in doomed}


def _is_strong(line: str) -> bool:
    if line.replace(_MARKER, "").strip() == "":
        return True
    return any(shape.fullmatch(line) for shape in _STRONG) or bool("mso-" in line and _STYLE_LINE.search(line))


def _is_weak(line: str) -> bool:
    return bool(_NUMBER.fullmatch(line) or _STYLE_LINE.fullmatch(line))


def _with_names(lines: list[str], filled: list[int], before: int, *, floor: int) -> int:
    for _ in range(_MAX_NAMES):
        previous = before - 1
        if previous <= floor or not _is_name(lines[filled[previous]]):
            return before
        before = previous
    return before


def _is_name(line: str) -> bool:
    return len(line) <= _MAX_NAME and line[0].isalpha() and line[-1].isalnum() and not any(c.isdigit() for c in line)
