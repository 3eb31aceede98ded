"""Write Spanish legal text of any size that never was: for measuring, where real text cannot be published.

Its words follow a Zipf-like law: the head are the words of the sample corpus, the tail is made of Spanish syllables, so
that the vocabulary grows with the text as it does in real laws. Structure, lengths and repetitions are those of a
collection of statutes: titles, chapters, articles, numbered items, formulas that stand everywhere.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from random import Random

from siaa.config import OWN_CORPUS_DIR

PASSAGES_PER_DOCUMENT = 250  # about that of a Colombian statute book
_PASSAGES_PER_ARTICLE = 1.31  # measured: long articles are cut
_ITEM_SHARE = 0.25  # articles with numbered items
_TAIL = 60_000  # invented words at most
_HEAD_SHARE = 0.93  # running words taken from the sample corpus
_ONSETS = ["b", "c", "d", "f", "g", "l", "m", "n", "p", "r", "s", "t", "v", "br", "cr", "tr", "pl", "gr", "h", "j"]
_VOWELS = ["a", "e", "i", "o", "u", "ia", "io", "á", "é", "ó"]
_ENDINGS = ["ción", "miento", "dad", "al", "ario", "ivo", "ado", "ble", "encia", "orio", "ista", "ura", "ante", "ero"]
_RANKS = ["Ley", "Decreto", "Acuerdo", "Resolución"]
_FORMULAS = [
    "De conformidad con lo dispuesto en el artículo {n} de la Ley {m} de {y}, {t}.",
    "El funcionario competente resolverá dentro de los {n} días siguientes a {t}.",
    "Contra esta decisión procede el recurso de reposición, sin perjuicio de {t}.",
    "Para los efectos de este artículo se entiende por {t}.",
    "En ningún caso podrá {t}, salvo lo previsto en el artículo {n}.",
    "{t}.",
    "{t}.",
    "{t}.",
]
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class _Words:
    words: list[str]
    weights: list[float]  # cumulative

    def draw(self, random: Random, count: int) -> list[str]:
        return random.choices(self.words, cum_weights=self.weights, k=count)


def write_corpus(folder: Path, passages: int, *, seed: int = 1, per_document: int = PASSAGES_PER_DOCUMENT) -> int:
    """Write about `passages` passages of text into `folder`, the same for the same seed; return how many documents."""
    random = Random(seed)
    head, tail = _head(), _tail(random)
    documents = max(1, round(passages / per_document))
    for number in range(documents):
        rank = _RANKS[number % len(_RANKS)]
        name = f"{rank.lower().replace('ó', 'o')}_{100 + number}_de_{1990 + number % 35}.md"
        target = folder / f"materia_{number % 8}" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        articles = round(min(passages, per_document) / _PASSAGES_PER_ARTICLE)
        target.write_text(_document(random, rank, number, head, tail, articles), encoding="utf-8")
    return documents


def _head() -> _Words:
    counts: Counter[str] = Counter()
    for path in sorted(OWN_CORPUS_DIR.rglob("*")):
        if path.suffix in (".md", ".txt"):
            counts.update(word.lower() for word in _WORD.findall(path.read_text(encoding="utf-8", errors="replace")))
    ranked = sorted(counts, key=lambda word: (-counts[word], word))
    return _Words(ranked, list(accumulate(float(counts[word]) for word in ranked)))


def _tail(random: Random) -> _Words:
    words: dict[str, None] = {}
    while len(words) < _TAIL:
        syllables = "".join(random.choice(_ONSETS) + random.choice(_VOWELS) for _ in range(random.randint(1, 3)))
        words[syllables + random.choice(_ENDINGS)] = None
    return _Words(list(words), list(accumulate(1 / (rank + 20) for rank in range(_TAIL))))


def _document(random: Random, rank: str, number: int, head: _Words, tail: _Words, articles: int) -> str:
    theme = tail.draw(random, 30)  # what this document is about: words that return in it
    subject = " ".join(theme[:3])
    lines = [f"# {rank.upper()} {100 + number} DE {1990 + number % 35}", "", f"Por la cual se regula {subject}.", ""]
    for article in range(1, articles + 1):
        if article % 40 == 1:
            lines += [f"## TÍTULO {article // 40 + 1}", "", f"### {' '.join(random.sample(theme, 3)).capitalize()}", ""]
        caption = " ".join(random.sample(theme, 2) + head.draw(random, 2))
        lines += [f"**ARTÍCULO {article}. {caption.capitalize()}.** {_text(random, head, tail, theme)}", ""]
        if random.random() < _ITEM_SHARE:
            lines += [f"{item}. {_sentence(random, head, tail, theme)}" for item in range(1, random.randint(3, 6))] + [
                ""
            ]
    return "\n".join(lines)


def _text(random: Random, head: _Words, tail: _Words, theme: list[str]) -> str:
    return " ".join(_sentence(random, head, tail, theme) for _ in range(random.randint(1, 4)))


def _sentence(random: Random, head: _Words, tail: _Words, theme: list[str]) -> str:
    words = head.draw(random, random.randint(12, 30))
    for position in range(len(words)):
        if random.random() > _HEAD_SHARE:
            words[position] = random.choice(theme) if random.random() < 0.5 else tail.draw(random, 1)[0]
    formula = random.choice(_FORMULAS)
    text = formula.format(
        n=random.randint(1, 300), m=random.randint(1, 2000), y=random.randint(1990, 2024), t=" ".join(words)
    )
    return text[0].upper() + text[1:]
