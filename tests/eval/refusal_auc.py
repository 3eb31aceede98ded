"""Tell how well the refusal score separates: `python -m tests.eval.refusal_auc`.

The score that `explicar=1` shows, for the questions that a set answers (sierju), against two kinds that it cannot
answer: all questions of another set (xquad_es), and questions made of random words of that set's documents. The area
under the curve is how often an answerable question scores above the other kind. Exit code 1 below what is asked.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Sequence

from siaa.retrieval import Retriever
from tests.eval.command import WRONG_USE, chosen_sets, parser, profiles, run, say
from tests.eval.questions import QuestionSet
from tests.eval.refusal_curve import auc, judge_all
from tests.eval.report import aligned
from tests.eval.serving import open_set

OWN, FOREIGN = "sierju", "xquad_es"
LEAST_FOREIGN, LEAST_RANDOM = 0.97, 0.98  # area demanded (issue 3)
RANDOM_QUESTIONS, SEED = 100, 7
_WORDS = (5, 12)  # of a random question, fewest and most
_WORD = re.compile(r"[^\W\d_]{4,}")


def main() -> int:
    """Print both areas."""
    made = parser("tests.eval.refusal_auc", "Mide si el puntaje de rechazo separa lo que el corpus responde.")
    made.add_argument("--ajenas", default=FOREIGN, help="conjunto de otra materia (por omisión, %(default)s)")
    options = made.parse_args()
    if not (options.carpeta / options.ajenas).is_dir():
        say(f"Hace falta el conjunto {options.ajenas} en {options.carpeta}.")
        return WRONG_USE
    (profile,) = profiles(["calibrado"])
    (foreign,) = chosen_sets(options.carpeta, [options.ajenas])
    rows, short = [], False
    for found in chosen_sets(options.carpeta, options.conjuntos or [OWN]):
        generation = open_set(found, reuse=options.reusar)
        retriever = Retriever(generation, profile=profile, max_docs=2, max_chunks=3)
        own = [judged.value for judged in judge_all(retriever, [q.text for q in found.questions if q.accepted])]
        kinds = {
            f"preguntas de {foreign.name}": ([q.text for q in foreign.questions], LEAST_FOREIGN),
            f"palabras al azar de {foreign.name}": (random_questions(foreign), LEAST_RANDOM),
        }
        for kind, (questions, least) in kinds.items():
            area = auc(own, [judged.value for judged in judge_all(retriever, questions)])
            short |= area < least
            verdict = "sí" if area >= least else "NO"
            rows.append((found.name, kind, str(len(own)), str(len(questions)), f"{area:.3f}", f"{least} {verdict}"))
        generation.close()
    print(aligned(("conjunto", "frente a", "propias", "ajenas", "área", "exigido"), rows))
    return int(short)


def random_questions(questions: QuestionSet) -> list[str]:
    """Return questions of random words of the set's documents, each word as likely as it is frequent."""
    chance = random.Random(SEED)
    words = _words_of(questions)
    return [f"¿{' '.join(chance.choices(words, k=chance.randint(*_WORDS)))}?" for _ in range(RANDOM_QUESTIONS)]


def _words_of(questions: QuestionSet) -> Sequence[str]:
    paths = sorted(path for path in questions.documents.rglob("*.md"))
    return [word for path in paths for word in _WORD.findall(path.read_text(encoding="utf-8"))]


if __name__ == "__main__":
    sys.exit(run(main))
