"""Three figures for tuning, in process, each the mean over sets.

R: routing. Q: the words that answer, end to end. D: the same with the right document given.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean

from siaa.generation import Generation
from siaa.profile import Profile
from tests.eval.answerers import LocalAnswerer, Memory
from tests.eval.bootstrap import Change, macro_change
from tests.eval.questions import QuestionSet
from tests.eval.scoring import Outcomes, score_set

# figure -> metrics whose mean a question counts with
MACROS: dict[str, tuple[str, ...]] = {
    "R": ("doc@1", "doc@2", "strict@1"),
    "Q": ("found",),
    "D": ("found_doc",),
}
_MEMORY_QUESTIONS = 200_000  # routed lists and fragments remembered before the memory is emptied

Scores = Mapping[str, Outcomes]  # set -> outcomes


@dataclass(slots=True)
class Bench:
    """Question sets with their open generations: index once, evaluate many profiles."""

    sets: Sequence[QuestionSet]
    generations: Mapping[str, Generation]
    memories: dict[str, Memory]

    def evaluate(self, profile: Profile) -> dict[str, Outcomes]:
        """Return the outcomes of every set with `profile`; what it shares with earlier ones is not computed again."""
        found = {}
        for questions in self.sets:
            memory = self.memories.setdefault(questions.name, Memory())
            if len(memory.routed) + len(memory.fragments) > _MEMORY_QUESTIONS:
                memory.routed.clear()
                memory.fragments.clear()
            answerer = LocalAnswerer(self.generations[questions.name], profile, memory)
            found[questions.name] = score_set(questions, answerer)
        return found


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
