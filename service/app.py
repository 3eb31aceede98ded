"""Put the service together."""

from __future__ import annotations

import logging
import time

from flask import Flask, Response, g, request

from service.answer_cache import AnswerCache
from service.chat import chat_endpoint
from service.citation_endpoint import citation_endpoint
from service.context import Context
from service.http_errors import register
from service.index_holder import IndexHolder, opener_for
from service.llm import LanguageModel
from service.model_watch import ModelWatch, open_watch
from service.openai_api import openai_endpoints
from service.operation import operation_endpoints
from service.params import check_path
from service.quality_log import QualityLog
from service.routes import endpoints
from service.wire import HEARTBEAT_SECONDS
from siaa.config import Settings

log = logging.getLogger(__name__)

MAX_BODY_BYTES = 64 * 1024  # of a request; a conversation has at most 32 kB of text (contract)
MODEL_SECONDS = 2.5  # that starting waits for the first look for a model
GENERATION_HEADER = "X-SIAA-Generacion"


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
    app.config["MAX_CONTENT_LENGTH"] = MAX_BODY_BYTES
    # "//" in a path is part of a name that no document bears, not something to redirect.
    app.url_map.merge_slashes = False
    models = ModelWatch(settings, fixed=model) if model else open_watch(settings)
    app.extensions["siaa"] = Context(
        settings=settings,
        holder=holder or IndexHolder(settings.index_dir, opener=opener_for(settings), budget=models.budget),
        models=models,
        heartbeat=heartbeat,
        cache=AnswerCache(settings),
        log=QualityLog(settings),
    )
    app.before_request(_begin)
    app.after_request(_finish)
    app.register_blueprint(endpoints)
    app.register_blueprint(chat_endpoint)
    app.register_blueprint(citation_endpoint)
    app.register_blueprint(operation_endpoints)
    app.register_blueprint(openai_endpoints)
    register(app)
    return app


def start_app(settings: Settings) -> Flask:
    """Return the application with its index open and its model looked for, so that no question need wait for either.

    Raises ConfigError as `create_app` does.
    """
    app = create_app(settings)
    app.extensions["siaa"].models.start(wait=MODEL_SECONDS)
    app.extensions["siaa"].holder.reload()
    return app


def _begin() -> None:
    g.began = time.monotonic()
    check_path(request.environ)


def _finish(response: Response) -> Response:
    if "generation" in g:
        response.headers[GENERATION_HEADER] = g.generation
    response.headers["X-Content-Type-Options"] = "nosniff"
    milliseconds = 1000 * (time.monotonic() - g.began) if "began" in g else 0.0
    # The rule, never the address: what people ask stays out of the log.
    log.info("%s %s %d %.1f ms", request.method, request.url_rule or "-", response.status_code, milliseconds)
    return response
