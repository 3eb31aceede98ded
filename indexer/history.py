"""Look after the generations there are: list them, check them, point back to an older one."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from indexer import publishing
from siaa.errors import GenerationError
from siaa.generation import Manifest, current_name, generation_names, open_generation

_BUILD_ADVICE = re.compile(r"(?::| o) ejecute «make index»\.$|\.$")  # the end of a problem
_MAY_GO = (
    "; no es la publicada y puede borrarse: «python -m indexer prune --conservar N» deja la publicada y las N-1 más "
    "nuevas de las otras."
)


@dataclass(frozen=True, slots=True)
class KeptGeneration:
    """A generation in the index folder; `problem` says in Spanish why it cannot be served, "" when it can."""

    name: str
    published: bool
    manifest: Manifest | None
    problem: str


def list_generations(index_dir: Path, *, thorough: bool = False) -> tuple[KeptGeneration, ...]:
    """Return the generations, newest first; `thorough` verifies every digest and opens each."""
    current = current_name(index_dir)
    names = generation_names(index_dir)
    kept = (_looked_at(index_dir / name, published=name == current, thorough=thorough) for name in names)
    return tuple(_advised(one) if current in names else one for one in kept)


def _advised(one: KeptGeneration) -> KeptGeneration:
    """Say of an old generation that it may go: building does not mend it, and nobody is waiting for it."""
    if one.published or not one.problem:
        return one
    return replace(one, problem=_BUILD_ADVICE.sub("", one.problem) + _MAY_GO)


def _looked_at(folder: Path, *, published: bool, thorough: bool) -> KeptGeneration:
    try:
        manifest = Manifest.read(folder)
    except GenerationError as error:
        return KeptGeneration(folder.name, published, None, error.message)
    return KeptGeneration(folder.name, published, manifest, _problem(folder) if thorough else "")


def _problem(folder: Path) -> str:
    """Return why the generation cannot be served: damage, or counts and analyzer that do not fit its manifest."""
    try:
        generation = open_generation(folder)
    except GenerationError as error:
        return error.message
    try:
        manifest = generation.manifest
        counted = (len(generation.documents), generation.index.passage_count)
        if counted != (manifest.documents, manifest.passages):
            return f"tiene {counted[0]} documentos y {counted[1]} pasajes, y su manifiesto dice otra cosa."
        if generation.analyzer.fingerprint != manifest.analyzer:
            return "se hizo con otro analizador: ejecute «make index»."
    finally:
        generation.close()
    return ""


def roll_back(index_dir: Path, name: str = "") -> str:
    """Publish an older whole generation again: `name`, or the newest before the published one; return its name.

    Raises GenerationError when there is none, or it is damaged.
    """
    with publishing.build_lock(index_dir):
        target = name or _previous(index_dir)
        open_generation(folder_of(index_dir, target)).close()
        publishing.point_to(index_dir, target)
    return target


def folder_of(index_dir: Path, name: str) -> Path:
    """Return the folder of a generation.

    Raises GenerationError when there is none of this name.
    """
    if name not in generation_names(index_dir):
        raise GenerationError(f"No existe la generación {name}: véalas con «python -m indexer list».")
    return index_dir / name


def _previous(index_dir: Path) -> str:
    current = current_name(index_dir)
    older = next((name for name in generation_names(index_dir) if current is None or name < current), None)
    if older is None:
        raise GenerationError("No hay ninguna generación anterior a la publicada.")
    return older
