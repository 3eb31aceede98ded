"""The endpoint that checks the citations of any text."""

from __future__ import annotations

from collections import Counter
from typing import Any

from service import shapes
from service.context import lease
from service.endpoints.events import place
from service.http.conversation_body import parse_object
from service.http.failures import InvalidDraftError
from service.http.params import json_body
from service.http.proxy import prefix
from siaa.answering.citing.support import State
from siaa.answering.drafts import Citation, verify_text
from siaa.answering.wording import told_all
from siaa.question_text import fault_of, is_blank
from siaa.text import normalise

_SHAPE = '{"texto": "El artículo 5 de la Ley 270 de 1996 dice «...»."}'


def verificar_citas() -> shapes.CitasVerificadas:
    """Say of each citation in a text whether a document says it."""
    text = _text(parse_object(json_body(), failure=InvalidDraftError, shape=_SHAPE))
    with lease() as retriever:
        found = verify_text(retriever, text)
    counts = Counter(each.state for each in found)
    return {
        "citas": [_cited(number, each) for number, each in enumerate(found, start=1)],
        "resumen": {
            "verificada": counts[State.VERIFIED],
            "parcial": counts[State.PARTIAL],
            "sin_sustento": counts[State.UNSUPPORTED],
            "mal_atribuida": counts[State.MISATTRIBUTED],
        },
    }


def _cited(number: int, found: Citation) -> shapes.Cita:
    return {
        "n": number,
        "inicio": found.start,
        "fin": found.end,
        "texto": found.text,
        "referencias": found.references,
        "estado": found.state.value,
        "motivo": told_all(found.reasons),
        "fuente": place(found.source, prefix()) if found.source else None,
    }


def _text(data: dict[str, Any]) -> str:
    value = data.get("texto")
    if not isinstance(value, str) or not value:
        raise InvalidDraftError(f"Falta el 'texto' que se revisa, como texto: envíe {_SHAPE}.")
    if fault := fault_of(value, limit=shapes.MAX_DRAFT_CHARS):
        raise InvalidDraftError(f"El 'texto' {fault}.")
    if is_blank(value):
        raise InvalidDraftError("El 'texto' está vacío: escriba lo que desea revisar.")
    # Offsets in the answer are those of the text that was sent wherever it was NFC with plain spaces already.
    return normalise(value)
