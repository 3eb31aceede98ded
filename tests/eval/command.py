"""What the commands of the evaluation share: how sets are chosen, and where progress is written."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from siaa.command_line import SpanishParser
from siaa.config import PROJECT_DIR
from siaa.errors import SiaaError
from siaa.profile import Profile, read_profile
from tests.eval.questions import OWN_FOLDER, QuestionSet, UnknownSetError, find_sets
from tests.eval.serving import EvaluationError

SHARED = PROJECT_DIR.parent / "shared" / "eval"
PROFILES = PROJECT_DIR / "config" / "perfiles"
FAILED, WRONG_USE = 1, 2


def parser(program: str, what: str) -> argparse.ArgumentParser:
    """Return a parser with the options that choose sets."""
    made = SpanishParser(prog=f"python -m {program}", description=what)
    made.add_argument(
        "--carpeta", type=Path, default=SHARED, help="carpeta con los conjuntos (por omisión, %(default)s)"
    )
    made.add_argument("--conjuntos", nargs="*", default=[], metavar="NOMBRE", help="solo estos (por omisión, todos)")
    made.add_argument(
        "--reusar", action="store_true", help="usar los índices temporales que haya aunque el código haya cambiado"
    )
    return made


def chosen_sets(folder: Path, chosen: Sequence[str]) -> list[QuestionSet]:
    """Return the sets to measure; without `folder`, say so and return the project's own.

    Raises UnknownSetError.
    """
    if folder.is_dir():
        return find_sets(folder, chosen)
    say(
        f"No existe la carpeta de conjuntos {folder}: se mide solo el conjunto propio "
        f"({OWN_FOLDER.relative_to(PROJECT_DIR)}). Indique otra con EVAL_DIR=... o --carpeta."
    )
    return find_sets(None, chosen)


def profiles(names_or_files: Sequence[str]) -> list[Profile]:
    """Read profiles by the name of a file of `config/perfiles/` or by path, as they are now, not as they were indexed.

    Raises ConfigError.
    """
    paths = [Path(given) if given.endswith(".toml") else PROFILES / f"{given}.toml" for given in names_or_files]
    return [read_profile(path) for path in paths]


def say(text: str) -> None:
    """Write one line of progress to standard error, so that standard output holds the result only."""
    print(text, file=sys.stderr, flush=True)


def run(main: Callable[[], int]) -> int:
    """Run a command; what can go wrong for reasons of use is one sentence and an exit code."""
    try:
        return main()
    except UnknownSetError as error:
        say(str(error))
        return WRONG_USE
    except EvaluationError as error:
        say(str(error))
        return FAILED
    except SiaaError as error:
        say(error.message)
        return FAILED
