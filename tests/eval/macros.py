"""Three figures for tuning, in process, each the mean over sets.

R: routing. Q: the words that answer, end to end. D: the same with the right document given.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import mean

from siaa.generation import Generation
from siaa.profile import Profile
from tests.eval.bootstrap import Change, macro_change
from tests.eval.questions import Question, QuestionSet
from tests.eval.recorded import RecordedAnswerer, Recording
from tests.eval.scoring import ROUTED, Outcomes, Row, Same, same_document, score_routing, score_text

# figure -> metrics whose mean a question counts with
MACROS: dict[str, tuple[str, ...]] = {
    "R": ("doc@1", "doc@2", "strict@1"),
    "Q": ("found",),
    "D": ("found_doc",),
}
Scores = Mapping[str, Outcomes]  # set -> outcomes


@dataclass(slots=True)
class Bench:
    """Question sets with their open generations: index once, record once, evaluate many profiles."""

    sets: Sequence[QuestionSet]
    generations: Mapping[str, Generation]
    recordings: dict[str, Recording] = field(default_factory=dict)
    same: dict[str, Same] = field(default_factory=dict)
    rows: dict[Hashable, Row] = field(default_factory=dict)

    def evaluate(
        self, profile: Profile, *, only: Collection[str] | None = None, figures: Collection[str] = "RQD"
    ) -> dict[str, Outcomes]:
        """Return the outcomes of every set with `profile`; `only` restricts it to questions, written "set/id".

        Without Q or D among `figures`, what they need is not computed, and their metrics are absent.
        """
        found = {}
        for questions in self.sets:
            name = questions.name
            if name not in self.recordings:
                self.recordings[name] = Recording.of(self.generations[name], profile)
                self.same[name] = same_document(questions.documents)
            answerer = RecordedAnswerer(self.recordings[name], profile)
            asked = [q for q in questions.questions if q.accepted and (only is None or f"{name}/{q.id}" in only)]
            found[name] = {q.id: self._row(name, q, answerer, figures) for q in asked}
        return found

    def _row(self, name: str, question: Question, answerer: RecordedAnswerer, figures: Collection[str]) -> Row:
        """Return what `score_question` does, remembering the rows of answers seen before."""
        routed = tuple(answerer.route(question.text)[:ROUTED]) if {"R", "Q"}.intersection(figures) else ()
        texted = bool(question.quotes or question.article_body)
        gathered = tuple(answerer.fragment(d, question.text) for d in routed) if texted and "Q" in figures else None
        given = question.strict[0] if question.strict and texted and "D" in figures else None
        alone = answerer.fragment(given, question.text) if given is not None else None
        key = (name, question.id, routed, gathered, alone)
        if key not in self.rows:
            row = score_routing(question, routed, self.same[name]) if routed or "R" in figures else {}
            row |= score_text(question, "\n".join(gathered)) if gathered is not None else {}
            row |= score_text(question, alone, suffix="_doc") if alone is not None else {}
            self.rows[key] = row
        return self.rows[key]


def macro(scores: Scores, figure: str, *, only: Collection[str] | None = None) -> float:
    """Return the mean over sets of a figure; `only` restricts it to questions, written "set/id"."""
    return mean(mean(found.values()) for found in _by_set(scores, figure, only).values())


def macro_difference(before: Scores, after: Scores, figure: str, *, only: Collection[str] | None = None) -> Change:
    """Return the change of a figure with its paired bootstrap interval."""
    old, new = _by_set(before, figure, only), _by_set(after, figure, only)
    return macro_change([(list(old[name].values()), [new[name][i] for i in old[name]]) for name in old])


def _by_set(scores: Scores, figure: str, only: Collection[str] | None) -> dict[str, dict[str, float]]:
    """Return what each question counts, by set; sets and questions that the figure does not apply to are absent."""
    metrics = MACROS[figure]
    found = {
        name: {
            identifier: mean(row[metric] for metric in metrics)
            for identifier, row in outcomes.items()
            if all(metric in row for metric in metrics) and (only is None or f"{name}/{identifier}" in only)
        }
        for name, outcomes in scores.items()
    }
    return {name: values for name, values in found.items() if values}
