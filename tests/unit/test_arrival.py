"""When a request is whole: not a byte before nothing more is needed, however it is cut, and not one later."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.servers.arrival import HEAD_LIMIT, SPARE, Arrival

LIMIT = 100
LIMITS = {"/grande": 10_000}

GET = b"GET /healthz?x=1 HTTP/1.1\r\nHost: a\r\n\r\n"
POST = b"POST /siaa/chat HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"
CHUNKED = b"POST /siaa/chat HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
CHUNKS = b"5\r\nhello\r\n2;a=b\r\n\r\n\r\n0\r\n"

# what is whole at its last byte and not before
WHOLE = [
    GET,
    POST,
    b"GET /\r\n\r\n",  # too short to be right, and the parser says so
    b"\r\n" + GET,  # one empty line may come first
    b"POST / HTTP/1.1\r\ncontent-length:\t5 \r\n\r\nhello",
    b"POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n",
    b"POST / HTTP/1.1\r\nContent-Length: 100\r\n\r\n" + b"x" * LIMIT,
    b"POST /grande HTTP/1.1\r\nContent-Length: 101\r\n\r\n" + b"x" * 101,  # another limit
    b"POST http://a/gr%61nde?q HTTP/1.1\r\nContent-Length: 101\r\n\r\n" + b"x" * 101,  # the same path
    b"POST //grande#x HTTP/1.1\r\nContent-Length: 101\r\n\r\n" + b"x" * 101,  # and as some write it
    b"POST h2+x://a/grande HTTP/1.1\r\nContent-Length: 101\r\n\r\n" + b"x" * 101,
    b"POST / HTTP/1.1\r\nContent-Length: " + b"0" * 20 + b"5\r\n\r\nhello",
    CHUNKED + b"0" * 20 + b"5\r\nhello\r\n0\r\n\r\n",
    CHUNKED + CHUNKS + b"\r\n",
    CHUNKED + CHUNKS + b"Name: value\r\n\r\n",  # with a trailer
    CHUNKED.replace(b"chunked", b"gzip, Chunked") + CHUNKS + b"\r\n",
    # what the parser refuses without another byte
    b"POST / HTTP/1.1\r\nContent-Length: 101\r\n\r\n",  # above the limit
    b"POST / HTTP/1.1\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n",
    b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    b"POST / HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
    b"POST / HTTP/1.1\r\nTransfer-Encoding: raro\r\n\r\n",
    b"GET / HTTP/1.1\n",  # a bare line feed
    b"GET / HTTP/1.1\r\nHost: a\n",
    CHUNKED + b"zz\r\n",
    CHUNKED + b"\r\n",
    CHUNKED + b"2\r\n{}{}\r\n",  # a chunk longer than its size
    CHUNKED + b"ffff\r\n" + b"x" * (LIMIT + SPARE + 1),  # above the limit
    CHUNKED + b"0" * 8191,  # a size without end
]


def arrive(data: bytes) -> Arrival:
    arrival = Arrival(limit=LIMIT, limits=LIMITS)
    arrival.feed(data)
    return arrival


@pytest.mark.parametrize("request_bytes", WHOLE, ids=lambda data: repr(data[:60]))
def test_whole_at_the_last_byte_and_not_before(request_bytes: bytes) -> None:
    one_by_one = Arrival(limit=LIMIT, limits=LIMITS)
    for number in range(len(request_bytes)):
        assert not one_by_one.whole, request_bytes[:number]
        one_by_one.feed(request_bytes[number : number + 1])
    assert one_by_one.whole
    assert arrive(request_bytes).whole
    assert not arrive(request_bytes[:-1]).whole
    assert one_by_one.data == request_bytes


@given(st.sampled_from(WHOLE), st.lists(st.integers(0, 200)), st.binary(max_size=20))
def test_however_it_is_cut(request_bytes: bytes, cuts: list[int], behind: bytes) -> None:
    arrival = Arrival(limit=LIMIT, limits=LIMITS)
    for start, end in zip([0, *sorted(cuts)], [*sorted(cuts), None], strict=True):
        arrival.feed((request_bytes + behind)[start:end])
    assert arrival.whole
    assert arrival.data == request_bytes + behind


@given(st.binary(max_size=300))
def test_any_bytes_at_all_break_nothing(data: bytes) -> None:
    for begin in (b"", CHUNKED, b"POST "):
        assert arrive(begin + data).data == begin + data


def test_a_head_without_end_is_too_long() -> None:
    for line in (b"GET /?q=", b"GET / HTTP/1.1\r\nX: "):
        assert not arrive(line + b"a" * 100_000).too_long
        arrival = arrive(line + b"a" * HEAD_LIMIT)
        assert arrival.too_long
        assert not arrival.whole


# request -> path
PATHS = [
    (GET, "/healthz"),
    (b"GET /%68ealthz HTTP/1.1\r\n\r\n", "/healthz"),
    (b"GET HTTP://host:80/healthz HTTP/1.1\r\n\r\n", "/healthz"),
    (b"GET //healthz HTTP/1.1\r\n\r\n", "//healthz"),
    (b"GET\r\n\r\n", ""),
]


@pytest.mark.parametrize(("request_bytes", "path"), PATHS)
def test_the_path_is_known_with_the_head(request_bytes: bytes, path: str) -> None:
    assert arrive(request_bytes).path == path
    assert arrive(request_bytes[:-1]).path == ""


# request -> whether it is a head and nothing more
BARE = [
    (GET, True),
    (GET + b"G", False),  # another behind it
    (POST, False),
    (CHUNKED + CHUNKS + b"\r\n", False),
    (b"GET / HTTP/1.1\r\nContent-Length: 0\r\n\r\n", False),  # no need to look closer
    (b"GET / HTTP/1.1\r\nContent-Length: 999\r\n\r\n", False),  # refused, and its body may be on its way
    (GET[:-1], False),
]


@pytest.mark.parametrize(("request_bytes", "bare"), BARE)
def test_which_is_a_head_and_nothing_more(request_bytes: bytes, bare: bool) -> None:
    assert arrive(request_bytes).bare is bare


ASKING = b"POST / HTTP/1.1\r\nExpect: 100-Continue\r\nContent-Length: 5\r\n\r\n"
# request -> whether its client waits to be told to go on
PERMISSIONS = [
    (ASKING, True),
    (ASKING + b"h", False),  # it did not wait
    (ASKING.replace(b"HTTP/1.1", b"HTTP/1.0"), False),  # nobody can tell it
    (ASKING.replace(b"5", b"500"), False),  # it will be refused
    (POST[:-5], False),
]


@pytest.mark.parametrize(("request_bytes", "waits"), PERMISSIONS)
def test_who_waits_for_permission(request_bytes: bytes, waits: bool) -> None:
    assert arrive(request_bytes).waits_for_permission is waits
