"""What any search behind the port must do: one suite, run against the arrays and against Whoosh."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from siaa.search import whoosh_index
from tests.oracle.array_search import ArraySearch
from tests.oracle.field_impacts import SCORED
from tests.oracle.port import PassageSearch
from tests.oracle.whoosh_search import WhooshSearch
from tests.small_index import Terms, write_small_index

PASSAGES = (
    Terms(("plaz", "recurs", "dia"), heading=("plaz",), title=("codig",)),
    Terms(("recurs", "apel"), title=("codig",)),
    Terms(("recurs", "apel"), title=("codig",)),  # equal to the one before it: a tie
    Terms(("recurs",) * 5 + ("suplic",), title=("codig",)),
    Terms(("repart", "demand"), heading=("repart",), title=("guia",), document=1),
    Terms(("demand", "ñandu"), title=("guia",), words=("demandas", "ñandu"), document=1),
)


class ContractOfPassageSearch:
    """The suite. A subclass gives the search over PASSAGES as the fixture `search`."""

    @pytest.mark.parametrize("field", list(SCORED))
    def test_a_term_finds_the_passages_that_hold_it(self, search: PassageSearch, field: str) -> None:
        term = {"title": "guia", "words": "demandas", "heading": "repart", "body": "repart"}[field]
        expected = {"title": [4, 5], "words": [5], "heading": [4], "body": [4]}[field]
        assert sorted(hit.passage for hit in search.top_in_field(field, [term], 10)) == expected

    def test_more_terms_rank_higher(self, search: PassageSearch) -> None:
        assert [hit.passage for hit in search.top_in_field("body", ["recurs", "dia"], 2)] == [0, 3]

    def test_ties_go_by_position(self, search: PassageSearch) -> None:
        first, second = search.top_in_field("body", ["apel"], 10)
        assert (first.passage, second.passage) == (1, 2)
        assert first.score == second.score > 0

    def test_count_is_a_limit(self, search: PassageSearch) -> None:
        assert len(search.top_in_field("body", ["recurs"], 2)) == 2
        assert len(search.top_in_field("body", ["recurs"], 99)) == 4

    @pytest.mark.parametrize(
        "terms",
        [
            (),  # nothing asked for
            ("desconoc",),  # a term the index does not hold
            ("",),  # the empty term
            ("guia",),  # a term of another field
        ],
    )
    def test_nothing_is_found_without_a_term_of_the_field(self, search: PassageSearch, terms: tuple[str, ...]) -> None:
        assert search.top_in_field("body", terms, 10) == []

    def test_unknown_terms_count_nothing(self, search: PassageSearch) -> None:
        assert search.top_in_field("body", ["apel", "desconoc"], 5) == search.top_in_field("body", ["apel"], 5)

    def test_repeated_terms_count_once(self, search: PassageSearch) -> None:
        assert search.top_in_field("body", ["apel", "apel"], 5) == search.top_in_field("body", ["apel"], 5)

    def test_letters_beyond_ascii_are_terms_like_others(self, search: PassageSearch) -> None:
        assert [hit.passage for hit in search.top_in_field("words", ["ñandu"], 5)] == [5]

    def test_nothing_is_returned_for_a_count_of_zero(self, search: PassageSearch) -> None:
        assert search.top_in_field("body", ["apel"], 0) == search.top(["apel"], [], 0) == []

    def test_a_filter_takes_away_and_changes_no_score(self, search: PassageSearch) -> None:
        every = search.top_in_field("title", ["codig", "guia"], 10)
        kept = search.top_in_field("title", ["codig", "guia"], 10, within=[range(1, 3), range(5, 6)])
        assert kept == [hit for hit in every if hit.passage in (1, 2, 5)]

    def test_a_filter_holds_for_all_fields(self, search: PassageSearch) -> None:
        every = search.top(["demand", "recurs"], ["demandas"], 10)
        kept = search.top(["demand", "recurs"], ["demandas"], 10, within=[range(4, 6)])
        assert kept == [hit for hit in every if hit.passage in (4, 5)]
        assert kept

    def test_a_filter_of_nothing_finds_nothing(self, search: PassageSearch) -> None:
        assert search.top_in_field("body", ["recurs"], 10, within=[]) == search.top(["recurs"], [], 9, within=[]) == []

    def test_all_fields_add_up(self, search: PassageSearch) -> None:
        assert [hit.passage for hit in search.top(["repart", "demand", "guia"], [], 2)] == [4, 5]

    def test_words_add_to_stems(self, search: PassageSearch) -> None:
        without, given = search.top(["demand"], [], 9), search.top(["demand"], ["demandas"], 9)
        assert given[0].passage == 5
        assert given[0].score > max(hit.score for hit in without if hit.passage == 5)

    def test_unknown_field_is_an_error(self, search: PassageSearch) -> None:
        with pytest.raises(KeyError):
            search.top_in_field("references", ["art_5"], 5)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of an index of PASSAGES."""
    path = tmp_path_factory.mktemp("indice")
    write_small_index(path, PASSAGES)
    return path


class TestArrays(ContractOfPassageSearch):
    @pytest.fixture
    def search(self, folder: Path) -> PassageSearch:
        return ArraySearch.open(folder / "arrays")


class TestWhoosh(ContractOfPassageSearch):
    @pytest.fixture
    def search(self, folder: Path) -> Iterator[PassageSearch]:
        with whoosh_index.open_reader(folder / "whoosh") as reader:
            yield WhooshSearch(reader)
