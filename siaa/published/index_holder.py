"""Hold the index generation being served, and change it under way without an answer noticing."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from siaa.config import Settings
from siaa.errors import GenerationError, SiaaError
from siaa.generation import current_name, generation_names, open_generation
from siaa.profile import load_profile
from siaa.published.compute_limit import ComputeLimit
from siaa.retrieval import Retriever, Stage

log = logging.getLogger(__name__)

CHECK_SECONDS = 1.0  # CURRENT is looked at no more often than this
CLOCK_SLACK_SECONDS = 60.0  # that this machine's clock may be behind the one of the build
RETRY_SECONDS = 30.0  # a generation that failed its check is tried again after this long, or by `reload`
WARM_UP = "¿Qué dice el artículo 1?"
NO_INDEX = "No hay un índice que servir. Constrúyalo con «make index» y vuelva a intentarlo."
NO_CURRENT = "Falta el archivo CURRENT, que nombra la generación publicada: ejecute «make index»."
UNEXPECTED = "El índice nuevo no se pudo abrir por un fallo inesperado; el registro del servicio tiene los detalles."
INSTEAD = "{problem} Mientras tanto se sirve la generación {name}, que está entera."


@dataclass(frozen=True, slots=True)
class FragmentBudget:
    """The documents of an answer, and the passages of each, at most."""

    max_docs: int
    max_chunks: int


Opener = Callable[[Path], Retriever]  # folder of a generation -> what answers from it
Observe = Callable[[str, float], None]  # a step, and the seconds it took
NameReader = Callable[[Path], str | None]
NameLister = Callable[[Path], Sequence[str]]


def opener_for(
    settings: Settings, *, observe: Observe = lambda stage, seconds: None, compute: ComputeLimit | None = None
) -> Opener:
    """Return what verifies, opens and warms a generation with the profile and limits of `settings`.

    `observe` is told how long each step of each question takes; few of them `compute` at once.
    """

    shared = compute or ComputeLimit()

    @contextmanager
    def step(stage: Stage) -> Iterator[None]:
        with shared:
            began = time.perf_counter()
            try:
                yield
            finally:
                observe(stage, time.perf_counter() - began)

    def open_retriever(folder: Path) -> Retriever:
        generation = open_generation(folder)
        try:
            profile = load_profile(generation, settings.perfil)
            retriever = Retriever(
                generation,
                profile=profile,
                max_docs=settings.max_docs_contexto,
                max_chunks=settings.max_chunks_contexto,
                step=step,
            )
            # What a first question reads and computes is paid here; a generation that cannot answer is not served.
            retriever.gather(retriever.route(retriever.ask(WARM_UP)))
            return retriever
        except BaseException:
            generation.close()
            raise

    return open_retriever


@dataclass(slots=True, eq=False)
class _Served:
    """A generation in service; `readers` counts the leases, and `retired` says that another has taken its place."""

    retriever: Retriever
    since: float  # seconds of the epoch
    readers: int = 0
    retired: bool = False
    closed: bool = field(default=False)


class IndexHolder:
    """Serve the generation that CURRENT names, or the newest whole one while that one cannot be served. Thread-safe.

    A generation that fails its check is never served, and `problem` says in Spanish why. `budget`, asked at each
    lease, limits what the retriever gathers to what the model can take now.
    """

    def __init__(
        self,
        index_dir: Path,
        *,
        opener: Opener,
        read_name: NameReader = current_name,
        list_names: NameLister = generation_names,
        budget: Callable[[], FragmentBudget] | None = None,
        clock: Callable[[], float] = time.monotonic,
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        self._index_dir = index_dir
        self._open = opener
        self._read_name = read_name
        self._list_names = list_names
        self._budget = budget
        self._clock = clock
        self._wall_clock = wall_clock
        self._lock = threading.Lock()  # guards the fields below; held for moments only
        self._opening = threading.Lock()  # one thread opens, the others go on with what is served
        self._served: _Served | None = None
        self._next_check = float("-inf")
        self._failed: dict[str, float] = {}  # names that failed -> when to try them again
        self.problem: str | None = NO_INDEX

    @property
    def since(self) -> float | None:
        """Return since when the generation in service is served, in seconds of the epoch."""
        served = self._served
        return served.since if served else None

    @contextmanager
    def lease(self, *, look: bool = True) -> Iterator[Retriever]:
        """Hand out the retriever of the newest generation, which stays open until the lease ends.

        Without `look` it is the one in service, and nothing newer is looked for.

        Raises GenerationError if there is none to serve.
        """
        if look:
            self._check_if_due()
        with self._lock:
            served = self._served
            if served is None:
                raise GenerationError(self.problem or NO_INDEX)
            served.readers += 1
        try:
            yield self._within_budget(served.retriever)
        finally:
            self._give_back(served)

    def _within_budget(self, retriever: Retriever) -> Retriever:
        if self._budget is None:
            return retriever
        budget = self._budget()
        return retriever.limited(max_docs=budget.max_docs, max_chunks=budget.max_chunks)

    def reload(self) -> bool:
        """Look for a new generation now and tell whether one was taken into service."""
        with self._opening:
            self._failed.clear()
            return self._check()

    def reject(self, name: str, problem: str) -> None:
        """Serve the generation `name` no longer, for the reason given, but the newest whole one, if there is any."""
        with self._opening:
            with self._lock:
                if self._served is None or self._served.retriever.generation.name != name:
                    return
                damaged, self._served = self._served, None
            self._failed[name] = self._clock() + RETRY_SECONDS
            self._note(problem)
            self._retire(damaged)
            self._fall_back(name, problem)

    def close(self) -> None:
        """Retire the generation in service; leases that are out keep it open until they end."""
        with self._lock:
            served, self._served = self._served, None
        self._retire(served)

    def _check_if_due(self) -> None:
        waits = self._served is None  # for the first opening, or for what stands in for a damaged generation
        if not waits and self._clock() < self._next_check:
            return
        if not self._opening.acquire(blocking=waits):
            return  # another thread opens, and the old generation is at work meanwhile
        try:
            if self._clock() >= self._next_check:
                self._check()
        finally:
            self._opening.release()

    def _check(self) -> bool:
        """Compare CURRENT with what is served and open what is new. The caller holds `_opening`."""
        try:
            return self._take_current()
        except SiaaError as error:  # CURRENT itself cannot be used
            return self._fall_back("", error.message)
        except Exception:
            log.exception("CURRENT no se pudo leer")
            return self._fall_back("", UNEXPECTED)
        finally:
            self._next_check = self._clock() + CHECK_SECONDS

    def _take_current(self) -> bool:
        name = self._read_name(self._index_dir)
        if name is None:
            known = self._served is not None or self._list_names(self._index_dir)
            return self._fall_back("", NO_CURRENT if known else NO_INDEX)
        served = self._served
        if served is not None and name == served.retriever.generation.name:
            self.problem = None
            self._failed.clear()
            return False
        if self._clock() < self._failed.get(name, 0.0):
            # A generation that failed is left alone for a while; what stands in for it is looked for again.
            return served is None and self._fall_back(name, self.problem or UNEXPECTED)
        problem = self._take(name)
        return True if problem is None else self._fall_back(name, problem)

    def _fall_back(self, name: str, problem: str) -> bool:
        """Serve the newest whole generation instead of `name`, unless one is served: tell whether one was taken.

        Generations older than `name` come first: what is newer was left by the operator.
        """
        if self._served is not None:
            self._note(problem)
            return False
        names = sorted((other for other in self._list_names(self._index_dir) if other != name), reverse=True)
        for other in sorted(names, key=lambda other: bool(name) and other > name):  # stable: newest first in each half
            if self._clock() < self._failed.get(other, 0.0):
                continue
            if self._take(other) is None:
                self._note(INSTEAD.format(problem=problem, name=other))
                return True
        self._note(problem)
        return False

    def _take(self, name: str) -> str | None:
        """Open a generation and serve it; return why that cannot be done."""
        try:
            retriever = self._open(self._index_dir / name)
        except SiaaError as error:
            return self._reject(name, error.message)
        except Exception:
            log.exception("la generación %s no se pudo abrir", name)
            return self._reject(name, UNEXPECTED)
        with self._lock:
            old, self._served = self._served, _Served(retriever, self._wall_clock())
            self.problem = None
            self._failed.pop(name, None)
        log.info("se sirve la generación %s", retriever.generation.name)
        if _seconds(retriever.generation.manifest.created) > self._wall_clock() + CLOCK_SLACK_SECONDS:
            log.warning("el reloj de este equipo va atrás: la generación %s se construyó después de ahora", name)
        self._retire(old)
        return None

    def _reject(self, name: str, problem: str) -> str:
        # Looking for an index costs nothing; opening a damaged one does.
        self._failed[name] = self._clock() + RETRY_SECONDS
        log.error("la generación %s no se sirve: %s", name, problem)
        return problem

    def _note(self, problem: str) -> None:
        if problem != self.problem:
            log.error("índice: %s", problem)
        self.problem = problem

    def _retire(self, served: _Served | None) -> None:
        if served is None:
            return
        with self._lock:
            served.retired = True
        self._close_if_idle(served)

    def _give_back(self, served: _Served) -> None:
        with self._lock:
            served.readers -= 1
        self._close_if_idle(served)

    def _close_if_idle(self, served: _Served) -> None:
        with self._lock:
            if not served.retired or served.readers or served.closed:
                return
            served.closed = True
        served.retriever.generation.close()


def _seconds(created: str) -> float:
    """Return an ISO 8601 time as seconds of the epoch."""
    return datetime.fromisoformat(created).timestamp()
