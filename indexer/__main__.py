"""Build and look after the index: `python -m indexer [orden]`.

Exit codes (contract): 0 published or nothing to do, 2 wrong use, 3 stopped by the gate, 4 nothing could be published,
5 another build is running. `review`, `diff` and `check` exit with 0 when there is nothing to report and 1 otherwise.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from datetime import UTC, datetime

from indexer.commands import COMMANDS, parser
from indexer.gate import StoppedByGateError
from indexer.publishing import reason_of
from indexer.reporting import Reporter
from siaa.build_outcome import note_outcome
from siaa.config import load_settings
from siaa.errors import BuildLockedError, ConfigError, SiaaError

FINE, WRONG_USE, STOPPED, NOT_PUBLISHED, LOCKED = 0, 2, 3, 4, 5
_CODES: tuple[tuple[type[SiaaError], int], ...] = (
    (ConfigError, WRONG_USE),
    (StoppedByGateError, STOPPED),
    (BuildLockedError, LOCKED),
    (SiaaError, NOT_PUBLISHED),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command with the settings of the environment; return the exit code."""
    options = parser().parse_args(arguments)
    order = options.orden or "build"
    reporter = Reporter()
    code, why = _run(order, options, reporter)
    if why:
        reporter.say(f"error: {why}")
        if order == "build" and code in (STOPPED, NOT_PUBLISHED):
            reporter.say("No se publicó nada; lo publicado antes sigue como estaba.")
    if order == "build" and code != LOCKED:  # the build that is running will note its own
        _note(code, why)
    return code


def _run(order: str, options: argparse.Namespace, reporter: Reporter) -> tuple[int, str]:
    """Run one command; return its exit code and why it failed, in Spanish."""
    try:
        return COMMANDS[order](options, load_settings(), reporter), ""
    except SiaaError as error:
        return next(code for kind, code in _CODES if isinstance(error, kind)), error.message
    except OSError as error:
        return NOT_PUBLISHED, f"No se pudo leer o escribir en el disco: {reason_of(error)}."
    except KeyboardInterrupt:
        return NOT_PUBLISHED, "Interrumpido."


def _note(code: int, why: str) -> None:
    """Leave how the build ended where the service looks; without usable settings there is no such place."""
    try:
        settings = load_settings()
    except ConfigError:
        return
    note_outcome(settings.index_dir, code=code, why=why, when=datetime.now(UTC))


if __name__ == "__main__":
    sys.exit(main())
