"""Read a scoring profile: the weight of every routing level and selection signal, from a commented TOML file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from siaa.errors import ConfigError
from siaa.generation import TUNING, Generation

PROFILES = "perfiles"


@dataclass(frozen=True, slots=True)
class Profile:
    """Weights by name: `routing` multiplies evidence in 0..1, `selection` gives points or multiplies a measure.

    `base` is "bm25f" or "tfidf", what a passage's own score is. `standout` is the share of the best passage's score
    below which another is left out (0: never).
    """

    name: str
    base: str
    standout: float
    routing: Mapping[str, float]
    selection: Mapping[str, float]


def load_profile(generation: Generation, name: str) -> Profile:
    """Read the profile `name` of a generation.

    Raises ConfigError that lists the known ones, or names what is missing in the file.
    """
    folder = generation.folder / TUNING / PROFILES
    known = sorted(path.stem for path in folder.glob("*.toml"))
    if name not in known:
        raise ConfigError(
            f"No existe el perfil «{name}»; los hay: {', '.join(known) or 'ninguno'}.", suggestions=tuple(known)
        )
    return read_profile(folder / f"{name}.toml")


def read_profile(path: Path) -> Profile:
    """Read one profile file.

    Raises ConfigError naming the file and what is wrong.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        return Profile(
            name=path.stem,
            base=_choice(data["base"], ("bm25f", "tfidf"), path.name),
            standout=_weight("destaca", data["destaca"]),
            routing={key: _weight(key, value) for key, value in data["enrutar"].items()},
            selection={key: _weight(key, value) for key, value in data["fragmento"].items()},
        )
    except KeyError as error:
        raise ConfigError(f"Al perfil {path.name} le falta {error}.") from error
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise ConfigError(f"El perfil {path.name} no se puede leer: {error}.") from error


def _weight(name: str, value: float) -> float:
    number = float(value)
    if not isfinite(number):
        raise ValueError(f"{name} = {value} no es un número finito")
    return number


def _choice(value: str, allowed: tuple[str, ...], where: str) -> str:
    if value not in allowed:
        raise ConfigError(f"{where}: «{value}» no vale; puede ser {' o '.join(allowed)}.")
    return value
