"""Name every failure once; each is raised low and rendered once, at the edge.

The text of an error is a Spanish sentence for its reader: what happened and what to do.
"""

from __future__ import annotations


class SiaaError(Exception):
    """Base of all expected failures.

    `code` is stable and may be matched by programs; `suggestions` holds near matches, best first.
    """

    code = "error"

    def __init__(self, message: str, *, suggestions: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.suggestions = suggestions


class ConfigError(SiaaError):
    """A setting or a file of `config/` cannot be used."""

    code = "configuracion_invalida"


class InvalidQuestionError(SiaaError):
    """The question is missing, blank, too long or holds characters that no question has."""

    code = "pregunta_invalida"


class UnknownDocumentError(SiaaError):
    """No document of the index bears this name."""

    code = "documento_desconocido"


class AmbiguousDocumentError(SiaaError):
    """Several documents bear this bare name; `suggestions` holds their paths."""

    code = "documento_ambiguo"


class UnknownCollectionError(SiaaError):
    """No collection of the index has this name; `suggestions` holds those there are."""

    code = "coleccion_desconocida"


class UnreadableDocumentError(SiaaError):
    """A file of the corpus cannot be turned into a document."""

    code = "documento_ilegible"


class CorpusError(SiaaError):
    """The corpus as a whole cannot be indexed."""

    code = "corpus_invalido"


class GenerationError(SiaaError):
    """An index generation is missing, damaged or was made by another version."""

    code = "indice_no_disponible"


class BuildLockedError(SiaaError):
    """Another build holds the lock of the index directory."""

    code = "construccion_en_curso"


class StoppingError(SiaaError):
    """The program stops, and an answer under way had to be cut."""

    code = "servicio_detenido"
