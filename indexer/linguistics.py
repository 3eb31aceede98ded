"""Read a sample of each document with spaCy, offline: noun phrases, and which words are content words.

spaCy reads 10 to 18 thousand words a second, so it reads a bounded sample of distinct sentences per document; how often
a word stands in a document is counted elsewhere, on its whole text. The service never imports this module.
"""

from __future__ import annotations

import hashlib
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from siaa.analysis import Analyzer
from siaa.model import BlockKind, Document
from siaa.sentences import sentence_spans
from siaa.text import fold, squeeze

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

MODEL = "es_core_news_sm"
SAMPLE_VERSION = "2"  # change it with every change of what comes out of a sample

_SAMPLE_CHARS = 8_000  # characters of a document that spaCy reads
_SAMPLE_IN_ALL = 1_500_000  # characters of a corpus that spaCy reads; a large corpus gets less per document
_LONGEST_SENTENCE = 600  # characters; longer ones are tables and lists without stops
_CONTENT = frozenset(("NOUN", "PROPN", "ADJ"))
_MIN_LETTERS = 3
_MANY_DOCUMENTS = 500
_BATCH = 64  # sentences that spaCy takes at a time

Progress = Callable[[Iterable[Document], str, int], Iterable[Document]]


@dataclass(frozen=True, slots=True)
class SampleWords:
    """What spaCy finds in the sample of one document; all terms are folded, and words are those that may be keywords.

    `digest` is that of the sample: equal samples, equal words.
    """

    digest: str
    phrases: Mapping[str, int]  # noun phrases and how often
    content: Mapping[str, int]  # how much oftener each word is a content word than another
    written: tuple[tuple[str, str, int], ...]  # a term, one way in which it is written, and how often


def sample_share(files: int) -> int:
    """Return how many characters of each document are read in a corpus of `files`.

    It changes only where the number of files passes a power of two, so that one document more does not mean to read
    all others again.
    """
    return min(_SAMPLE_CHARS, _SAMPLE_IN_ALL // (1 << max(files - 1, 0).bit_length()))


@lru_cache(maxsize=1)
def load_model() -> Language:
    """Load the Spanish model without the components that keywords do not need.

    Its package says it wants an older spaCy; its output is the same with this one (warning W095).
    """
    import spacy

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r".*W095.*")
        return spacy.load(MODEL, exclude=["parser", "ner", "lemmatizer", "attribute_ruler", "senter"])


def read_samples(
    documents: Sequence[Document],
    share: int,
    analyzer: Analyzer,
    *,
    progress: Progress,
    known: Mapping[str, SampleWords] | None = None,
) -> list[SampleWords]:
    """Return what the first `share` characters of distinct sentences of each document hold.

    `known` are samples, by digest, that were read before with the same analyzer.
    """
    read_before = known or {}
    found = []
    for document in progress(documents, "palabras clave", len(documents)):
        sentences = list(_sample(document, share))
        digest = hashlib.sha256("\n".join(sentences).encode(errors="replace")).hexdigest()
        found.append(read_before.get(digest) or _read(digest, sentences, analyzer))
    if len(documents) > _MANY_DOCUMENTS:
        load_model.cache_clear()  # what a large build needs later is memory
    return found


def _read(digest: str, sentences: Sequence[str], analyzer: Analyzer) -> SampleWords:
    phrases: Counter[str] = Counter()
    content: Counter[str] = Counter()
    written: Counter[tuple[str, str]] = Counter()
    # By itself, for what comes out must not hang on which documents are read together.
    for parsed in load_model().pipe(sentences, batch_size=_BATCH) if sentences else ():
        for token in parsed:
            word = fold(token.text)
            if may_be_keyword(word) and word not in analyzer.tables.stop_words:
                content[word] += 1 if token.pos_ in _CONTENT else -1
                written[word, token.text.lower()] += 1
        for phrase in _noun_phrases(parsed):
            folded = fold(phrase)
            if _says_something(folded, analyzer):
                phrases[folded] += 1
                written[folded, phrase.lower()] += 1
    return SampleWords(digest, phrases, content, tuple((term, form, count) for (term, form), count in written.items()))


def _sample(document: Document, share: int) -> Iterator[str]:
    """Yield distinct sentences of the running text, from its beginning, up to `share` characters."""
    seen: set[str] = set()
    left = share
    for block in document.blocks:
        if block.kind not in (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM, BlockKind.HEADING):
            continue
        text = document.text[block.start : min(block.end, block.start + 4 * _LONGEST_SENTENCE)]
        for start, end in sentence_spans(text):
            sentence = squeeze(text[start:end].strip("#*_ "))[:_LONGEST_SENTENCE]
            if sentence and sentence not in seen:
                seen.add(sentence)
                left -= len(sentence)
                if left < 0:
                    return
                yield sentence


def may_be_keyword(word: str) -> bool:
    """Tell whether a folded word is long enough and of letters only."""
    return word.isalpha() and len(word) >= _MIN_LETTERS


def _noun_phrases(parsed: Doc) -> Iterator[str]:
    """Yield noun + adjective and noun + "de" (+ article) + noun, the phrases that name matters in Spanish law."""
    tags = [token.pos_ for token in parsed]
    for first, tag in enumerate(tags):
        if tag not in ("NOUN", "PROPN"):
            continue
        if tags[first + 1 : first + 2] == ["ADJ"]:
            yield parsed[first : first + 2].text
        if tags[first + 1 : first + 2] == ["ADP"] and parsed[first + 1].text.lower() in ("de", "del"):
            last = first + 3 if tags[first + 2 : first + 3] == ["DET"] else first + 2
            if tags[last : last + 1] in (["NOUN"], ["PROPN"]):
                yield parsed[first : last + 1].text


def _says_something(phrase: str, analyzer: Analyzer) -> bool:
    words = analyzer.words(phrase)
    return len(words) >= 2 and all(map(may_be_keyword, words))
