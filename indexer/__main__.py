"""Build the index: `python -m indexer`.

Exit codes (contract): 0 published or nothing to do, 2 wrong use, 4 nothing could be published, 5 another build is
running; 3 belongs to the gate of golden questions.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from indexer.build import build
from indexer.reporting import Reporter
from siaa.config import Settings, load_settings
from siaa.errors import BuildLockedError, ConfigError, SiaaError

PUBLISHED, WRONG_USE, NOT_PUBLISHED, LOCKED = 0, 2, 4, 5


def main(arguments: Sequence[str] | None = None) -> int:
    """Build with the settings of the environment; return the exit code."""
    options = _parser().parse_args(arguments)
    reporter = Reporter()
    try:
        settings = load_settings()
        _say_what_applies(settings, reporter)
        result = build(settings, reporter, force=options.rehacer)
    except ConfigError as error:
        reporter.say(f"error: {error.message}")
        return WRONG_USE
    except BuildLockedError as error:
        reporter.say(f"error: {error.message}")
        return LOCKED
    except SiaaError as error:
        reporter.say(f"error: {error.message} No se publicó nada; lo publicado antes sigue como estaba.")
        return NOT_PUBLISHED
    except KeyboardInterrupt:
        reporter.say("Interrumpido: no se publicó nada; lo publicado antes sigue como estaba.")
        return NOT_PUBLISHED
    if result.published or options.detalle:
        reporter.files(result.manifest.reports, every=options.detalle)
    reporter.summary(result.manifest, published=result.published, seconds=result.seconds)
    return PUBLISHED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m indexer", description="Construye el índice de SIAA con los documentos del corpus y lo publica."
    )
    parser.add_argument("--rehacer", action="store_true", help="construir aunque nada haya cambiado")
    parser.add_argument(
        "--detalle", action="store_true", help="decir qué fue de cada archivo, también si no hay nada que hacer"
    )
    return parser


def _say_what_applies(settings: Settings, reporter: Reporter) -> None:
    reporter.say(f"Documentos: {settings.corpus_dir}\nÍndice: {settings.index_dir}")
    if not settings.owns_tuning:
        reporter.warn(
            "el corpus no es el del proyecto y no hay SIAA_CONFIG_DIR: se usan solo las tablas de lengua "
            "(ni palabras clave manuales, ni aclaraciones, ni preguntas de control)."
        )


if __name__ == "__main__":
    sys.exit(main())
