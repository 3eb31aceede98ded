"""Score answers: for every question and metric, whether it was met. The same metrics as the shared `score.py`.

`doc@1`, `doc@2`: an accepted document is the first, among the first two. `strict@1`, `strict@2`: the document meant.
`quote`: a gold quote stands whole in the fragments of the routed documents; `article`: a line of them lies in the
gold article. `quote_doc`, `article_doc`: the same in the fragment of the document meant. `found`, `found_doc`: the
quote or the article.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from tests.eval.questions import Question, QuestionSet

DOCUMENT_METRICS = ("doc@1", "doc@2", "strict@1", "strict@2")
TEXT_METRICS = ("quote", "article", "quote_doc", "article_doc", "found", "found_doc")
METRICS = (*DOCUMENT_METRICS, *TEXT_METRICS)

ROUTED = 2  # documents that count
_SHORTEST_LINE = 40  # characters of a line that proves that an article was reached
_ROOT = "general/"  # how the collection of the corpus' own folder is called

Row = Mapping[str, bool]  # metric -> met; a metric that does not apply is absent
Outcomes = dict[str, Row]  # question id -> row; questions without an answer in the corpus are absent
Same = Callable[[str, str], bool]  # name answered, gold name


class Answerer(Protocol):
    """What is scored."""

    def route(self, text: str) -> Sequence[str]:
        """Return the names of the documents for a question, best first."""

    def fragment(self, document: str, text: str) -> str:
        """Return the fragment of a document for a question, "" when there is none."""


def score(questions: Iterable[Question], answerer: Answerer, same: Same) -> Outcomes:
    """Ask every question that the corpus answers; return what was met by question."""
    return {q.id: score_question(q, answerer, same) for q in questions if q.accepted}


def score_question(question: Question, answerer: Answerer, same: Same) -> Row:
    """Ask one question; return what was met."""
    routed = list(answerer.route(question.text))[:ROUTED]
    row = score_routing(question, routed, same)
    if not question.quotes and not question.article_body:
        return row
    fragments = [answerer.fragment(name, question.text) for name in routed]
    given = answerer.fragment(question.strict[0], question.text) if question.strict else ""
    return row | score_text(question, "\n".join(fragments)) | score_text(question, given, suffix="_doc")


def score_routing(question: Question, routed: Sequence[str], same: Same) -> dict[str, bool]:
    """Return the metrics of the routed documents."""
    golds = {"doc": question.accepted, "strict": question.strict}
    return {
        f"{name}@{count}": any(same(document, gold) for document in routed[:count] for gold in golds[name])
        for name in golds
        for count in (1, 2)
    }


def score_text(question: Question, text: str, *, suffix: str = "") -> dict[str, bool]:
    """Return the metrics of the text that answers; their names end in `suffix`."""
    met: dict[str, bool] = {}
    if question.quotes:
        whole = comparable(text)
        met["quote"] = any(comparable(quote) in whole for quote in question.quotes)
    if question.article_body:
        met["article"] = _reaches(text, comparable(question.article_body))
    if met:
        met["found"] = any(met.values())
    return {name + suffix: value for name, value in met.items()}


def _reaches(text: str, body: str) -> bool:
    """Tell whether a line of some length lies in the article, or a very short article in the text."""
    if len(body) < _SHORTEST_LINE and body in comparable(text):
        return True
    lines = map(comparable, text.splitlines())
    return any(len(line) >= _SHORTEST_LINE and line in body for line in lines)


def comparable(text: str) -> str:
    """Fold what may differ between a document and what is shown of it: case, white space, heading and bold marks."""
    plain = unicodedata.normalize("NFC", text).replace("\u00ad", "").replace("**", "").lower()
    return " ".join(re.sub(r"(?m)^\s*#{1,6}\s+", "", plain).split())


def same_document(documents: Path) -> Same:
    """Return the comparison of names for the files below `documents`: a bare name means the one file that bears it."""
    bearers = Counter(path.name.lower() for path in documents.rglob("*") if path.is_file())

    def same(answered: str, gold: str) -> bool:
        one, other = (name.lower().removeprefix(_ROOT) for name in (answered, gold))
        bare = "/" not in one and one == other.rsplit("/", 1)[-1]
        return one == other or (bare and bearers.get(one, 1) == 1)

    return same


def score_set(questions: QuestionSet, answerer: Answerer) -> Outcomes:
    """Score a whole set."""
    return score(questions.questions, answerer, same_document(questions.documents))


def values(outcomes: Outcomes, metric: str) -> dict[str, bool]:
    """Return the outcomes of one metric by question, for the questions it applies to."""
    return {identifier: row[metric] for identifier, row in outcomes.items() if metric in row}


def share(outcomes: Outcomes, metric: str) -> float | None:
    """Return the share of questions that met `metric`, None when it applies to none."""
    found = values(outcomes, metric)
    return sum(found.values()) / len(found) if found else None
