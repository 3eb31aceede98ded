"""Answer the questions that ranking asks of an index: which passages hold these terms, and what it adds up to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from siaa.search import bm25f, spelling, top
from siaa.search.arrays import Arrays, Vocabularies
from siaa.search.bm25f import Floats, Ints
from siaa.search.entries import entries_of

WORDS_SHARE = 0.5  # weight of the surface words beside the stems; +1 point of routing (docs/ranking.md)
_BYTES = np.dtype(np.int32).itemsize


@dataclass(frozen=True, slots=True)
class TermIds:
    """Stems and surface words of a question that the index holds, as positions in its vocabularies."""

    stems: tuple[int, ...]
    words: tuple[int, ...]


class SearchIndex:
    """The arrays of one generation. Read-only, hence shared by all threads."""

    def __init__(self, arrays: Arrays, names: Vocabularies) -> None:
        self.arrays = arrays
        self.names = names
        self.passage_count = int(arrays.passage_start.size)
        self.document_count = int(arrays.document_first.size) - 1

    def terms(self, stems: Sequence[str], words: Sequence[str]) -> TermIds:
        """Return the positions of the terms that the index holds."""
        return TermIds(
            tuple(self.names.stems.ids[stem] for stem in stems if stem in self.names.stems.ids),
            tuple(self.names.words.ids[word] for word in words if word in self.names.words.ids),
        )

    def passage_scores(self, terms: TermIds) -> Floats:
        """Return the BM25F score of every passage, shape (P,)."""
        arrays = self.arrays
        stems = (entries_of(arrays.stem_ptr, stem) for stem in terms.stems)
        words = (entries_of(arrays.word_ptr, word) for word in terms.words)
        return top.add_up(
            self.passage_count,
            [
                *((arrays.stem_passages[span], arrays.stem_impacts[span]) for span in stems),
                *((arrays.word_passages[span], WORDS_SHARE * arrays.word_impacts[span]) for span in words),
            ],
        )

    def tfidf_scores(self, terms: TermIds) -> Floats:
        """Return the sum of frequency times idf in the body of every passage, shape (P,): the base of `clasico`."""
        arrays = self.arrays
        scores = np.zeros(self.passage_count, dtype=np.float32)
        for stem in terms.stems:
            span = entries_of(arrays.stem_ptr, stem)
            scores[arrays.stem_passages[span]] += arrays.stem_body[span] * arrays.stem_idf[stem]
        return scores

    def attainable(self, terms: TermIds) -> float:
        """Return the score that no passage can pass: (k1 + 1) times the idf of all terms."""
        stems = sum(float(self.arrays.stem_idf[stem]) for stem in terms.stems)
        words = sum(float(self.arrays.word_idf[word]) for word in terms.words)
        return (bm25f.K1 + 1) * (stems + WORDS_SHARE * words)

    def top(self, scores: Floats, count: int, terms: TermIds) -> Ints:
        """Return the `count` best passages for `terms` with a score above 0, best first, ties by position."""
        arrays = self.arrays
        runs = [arrays.stem_passages[entries_of(arrays.stem_ptr, stem)] for stem in terms.stems]
        return top.best(scores, count, runs)

    def document_scores(self, terms: TermIds) -> Floats:
        """Return the BM25 score of every document as a whole, shape (D,)."""
        arrays = self.arrays
        scores = np.zeros(self.document_count, dtype=np.float32)
        for stem in terms.stems:
            span = entries_of(arrays.document_ptr, stem)
            scores[arrays.document_ids[span]] += arrays.document_impacts[span]
        return scores

    def densities(self, stem: int) -> tuple[Ints, Floats]:
        """Return the documents whose passages hold `stem`, ascending, and the share of its terms that it is in each."""
        arrays = self.arrays
        span = entries_of(arrays.document_ptr, stem)
        owners = arrays.document_ids[span]
        lengths = np.maximum(arrays.document_length[owners], 1)
        return owners, (arrays.document_counts[span] / lengths).astype(np.float32, copy=False)

    def stem_in(self, stem: int, passages: range) -> slice:
        """Return the entries of `stem` within neighbouring passages, as a slice of the `stem_*` arrays."""
        entries = entries_of(self.arrays.stem_ptr, stem)
        bounds = np.searchsorted(self.arrays.stem_passages[entries], (passages.start, passages.stop))
        return slice(entries.start + int(bounds[0]), entries.start + int(bounds[1]))

    def passages_with_words(self, words: Sequence[str]) -> Ints:
        """Return the passages that hold every one of `words` (stop words are not looked at)."""
        held: Ints | None = None
        ids = [self.names.words.ids.get(word, -1) for word in set(words)]
        if -1 in ids:
            return np.zeros(0, dtype=np.int32)
        for word in sorted(ids, key=lambda w: int(self.arrays.word_ptr[w + 1] - self.arrays.word_ptr[w])):
            found = self.arrays.word_passages[entries_of(self.arrays.word_ptr, word)]
            held = found if held is None else np.intersect1d(held, found, assume_unique=True)
            if not held.size:
                break
        return np.zeros(0, dtype=np.int32) if held is None else np.asarray(held, dtype=np.int32)

    def is_content(self, word: str) -> bool:
        """Tell whether `word` has postings of its own: it is not a stop word. An unknown word counts as content."""
        position = self.names.words.ids.get(word)
        return position is None or int(self.arrays.word_stem[position]) >= 0

    def has_word(self, word: str) -> bool:
        """Tell whether a folded surface word stands in some passage."""
        return word in self.names.words.ids

    def has_stem(self, stem: str) -> bool:
        """Tell whether a stem stands in some passage, heading or title."""
        return stem in self.names.stems.ids

    def holding_sequence(self, passages: Ints, sequence: Sequence[str]) -> list[int]:
        """Return those of `passages` in which the words `sequence` stand one after the other."""
        ids = [self.names.words.ids.get(word, -1) for word in sequence]
        if -1 in ids:
            return []
        wanted = np.array(ids, dtype=np.int32).tobytes()
        return [int(passage) for passage in passages if _stands_in(wanted, self.words_of(int(passage)).tobytes())]

    def words_of(self, passage: int) -> Ints:
        """Return the words of a passage in reading order, stop words too."""
        return self.arrays.forward_words[entries_of(self.arrays.forward_ptr, passage)]

    def occurrences(self, passages: Ints, weights: Floats) -> tuple[Ints, Ints, Ints]:
        """Return where stems with a weight above 0 stand in `passages`.

        `weights` has shape (S + 1,), the last for stop words. Returns, per occurrence and in reading order, the index
        into `passages`, the character offset in the passage, and the stem.
        """
        arrays = self.arrays
        spans = [np.arange(arrays.forward_ptr[p], arrays.forward_ptr[p + 1]) for p in passages]
        if not spans:
            empty = np.zeros(0, dtype=np.int32)
            return empty, empty, empty
        positions = np.concatenate(spans)
        owners = np.repeat(np.arange(len(spans), dtype=np.int32), [span.size for span in spans])
        stems = arrays.word_stem[arrays.forward_words[positions]]
        hit = weights[stems] > 0
        return owners[hit], arrays.forward_offsets[positions[hit]].astype(np.int32), stems[hit]

    def heading_stems(self, passage: int) -> npt.NDArray[np.int32]:
        """Return the stems of a passage's own heading."""
        heading = int(self.arrays.passage_heading[passage])
        return self.arrays.heading_stems[entries_of(self.arrays.heading_ptr, heading)]

    def heading(self, passage: int) -> str:
        """Return a passage's own heading, without markup."""
        return self.names.headings.terms[int(self.arrays.passage_heading[passage])]

    def article(self, passage: int) -> str:
        """Return the article a passage belongs to, "" when none."""
        return self.names.articles.terms[int(self.arrays.passage_article[passage])]

    def sentence_starts(self, passage: int) -> list[int]:
        """Return where the sentences of a passage begin, in characters from its start."""
        starts: list[int] = self.arrays.sentence_starts[entries_of(self.arrays.sentence_ptr, passage)].tolist()
        return starts

    def near_words(self, word: str, *, max_distance: int) -> list[tuple[str, int, int]]:
        """Return words of the index near `word` with their distance and count, nearest and most frequent first."""
        terms = self.names.words.terms
        found = spelling.near(
            word,
            max_distance=max_distance,
            hashes=self.arrays.deletes_hash,
            owners=self.arrays.deletes_word,
            word_at=terms.__getitem__,
        )
        rows = [(terms[item.word], item.distance, int(self.arrays.word_count[item.word])) for item in found]
        return sorted(rows, key=lambda row: (row[1], row[0][0] != word[0], -row[2], row[0]))


def _stands_in(wanted: bytes, words: bytes) -> bool:
    """Tell whether whole words match: a run of bytes that begins inside a word's number is none."""
    at = words.find(wanted)
    while at > 0 and at % _BYTES:
        at = words.find(wanted, at + 1)
    return at >= 0
