"""Hold the index generation being served, and change it under way without an answer noticing."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from service.budget import FragmentBudget
from siaa.config import Settings
from siaa.errors import GenerationError, SiaaError
from siaa.generation import current_name, open_current
from siaa.profile import load_profile
from siaa.retrieval import Retriever

log = logging.getLogger(__name__)

CHECK_SECONDS = 1.0  # CURRENT is looked at no more often than this
RETRY_SECONDS = 30.0  # a generation that failed its check is tried again after this long, or by `reload`
WARM_UP = "¿Qué dice el artículo 1?"
NO_INDEX = "No hay un índice que servir. Constrúyalo con «make index» y vuelva a intentarlo."
UNEXPECTED = "El índice nuevo no se pudo abrir por un fallo inesperado; el registro del servicio tiene los detalles."

Opener = Callable[[Path], Retriever]
NameReader = Callable[[Path], str | None]


def opener_for(settings: Settings) -> Opener:
    """Return what opens and warms the published generation of a folder with the profile and limits of `settings`."""

    def open_retriever(index_dir: Path) -> Retriever:
        generation = open_current(index_dir)
        try:
            profile = load_profile(generation, settings.perfil)
            retriever = Retriever(
                generation,
                profile=profile,
                max_docs=settings.max_docs_contexto,
                max_chunks=settings.max_chunks_contexto,
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
    """Serve the generation that CURRENT names. Thread-safe.

    A generation that fails its check is never served: the one before it stays, and `problem` says why in Spanish.
    `budget`, asked at each lease, limits what the retriever gathers to what the model can take now.
    """

    def __init__(
        self,
        index_dir: Path,
        *,
        opener: Opener,
        read_name: NameReader = current_name,
        budget: Callable[[], FragmentBudget] | None = None,
        clock: Callable[[], float] = time.monotonic,
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        self._index_dir = index_dir
        self._open = opener
        self._read_name = read_name
        self._budget = budget
        self._clock = clock
        self._wall_clock = wall_clock
        self._lock = threading.Lock()  # guards the fields below; held for moments only
        self._opening = threading.Lock()  # one thread opens, the others go on with what is served
        self._served: _Served | None = None
        self._next_check = float("-inf")
        self._failed: tuple[str | None, float] | None = None  # name that failed, and when to try it again
        self.problem: str | None = NO_INDEX

    @property
    def since(self) -> float | None:
        """Return since when the generation in service is served, in seconds of the epoch."""
        served = self._served
        return served.since if served else None

    @contextmanager
    def lease(self) -> Iterator[Retriever]:
        """Hand out the retriever of the newest generation, which stays open until the lease ends.

        Raises GenerationError if there is none to serve.
        """
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
            self._failed = None
            return self._check()

    def close(self) -> None:
        """Retire the generation in service; leases that are out keep it open until they end."""
        with self._lock:
            served, self._served = self._served, None
        self._retire(served)

    def _check_if_due(self) -> None:
        if self._clock() < self._next_check:
            return
        # The first opening is worth waiting for; later ones leave the old generation at work.
        if not self._opening.acquire(blocking=self._served is None):
            return
        try:
            if self._clock() >= self._next_check:
                self._check()
        finally:
            self._opening.release()

    def _check(self) -> bool:
        """Compare CURRENT with what is served and open what is new. The caller holds `_opening`."""
        try:
            name = self._read_name(self._index_dir)
            served = self._served
            if served is not None and name == served.retriever.generation.name:
                self.problem, self._failed = None, None
                return False
            if self._failed is not None and self._failed[0] == name and self._clock() < self._failed[1]:
                return False
            return self._take(name)
        except SiaaError as error:
            return self._note(None, error.message)
        except Exception:
            log.exception("CURRENT no se pudo leer")
            return self._note(None, UNEXPECTED)
        finally:
            self._next_check = self._clock() + CHECK_SECONDS

    def _take(self, name: str | None) -> bool:
        if name is None:
            return self._note(None, NO_INDEX)
        try:
            retriever = self._open(self._index_dir)
        except SiaaError as error:
            return self._note(name, error.message)
        except Exception:
            log.exception("la generación %s no se pudo abrir", name)
            return self._note(name, UNEXPECTED)
        with self._lock:
            old, self._served = self._served, _Served(retriever, self._wall_clock())
            self.problem, self._failed = None, None
        log.info("se sirve la generación %s", retriever.generation.name)
        self._retire(old)
        return True

    def _note(self, name: str | None, problem: str) -> bool:
        if problem != self.problem:
            log.error("índice: %s", problem)
        self.problem = problem
        # No index at all costs nothing to look for again; opening a damaged one does.
        self._failed = (name, self._clock() + RETRY_SECONDS) if name is not None else None
        return False

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
