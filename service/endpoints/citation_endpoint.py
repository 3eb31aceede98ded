"""The endpoint that checks the citations of any text."""

from __future__ import annotations

from collections import Counter
from typing import Any

from flask import Blueprint, Response, current_app, g, request

from service.context import Context
from service.endpoints.diagnostics import citation
from service.http.conversation_body import parse_object
from service.http.failures import InvalidDraftError, NotJsonError
from service.http.http_errors import HTTP_FAILURES
from service.http.wire import json_response
from siaa.answering.citing.support import State
from siaa.answering.drafts import verify_text
from siaa.question_text import fault_of, is_blank
from siaa.text import normalise

MAX_DRAFT_CHARS = 20_000  # of the text, in its NFC form
_SHAPE = '{"texto": "El artículo 5 de la Ley 270 de 1996 dice «...»."}'

citation_endpoint = Blueprint("citas", __name__)


@citation_endpoint.post("/siaa/citas/verificar")
def verificar() -> Response:
    """Say of each citation in a text whether a document says it."""
    context: Context = current_app.extensions["siaa"]
    if request.mimetype != "application/json":
        raise NotJsonError(HTTP_FAILURES[415][1])
    text = _text(parse_object(request.get_data(), failure=InvalidDraftError, shape=_SHAPE))
    with context.holder.lease() as retriever:
        g.generation = retriever.generation.name
        found = verify_text(retriever, text)
    counts = Counter(each.state for each in found)
    return json_response(
        {
            "citas": [citation(number, each) for number, each in enumerate(found, start=1)],
            "resumen": {state.value: counts[state] for state in State},
        }
    )


def _text(data: dict[str, Any]) -> str:
    value = data.get("texto")
    if not isinstance(value, str) or not value:
        raise InvalidDraftError(f"Falta el 'texto' que se revisa, como texto: envíe {_SHAPE}.")
    if fault := fault_of(value, limit=MAX_DRAFT_CHARS):
        raise InvalidDraftError(f"El 'texto' {fault}.")
    if is_blank(value):
        raise InvalidDraftError("El 'texto' está vacío: escriba lo que desea revisar.")
    # Offsets in the answer are those of the text that was sent wherever it was NFC with plain spaces already.
    return normalise(value)
