"""Query strings are read strictly: decoded exactly, or refused with a sentence, never mended.

1. What was encoded comes back character by character.
2. Any bytes at all give parameters or an InvalidParameterError.
3. The words of a model reach the reader however its server cuts them.
"""

from __future__ import annotations

import unicodedata
from contextlib import suppress
from urllib.parse import quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.http.conversation_body import parse_conversation
from service.http.failures import InvalidChatError, InvalidParameterError, MissingParameterError
from service.http.params import check_path, parse_query
from siaa.question_text import fault_of, is_blank

KNOWN = frozenset({"q", "doc"})
TYPED = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=200)


@given(TYPED)
def test_what_was_encoded_comes_back(text: str) -> None:
    parameters = parse_query(f"doc=x.md&q={quote_plus(text)}", known=KNOWN)
    if is_blank(text):
        with pytest.raises(MissingParameterError, match="'q' requerido"):
            parameters.required("q")
        assert parameters.optional("q") is None
    else:
        assert parameters.required("doc", "q") == ("x.md", text)


@given(st.binary(max_size=300))
def test_any_query_is_read_or_refused(raw: bytes) -> None:
    with suppress(InvalidParameterError):
        parameters = parse_query(raw.decode("latin-1"), known=KNOWN)
        assert fault_of(parameters.optional("q") or "", limit=2000) is None


@given(st.binary(max_size=300))
def test_any_path_is_taken_or_refused(raw: bytes) -> None:
    with suppress(InvalidParameterError):
        check_path({"PATH_INFO": raw.decode("latin-1")})


@given(st.binary(max_size=300))
def test_any_body_is_a_conversation_or_refused(body: bytes) -> None:
    with suppress(InvalidChatError):
        parse_conversation(body)


# text, limit -> a word of the reason, "" if it is fine
FAULTS = [
    ("hola\r\n\tmundo", 20, ""),  # line breaks and tabs count as spaces
    ("a\x00", 20, "control"),
    ("a\x0b", 20, "control"),  # vertical tab
    ("a\x85", 20, "control"),  # C1
    ("\ud83d", 20, "incompletos"),  # half a pair
    ("ñ" * 20, 20, ""),
    (unicodedata.normalize("NFD", "ñ" * 20), 20, ""),  # the same text, typed otherwise
    ("ñ" * 21, 20, "20 caracteres"),
    ("", 20, ""),
]


@pytest.mark.parametrize(("text", "limit", "reason"), FAULTS)
def test_what_is_wrong_with_a_text(text: str, limit: int, reason: str) -> None:
    fault = fault_of(text, limit=limit)
    assert (reason in (fault or "")) if reason else fault is None
