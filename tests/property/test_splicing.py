"""An index spliced from an old one and from what changed equals one made of everything, to the last bit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from siaa.search import kept_postings, whoosh_index
from siaa.search.passage_table import PassageColumns
from siaa.search.splicing import Run, new_positions, splice_columns, splice_postings
from siaa.search.whoosh_index import FieldPostings
from tests.small_index import Terms, columns_of, postings_of

TERMS = st.lists(st.sampled_from(["plaz", "recurs", "apel", "ñandu", "5", "dia", "diari", "juez"]), max_size=5)
PASSAGE = st.builds(Terms, body=TERMS, heading=TERMS, title=TERMS, words=TERMS)
VERSIONS = st.tuples(st.lists(PASSAGE, max_size=3), st.lists(PASSAGE, max_size=3))
DOCUMENTS = st.lists(VERSIONS, max_size=6)
FATES = st.sampled_from(["stays", "changes", "goes", "comes"])


def of_documents(documents: Sequence[Sequence[Terms]]) -> list[Terms]:
    """Return the passages of `documents`, numbered."""
    return [replace(passage, document=number) for number, found in enumerate(documents) for passage in found]


def equal(one: FieldPostings | PassageColumns, other: FieldPostings | PassageColumns) -> None:
    """Compare field by field, types included."""
    for item in fields(one):
        left, right = getattr(one, item.name), getattr(other, item.name)
        if isinstance(left, np.ndarray):
            assert left.dtype == right.dtype, item.name
            np.testing.assert_array_equal(left, right, err_msg=item.name)
        else:
            assert left == right, item.name


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(DOCUMENTS, st.data())
def test_spliced_equals_made_anew(documents: list[tuple[list[Terms], list[Terms]]], data: st.DataObject) -> None:
    fates = [data.draw(FATES) for _ in documents]
    old = [first for (first, _), fate in zip(documents, fates, strict=True) if fate != "comes"]
    fresh = [second for (_, second), fate in zip(documents, fates, strict=True) if fate in ("changes", "comes")]
    runs: list[Run] = []
    whole: list[list[Terms]] = []
    seen = [0, 0]  # passages of the old index, and of the fresh documents, gone through
    for (first, second), fate in zip(documents, fates, strict=True):
        if fate == "stays":
            runs.append(Run(0, seen[0], seen[0] + len(first)))
            whole.append(first)
        if fate in ("changes", "comes"):
            runs.append(Run(1, seen[1], seen[1] + len(second)))
            whole.append(second)
            seen[1] += len(second)
        seen[0] += len(first) if fate != "comes" else 0
    sources = [of_documents(old), of_documents(fresh)]
    equal(splice_columns([columns_of(source) for source in sources], runs), columns_of(of_documents(whole)))
    expected, parts = indexed(of_documents(whole)), [indexed(source) for source in sources]
    positions = new_positions(runs, [len(source) for source in sources])
    for field in whoosh_index.FIELDS:
        equal(splice_postings([part[field] for part in parts], positions), expected[field])


def indexed(passages: Sequence[Terms]) -> Mapping[str, FieldPostings]:
    """Return the postings that Whoosh holds of `passages`."""
    with TemporaryDirectory() as name:
        return postings_of(Path(name) / "whoosh", passages)


@settings(deadline=None, max_examples=30)
@given(st.lists(PASSAGE, max_size=8))
def test_postings_are_read_as_they_were_saved(passages: list[Terms]) -> None:
    postings = indexed(passages)
    with TemporaryDirectory() as name:
        kept_postings.save(Path(name), postings)
        for field, read in kept_postings.load(Path(name)).items():
            equal(read, postings[field])


@settings(deadline=None, max_examples=30)
@given(st.lists(PASSAGE, max_size=8))
def test_terms_come_back_out_of_the_postings(passages: list[Terms]) -> None:
    found = kept_postings.terms_of_passages(indexed(passages)[whoosh_index.BODY])
    assert [sorted(terms) for terms in found] == [sorted(passage.body) for passage in passages]
