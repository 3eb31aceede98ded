"""Ask a running service the questions of another corpus, which it must refuse.

`python -m tests.eval.foreign_questions --url http://127.0.0.1:5000 --preguntas otro/questions.jsonl` prints the share
that was refused, whole and in two random halves (seed 7). Exit code 1 below `--minimo`.
"""

from __future__ import annotations

import json
import random
import sys
import urllib.request
from pathlib import Path

from siaa.answering.wording import REFUSAL
from siaa.command_line import SpanishParser

SEED = 7
SECONDS = 60  # for one answer


def main() -> int:
    """Ask, count, print."""
    made = SpanishParser(prog="python -m tests.eval.foreign_questions", description="Preguntas ajenas.")
    made.add_argument("--url", default="http://127.0.0.1:5000", help="dirección del servicio")
    made.add_argument("--preguntas", type=Path, required=True, help="questions.jsonl de otro corpus")
    made.add_argument("--minimo", type=float, default=0.85, help="parte que debe rechazarse")
    options = made.parse_args()
    lines = options.preguntas.read_text(encoding="utf-8").splitlines()
    refused = [is_refused(options.url, str(json.loads(line)["q"])) for line in lines if line.strip()]
    order = list(range(len(refused)))
    random.Random(SEED).shuffle(order)
    half = len(order) // 2
    shares = {
        "todas": _share(refused),
        "A": _share([refused[n] for n in order[:half]]),
        "B": _share([refused[n] for n in order[half:]]),
    }
    print(json.dumps({"preguntas": len(refused), "rechazadas": shares}))
    return 0 if shares["todas"] >= options.minimo else 1


def is_refused(url: str, question: str) -> bool:
    """Tell whether the service refuses `question`: its whole answer is the refusal sentence."""
    body = json.dumps({"messages": [{"role": "user", "content": question}]}).encode()
    request = urllib.request.Request(f"{url.rstrip('/')}/siaa/chat", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=SECONDS) as response:
        lines = response.read().decode("utf-8").splitlines()
    events = [json.loads(line[6:]) for line in lines if line.startswith("data: {")]
    return "".join(e["choices"][0]["delta"]["content"] for e in events if "choices" in e) == REFUSAL


def _share(rows: list[bool]) -> float:
    return round(sum(rows) / max(len(rows), 1), 3)


if __name__ == "__main__":
    sys.exit(main())
