"""Make questions about a built index: words of a passage, in the forms that people ask in."""

from __future__ import annotations

from random import Random

from siaa.generation import Generation

_FORMS = [
    "¿{0}?",
    "¿Qué dice la norma sobre {0}?",
    "¿Cuál es el plazo para {0}?",
    "{0}",
    "¿Quién debe {0} y en qué casos?",
    "¿Qué dice el artículo {1} sobre {0}?",
    "requisitos {0}",
]


def make_questions(generation: Generation, count: int, *, seed: int = 7) -> list[str]:
    """Return `count` questions of 3 to 8 content words that stand near each other in a passage."""
    random = Random(seed)
    documents = [document for document in generation.documents if document.passage_count]
    stop_words = generation.tables.stop_words
    questions: list[str] = []
    while len(questions) < count:
        document = random.choice(documents)
        text = generation.passage(document.passages[random.randrange(document.passage_count)]).text
        tokens = [(t.word, text[t.start : t.end]) for t in generation.analyzer.tokens(text)]
        words = [written for word, written in tokens if word not in stop_words and word.isalpha()]
        if len(words) < 8:
            continue
        size = random.randint(3, 8)
        first = random.randrange(len(words) - size + 1)
        questions.append(random.choice(_FORMS).format(" ".join(words[first : first + size]), random.randint(1, 200)))
    return questions
