"""Record what every level and signal says of a question, so that trying other weights costs microseconds.

A weight multiplies evidence that does not depend on it: the evidence is computed once per question (routing) and per
question and document (selection), and a profile only adds it up. The answers are those of `Retriever`, which
tests/unit/test_eval_recorded.py checks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from siaa import fragments
from siaa.config import CHUNK_SIZE
from siaa.errors import SiaaError
from siaa.evidence import Evidences
from siaa.generation import Generation
from siaa.model import Contribution
from siaa.profile import Profile
from siaa.question import Query
from siaa.records import DocumentRecord
from siaa.retrieval import Retriever, uses_everyday
from siaa.routing import PREFERENCE, ROUTING_LEVELS
from siaa.selection import SIGNALS, Candidates, ScoredPassage
from tests.eval.answerers import MAX_CHUNKS, MAX_DOCS


@dataclass(frozen=True, slots=True)
class Measured:
    """The candidates of one document in its order; `points` has one row per signal, at weight 1."""

    passages: npt.NDArray[np.int32]  # (C,)
    bases: dict[str, npt.NDArray[np.float64]]  # kind of base -> (C,)
    points: npt.NDArray[np.float64]  # (signals, C)


@dataclass(slots=True)
class Recording:
    """What one generation says of the questions asked so far."""

    retriever: Retriever
    queries: dict[str, Query] = field(default_factory=dict)
    levels: dict[str, npt.NDArray[np.float32]] = field(default_factory=dict)  # question -> (levels, D)
    measured: dict[tuple[str, int], Measured] = field(default_factory=dict)
    texts: dict[tuple[str, int, tuple[int, ...]], str] = field(default_factory=dict)
    spans: dict[int, fragments.Span] = field(default_factory=dict)
    latest: Evidences | None = None
    other: Recording | None = None  # of the profiles that understand questions otherwise

    @classmethod
    def of(cls, generation: Generation, profile: Profile) -> Recording:
        """Start a recording; `profile` is any that is well-formed."""
        return cls(Retriever(generation, profile=profile, max_docs=MAX_DOCS, max_chunks=MAX_CHUNKS))

    def understanding(self, profile: Profile) -> Recording:
        """Return the recording for a profile: those with the table of everyday words and those without differ."""
        if uses_everyday(profile) == uses_everyday(self.retriever.profile):
            return self
        self.other = self.other or Recording.of(self.retriever.generation, profile)
        return self.other

    def query(self, text: str) -> Query:
        """Return the question as the index understands it."""
        if text not in self.queries:
            self.queries[text] = self.retriever.ask(text)
        return self.queries[text]

    def evidences(self, text: str) -> Evidences:
        """Return the evidence of a question; only that of the latest is kept, it is large."""
        query = self.query(text)
        if self.latest is None or self.latest.query is not query:
            self.latest = Evidences(query, self.retriever.generation.index, self.retriever.names)
        return self.latest

    def routing(self, text: str) -> npt.NDArray[np.float32]:
        """Return the evidence of every routing level for every document, shape (levels, D)."""
        if text not in self.levels:
            evidences = self.evidences(text)
            self.levels[text] = np.stack([level.evidence(evidences) for level in ROUTING_LEVELS]).astype(np.float32)
        return self.levels[text]

    def selecting(self, text: str, document: DocumentRecord) -> Measured:
        """Return the points of every selection signal for every candidate of a document."""
        key = (text, document.position)
        if key not in self.measured:
            self.measured[key] = self._measure(text, document)
        return self.measured[key]

    def _measure(self, text: str, document: DocumentRecord) -> Measured:
        generation, arrays = self.retriever.generation, self.retriever.generation.index.arrays

        def text_of(passage: int) -> str:
            return generation.slice(document, int(arrays.passage_start[passage]), int(arrays.passage_end[passage]))

        made = {
            base: Candidates(self.evidences(text), document, base=base, text_of=text_of) for base in ("bm25f", "tfidf")
        }
        candidates = made["bm25f"]
        passages = candidates.passages
        points = np.zeros((len(SIGNALS), passages.size))
        for row, signal in enumerate(SIGNALS.values()):
            for column, passage in enumerate(passages.tolist()):
                found = signal(candidates, passage, 1.0)
                points[row, column] = found.points if found else 0.0
        inside = passages - document.first_chunk
        return Measured(passages, {base: c.base[inside].astype(np.float64) for base, c in made.items()}, points)


class RecordedAnswerer:
    """Answer as `LocalAnswerer` does, from a recording."""

    def __init__(self, recording: Recording, profile: Profile) -> None:
        self._recording = recording.understanding(profile)
        self._profile = profile
        self._rows = [
            (row, weight, level.level == PREFERENCE)
            for row, level in enumerate(ROUTING_LEVELS)
            if (weight := profile.routing[level.signal])
        ]
        signals = {name: row for row, name in enumerate(SIGNALS)}
        self._signals = [(signals[name], weight) for name, weight in profile.selection.items() if weight]
        self._chooser = _Chooser(recording.retriever, profile, recording.spans)

    def route(self, text: str) -> list[str]:
        """Return the names of the routed documents."""
        levels = self._recording.routing(text)
        found = np.zeros(levels.shape[1], dtype=np.float32)
        total = np.zeros(levels.shape[1], dtype=np.float32)
        for row, weight, preference in self._rows:
            part = weight * levels[row]
            total += part
            if not preference:
                found += part
        total[found <= 0] = -np.inf
        limit = 1 if self._recording.query(text).names_document else MAX_DOCS
        documents = self._recording.retriever.generation.documents
        order = np.argsort(-total, kind="stable")[:limit].tolist()
        return [documents[position].name for position in order if found[position] > 0]

    def fragment(self, document: str, text: str) -> str:
        """Return the rendered fragment, "" for a document that the index does not hold under that name."""
        try:
            record = self._recording.retriever.generation.find(document)
        except SiaaError:
            return ""
        chosen = self._chooser.choose(self._recording.query(text), record, self._ranked(text, record))
        key = (text, record.position, chosen)
        if key not in self._recording.texts:
            self._recording.texts[key] = self._chooser.render(record, chosen)
        return self._recording.texts[key]

    def _ranked(self, text: str, document: DocumentRecord) -> list[tuple[float, int]]:
        """Return scores and passages, best first."""
        measured = self._recording.selecting(text, document)
        scores = measured.bases[self._profile.base].copy()
        for row, weight in self._signals:
            scores += weight * measured.points[row]
        order = np.lexsort((measured.passages, -scores))
        return [
            (score, passage)
            for score, passage in zip(scores[order].tolist(), measured.passages[order].tolist(), strict=True)
            if score > 0
        ]


class _Chooser(Retriever):
    """The last steps of a retriever, from ranked passages to the text of a fragment."""

    def __init__(self, retriever: Retriever, profile: Profile, spans: dict[int, fragments.Span]) -> None:
        self.generation = retriever.generation
        self.profile = profile
        self.names = retriever.names
        self.max_docs, self.max_chunks = retriever.max_docs, retriever.max_chunks
        self._spans = spans

    def choose(self, query: Query, document: DocumentRecord, ranked: Sequence[tuple[float, int]]) -> tuple[int, ...]:
        """Return the passages that go into the fragment, best first."""
        passages = self._outstanding(query, ranked) or [s.passage for s in self._opening(document)]
        owners: dict[int, int] = {}

        def spans() -> Iterator[fragments.Span]:
            for passage in passages:
                span = self._cached(passage)
                owners[id(span)] = passage
                yield span

        return tuple(owners[id(s)] for s in fragments.choose(spans(), limit=self.max_chunks, articles=query.articles))

    def _outstanding(self, query: Query, ranked: Sequence[tuple[float, int]]) -> list[int]:
        if not self.profile.standout:
            return [passage for _, passage in ranked]
        scored = [ScoredPassage(passage, (Contribution("todo", score, ""),)) for score, passage in ranked]
        return [item.passage for item in self._standing_out(scored, query)]

    def _cached(self, passage: int) -> fragments.Span:
        if passage not in self._spans:
            self._spans[passage] = self._span(passage)
        return self._spans[passage]

    def render(self, document: DocumentRecord, chosen: Sequence[int]) -> str:
        """Return the text of the fragment of passages, best first."""
        return fragments.assemble(
            [self._cached(passage) for passage in chosen],
            doc_id=document.doc_id,
            name=document.name,
            budget=CHUNK_SIZE * self.max_chunks,
            slice_text=lambda start, end: self.generation.slice(document, start, end),
        ).text
