"""Search for a question as the chat does: the diagnostics stop on this same line."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from siaa.routing import ROUTING_LEVELS

if TYPE_CHECKING:
    from siaa.retrieval import Gathered, Retriever
    from siaa.routing import Routed

log = logging.getLogger(__name__)

LEVEL_OF = {row.signal: row.level for row in ROUTING_LEVELS}  # signal -> level of the contract, in Spanish


def route_question(retriever: Retriever, raw: str, *, collection: str | None = None) -> Routed:
    """Return the documents for `raw`, and log each level's share.

    Raises InvalidQuestionError and UnknownCollectionError.
    """
    routed = retriever.route(retriever.ask(raw), collection=collection)
    if log.isEnabledFor(logging.DEBUG):
        for found in routed.documents:
            shares: dict[str, float] = {}
            for part in found.contributions:
                level = LEVEL_OF[part.signal]
                shares[level] = shares.get(level, 0.0) + part.points
            told = ", ".join(f"{level} {share:+.3f}" for level, share in shares.items())
            log.debug("[ENRUTADOR] %s %.3f (%s)", found.document.name, found.score, told)
    return routed


def gather(retriever: Retriever, raw: str, *, collection: str | None = None) -> Gathered:
    """Return the documents for `raw` with the fragment of each: what a model is sent, byte for byte.

    Raises InvalidQuestionError and UnknownCollectionError.
    """
    return retriever.gather(route_question(retriever, raw, collection=collection))
