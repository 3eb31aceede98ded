"""Name why an answer is refused, noticed upon or doubted, as values that programs read.

`siaa.answering.wording` tells them in Spanish, and nothing reads that back: metrics and the quality log keep the
code, a page shows the sentence.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Code(StrEnum):
    """What kind of reason; the values are stable and appear in /metrics, /siaa/log and `explicar=1`."""

    # Of a question that can be answered.
    ON_TOPIC = "hablan_de_ello"
    # Of a refusal.
    NO_PASSAGE = "sin_pasaje"  # no document has anything near
    MISSING_WORDS = "sin_evidencia"  # `words` are those of the question that the passages lack
    UNKNOWN_NORM = "norma_desconocida"  # `norms` has the one that is no document and that none cites
    MISSING_NORM = "norma_ausente"  # `norms` are named and not in the index
    MISSING_ARTICLE = "articulo_ausente"  # `document` has no `article`
    MODEL_REFUSED = "modelo"
    UNSUPPORTED_ANSWER = "sin_sustento"  # no passage holds up what the model said
    NOTHING_TO_QUOTE = "sin_cita"
    # Of a notice.
    LOST_LIST = "lista_perdida"  # `article` of `document` announces `words` that are not there
    # Of a citation.
    PLACE_EXISTS = "lugar_existe"
    MISSING_DOCUMENT = "documento_ausente"  # `norms` has the name of no document
    WHOSE_ARTICLE = "articulo_sin_documento"
    STANDS_IN = "consta_en"  # `article` of `document`
    ELSEWHERE = "consta_en_otro"
    NOT_SAID = "palabras_ausentes"
    NOT_THERE = "afirmacion_ausente"
    NEARLY = "casi_igual"
    CUT_NEGATION = "negacion_fuera"
    OTHER_PLACE = "otro_lugar"
    REST_UNPROVEN = "resto_sin_probar"
    SOURCE_UNPROVEN = "lugar_sin_probar"


REFUSALS = (
    Code.NO_PASSAGE, Code.MISSING_WORDS, Code.UNKNOWN_NORM, Code.MISSING_NORM, Code.MISSING_ARTICLE, Code.MODEL_REFUSED,
    Code.UNSUPPORTED_ANSWER, Code.NOTHING_TO_QUOTE,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Reason:
    """A code and what it is about: a document, an article ("5", "trans_5"), norms and words as a reader wrote them."""

    code: Code
    document: str = ""
    article: str = ""
    norms: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
