"""Answer greetings, thanks and farewells without looking anything up."""

from __future__ import annotations

import re

from siaa.answering.wording import FAREWELL, GREETING, UNDERSTOOD, WELCOME
from siaa.text import fold

_WORD = re.compile(r"[^\W_]+")

# Words that may stand in a message of mere courtesy; one that holds any other word is a question.
_COURTESY = frozenset({
    "hola", "holas", "buenas", "buenos", "dias", "dia", "tardes", "noches", "saludos", "saludo", "cordial",
    "cordiales", "que", "tal", "como", "esta", "estas", "estan", "todo", "bien", "gracias", "muchas", "mil",
    "muy", "amable", "ok", "okay", "vale", "listo", "perfecto", "excelente", "de", "acuerdo", "entendido",
    "adios", "chao", "hasta", "luego", "pronto", "mañana", "feliz", "siaa", "por", "la", "el", "su", "tu",
    "ayuda", "informacion", "respuesta", "respuestas",
})  # fmt: skip

# Whole messages, folded and without signs: their words are those of questions too, so nothing may stand beside them.
_WHOLE = {
    **dict.fromkeys(
        ("quien eres", "quien es usted", "que eres", "que puede hacer", "que puedes hacer", "para que sirve", "ayuda"),
        GREETING,
    ),
    **dict.fromkeys(
        ("que es siaa", "para que sirves", "como estas", "como esta", "como esta usted", "que tal"), GREETING
    ),
    **dict.fromkeys(("si", "no", "bien", "muy bien", "claro", "bueno"), UNDERSTOOD),
}

# Words that make it so, and the reply; the first row with one of its words decides.
_REPLIES: tuple[tuple[frozenset[str], str], ...] = (
    (
        frozenset({"gracias", "amable"}),
        WELCOME,
    ),
    (
        frozenset({"adios", "chao", "luego", "pronto"}),
        FAREWELL,
    ),
    (
        frozenset({"hola", "holas", "buenas", "buenos", "saludos", "saludo", "siaa"}),
        GREETING,
    ),
    (
        frozenset({"ok", "okay", "vale", "listo", "perfecto", "excelente", "entendido"}),
        UNDERSTOOD,
    ),
)


def reply_to(text: str) -> str | None:
    """Return the reply to a message that is courtesy and nothing else, by whole words; None for anything else.

    "Hola, buenos días" is courtesy; "hola, ¿qué es el SIERJU?" is a question.
    """
    said = _WORD.findall(fold(text))
    words = frozenset(said)
    if whole := _WHOLE.get(" ".join(said)):
        return whole
    if not words <= _COURTESY:
        return None
    return next((reply for triggers, reply in _REPLIES if words & triggers), None)
