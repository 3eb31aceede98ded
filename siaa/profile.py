"""Read a scoring profile: the weight of every routing level and selection signal, from a commented TOML file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from siaa.errors import ConfigError
from siaa.generation import TUNING, Generation
from siaa.toml_file import read_toml

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
    data = read_toml(path)
    where = f"perfil {path.name}"
    try:
        return Profile(
            name=path.stem,
            base=_choice(data["base"], ("bm25f", "tfidf"), f"{where}, base"),
            standout=_weight("destaca", data["destaca"], where),
            routing=_weights("enrutar", data["enrutar"], where),
            selection=_weights("fragmento", data["fragmento"], where),
        )
    except KeyError as error:
        raise ConfigError(f"Al {where} le falta {error}.") from error


def _weights(name: str, table: object, where: str) -> dict[str, float]:
    if not isinstance(table, dict):
        raise ConfigError(f"{where}: se esperaba la tabla [{name}] y hay {table!r}.")
    return {key: _weight(key, value, f"{where}, [{name}]") for key, value in table.items()}


def _weight(name: str, value: object, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise ConfigError(f"{where}: {name} debe ser un número finito y es {value!r}.")
    return float(value)


def _choice(value: str, allowed: tuple[str, ...], where: str) -> str:
    if value not in allowed:
        raise ConfigError(f"{where}: «{value}» no vale; puede ser {' o '.join(allowed)}.")
    return value
