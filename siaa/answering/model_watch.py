"""Know which model answers now, without any question waiting to find out."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence

from siaa.answering.budget import fits, fragment_budget, full_budget
from siaa.answering.llm import LanguageModel, candidates, connect
from siaa.config import Settings
from siaa.published.index_holder import FragmentBudget

log = logging.getLogger(__name__)

AWAY_SECONDS = 2.0  # between looks while no model answers, or the one that did does not
PRESENT_SECONDS = 15.0  # between looks at one that does
FAILURES = 2  # looks in a row before a model counts as gone: one may fail on a busy machine


class ModelWatch:
    """The model to ask now: one that the settings name, or whichever of `candidates` is found to answer.

    `fixed` is used whether it answers or not. The looking is done by a thread of its own, from `start` to `close`.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        fixed: LanguageModel | None = None,
        candidates: Sequence[LanguageModel] = (),
        away: float = AWAY_SECONDS,
        present: float = PRESENT_SECONDS,
    ) -> None:
        self._settings = settings
        self._fixed = fixed
        self._candidates = (fixed,) if fixed else tuple(candidates)
        self._away, self._present = away, present
        self._found: LanguageModel | None = None
        self._failures = 0
        self._told: object = None
        self._budget = self._budget_of(fixed)
        self._looked = threading.Event()  # set once the first look is over
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None

    def current(self) -> LanguageModel | None:
        """Return the model to ask now; None means the extractive answer. Never waits."""
        return self._fixed or self._found

    def budget(self) -> FragmentBudget:
        """Return the documents and passages that the model can take. Never waits."""
        return self._budget

    def start(self, *, wait: float = 0.0) -> None:
        """Begin to look, and give the first look at most `wait` seconds to end."""
        if not self._candidates or self._thread is not None:
            return
        self._thread = threading.Thread(target=self._run, name="siaa-modelo", daemon=True)
        self._thread.start()
        self._looked.wait(wait)

    def close(self) -> None:
        """Stop looking."""
        self._closing.set()
        if self._thread is not None:
            self._thread.join()

    def look(self) -> None:
        """Look once, now."""
        known = self._found
        if known is not None and known.available():
            self._failures = 0
        elif known is not None and self._failures + 1 < FAILURES:
            self._failures += 1
        else:
            self._failures = 0
            self._found = next((model for model in self._candidates if model.available()), None)
        model = self.current()
        self._budget = self._budget_of(model)
        self._tell()

    def _run(self) -> None:
        while not self._closing.is_set():
            try:
                self.look()
            except Exception:
                log.exception("fallo inesperado al buscar el modelo")
            finally:
                self._looked.set()
            self._closing.wait(self._present if self._found and not self._failures else self._away)

    def _budget_of(self, model: LanguageModel | None) -> FragmentBudget:
        if model is None:
            return full_budget(self._settings)
        return fragment_budget(model.context_tokens, self._settings)

    def _tell(self) -> None:
        """Log what changed since it was last told."""
        found = self._found
        state = (found.name, found.context_tokens) if found else None
        if state == self._told and self._looked.is_set():
            return
        self._told = state
        if found is None:
            rest = "se sigue buscando" if self._fixed else "se responde con citas literales y se sigue buscando"
            log.warning("ningún modelo de lenguaje responde: %s", rest)
            return
        log.info("responde el modelo %s, con un contexto de %d tokens", found.name, found.context_tokens)
        if self._budget != full_budget(self._settings):
            log.warning(
                "en el contexto del modelo caben %d documento(s) de %d pasaje(s): /siaa/fragmento se limita a lo mismo",
                self._budget.max_docs,
                self._budget.max_chunks,
            )
        if not fits(found.context_tokens, self._settings):
            log.warning("con una pregunta larga ni eso cabe: aumente el contexto del modelo o baje SIAA_LLM_MAX_TOKENS")


def open_watch(settings: Settings) -> ModelWatch:
    """Return the watch over what the settings name. Nothing is sent before `start`.

    Raises ConfigError when the settings contradict each other.
    """
    return ModelWatch(settings, fixed=connect(settings), candidates=candidates(settings))
