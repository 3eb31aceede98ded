"""The paired bootstrap, and what is kept of an evaluation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.eval.bootstrap import macro_change, paired_change
from tests.eval.results import compare, read_results, write_results
from tests.eval.scoring import Outcomes


def test_no_change_has_no_width() -> None:
    change = paired_change([0, 1, 1, 0], [0, 1, 1, 0])
    assert (change.mean, change.low, change.high, change.clear) == (0, 0, 0, False)


def test_a_large_gain_is_clear_and_a_small_one_is_not() -> None:
    large = paired_change([0] * 100, [1] * 30 + [0] * 70)
    assert large.mean == pytest.approx(0.3)
    assert 0.2 < large.low < 0.3 < large.high < 0.4
    assert large.clear
    small = paired_change([0] * 100, [1] + [0] * 99)
    assert not small.clear


def test_the_interval_is_that_of_theory() -> None:
    """Of n differences that are 1 with probability p, the mean deviates by sqrt(p(1-p)/n): here 0.0158."""
    change = paired_change([0] * 1000, [1] * 500 + [0] * 500)
    assert change.high - change.low == pytest.approx(2 * 1.96 * 0.0158, rel=0.1)


def test_the_same_twice() -> None:
    before, after = [0, 1, 0, 1, 1], [1, 1, 0, 0, 1]
    assert paired_change(before, after) == paired_change(before, after)


def test_pairs_narrow_the_interval() -> None:
    """What both systems have in common does not widen it: two gains of 40 are surer than two samples would be."""
    before = [1] * 20 + [0] * 20
    paired = paired_change(before, [1] * 22 + [0] * 18)
    assert paired.low >= 0


def test_sets_weigh_the_same_whatever_their_size() -> None:
    change = macro_change([([0] * 10, [1] * 10), ([0] * 1000, [0] * 1000)])
    assert change.mean == pytest.approx(0.5)


@pytest.mark.parametrize("sets", [[], [([], [])], [([1], [1, 0])]])
def test_nothing_to_compare_is_an_error(sets: list[tuple[list[float], list[float]]]) -> None:
    with pytest.raises(ValueError, match=r"compare|questions"):
        macro_change(sets)


NOW: Outcomes = {"b": {"doc@1": True, "quote": False}, "a": {"doc@1": False}, "c": {"doc@1": True}}
BEFORE: Outcomes = {"a": {"doc@1": True}, "b": {"doc@1": False, "quote": False}}


def test_won_and_lost_by_id() -> None:
    first, second = compare("x", NOW, BEFORE)
    assert (first.metric, first.questions, first.won, first.lost) == ("doc@1", 3, ("b",), ("a",))
    assert first.change is not None
    assert first.change.mean == 0  # over the two questions asked both times
    assert (second.metric, second.now, second.won) == ("quote", 0, ())
    (alone, _) = compare("x", NOW, None)
    assert (alone.before, alone.change) == (None, None)


def test_results_are_kept_and_other_sets_stay(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    assert read_results(path) == {}
    write_results({"x": BEFORE}, path)
    write_results({"y": NOW}, path)
    assert read_results(path) == {"x": BEFORE, "y": NOW}
    kept = json.loads(path.read_text(encoding="utf-8"))
    assert kept["sets"]["y"]["totals"] == {"doc@1": 0.6667, "quote": 0.0}
    assert kept["sets"]["y"]["outcomes"]["b"] == "1---0-----"
