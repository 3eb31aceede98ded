"""Build and look after the index: `python -m indexer [orden]`.

Exit codes (contract): 0 published or nothing to do, 2 wrong use, 3 stopped by the gate, 4 nothing could be published,
5 another build is running. `review`, `diff` and `check` exit with 0 when there is nothing to report and 1 otherwise.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from indexer.commands import COMMANDS, parser
from indexer.gate import StoppedByGateError
from indexer.publishing import reason_of
from indexer.reporting import Reporter
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
    try:
        return COMMANDS[order](options, load_settings(), reporter)
    except SiaaError as error:
        reporter.say(f"error: {error.message}")
        code = next(code for kind, code in _CODES if isinstance(error, kind))
        if order == "build" and code in (STOPPED, NOT_PUBLISHED):
            reporter.say("No se publicó nada; lo publicado antes sigue como estaba.")
        return code
    except OSError as error:
        reporter.say(f"error: no se pudo leer o escribir en el disco: {reason_of(error)}.")
        return NOT_PUBLISHED
    except KeyboardInterrupt:
        reporter.say("Interrumpido: no se publicó nada; lo publicado antes sigue como estaba.")
        return NOT_PUBLISHED


if __name__ == "__main__":
    sys.exit(main())
