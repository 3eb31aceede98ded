"""An index file flipped or cut at a random place before opening: another generation answers, or a sentence says why."""

from __future__ import annotations

import io
import os
import random
import shutil
from pathlib import Path

import pytest

from indexer.build import build
from indexer.reporting import Reporter
from siaa.config import Settings
from siaa.errors import GenerationError
from siaa.generation import current_name, generation_names, open_current
from siaa.published.index_holder import IndexHolder, opener_for
from tests.soak.scale import scaled
from tests.soak.test_publishing_under_load import write_edition

PLACES = scaled(short=50, long=500)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Return the settings of an index with two generations of other editions."""
    settings = Settings(corpus_dir=tmp_path / "corpus", index_dir=tmp_path / "indice", llm="ninguno")
    for edition in (1, 2):
        write_edition(settings.corpus_dir, edition)
        build(settings, Reporter(io.StringIO()))
    return settings


def damage(folder: Path, chance: random.Random) -> str:
    """Flip a byte of a random file of a generation, or cut the file; return what was done."""
    path = chance.choice(sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size))
    place = chance.randrange(path.stat().st_size)
    if chance.random() < 0.5:
        os.truncate(path, place)
        return f"{path.name} recortado a {place}"
    with path.open("r+b") as file:
        file.seek(place)
        byte = file.read(1)[0]
        file.seek(place)
        file.write(bytes([byte ^ (1 << chance.randrange(8))]))
    return f"{path.name} alterado en {place}"


def test_no_damaged_generation_answers(settings: Settings, tmp_path: Path) -> None:
    newest, older = generation_names(settings.index_dir)
    chance = random.Random(7)
    opener = opener_for(settings)
    unharmed = 0
    reasons: list[tuple[bool, str]] = []  # whether nothing else was there to serve, and what was said
    for _ in range(PLACES):
        index = tmp_path / "danado"
        shutil.copytree(settings.index_dir, index)
        done = damage(index / newest, chance)
        alone = chance.random() < 0.3
        if alone:
            shutil.rmtree(index / older)
        holder = IndexHolder(index, opener=opener)
        try:
            with holder.lease() as retriever:
                served = retriever.generation.name
                found = retriever.select(retriever.ask("¿plazo?"), retriever.generation.find("reglamento_3.md"))
                edition = "edición 1" if served == older else "edición 2"
                assert edition in found.fragment.text, done
            if served == newest:
                # Only the manifest's own free text can change without a trace, and no answer is made from it.
                assert done.startswith("manifest.json"), done
                unharmed += 1
            else:
                assert newest in (holder.problem or ""), done
        except GenerationError as error:
            reasons.append((alone, error.message))
        finally:
            holder.close()
            shutil.rmtree(index)
    assert all(alone and ("make index" in told or "permisos" in told) for alone, told in reasons), reasons
    print(f"\n{PLACES} daños; {unharmed} en textos del manifiesto que no cambian ninguna respuesta")


def test_the_next_build_heals(settings: Settings) -> None:
    chance = random.Random(8)
    for _ in range(scaled(short=2, long=10)):
        published = settings.index_dir / str(current_name(settings.index_dir))
        damage(published, chance)
        try:
            open_current(settings.index_dir).close()
        except GenerationError:
            assert build(settings, Reporter(io.StringIO())).published
        open_current(settings.index_dir).close()
