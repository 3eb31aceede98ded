"""What `make test` demands of the answers on the project's own questions.

The floors stand two points under what was measured when they were set (2026-12: doc@1 .964, doc@2 .982, quote .940,
quote_doc .952, article .947), so that a change of ranking may cost a question or three here and win elsewhere, but
nothing may break unseen. Raise them when the figures rise for good. The contract's example questions have no slack.
"""

from __future__ import annotations

import pytest

from siaa.retrieval import Retriever
from tests.eval.answerers import LocalAnswerer
from tests.eval.questions import OWN_SET, QuestionSet, find_sets
from tests.eval.scoring import METRICS, Outcomes, score_set, share, values

FLOORS = {"doc@1": 0.944, "doc@2": 0.962, "quote": 0.920, "quote_doc": 0.932, "article": 0.927}
EXAMPLES = "contrato"  # tag of the questions that the contract gives as examples
LEAST_QUESTIONS, LEAST_UNANSWERABLE = 120, 20


@pytest.fixture(scope="module")
def own_set() -> QuestionSet:
    """Return the project's own questions."""
    (found,) = find_sets(None, [OWN_SET])
    return found


@pytest.fixture(scope="module")
def outcomes(sample: Retriever, own_set: QuestionSet) -> Outcomes:
    """Return what the core answers to them, scored."""
    return score_set(own_set, LocalAnswerer(sample.generation, sample.profile))


@pytest.mark.parametrize(("metric", "floor"), FLOORS.items())
def test_figure_stays_above_its_floor(outcomes: Outcomes, metric: str, floor: float) -> None:
    figure = share(outcomes, metric)
    assert figure is not None
    assert figure >= floor, _told(outcomes, metric)


def test_examples_of_the_contract_are_answered_exactly(outcomes: Outcomes, own_set: QuestionSet) -> None:
    asked = [q.id for q in own_set.questions if EXAMPLES in q.tags]
    assert asked
    wrong = {i: [metric for metric, met in outcomes[i].items() if not met] for i in asked}
    assert not {i: metrics for i, metrics in wrong.items() if metrics}


def test_set_is_large_enough_and_well_formed(own_set: QuestionSet) -> None:
    answerable = [q for q in own_set.questions if q.accepted]
    assert len(answerable) >= LEAST_QUESTIONS
    assert len(own_set.questions) - len(answerable) >= LEAST_UNANSWERABLE
    assert len({q.id for q in own_set.questions}) == len(own_set.questions)
    for question in answerable:
        assert question.strict, question.id
        missing = [name for name in question.accepted if not (own_set.documents / name).is_file()]
        assert not missing, question.id


def _told(outcomes: Outcomes, metric: str) -> str:
    """Return every figure, and the questions that missed the one that fell."""
    figures = ", ".join(f"{name} {value:.3f}" for name in METRICS if (value := share(outcomes, name)) is not None)
    missed = [identifier for identifier, met in values(outcomes, metric).items() if not met]
    return f"{figures}\n{metric}: {' '.join(missed)}"
