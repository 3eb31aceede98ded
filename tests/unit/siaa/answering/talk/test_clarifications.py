"""Ambiguous questions are asked back.

1. An expression of the table asks, in any case and with accents or not; parts of it, or of other words, do not.
2. Nothing is asked where an exception, an option, a norm or an article is in the question.
3. The number or the name of an option chooses it; the question is then searched with it in place of the expression.
4. A conversation is asked once; what was chosen holds for the rest of it.
"""

from __future__ import annotations

import shutil

import pytest

from siaa.answering.talk.clarifications import find_doubt, resolve
from siaa.answering.talk.understanding import understand
from siaa.answering.wording import REFUSAL, choices
from siaa.config import OWN_CONFIG_DIR
from siaa.errors import ConfigError
from siaa.language import CLARIFICATIONS, load_tables

TABLES = load_tables(OWN_CONFIG_DIR)
ROWS = TABLES.clarifications

ASKS = [
    "juzgado civil",
    "JUZGADO CIVIL",
    "¿Qué reporta el juzgado civil?",
    "¿Cuándo reportan los juzgados civiles?",
    "funciones del juez civil",
]
ASKS_NOTHING = [
    "código civil",
    "acoso laboral",
    "¿Qué dice el código civil sobre el juzgado civil?",  # an exception is in it
    "juzgado civil municipal",  # an option
    "juzgados civiles del circuito",
    "juzgado de familia",
    "registro civil",
    "juzgado civilizado",  # whole words only
    "¿Qué debe reportar el juzgado civil según el PSAA16-10476?",  # names a norm
    "artículo 5 del juzgado civil",
    "",
    "???",
]


@pytest.mark.parametrize("question", ASKS)
def test_asks(question: str) -> None:
    assert find_doubt(question, ROWS)


@pytest.mark.parametrize("question", ASKS_NOTHING)
def test_asks_nothing(question: str) -> None:
    assert find_doubt(question, ROWS) is None


def test_no_option_asks_again() -> None:
    for row in ROWS:
        for option in row.options:
            assert find_doubt(option, ROWS) is None
            assert find_doubt(f"¿Qué reporta el {option}?", ROWS) is None


def test_what_is_shown() -> None:
    doubt = find_doubt("juzgado civil", ROWS)
    assert doubt
    text = choices(doubt.row.prompt, doubt.row.options)
    assert "1. Juzgado civil municipal\n2. Juzgado civil del circuito" in text
    assert REFUSAL.rstrip(".") not in text


QUESTION = "¿Qué reporta el juzgado civil?"
MUNICIPAL, CIRCUIT = "¿Qué reporta el juzgado civil municipal?", "¿Qué reporta el juzgado civil del circuito?"

# reply -> question as it is searched; None when it chooses nothing
REPLIES = [
    ("1", MUNICIPAL),
    ("el municipal", MUNICIPAL),
    ("Juzgado Civil Municipal", MUNICIPAL),
    ("la segunda", CIRCUIT),
    ("circuito", CIRCUIT),
    ("me refiero al del circuito, por favor", CIRCUIT),
    ("cualquiera", QUESTION),
    ("no sé", QUESTION),
    ("3", None),  # there is no third
    ("¿Qué es el SIERJU?", None),  # another question
    ("¿Qué audiencias celebra el municipal?", None),
]


@pytest.mark.parametrize(("said", "searched"), REPLIES)
def test_what_a_reply_chooses(said: str, searched: str | None) -> None:
    doubt = find_doubt(QUESTION, ROWS)
    assert doubt
    assert resolve(QUESTION, doubt, said) == searched


# what the user said, oldest first -> the last one as it is searched; None when it is asked back
CONVERSATIONS: list[tuple[list[str], str | None]] = [
    ([QUESTION], None),
    ([QUESTION, "2"], CIRCUIT),
    ([QUESTION, "2", "¿Cuándo cierra el juzgado civil?"], "¿Cuándo cierra el juzgado civil del circuito?"),
    ([QUESTION, "¿Qué es el SIERJU?"], "¿Qué es el SIERJU?"),  # not a choice: a question of its own
    ([QUESTION, "¿Qué es el SIERJU?", QUESTION], QUESTION),  # asked once already
    (["¿Qué reporta el juzgado de familia?", "¿y el juzgado civil?"], None),
    (
        ["¿Qué reporta el juzgado de familia?", "¿y el juzgado civil?", "municipal"],
        "¿y el juzgado civil municipal? (reporta familia)",
    ),
    ([QUESTION, "2", "¿y el municipal?"], MUNICIPAL),  # the other one after all
    ([QUESTION, "2", "¿Qué es el SIERJU?", "no sé"], "no sé (SIERJU)"),  # no reply to what was asked long ago
    ([QUESTION, "gracias", "2"], CIRCUIT),  # courtesy in between
    ([QUESTION, "2", "¿y cuándo cierra?"], "¿y cuándo cierra? (reporta juzgado civil circuito)"),
]


@pytest.mark.parametrize(("said", "searched"), CONVERSATIONS)
def test_conversations(said: list[str], searched: str | None) -> None:
    meaning = understand(said, TABLES, document_of=lambda question: None)
    assert (meaning.doubt is None) == (searched is not None)
    assert searched is None or meaning.searched == searched


@pytest.mark.parametrize(
    "table",
    [
        '[[aclaracion]]\nterminos = ["x"]\npregunta = "?"\n',  # without options
        '[[aclaracion]]\nterminos = ["x"]\npregunta = "?"\nopciones = ["x a"]\n',  # a single one
        '[[aclaracion]]\nterminos = ["?"]\npregunta = "?"\nopciones = ["a", "b"]\n',  # a term without a word
        '[[aclaracion]]\nterminos = "x"\npregunta = "?"\nopciones = ["a", "b"]\n',  # not a list
        "aclaracion = 3\n",  # not rows
    ],
)
def test_a_broken_table_is_named(table: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("ajustes") / "config"
    shutil.copytree(OWN_CONFIG_DIR, folder)
    (folder / CLARIFICATIONS).write_text(table, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"aclaraciones\.toml"):
        load_tables(folder)
