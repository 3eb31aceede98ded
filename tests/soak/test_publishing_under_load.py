"""Ask without a pause while generations are published and pruned: no answer fails, none mixes two of them.

Every document of a generation says which edition it is, so that an answer gives away what it was made from.
"""

from __future__ import annotations

import io
import json
import random
import re
import threading
import time
from pathlib import Path

import pytest

from indexer import publishing
from indexer.build import build
from indexer.reporting import Reporter
from siaa.config import Settings
from siaa.generation import generation_names
from tests.http.client import Client
from tests.http.conftest import running
from tests.soak.processes import resident_bytes, worker_of
from tests.soak.scale import scaled

CLIENTS = 32
QUESTIONS = scaled(short=640, long=10_000)
PUBLISHED = scaled(short=2, long=20)
WARM_UP = scaled(short=320, long=1600)  # questions before the first look at the memory
MEMORY_GROWTH = 1.2
KEPT = 3
DOCUMENTS = 12
_EDITION = re.compile(r"edici[oó]n (\d+)", re.IGNORECASE)


def write_edition(corpus: Path, edition: int) -> None:
    """Write documents that all name their edition, in every sentence that may be quoted."""
    folder = corpus / "normas"
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(DOCUMENTS):
        articles = "\n\n".join(
            f"Artículo {article}. En la edición {edition}, el plazo del trámite {number} ante la oficina {article} "
            f"es de {article + number} días hábiles, y lo vigila la secretaría según la edición {edition}."
            for article in range(1, 15)
        )
        text = f"# Reglamento del trámite {number}, edición {edition}\n\n{articles}\n"
        (folder / f"reglamento_{number}.md").write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def editions(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, int]]:
    """Build every generation beforehand; return their folder, and each one's edition."""
    folder = tmp_path_factory.mktemp("ediciones")
    settings = Settings(corpus_dir=folder / "corpus", index_dir=folder / "indice")
    made: dict[str, int] = {}
    for edition in range(1, PUBLISHED + 2):
        write_edition(settings.corpus_dir, edition)
        name = build(settings, Reporter(io.StringIO())).manifest.name
        made[name] = edition
        (settings.index_dir / name).rename(folder / name)
        (settings.index_dir / "CURRENT").unlink()
    return folder, made


class Load:
    """Clients that ask until enough was asked; what was wrong is in `wrong`."""

    def __init__(self, client: Client, editions: dict[str, int]) -> None:
        self.wrong: list[str] = []
        self.seen: set[int] = set()
        self.slowest = 0.0
        self.asked = 0
        self._client = client
        self._editions = editions
        self._lock = threading.Lock()

    def run(self, questions: int) -> None:
        """Ask `questions` questions from CLIENTS clients at once."""
        until = self.asked + questions
        threads = [threading.Thread(target=self._ask_until, args=(until, seed)) for seed in range(CLIENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _ask_until(self, until: int, seed: int) -> None:
        chance = random.Random(seed * 1_000_003 + until)
        while True:
            with self._lock:
                if self.asked >= until:
                    return
                self.asked += 1
            try:
                self._ask(chance)
            except Exception as error:
                with self._lock:
                    self.wrong.append(f"{type(error).__name__}: {error}")

    def _ask(self, chance: random.Random) -> None:
        number, article = chance.randrange(DOCUMENTS), chance.randrange(1, 15)
        question = f"¿Cuál es el plazo del trámite {number} ante la oficina {article}?"
        began = time.monotonic()
        match chance.randrange(4):
            case 0:
                answer = self._client.get("/siaa/fragmento", doc=f"reglamento_{number}.md", q=question)
                text = answer.json["fragmento"]
            case 1:
                answer = self._client.get(f"/siaa/ver/reglamento_{number}.md")
                text = answer.text
            case _:
                answer = self._client.chat(question)
                assert answer.events[-1] == "[DONE]"
                text = json.dumps(answer.events, ensure_ascii=False)
        seconds = time.monotonic() - began
        assert answer.status == 200, answer.text
        expected = self._editions[answer.headers["x-siaa-generacion"]]
        found = {int(edition) for edition in _EDITION.findall(text)}
        assert found == {expected}, f"edición {expected}, y en la respuesta {found}: {text[:300]}"
        with self._lock:
            self.seen.add(expected)
            self.slowest = max(self.slowest, seconds)


@pytest.fixture
def index(editions: tuple[Path, dict[str, int]], tmp_path: Path) -> Path:
    folder = tmp_path / "indice"
    folder.mkdir()
    return folder


def test_no_answer_fails_or_mixes_generations(
    editions: tuple[Path, dict[str, int]], index: Path, tmp_path: Path
) -> None:
    source, made = editions
    names = list(made)
    publishing.publish(source / names[0], index, names[0])
    with running(SIAA_INDEX_DIR=str(index), SIAA_DATA_DIR=str(tmp_path / "datos")) as client:
        load = Load(client, made)
        load.run(WARM_UP)
        before = resident_bytes(worker_of(client.pid))
        asking = threading.Thread(target=load.run, args=(QUESTIONS,))
        began, first = time.monotonic(), load.asked
        asking.start()
        for position, name in enumerate(names[1:], start=1):
            while asking.is_alive() and load.asked - first < position * QUESTIONS / (PUBLISHED + 1):
                time.sleep(0.02)
            publishing.publish(source / name, index, name)
            publishing.prune(index, keep=KEPT)
        asking.join()
        seconds = time.monotonic() - began
        after = resident_bytes(worker_of(client.pid))
    print(
        f"\n{QUESTIONS} preguntas de {CLIENTS} clientes en {seconds:.1f} s, la más lenta {load.slowest:.2f} s; "
        f"{len(load.seen)} generaciones vistas; memoria {before / 2**20:.1f} -> {after / 2**20:.1f} MB"
    )
    assert load.wrong == []
    assert len(load.seen) >= PUBLISHED
    assert len(generation_names(index)) == min(KEPT, PUBLISHED + 1)
    assert after <= MEMORY_GROWTH * before
