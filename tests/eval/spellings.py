"""Ask every question as other people type it and list each outcome that changes: `python -m tests.eval.spellings`.

Accents, capitals and the Unicode form of a question must not matter (to one question per set and metric).
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable
from dataclasses import replace

from tests.eval.answerers import LocalAnswerer, Memory
from tests.eval.command import chosen_sets, parser, profiles, run, say
from tests.eval.report import aligned
from tests.eval.scoring import METRICS, score_set, values
from tests.eval.serving import open_set

MOST_CHANGED = 1  # questions by which a figure may differ (issue 3)


def without_accents(text: str) -> str:
    """Return `text` without accents; the n with tilde is another letter and stays."""
    composed = unicodedata.normalize("NFC", text)
    return "".join(c if c in "ñÑ" else unicodedata.normalize("NFD", c)[0] for c in composed)


SPELLINGS: dict[str, Callable[[str], str]] = {
    "sin acentos": without_accents,
    "mayúsculas": str.upper,
    "minúsculas": str.lower,
    "NFD": lambda text: unicodedata.normalize("NFD", text),
}


def main() -> int:
    """Print, for every set, spelling and metric that changes, the ids; exit 1 when one changes by more than it may."""
    made = parser("tests.eval.spellings", "Mide las preguntas sin acentos, en mayúsculas, en minúsculas y en NFD.")
    made.add_argument("--perfil", default="calibrado", help="perfil de puntuación (por omisión, %(default)s)")
    options = made.parse_args()
    (profile,) = profiles([options.perfil])
    rows, worst = [], 0
    for found in chosen_sets(options.carpeta, options.conjuntos):
        say(f"{found.name}: indexando y preguntando de {len(SPELLINGS) + 1} maneras ...")
        answerer = LocalAnswerer(open_set(found, reuse=options.reusar), profile, Memory())
        plain = score_set(found, answerer)
        for name, spell in SPELLINGS.items():
            spelt = replace(found, questions=tuple(replace(q, text=spell(q.text)) for q in found.questions))
            now = score_set(spelt, answerer)
            for metric in METRICS:
                before, after = values(plain, metric), values(now, metric)
                won = [i for i in before if after[i] and not before[i]]
                lost = [i for i in before if before[i] and not after[i]]
                worst = max(worst, abs(len(won) - len(lost)))
                if won or lost:
                    ids = " ".join([f"+{i}" for i in won] + [f"-{i}" for i in lost])
                    rows.append((found.name, name, metric, f"{len(won) - len(lost):+d}", ids))
    print(aligned(("conjunto", "escritura", "medida", "cambio", "preguntas"), rows) if rows else "Ningún cambio.")
    return int(worst > MOST_CHANGED)


if __name__ == "__main__":
    sys.exit(run(main))
