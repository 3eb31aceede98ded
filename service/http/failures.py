"""Name the failures of a request; those of the core are in `siaa.errors`, those of a model in `siaa.answering.llm`."""

from __future__ import annotations

from siaa.errors import SiaaError


class MissingParameterError(SiaaError):
    """A required parameter is absent or blank."""

    code = "parametro_requerido"


class InvalidParameterError(SiaaError):
    """A parameter is repeated, too long, badly encoded, or holds what no parameter may hold."""

    code = "parametro_invalido"


class InvalidChatError(SiaaError):
    """The body of a chat request is not the conversation that the contract describes."""

    code = "conversacion_invalida"


class NotJsonError(SiaaError):
    """The request's body is not announced as JSON."""

    code = "tipo_no_admitido"


class CredentialsError(SiaaError):
    """The operator's key is missing or wrong."""

    code = "credencial_invalida"


class NotLocalError(SiaaError):
    """No operator's key is set, and the request does not come from this very machine."""

    code = "solo_local"


class InvalidDraftError(SiaaError):
    """The body of /siaa/citas/verificar holds no text within the limits."""

    code = "texto_invalido"


class InvalidOpinionError(SiaaError):
    """The body of an opinion is not what the contract describes."""

    code = "opinion_invalida"


class InvalidCompletionError(SiaaError):
    """The body of /v1/chat/completions cannot be answered; `param` names what is wrong in it."""

    code = "solicitud_invalida"

    def __init__(self, message: str, *, param: str | None = None) -> None:
        super().__init__(message)
        self.param = param


class UnknownModelError(SiaaError):
    """/v1/chat/completions was asked for a model that it does not have."""

    code = "model_not_found"  # the name that OpenAI's clients know


class QualityLogError(SiaaError):
    """The quality log cannot be read or written now."""

    code = "registro_no_disponible"


class TooManyRequestsError(SiaaError):
    """A client asks more often than it may; it may ask again after `retry_after` seconds."""

    code = "demasiadas_peticiones"

    def __init__(
        self,
        message: str = "Llegaron demasiadas peticiones desde su dirección: espere lo que dice la cabecera Retry-After.",
        *,
        retry_after: int = 1,
    ) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class CacheError(SiaaError):
    """The cache of answers cannot be emptied now."""

    code = "cache_no_disponible"
