"""Nothing that the masking rules cover is left of a text, nor of what is written to the log and the cache."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from service.storage.answer_cache import AnswerCache
from service.storage.masking import mask
from service.storage.quality_log import QualityLog
from siaa.answering.events import Delta, Found, Source, Sources
from siaa.answering.exchange import LogLine
from siaa.answering.ports import AnswerKey
from siaa.config import Settings

AROUND = [
    "¿puede",
    "el",
    "juez",
    "según",
    "la",
    "ley",
    "plazo",
    "?",
    "¡",
    "(",
    ")",
    "«",
    "»",
    "—",
    "ñandú",
    ",",
    ";",
    ":",
]
WORDS = st.lists(st.sampled_from([*AROUND, "artículo"]), max_size=6).map(" ".join)
SEPARATOR = st.sampled_from(["", " ", ".", "-", " - ", "·", "’", "\u00a0", "\u2011"])
ONE_SEPARATOR = st.sampled_from([".", " ", "'", "’", ". "])


def digits(count: int) -> st.SearchStrategy[str]:
    return st.text("0123456789", min_size=count, max_size=count)


@st.composite
def spread(draw: st.DrawFn, start: str, rest: int) -> str:
    """Return digits, `start` and `rest` more, with anything between them that people write."""
    number = start + draw(digits(rest))
    return "".join(digit + draw(SEPARATOR) for digit in number[:-1]) + number[-1]


@st.composite
def grouped(draw: st.DrawFn) -> str:
    """Return an identity number in groups of three, with the same separator."""
    separator = draw(ONE_SEPARATOR)
    head = draw(st.integers(1, 999).map(str))
    return separator.join([head, *(draw(digits(3)) for _ in range(draw(st.integers(2, 3))))])


KEYWORDS = ["C.C. ", "cédula ", "cédula de ciudadanía No. ", "NIT ", "identificada con c.c. ", "pasaporte: "]
IDENTIFIERS = st.one_of(
    st.emails(),
    st.integers(1_000_000, 9_999_999_999).map(str),
    grouped(),
    st.sampled_from(KEYWORDS).flatmap(
        lambda word: st.integers(5, 10).flatmap(lambda n: spread("", n)).map(word.__add__)
    ),
    spread("3", 9),
    st.sampled_from(["601", "602", "604", "605", "607", "608"]).flatmap(lambda area: spread(area, 7)),
    st.sampled_from(["tel. ", "teléfono: ", "cel ", "WhatsApp "]).flatmap(lambda w: spread("2", 6).map(w.__add__)),
    spread("", 23),
).filter(lambda text: not re.match(r"\d{1,2}[-. ]\d{1,2}[-. ](?:19|20)\d\d", text))  # a date is no telephone


def bare(text: str) -> str:
    """Return what identifies in a text: its letters and digits."""
    return re.sub(r"[\W_]", "", text)


def identity(identifier: str) -> str:
    """Return the part of an identifier that must not survive: the address, or the digits."""
    return identifier if "@" in identifier else re.sub(r"\D", "", identifier)


@given(before=WORDS, identifier=IDENTIFIERS, after=WORDS)
@settings(max_examples=600)
def test_nothing_survives_masking(before: str, identifier: str, after: str) -> None:
    masked = mask(f"{before} {identifier} {after}")
    assert bare(identity(identifier)) not in bare(masked)
    assert mask(masked) == masked


MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00")
SOURCE = Source("a.md", "general", "A", "5", "", 0, 3, "uno", "verificada")


@given(before=WORDS, identifier=IDENTIFIERS)
@settings(max_examples=40, deadline=None)
def test_nothing_reaches_the_files(before: str, identifier: str) -> None:
    text = f"{before} {identifier} ."
    with TemporaryDirectory() as folder:
        options = Settings(data_dir=Path(folder), quality_log_chars=40, cache_max=10)
        log, cache = QualityLog(options), AnswerCache(options)
        log.write(LogLine("DOC", text, searched=text, answer=text, expected=text, comment=text, useful=True))
        found = Found((("a.md", "general"),), text)
        for asked, answer in [(text, "Nada."), ("¿qué?", text)]:
            key = AnswerKey("gen-a", "", (2, 3), None, asked)
            cache.keep(key, [found, Delta(answer), Sources((SOURCE,))])
            assert cache.find(key) is None
        log.close()
        cache.close()
        written = b"".join(path.read_bytes() for path in Path(folder).iterdir()).decode("utf-8", "replace")
    written = MOMENT.sub(" ", written)  # the log's own clock may show the same digits
    assert identifier not in written
    assert bare(identity(identifier)) not in bare(written)
