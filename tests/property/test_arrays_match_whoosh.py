"""The arrays rank as Whoosh ranks, on random corpora and random questions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from whoosh.query import Or, Term
from whoosh.scoring import BM25F
from whoosh.searching import Searcher

from siaa.search import bm25f, whoosh_index
from siaa.search.top import best
from tests.oracle.array_search import ArraySearch
from tests.oracle.field_impacts import SCORED
from tests.oracle.whoosh_search import WhooshSearch
from tests.small_index import Terms, write_small_index

# Few terms, so that they meet; some of more than one byte, one with a digit, one that begins like another.
TERMS = ["plaz", "recurs", "apel", "ñandu", "5", "10476", "dia", "diari", "juez", "juec", "art", "guia"]
KNOWN = st.sampled_from(TERMS)
PASSAGE = st.builds(
    Terms,
    body=st.lists(KNOWN, max_size=12),
    heading=st.lists(KNOWN, max_size=3),
    title=st.lists(KNOWN, max_size=3),
    words=st.lists(KNOWN, max_size=12),
)
CORPUS = st.lists(PASSAGE, min_size=1, max_size=40)
QUESTION = st.lists(st.one_of(KNOWN, st.just("desconocid")), max_size=6)
COUNT = st.integers(1, 50)
SLOW = settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])


@contextmanager
def both(passages: Sequence[Terms]) -> Iterator[tuple[ArraySearch, WhooshSearch, Searcher]]:
    """Open both searches over `passages`, and Whoosh's own searcher with the same parameters."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_small_index(folder, passages)
        with whoosh_index.open_reader(folder / "whoosh") as reader:
            b_of = {f"{field}_B": weight.b for field, weight in SCORED.items()}
            own = Searcher(reader, weighting=BM25F(K1=bm25f.K1, **b_of))
            yield ArraySearch.open(folder / "arrays"), WhooshSearch(reader), own


@SLOW
@given(CORPUS, st.lists(st.tuples(st.sampled_from(list(SCORED)), QUESTION, COUNT), min_size=1, max_size=8))
def test_one_field_ranks_as_whoosh_to_the_last_bit(
    passages: list[Terms], questions: list[tuple[str, list[str], int]]
) -> None:
    with both(passages) as (arrays, whoosh, _):
        for field, terms, count in questions:
            assert arrays.top_in_field(field, terms, count) == whoosh.top_in_field(field, terms, count)


@SLOW
@given(CORPUS, st.lists(st.tuples(st.sampled_from(list(SCORED)), QUESTION), min_size=1, max_size=8))
def test_one_field_ranks_as_whoosh_as_it_comes(passages: list[Terms], questions: list[tuple[str, list[str]]]) -> None:
    """Whoosh adds up the terms in an order of its own: scores may differ in the last bit, passages may not."""
    with both(passages) as (arrays, _, own):
        for field, terms in questions:
            query = Or([Term(field, term) for term in dict.fromkeys(terms)])
            query.matcher_type = Or.DEFAULT_MATCHER
            found = own.search(query, limit=None).top_n if terms else []
            hits = arrays.top_in_field(field, terms, len(passages))
            ranked = sorted((-round(score, 9), passage) for score, passage in found)
            assert [hit.passage for hit in hits] == [passage for _, passage in ranked] or _near_ties(hits)
            assert {p: round(s, 9) for s, p in found} == {h.passage: round(h.score, 9) for h in hits}


def _near_ties(hits: Sequence[tuple[int, float]]) -> bool:
    gaps = [first[1] - second[1] for first, second in pairwise(hits)]
    return any(0 < gap < 1e-9 for gap in gaps)


@SLOW
@given(CORPUS, st.lists(st.tuples(QUESTION, QUESTION), min_size=1, max_size=6))
def test_all_fields_rank_as_the_plain_reference(
    passages: list[Terms], questions: list[tuple[list[str], list[str]]]
) -> None:
    """The arrays hold numbers of 32 bits: scores are right to six digits, and the ranking where they differ by more."""
    with both(passages) as (arrays, whoosh, _):
        for stems, words in questions:
            expected = dict(whoosh.top(stems, words, len(passages)))
            hits = arrays.top(stems, words, len(passages))
            assert {hit.passage for hit in hits} == set(expected)
            assert [h.score for h in hits] == pytest.approx([expected[h.passage] for h in hits], rel=2e-6)
            scores = [expected[hit.passage] for hit in hits]
            assert all(a >= b * (1 - 2e-6) for a, b in pairwise(scores))


@SLOW
@given(CORPUS, QUESTION, QUESTION)
def test_all_fields_rank_as_the_service_ranks(passages: list[Terms], stems: list[str], words: list[str]) -> None:
    with both(passages) as (arrays, _, _):
        index = arrays.index
        scores = index.passage_scores(index.terms(tuple(dict.fromkeys(stems)), tuple(dict.fromkeys(words))))
        ranked = sorted(np.flatnonzero(scores).tolist(), key=lambda passage: (-scores[passage], passage))
        assert arrays.top(stems, words, len(passages)) == [(passage, float(scores[passage])) for passage in ranked]


@SLOW
@given(CORPUS)
def test_blocks_hold_the_same_postings_as_the_public_interface(passages: list[Terms]) -> None:
    with TemporaryDirectory() as name:
        whoosh_folder = Path(name)
        write_small_index(whoosh_folder, passages * 20)  # more than one block of 128 postings
        with whoosh_index.open_reader(whoosh_folder / "whoosh") as reader:
            for field in SCORED:
                fast = whoosh_index.read_postings(reader, field)
                slow = whoosh_index.read_postings_one_by_one(reader, field)
                assert fast.terms == slow.terms
                for part in ("ptr", "passages", "counts", "lengths"):
                    np.testing.assert_array_equal(getattr(fast, part), getattr(slow, part))


@given(st.lists(st.integers(0, 9), max_size=300), st.integers(0, 60), st.data())
def test_best_is_the_head_of_the_sorted_scores(values: list[int], count: int, data: st.DataObject) -> None:
    scores = np.array(values, dtype=np.float64)
    chosen = st.lists(st.integers(0, max(len(values) - 1, 0)), unique=True, max_size=len(values))
    runs = [np.array(sorted(data.draw(chosen)), dtype=np.int32) for _ in range(2)] if values else []
    expected = sorted((p for p, value in enumerate(values) if value > 0), key=lambda p: (-values[p], p))[:count]
    assert best(scores, count, runs).tolist() == expected
