"""A follow-up is searched with what it refers to; a question that stands alone never is.

The rules are in `siaa.answering.talk.follow_ups`; each row here is one of them, or what it must not catch.
"""

from __future__ import annotations

import pytest

from siaa.answering.talk.follow_ups import Topic, is_follow_up, join
from siaa.answering.talk.understanding import understand
from siaa.config import MAX_QUESTION_CHARS, OWN_CONFIG_DIR
from siaa.language import load_tables

TABLES = load_tables(OWN_CONFIG_DIR)

FOLLOW_UPS = [
    "¿puede hacerlo un asistente?",  # pronoun at the end of a verb
    "¿dónde puedo presentarla?",
    "¿y si no lo hago?",  # pronoun before a verb
    "¿quién lo firma?",
    "quien la presenta",  # without accents or signs
    "¿cuál es ese plazo?",  # demonstrative
    "¿Pueden sancionarme por eso?",
    "¿qué dice lo anterior?",
    "¿El asistente del juzgado puede hacerlo?",  # the words before are not what the pronoun stands for
    "¿y el artículo 6?",  # begins with "y"
    "¿Y cuándo?",
    "¿y para los jueces de familia?",
    "¿y el PSAA16-10476?",
    "pero ¿quién?",
    "¿por qué?",  # no word of its own
    "¿cuándo?",
    "explíqueme mejor",
    "deme un ejemplo",
    "¿qué dice el artículo 6?",  # an article of no document
]
ALONE = [
    "¿Qué es el SIERJU?",
    "¿Qué dice el PSAA16-10476?",  # names its document
    "¿Qué dice el artículo 5 del PSAA16-10476?",
    "¿Y cuál es la periodicidad del reporte SIERJU?",  # begins with "y" and is whole
    "¿Quién presenta el informe y cuándo debe enviarlo?",  # the referent is in the clause before
    "Si no presento el informe, ¿puedo enviarlo después?",
    "¿Qué es lo que debe reportar un juez?",  # "lo" is no pronoun here
    "Según lo dispuesto en la guía, ¿quién reporta?",
    "¿Qué pasa si la audiencia falla?",  # nor "la"
    "acciones de tutela",
    "los bienes del deudor",
    "charla de capacitación",  # ends like a verb with a pronoun
    "¿qué sanción le imponen al juez?",
    "¿Cómo debe el despacho judicial diligenciar el formulario único y enviarlo?",
]


@pytest.mark.parametrize("question", FOLLOW_UPS)
def test_leans_on_what_was_said(question: str) -> None:
    assert is_follow_up(question, TABLES)


@pytest.mark.parametrize("question", ALONE)
def test_stands_alone(question: str) -> None:
    assert not is_follow_up(question, TABLES)


FORM = "¿Quién debe diligenciar el formulario SIERJU?"

# what was asked before, oldest first, and the follow-up -> as it is searched
CONVERSATIONS = [
    ([FORM, "¿puede hacerlo un asistente?"], "¿puede hacer eso un asistente? (diligenciar formulario SIERJU)"),
    ([FORM, "¿y si no lo hago?"], "¿y si no lo hago? (diligenciar formulario SIERJU)"),
    # an article takes the place of the earlier one; the document stays
    (["¿Qué dice el artículo 5 del PSAA16-10476?", "¿y el artículo 6?"], "¿y el artículo 6? (PSAA16-10476)"),
    (["¿Qué dice el artículo 5 del PSAA16-10476?", "¿y el 6?"], "¿y el artículo 6? (PSAA16-10476)"),
    ([FORM, "¿y el artículo 6?"], "¿y el artículo 6? (guia sierju)"),  # the document that answered
    # a norm takes the place of the earlier one
    (["¿Quién capacita según el PSAA16-10476?", "¿y según el PCSJA19-11207?"], "¿y según el PCSJA19-11207? (capacita)"),
    # a second follow-up still refers to the question that stood alone, and to what the first one added
    (
        [FORM, "¿puede hacerlo un asistente?", "¿y si no lo hace?"],
        "¿y si no lo hace? (asistente diligenciar formulario SIERJU)",
    ),
    (
        ["¿Qué dice el artículo 5 del PSAA16-10476?", "¿y el artículo 6?", "¿y quién lo cumple?"],
        "¿y quién lo cumple? (artículo 6 PSAA16-10476)",
    ),
    # courtesy is not a topic
    ([FORM, "muchas gracias", "¿y si no lo hago?"], "¿y si no lo hago? (diligenciar formulario SIERJU)"),
    # a question of its own ends the topic
    ([FORM, "¿Qué es la tutela?"], "¿Qué es la tutela?"),
    ([FORM, "¿Qué es la tutela?", "¿quién la presenta?"], "¿quién la presenta? (tutela)"),
    # nothing before it: as it stands
    (["¿y el artículo 6?"], "¿y el artículo 6?"),
    (["hola", "¿por qué?"], "¿por qué?"),
]  # fmt: skip


@pytest.mark.parametrize(("said", "searched"), CONVERSATIONS)
def test_what_is_searched(said: list[str], searched: str) -> None:
    assert understand(said, TABLES, document_of=lambda question: "sierju/guia_sierju.md").searched == searched


def test_a_question_that_stands_alone_is_searched_as_it_was_typed() -> None:
    typed = "  ¿Que\u0301 es   el SIERJU?\n"
    assert understand([FORM, typed], TABLES, document_of=lambda question: None).searched == typed


def test_what_is_searched_has_the_length_of_a_question() -> None:
    long = "formulario " + " ".join(f"palabra{number}" for number in range(200))
    joined, _ = join("¿y si no lo hago?", Topic(long), TABLES, document_of=lambda question: None)
    assert joined.startswith("¿y si no lo hago? (formulario palabra0")
    assert joined.endswith(")")
    assert len(joined) <= MAX_QUESTION_CHARS
