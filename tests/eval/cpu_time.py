"""Measure the CPU of one thread from a question to its fragments: `python -m tests.eval.cpu_time`.

In process, every question of a set once to warm up and once measured. Exit code 1 when the median passes what is asked.
"""

from __future__ import annotations

import sys
import time
from statistics import median, quantiles

from siaa.retrieval import Retriever
from tests.eval.answerers import MAX_CHUNKS, MAX_DOCS
from tests.eval.command import chosen_sets, parser, profiles, run
from tests.eval.report import aligned
from tests.eval.serving import open_set

MOST_MILLISECONDS = 15.0  # median (issue 3)


def main() -> int:
    """Print the median and the 95th percentile of each set."""
    made = parser("tests.eval.cpu_time", "Mide la CPU desde la pregunta hasta los fragmentos.")
    made.add_argument("--perfil", default="calibrado", help="perfil de puntuación (por omisión, %(default)s)")
    options = made.parse_args()
    (profile,) = profiles([options.perfil])
    rows, slow = [], False
    for found in chosen_sets(options.carpeta, options.conjuntos):
        generation = open_set(found, reuse=options.reusar)
        retriever = Retriever(generation, profile=profile, max_docs=MAX_DOCS, max_chunks=MAX_CHUNKS)
        texts = [question.text for question in found.questions]
        for text in texts:
            _milliseconds(retriever, text)
        times = [_milliseconds(retriever, text) for text in texts]
        slow |= median(times) > MOST_MILLISECONDS
        rows.append((found.name, str(len(times)), f"{median(times):.1f}", f"{quantiles(times, n=20)[-1]:.1f}"))
        generation.close()
    print(aligned(("conjunto", "preguntas", "p50 ms de CPU", "p95"), rows))
    return int(slow)


def _milliseconds(retriever: Retriever, text: str) -> float:
    started = time.thread_time()
    retriever.gather(retriever.route(retriever.ask(text)))
    return 1000 * (time.thread_time() - started)


if __name__ == "__main__":
    sys.exit(run(main))
