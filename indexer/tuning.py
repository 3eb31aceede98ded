"""Gather the tuning files of a build: the operator's own, and the project's language tables where they have none."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Mapping
from pathlib import Path

from siaa.config import OWN_CONFIG_DIR, Settings
from siaa.errors import ConfigError
from siaa.language import CORPUS_FILES, LANGUAGE_FILES, load_tables
from siaa.profile import PROFILES, read_profile
from siaa.retrieval import check_profile


def tuning_files(settings: Settings) -> dict[str, Path]:
    """Return the files a generation copies, by name; tables of a corpus only when they are its own.

    Raises ConfigError when SIAA_CONFIG_DIR is no folder.
    """
    folders = [OWN_CONFIG_DIR]
    if settings.config_dir is not None:
        if not settings.config_dir.is_dir():
            raise ConfigError(f"No existe la carpeta de ajustes {settings.config_dir} (SIAA_CONFIG_DIR).")
        folders.append(settings.config_dir)
    found: dict[str, Path] = {}
    for folder in folders:
        found |= {name: folder / name for name in LANGUAGE_FILES if (folder / name).is_file()}
        found |= {f"{PROFILES}/{path.name}": path for path in sorted((folder / PROFILES).glob("*.toml"))}
    if settings.owns_tuning:
        found |= {name: settings.tuning_dir / name for name in CORPUS_FILES if (settings.tuning_dir / name).is_file()}
    return found


def copy_tuning(files: Mapping[str, Path], folder: Path) -> None:
    """Copy the tuning files into a generation and read each once.

    Raises ConfigError naming the file that cannot be used.
    """
    for name, path in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    load_tables(folder)
    for profile in (folder / PROFILES).glob("*.toml"):
        check_profile(read_profile(profile))


def digest_tuning(files: Mapping[str, Path]) -> str:
    """Return a digest of names and contents."""
    digest = hashlib.sha256()
    for name in sorted(files):
        digest.update(name.encode() + b"\0" + hashlib.sha256(files[name].read_bytes()).digest())
    return digest.hexdigest()
