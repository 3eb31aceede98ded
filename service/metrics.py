"""Count and time what the service does, for `GET /metrics` (Prometheus).

One process serves, so the figures live in its memory. With several
worker processes prometheus-client needs `PROMETHEUS_MULTIPROC_DIR`, set before Python starts and emptied at each start,
and the gauges below a multiprocess mode of their own.

Labels come from fixed tables, the routes of the application and the names of generations: never from a question.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from siaa.retrieval import Stage

CONTENT_TYPE = CONTENT_TYPE_LATEST
HIT, MISS = "acierto", "fallo"
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER = "OTRO"  # any other method: a client may invent as many as it likes

_REQUEST_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300)  # seconds
_STAGE_BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300)


@dataclass(frozen=True, slots=True)
class Served:
    """What is served at the moment of a scrape; `generation` "" and `created` None without an index."""

    generation: str
    created: datetime | None
    problem: bool
    streams: int
    build_failed: bool = False


class Metrics:
    """The figures of one application, in a registry of their own. Thread-safe."""

    def __init__(self, *, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._clock = clock
        self._registry = registry = CollectorRegistry()
        self._requests = Counter(
            "siaa_http_requests", "Peticiones atendidas.", ("ruta", "metodo", "estado"), registry=registry
        )
        self._seconds = Histogram(
            "siaa_http_request_seconds",
            "Segundos de una petición, hasta su último byte.",
            ("ruta",),
            buckets=_REQUEST_BUCKETS,
            registry=registry,
        )
        self._stages = Histogram(
            "siaa_etapa_seconds", "Segundos de cada etapa.", ("etapa",), buckets=_STAGE_BUCKETS, registry=registry
        )
        self._age = Gauge(
            "siaa_generacion_edad_seconds", "Segundos desde que se construyó la generación servida.", registry=registry
        )
        self._info = Gauge("siaa_generacion_info", "La generación servida.", ("generacion",), registry=registry)
        self._refusals = Counter("siaa_rechazos", "Negativas del chat.", ("motivo",), registry=registry)
        self._faults = Counter("siaa_modelo_fallos", "Fallos del modelo de lenguaje.", ("codigo",), registry=registry)
        self._cache = Counter("siaa_cache", "Búsquedas en la caché de respuestas.", ("resultado",), registry=registry)
        self._streams = Gauge("siaa_streams_activos", "Respuestas del chat en curso.", registry=registry)
        self._problem = Gauge(
            "siaa_indice_problema",
            "1 si no se sirve la generación publicada; el porqué, en /readyz.",
            registry=registry,
        )
        self._build_failed = Gauge(
            "siaa_construccion_fallida",
            "1 si la última construcción del índice no publicó nada; el porqué, en /siaa/estado.",
            registry=registry,
        )
        for stage in Stage:
            self._stages.labels(stage)
        for result in (HIT, MISS):
            self._cache.labels(result)

    def names(self) -> tuple[str, ...]:
        """Return the name of every figure, as Prometheus shows it."""
        families = self._registry.collect()
        return tuple(f"{family.name}_total" if family.type == "counter" else family.name for family in families)

    def request(self, *, route: str, method: str, status: int, seconds: float) -> None:
        """Count one request: its route's template, never its address."""
        known = method if method in METHODS else OTHER
        self._requests.labels(route, known, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def stage(self, name: str, seconds: float) -> None:
        """Note how long a `Stage` took."""
        self._stages.labels(name).observe(seconds)

    def refusal(self, code: str) -> None:
        """Count a refusal of the chat by the code of its reason (`siaa.answering.reasons`)."""
        self._refusals.labels(code).inc()

    def model_fault(self, code: str) -> None:
        """Count a failure of the language model."""
        self._faults.labels(code).inc()

    def cache_look_up(self, found: bool) -> None:
        """Count a look into the cache of answers."""
        self._cache.labels(HIT if found else MISS).inc()

    def render(self, served: Served) -> bytes:
        """Return everything in Prometheus' text format."""
        self._info.clear()
        if served.generation:
            self._info.labels(served.generation).set(1)
        age = (self._clock() - served.created).total_seconds() if served.created else 0.0
        self._age.set(max(0.0, age))  # a clock that went back makes no generation younger than new
        self._problem.set(int(served.problem))
        self._build_failed.set(int(served.build_failed))
        self._streams.set(served.streams)
        return generate_latest(self._registry)
