"""Read a TOML file and say in Spanish what is wrong in it and where; Python's own reader knows only English."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from siaa.errors import ConfigError

_PLACE = re.compile(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", re.DOTALL)

# How the reader's sentence begins -> what we say.
_FAULTS = {
    "Invalid statement": "ahí no puede empezar una línea: se espera «nombre = valor», [tabla] o un comentario con #",
    "Expected newline": "sobra algo detrás del valor",
    "Expected '='": "falta el signo = detrás del nombre",
    "Expected ']": "falta el corchete que cierra el nombre de la tabla",
    "Invalid initial character for a key": "el nombre empieza por un signo que no se admite: póngalo entre comillas",
    "Invalid value": "el valor no se entiende: los textos van entre comillas, y los números con punto decimal",
    "Invalid date": "la fecha o la hora no existe",
    "Unterminated string": "falta la comilla que cierra el texto",
    "Expected": "falta la comilla o el signo que cierra el texto",
    "Illegal character": "hay un carácter que un texto en comillas no admite; el texto debe acabar en su línea",
    "Found invalid character": "hay un carácter que no se admite",
    "Unescaped '\\'": "dentro de comillas dobles la barra \\ se escribe doble, o use comillas simples",
    "Invalid hex value": "el código del carácter no es hexadecimal",
    "Escaped character": "el código no es el de ningún carácter",
    "Unclosed array": "a la lista le falta una coma o el corchete ] que la cierra",
    "Unclosed inline table": "a la tabla le falta una coma o la llave } que la cierra",
    "Duplicate inline table key": "el nombre está dos veces",
    "Cannot overwrite": "el nombre ya tiene un valor: está dos veces",
    "Cannot declare": "la tabla está dos veces",
    "Cannot redefine": "el nombre ya es el de una tabla",
    "Cannot mutate": "a una tabla o lista que ya está cerrada no se le puede añadir nada",
}
_OTHERWISE = "eso no es TOML"


def read_toml(path: Path) -> dict[str, Any]:
    """Return the content of a TOML file in UTF-8.

    Raises ConfigError naming the file and, where it has one, the line and column.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"No se puede leer {path.name}: compruebe que existe, los permisos y que sea UTF-8."
        ) from error
    return parse_toml(text, path.name)


def parse_toml(text: str, name: str) -> dict[str, Any]:
    """Return the content of `text`, which stands in the file `name`.

    Raises ConfigError naming the file, the line and the column.

    >>> parse_toml("grupos [", "sinonimos.toml")
    Traceback (most recent call last):
    siaa.errors.ConfigError: sinonimos.toml no es TOML válido: línea 1, columna 8: falta el signo = detrás del nombre.
    """
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        found = _PLACE.fullmatch(str(error))
        said = found[1] if found else ""
        fault = next((fault for begins, fault in _FAULTS.items() if said.startswith(begins)), _OTHERWISE)
        raise ConfigError(f"{name} no es TOML válido: {_place(found, text)}{fault}.") from error


def _place(found: re.Match[str] | None, text: str) -> str:
    if found is None:
        return ""
    if found[2]:
        return f"línea {found[2]}, columna {found[3]}: "
    return f"al final, en la línea {len(text.splitlines())}: "
