"""Publish generations: a lock that two builds never share, an atomic CURRENT, and the removal of what nobody needs."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from siaa.errors import BuildLockedError, GenerationError
from siaa.generation import CURRENT, current_name, generation_names

KEPT = 3  # generations kept, the published one included
_LOCK = ".lock"
_UNFINISHED = "tmp-"

_NO_ROOM = "no queda espacio en el disco; libere espacio y vuelva a construir"
_NOT_ALLOWED = "faltan permisos; revise de quién son la carpeta del índice y sus archivos"
_OTHERWISE = "revise el espacio y los permisos"
_REASONS = {
    errno.ENOSPC: _NO_ROOM,
    errno.EDQUOT: "se agotó la cuota de disco de este usuario; libere espacio y vuelva a construir",
    errno.EFBIG: "un archivo pasaría del tamaño que se permite a este proceso (ulimit -f)",
    errno.EROFS: "la carpeta está en un disco de solo lectura",
    errno.EACCES: _NOT_ALLOWED,
    errno.EPERM: _NOT_ALLOWED,
    errno.EIO: "el disco falla; cámbielo antes de volver a construir",
    errno.EMFILE: "hay demasiados archivos abiertos (ulimit -n)",
}


@contextmanager
def build_lock(index_dir: Path) -> Iterator[None]:
    """Hold the lock of the index directory; the system releases it when the process ends, however it ends.

    Raises BuildLockedError at once when another build holds it, GenerationError when the folder cannot be written.
    """
    try:
        index_dir.mkdir(parents=True, exist_ok=True)
        lock = FileLock(index_dir / _LOCK, timeout=0)
        lock.acquire()
    except Timeout as error:
        raise BuildLockedError("Otra construcción del índice está en curso: espere a que termine.") from error
    except OSError as error:
        raise GenerationError(
            f"No se puede escribir en la carpeta del índice {index_dir}: revise los permisos y el espacio."
        ) from error
    try:
        yield
    finally:
        lock.release()


def remove_unfinished(index_dir: Path) -> None:
    """Remove what killed builds left. Call it under the lock."""
    for folder in index_dir.glob(f"{_UNFINISHED}*"):
        shutil.rmtree(folder, ignore_errors=True) if folder.is_dir() else folder.unlink(missing_ok=True)


def unfinished_folder(index_dir: Path) -> Path:
    """Create and return a fresh folder to build in, on the same file system as where it will be published."""
    folder = index_dir / f"{_UNFINISHED}{os.getpid()}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


def settle(folder: Path) -> None:
    """Flush every file and folder below `folder` to the disk."""
    for path in sorted(folder.rglob("*")):
        _flush(path)
    _flush(folder)


def publish(built: Path, index_dir: Path, name: str) -> Path:
    """Give the finished folder its name and make it CURRENT, each by one atomic rename."""
    final = index_dir / name
    os.rename(built, final)
    try:
        _flush(index_dir)
        point_to(index_dir, name)
    except OSError:
        os.rename(final, built)  # nobody points to it: it is as unfinished as before
        raise
    return final


def point_to(index_dir: Path, name: str) -> None:
    """Replace CURRENT atomically."""
    pointer = index_dir / f"{_UNFINISHED}{CURRENT}"
    pointer.write_text(name + "\n", encoding="ascii")
    _flush(pointer)
    os.replace(pointer, index_dir / CURRENT)
    _flush(index_dir)


def prune(index_dir: Path, *, keep: int = KEPT) -> tuple[str, ...]:
    """Remove all but the newest `keep` generations, never the published one; return the names removed."""
    current = current_name(index_dir)
    names = generation_names(index_dir)
    kept = set([name for name in names if name != current][: keep - 1]) | {current}
    removed = tuple(name for name in names if name not in kept)
    for name in removed:
        # Out of the way first: a folder that is half removed must not look like a generation.
        doomed = index_dir / f"{_UNFINISHED}{name}"
        os.rename(index_dir / name, doomed)
        shutil.rmtree(doomed, ignore_errors=True)
    return removed


def reason_of(error: OSError) -> str:
    """Return in Spanish why something could not be written or read, and what to do."""
    return _REASONS.get(error.errno or 0, _OTHERWISE)


def _flush(path: Path) -> None:
    if os.name == "nt" and path.is_dir():
        return  # Windows cannot flush a folder
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
