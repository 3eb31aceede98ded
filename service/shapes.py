"""Declare what comes in and what goes out, once: views are checked against these types, /openapi.json is made of them.

The names of objects, their keys and what describes them are published, and therefore Spanish. Short objects stand in
one line each. Keys go out in the order in which a view writes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal, NotRequired, get_args

from pydantic import Field, WithJsonSchema
from typing_extensions import TypedDict

from siaa.answering.citing.support import State
from siaa.answering.refusal import Decision
from siaa.config import MAX_QUESTION_CHARS

MAX_DRAFT_CHARS = 20_000  # of a text whose citations are verified, in its NFC form

# -- values ---------------------------------------------------------------------------------------------------------

# What `siaa.question_text` lets pass, as regular expressions: no control characters, and something visible.
_CONTROL = r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
_BLANK = r"\x00-\x20\x7f-\xa0\xad\u1680\u2000-\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff"
_PLAIN = f"^[^{_CONTROL}]*$"
_WRITTEN = f"^[^{_CONTROL}]*[^{_BLANK}][^{_CONTROL}]*$"


def one_of(values: Iterable[str], description: str | None = None) -> Any:
    """Return what says of a text that it is one of `values`."""
    return Field(description=description, json_schema_extra={"enum": [*values]})


Count = Annotated[int, Field(ge=0)]
Plain = Annotated[str, Field(max_length=MAX_QUESTION_CHARS, pattern=_PLAIN)]
Written = Annotated[str, Field(min_length=1, max_length=MAX_QUESTION_CHARS, pattern=_WRITTEN)]
Draft = Annotated[str, Field(min_length=1, max_length=MAX_DRAFT_CHARS, pattern=_WRITTEN)]
Standing = Annotated[str, one_of(State)]  # of a sentence or a citation
Kind = Literal["CONV", "DOC", "CACHE_HIT", "ERROR"]  # of a line of the quality log
Alert = Literal["OK", "SIN_CONTEXTO", "POSIBLE_ALUCINACION", "ERROR"]
KINDS, ALERTS, FORMATS = get_args(Kind), get_args(Alert), ("json", "txt")

# -- parameters -----------------------------------------------------------------------------------------------------

Question = Annotated[Written, Field(description="Pregunta, hasta 2000 caracteres.")]
Collection = Annotated[Plain, Field(description="Busca solo en esta colección.")]
_SWITCH = {"type": "string", "enum": ["0", "1"], "default": "0", "description": "1 añade la clave `explicacion`."}
Explained = Annotated[bool, WithJsonSchema(_SWITCH)]
DocumentName = Annotated[Written, Field(description="Nombre del documento o su ruta.")]
_PATH = "Nombre del documento o su ruta; la barra de la ruta va tal cual o como %2F."
DocumentPath = Annotated[Written, Field(description=_PATH)]
Term = Annotated[Written, Field(description="Palabra.")]
Section = Annotated[Plain, Field(description="Ancla, artículo o título que se muestra.")]
_SPAN = r"^([0-9]{1,9}-[0-9]{1,9})?$"
Span = Annotated[str, Field(pattern=_SPAN, description="Posiciones del texto que se marcan, como 120-340.")]
Marked = Annotated[Plain, Field(description="Palabras que se marcan.")]
TitleWords = Annotated[Plain, Field(description="Palabras del nombre o del título.")]
_TO_500 = r"^([1-9][0-9]?|[1-4][0-9]{2}|500)?$"
LineCount = Annotated[str, Field(pattern=_TO_500, description="Líneas, de 1 a 500; por omisión, 50.")]
LineKind = Annotated[str, one_of((*KINDS, ""), f"Solo las de este tipo: {', '.join(KINDS)}.")]
LineAlert = Annotated[str, one_of((*ALERTS, ""), f"Solo las que tienen esta alerta: {', '.join(ALERTS)}.")]
LineFormat = Annotated[str, one_of((*FORMATS, ""), "json (por omisión) o txt.")]

# -- failures -------------------------------------------------------------------------------------------------------

Error = TypedDict("Error", {"error": str, "codigo": str, "sugerencias": NotRequired[Sequence[str]]})
DetalleOpenAI = TypedDict("DetalleOpenAI", {"message": str, "type": str, "param": str | None, "code": str | None})
ErrorOpenAI = TypedDict("ErrorOpenAI", {"error": DetalleOpenAI})

# -- diagnostics ----------------------------------------------------------------------------------------------------

_ON_REQUEST = Field(description="Solo con explicar=1: aportes de cada nivel o señal.")
Veredicto = TypedDict("Veredicto", {"valor": float, "decision": Annotated[str, one_of(Decision)], "motivo": str})
Aporte = TypedDict("Aporte", {"senal": str, "puntos": float, "motivo": str})
Nivel = TypedDict("Nivel", {"nivel": str, "senal": str, "puntos": float, "motivo": str})
Puntuado = TypedDict("Puntuado", {"doc": str, "puntaje": float, "niveles": list[Nivel]})
Hallado = TypedDict("Hallado", {"doc": str, "tamano": Count, "coleccion": str, "chunks": Count})
ExplicacionEnrutado = TypedDict("ExplicacionEnrutado", {
    "documentos": list[Puntuado], "por_debajo": list[Puntuado], "normas_ausentes": Sequence[str], "rechazo": Veredicto,
})  # fmt: skip
Enrutado = TypedDict("Enrutado", {
    "pregunta": str, "doc_especifico": bool, "max_docs_usados": Count, "docs_encontrados": list[Hallado],
    "explicacion": NotRequired[Annotated[ExplicacionEnrutado, _ON_REQUEST]],
})  # fmt: skip
Trozo = TypedDict("Trozo", {
    "n": Count, "inicio": Count, "fin": Count, "titulo": str, "articulo": str, "puntaje": float,
    "senales": list[Aporte],
})  # fmt: skip
ExplicacionFragmento = TypedDict("ExplicacionFragmento", {
    "trozos": list[Trozo], "por_debajo": list[Trozo], "normas_ausentes": Sequence[str], "rechazo": Veredicto,
})  # fmt: skip
Fragmento = TypedDict("Fragmento", {
    "documento": str, "pregunta": str, "fragmento": str, "chars": Count,
    "explicacion": NotRequired[Annotated[ExplicacionFragmento, _ON_REQUEST]],
})  # fmt: skip
Palabra = TypedDict("Palabra", {"termino": str, "peso": float, "origen": Annotated[str, one_of(("auto", "manual"))]})
PalabrasClave = TypedDict("PalabrasClave", {
    "doc": str, "coleccion": str, "keywords": list[str], "detalle": list[Palabra],
})  # fmt: skip
Frecuencia = TypedDict("Frecuencia", {"doc": str, "densidad": float})
Densidad = TypedDict("Densidad", {"termino": str, "top_docs": list[Frecuencia], "total_docs": Count})
Tokens = TypedDict("Tokens", {
    "pregunta_original": str, "pregunta_normalizada": str, "tokens": Sequence[str], "referencias": list[str],
    "expansion": Sequence[str], "correcciones": dict[str, str], "tokens_con_match": dict[str, list[str]],
    "tokens_sin_match": Sequence[str], "docs_candidatos": list[str],
})  # fmt: skip

# -- documents ------------------------------------------------------------------------------------------------------

Listado = TypedDict("Listado", {
    "doc": str, "titulo": str, "coleccion": str, "tamano": Count, "chunks": Count, "articulos": Sequence[str],
    "avisos": Sequence[str],
})  # fmt: skip
Documentos = TypedDict("Documentos", {"total": Count, "documentos": list[Listado]})

# -- the chat: what it is asked, and its events in their order ------------------------------------------------------

Mensaje = TypedDict("Mensaje", {"role": Literal["user", "assistant"], "content": Written})
_TURNS = "El último es la pregunta, con role user; entre todos, hasta 32 kB."
Conversacion = TypedDict("Conversacion", {
    "messages": Annotated[list[Mensaje], Field(min_length=1, max_length=50, description=_TURNS)],
    "coleccion": NotRequired[Plain | None],
})  # fmt: skip
Buscado = TypedDict("Buscado", {"doc": str, "coleccion": str})
EventoDocumentos = TypedDict("EventoDocumentos", {"documentos": list[Buscado], "pregunta_buscada": str})
Texto = TypedDict("Texto", {"content": str})
Eleccion = TypedDict("Eleccion", {"delta": Texto})
EventoTexto = TypedDict("EventoTexto", {"choices": list[Eleccion]})
Pasaje = TypedDict("Pasaje", {
    "doc": str, "coleccion": str, "titulo": str, "articulo": str, "cita": str, "inicio": Count, "fin": Count,
})  # fmt: skip
Lugar = TypedDict("Lugar", {
    "doc": str, "coleccion": str, "titulo": str, "articulo": str, "cita": str, "inicio": Count, "fin": Count,
    "enlace": str,
})  # fmt: skip
Fuente = TypedDict("Fuente", {
    "n": Count, "doc": str, "coleccion": str, "titulo": str, "articulo": str, "cita": str, "inicio": Count,
    "fin": Count, "estado": Standing, "enlace": str,
})  # fmt: skip
Oracion = TypedDict("Oracion", {"inicio": Count, "fin": Count, "estado": Standing, "fuente": Count})
EventoFuentes = TypedDict("EventoFuentes", {"fuentes": list[Fuente], "oraciones": list[Oracion]})
Cercano = TypedDict("Cercano", {"doc": str, "articulo": str, "cita": str, "motivo": str})
EventoCercano = TypedDict("EventoCercano", {"cercano": Cercano | None})

# -- citations ------------------------------------------------------------------------------------------------------

Borrador = TypedDict("Borrador", {"texto": Draft})
Cita = TypedDict("Cita", {
    "n": Count, "inicio": Count, "fin": Count, "texto": str, "referencias": Sequence[str], "estado": Standing,
    "motivo": str, "fuente": Lugar | None,
})  # fmt: skip
Resumen = TypedDict("Resumen", {"verificada": Count, "parcial": Count, "sin_sustento": Count, "mal_atribuida": Count})
CitasVerificadas = TypedDict("CitasVerificadas", {"citas": list[Cita], "resumen": Resumen})

# -- operation ------------------------------------------------------------------------------------------------------

Cache = TypedDict("Cache", {
    "entradas": Count, "max": Count, "hits": Count, "misses": Count, "hit_rate": float, "ttl_seg": Count,
})  # fmt: skip
CacheVaciada = TypedDict("CacheVaciada", {"vaciado": bool, "mensaje": str})
Fallida = TypedDict("Fallida", {"cuando": str, "codigo": Count, "motivo": str})
Indice = TypedDict("Indice", {
    "construido": str | None, "actualizado": str | None, "problema": NotRequired[str],
    "construccion_fallida": NotRequired[Fallida],
})  # fmt: skip
Estado = TypedDict("Estado", {
    "status": Literal["ok", "degradado", "sin_indice"], "version": str, "generacion": str | None,
    "documentos_cargados": Count, "chunks": Count, "colecciones": dict[str, Count], "model": str,
    "modelo_disponible": bool, "usuarios_activos": Count, "cache": Cache, "indice": Indice,
})  # fmt: skip
Recarga = TypedDict("Recarga", {"recargado": bool, "generacion": str, "mensaje": str})
Salud = TypedDict("Salud", {"status": str})
Listo = TypedDict("Listo", {"status": Literal["listo", "degradado"], "generacion": str, "problema": NotRequired[str]})
OpinionGuardada = TypedDict("OpinionGuardada", {"util": bool, "esperado": str, "comentario": str})
Linea = TypedDict("Linea", {
    "id": Count, "momento": str, "tipo": Kind, "alerta": Alert, "pregunta": str, "pregunta_buscada": str,
    "respuesta": str, "documentos": list[str], "coleccion": str, "modelo": str, "generacion": str, "codigo": str,
    "ms": Count, "completa": bool, "opinion": OpinionGuardada | None,
})  # fmt: skip
Registro = TypedDict("Registro", {"total": Count, "registros": Sequence[Linea]})
Opinion = TypedDict("Opinion", {
    "pregunta": Written, "util": bool, "esperado": NotRequired[Plain | None], "comentario": NotRequired[Plain | None],
})  # fmt: skip
OpinionRecibida = TypedDict("OpinionRecibida", {"recibida": bool, "mensaje": str})

# -- OpenAI's dialect -----------------------------------------------------------------------------------------------

Modelo = TypedDict("Modelo", {"id": str, "object": str, "created": Count, "owned_by": str})
Modelos = TypedDict("Modelos", {"object": str, "data": list[Modelo]})
Parte = TypedDict("Parte", {"type": Literal["text"], "text": Written})
_ROLES = Literal["user", "assistant", "system", "developer", "tool", "function"]
_PARTS = Annotated[list[Parte], Field(min_length=1)]
MensajeOpenAI = TypedDict("MensajeOpenAI", {"role": _ROLES, "content": Written | _PARTS})
_QUESTION_LAST = "El último es la pregunta, con role user."
_OPTIONS = "{include_usage: true} añade `usage`; lo demás se pasa por alto."
SolicitudOpenAI = TypedDict("SolicitudOpenAI", {
    "model": NotRequired[str | None],
    "messages": Annotated[list[MensajeOpenAI], Field(min_length=1, description=_QUESTION_LAST)],
    "stream": NotRequired[bool | None],
    "stream_options": NotRequired[Annotated[Any, Field(description=_OPTIONS)]],
    "coleccion": NotRequired[Plain | None],
})  # fmt: skip
CitaUrl = TypedDict("CitaUrl", {"url": str, "title": str, "start_index": Count, "end_index": Count})
Anotacion = TypedDict("Anotacion", {"type": Literal["url_citation"], "url_citation": CitaUrl})
Uso = TypedDict("Uso", {"prompt_tokens": Count, "completion_tokens": Count, "total_tokens": Count})
Contado = TypedDict("Contado", {
    "documentos": list[Buscado], "pregunta_buscada": str, "fuentes": list[Fuente], "oraciones": list[Oracion],
    "cercano": Cercano | None,
}, total=False)  # fmt: skip
RespuestaMensaje = TypedDict("RespuestaMensaje", {
    "role": Literal["assistant"], "content": str, "refusal": str | None, "annotations": NotRequired[list[Anotacion]],
})  # fmt: skip
RespuestaEleccion = TypedDict("RespuestaEleccion", {
    "index": Count, "message": RespuestaMensaje, "finish_reason": str, "logprobs": None,
})  # fmt: skip
RespuestaOpenAI = TypedDict("RespuestaOpenAI", {
    "id": str, "object": Literal["chat.completion"], "created": Count, "model": str, "choices": list[RespuestaEleccion],
    "usage": Uso, "siaa": Contado,
})  # fmt: skip
TrozoDelta = TypedDict("TrozoDelta", {
    "role": Literal["assistant"], "content": str, "annotations": list[Anotacion],
}, total=False)  # fmt: skip
TrozoEleccion = TypedDict("TrozoEleccion", {"index": Count, "delta": TrozoDelta, "finish_reason": str | None})
TrozoOpenAI = TypedDict("TrozoOpenAI", {
    "id": str, "object": Literal["chat.completion.chunk"], "created": Count, "model": str,
    "choices": list[TrozoEleccion], "usage": NotRequired[Uso], "siaa": NotRequired[Contado],
})  # fmt: skip
