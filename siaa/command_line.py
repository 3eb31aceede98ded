"""Read a command line and say in Spanish what it may hold and what is wrong with it; argparse knows only English."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterable
from typing import NoReturn

WRONG_USE = 2
_QUOTES = "'\""
_HEADINGS = {"positional arguments": "argumentos", "options": "opciones", "optional arguments": "opciones"}
_KINDS = {"int": "un número entero", "float": "un número"}
_NAMED = re.compile(r"argument (?P<name>.+?): (?P<what>.*)", re.DOTALL)

# What argparse says -> what we say. The first that fits, whole.
_SAYINGS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = tuple(
    (re.compile(pattern, re.DOTALL), say)
    for pattern, say in (
        (r"unrecognized arguments: (.*)", lambda m: f"no se conoce «{m[1]}»"),
        (r"the following arguments are required: (.*)", lambda m: f"falta {m[1]}"),
        (r"one of the arguments (.*) is required", lambda m: f"falta uno de estos: {', '.join(m[1].split())}"),
        (r"ambiguous option: (.*) could match (.*)", lambda m: f"«{m[1]}» puede ser {m[2]}: escríbala entera"),
        (r"invalid choice: (.*) \(choose from (.*)\)", lambda m: f"no se conoce {_quoted(m[1])}; vale {_list(m[2])}"),
        (r"invalid (\w+) value: (.*)", lambda m: f"no vale {_quoted(m[2])}{_wanted(m[1])}"),
        (r"expected one argument", lambda m: "necesita un valor"),
        (r"expected at least one argument", lambda m: "necesita al menos un valor"),
        (r"expected at most one argument", lambda m: "admite un solo valor"),
        (r"expected (\d+) arguments?", lambda m: f"necesita {m[1]} valores"),
        (r"ignored explicit argument (.*)", lambda m: f"no admite un valor, y trae {_quoted(m[1])}"),
        (r"not allowed with argument (.*)", lambda m: f"no se puede usar junto con {m[1]}"),
    )
)


class SpanishParser(argparse.ArgumentParser):
    """An ArgumentParser whose help, usage and errors are Spanish; its subcommands are too.

    The types of arguments must raise ArgumentTypeError with a Spanish sentence.
    """

    def __init__(self, *, prog: str | None = None, description: str | None = None) -> None:
        super().__init__(prog=prog, description=description, formatter_class=_SpanishFormatter, add_help=False)
        self.add_argument("-h", "--help", action="help", help="mostrar esta ayuda y terminar")

    def error(self, message: str) -> NoReturn:
        """Print how it is used and what is wrong, and end with the code for wrong use."""
        self.print_usage(sys.stderr)
        self.exit(WRONG_USE, f"{self.prog}: error: {_translate(message)}. Con --help se ve lo que admite.\n")


class _SpanishFormatter(argparse.HelpFormatter):
    def add_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable[argparse._MutuallyExclusiveGroup],
        prefix: str | None = None,
    ) -> None:
        super().add_usage(usage, actions, groups, "uso: " if prefix is None else prefix)

    def start_section(self, heading: str | None) -> None:
        super().start_section(_HEADINGS.get(heading or "", heading))


def _translate(message: str) -> str:
    """Return an error of argparse in Spanish."""
    named = _NAMED.fullmatch(message)
    what = named["what"] if named else message
    for pattern, say in _SAYINGS:
        if found := pattern.fullmatch(what):
            return f"{named['name']}: {say(found)}" if named else say(found)
    # Behind the name of an argument stands the sentence of its type, which is ours.
    return f"{named['name']}: {what}" if named else "no se entiende lo que se escribió detrás de la orden"


def _quoted(shown: str) -> str:
    """Return a value that argparse shows as Python does between the quotation marks of Spanish."""
    return f"«{shown[1:-1] if len(shown) > 1 and shown[0] == shown[-1] and shown[0] in _QUOTES else shown}»"


def _list(choices: str) -> str:
    return ", ".join(choice.strip().strip(_QUOTES) for choice in choices.split(","))


def _wanted(kind: str) -> str:
    return f": debe ser {_KINDS[kind]}" if kind in _KINDS else ""
