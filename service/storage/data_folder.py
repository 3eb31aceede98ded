"""Choose the folder of the answer cache and the quality log, so that no index reads what people asked another."""

from __future__ import annotations

import os
from pathlib import Path

from siaa.config import Settings

SHARED = "datos"  # beside the folder of the index, which may be read-only
OWNER = "indice"  # in it: the name of the folder of the index that it belongs to


def data_folder(settings: Settings) -> Path:
    """Return `SIAA_DATA_DIR`; without it `datos/` beside the index, or `datos-<index>/` when it is another index's.

    Indexes whose folders lie side by side would meet in `datos/`: the first to use it writes its name there and keeps
    it, together with what an earlier version left in it. A folder that cannot be written is returned all the same:
    what uses it goes on without.
    """
    if settings.data_dir is not None:
        return settings.data_dir
    index = settings.index_dir.resolve()
    shared, own = index.parent / SHARED, index.parent / f"{SHARED}-{index.name}"
    if own.is_dir():
        return own
    if not settings.cache_max and not settings.quality_log_days:  # nothing will be written: leave it to who does
        return shared
    try:
        return shared if _owner(shared, os.fsencode(index.name)) == os.fsencode(index.name) else own
    except OSError:
        return shared


def _owner(folder: Path, name: bytes) -> bytes:
    """Return whose `folder` is; nobody's becomes that of `name`."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    note = folder / OWNER
    try:
        with note.open("xb") as file:
            file.write(name + b"\n")
    except FileExistsError:
        owner = note.read_bytes().rstrip(b"\n")
        if owner:
            return owner
        note.write_bytes(name + b"\n")  # cut before its name was in it
    return name
