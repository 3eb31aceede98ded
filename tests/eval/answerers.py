"""What can be scored: the service over HTTP, and the core in this process with as many profiles as wanted."""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Hashable
from dataclasses import dataclass, field, fields
from typing import Any

from siaa.config import CHUNK_SIZE
from siaa.errors import SiaaError
from siaa.generation import Generation
from siaa.profile import Profile
from siaa.question import Query
from siaa.retrieval import Retriever

MAX_DOCS, MAX_CHUNKS = 2, 3  # the contract's defaults, which the figures are about
_TIMEOUT = 60  # seconds
_SELECTION_FIELDS = ("base", "standout", "selection")  # fields of a profile that do not change routing


class HttpAnswerer:
    """Ask a running service; `errors` gathers what it should not have answered."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.errors: list[str] = []

    def route(self, text: str) -> list[str]:
        """Return the documents of /siaa/enrutar."""
        answer = self._get("/siaa/enrutar", q=text)
        return [str(found["doc"]) for found in answer.get("docs_encontrados", [])]

    def fragment(self, document: str, text: str) -> str:
        """Return the text of /siaa/fragmento, and note one that does not measure what it says or is too long."""
        answer = self._get("/siaa/fragmento", doc=document, q=text)
        fragment = str(answer.get("fragmento", ""))
        if answer.get("chars", 0) != len(fragment) or len(fragment) > CHUNK_SIZE * MAX_CHUNKS:
            self.errors.append(f"{document}: chars {answer.get('chars')}, largo {len(fragment)}")
        return fragment

    def _get(self, path: str, **parameters: str) -> dict[str, Any]:
        try:
            with urllib.request.urlopen(
                f"{self.url}{path}?{urllib.parse.urlencode(parameters)}", timeout=_TIMEOUT
            ) as answer:
                body = json.load(answer)
        except (urllib.error.URLError, OSError, ValueError) as error:
            self.errors.append(f"{path} {parameters}: {error}")
            return {}
        return body if isinstance(body, dict) else {}


@dataclass(slots=True)
class Memory:
    """What was computed for one generation, so that a profile costs only what it changes."""

    queries: dict[str, Query] = field(default_factory=dict)
    routed: dict[Hashable, list[str]] = field(default_factory=dict)
    fragments: dict[Hashable, str] = field(default_factory=dict)


class LocalAnswerer:
    """Ask the core in this process with one profile. Answerers over the same generation may share a `memory`."""

    def __init__(self, generation: Generation, profile: Profile, memory: Memory | None = None) -> None:
        self._retriever = Retriever(generation, profile=profile, max_docs=MAX_DOCS, max_chunks=MAX_CHUNKS)
        self._memory = memory or Memory()
        self._routing_key, self._selection_key = _keys(profile)

    def route(self, text: str) -> list[str]:
        """Return the names of the routed documents, as the service calls them."""
        key = (self._routing_key, text)
        if key not in self._memory.routed:
            routed = self._retriever.route(self._query(text))
            self._memory.routed[key] = [found.document.name for found in routed.documents]
        return self._memory.routed[key]

    def fragment(self, document: str, text: str) -> str:
        """Return the rendered fragment; "" for a document that the index does not hold under that name."""
        key = (self._selection_key, document, text)
        if key not in self._memory.fragments:
            self._memory.fragments[key] = self._select(document, text)
        return self._memory.fragments[key]

    def _select(self, document: str, text: str) -> str:
        try:
            record = self._retriever.generation.find(document)
        except SiaaError:
            return ""
        return self._retriever.select(self._query(text), record).fragment.text

    def _query(self, text: str) -> Query:
        if text not in self._memory.queries:
            self._memory.queries[text] = self._retriever.ask(text)
        return self._memory.queries[text]


def _keys(profile: Profile) -> tuple[Hashable, Hashable]:
    """Return what of a profile routing and selection depend on; a field of neither counts for both."""
    routing: list[Hashable] = []
    selection: list[Hashable] = []
    for item in fields(profile):
        if item.name == "name":
            continue
        key = f"{item.name}={getattr(profile, item.name)!r}"
        if item.name not in _SELECTION_FIELDS:
            routing.append(key)
        if item.name != "routing":
            selection.append(key)
    return tuple(routing), tuple(selection)
