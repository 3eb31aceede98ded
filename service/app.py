"""Put the service together."""

from __future__ import annotations

from flask import Flask, request

from service.context import Context
from service.endpoints.routes import add_routes
from service.http.http_errors import register
from service.http.params import check_path
from service.http.proxy import trust_proxy
from service.http.rate_limit import RateLimit, client_of, is_free
from service.http.request_tracking import follow
from service.http.wire import HEARTBEAT_SECONDS, BoundedRequest
from service.metrics import Metrics
from service.stopping import Stopping
from service.storage.answer_cache import AnswerCache
from service.storage.quality_log import QualityLog
from siaa.answering.assistant import Assistant
from siaa.answering.llm import LanguageModel
from siaa.answering.model_watch import ModelWatch, open_watch
from siaa.config import Settings
from siaa.published.compute_limit import ComputeLimit
from siaa.published.index_guard import IndexGuard
from siaa.published.index_holder import IndexHolder, opener_for

MAX_BODY_BYTES = 64 * 1024  # of a request; a conversation has at most 32 kB of text (contract)
MODEL_SECONDS = 2.5  # that starting waits for the first look for a model


def create_app(
    settings: Settings,
    *,
    holder: IndexHolder | None = None,
    model: LanguageModel | None = None,
    heartbeat: float = HEARTBEAT_SECONDS,
) -> Flask:
    """Return the WSGI application. `holder` and `model` replace what `settings` name.

    Starts without an index too: `/readyz` says why until there is one.

    Raises ConfigError when the model's settings contradict each other.
    """
    app = Flask("service", static_folder=None)
    app.request_class = BoundedRequest
    app.config["MAX_CONTENT_LENGTH"] = MAX_BODY_BYTES
    # "//" in a path is part of a name that no document bears, not something to redirect.
    app.url_map.merge_slashes = False
    if settings.proxy:
        trust_proxy(app)
    models = ModelWatch(settings, fixed=model) if model else open_watch(settings)
    context = app.extensions["siaa"] = _context(settings, models, holder, heartbeat)
    follow(app, settings, context.metrics)
    _guard(app, settings)
    add_routes(app)
    register(app)
    return app


def _context(settings: Settings, models: ModelWatch, holder: IndexHolder | None, heartbeat: float) -> Context:
    metrics, compute = Metrics(), ComputeLimit()
    opener = opener_for(settings, observe=metrics.stage, compute=compute)
    holder = holder or IndexHolder(settings.index_dir, opener=opener, budget=models.budget)
    cache, log = AnswerCache(settings, observe=metrics.cache_look_up), QualityLog(settings)
    stopping = Stopping(settings.stop_seconds)
    assistant = Assistant(
        settings, holder, models, cache=cache, log=log, measures=metrics, stop=stopping, compute=compute
    )
    return Context(
        settings=settings,
        holder=holder,
        models=models,
        heartbeat=heartbeat,
        cache=cache,
        log=log,
        metrics=metrics,
        stopping=stopping,
        assistant=assistant,
    )


def start_app(settings: Settings) -> Flask:
    """Return the application with its index open and its model looked for, so that no question need wait for either.

    Raises ConfigError as `create_app` does.
    """
    app = create_app(settings)
    context: Context = app.extensions["siaa"]
    context.models.start(wait=MODEL_SECONDS)
    context.holder.reload()
    IndexGuard(context.holder, every=settings.verify_seconds).start()
    return app


def _guard(app: Flask, settings: Settings) -> None:
    """Let no request in that is malformed, or one too many of its client's."""
    limit = RateLimit(settings.rate_limit)

    @app.before_request
    def check() -> None:
        if not is_free(request.environ):
            limit.check(client_of(request.environ))
        check_path(request.environ)
