"""Find each document's keywords with spaCy, offline. The service never imports this module.

spaCy reads 10 to 18 thousand words a second, so it reads a bounded sample of distinct sentences per document. From the
sample come the noun phrases, and, over the whole corpus, which words are content words; how often a word stands in a
document is then counted on its whole text.
"""

from __future__ import annotations

import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import log
from typing import TYPE_CHECKING

from siaa.analysis import Analyzer
from siaa.model import BlockKind, Document
from siaa.records import Keyword
from siaa.sentences import sentence_spans
from siaa.text import fold, squeeze

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

MODEL = "es_core_news_sm"
KEYWORDS_VERSION = "1"  # change it with every change of which keywords come out
KEYWORDS = 20  # automatic keywords of a document, at most (contract)

_SAMPLE_CHARS = 8_000  # characters of a document that spaCy reads
_SAMPLE_IN_ALL = 1_500_000  # characters of a corpus that spaCy reads; a large corpus gets less per document
_LONGEST_SENTENCE = 600  # characters; longer ones are tables and lists without stops
_CONTENT = frozenset(("NOUN", "PROPN", "ADJ"))
_MIN_PHRASE_COUNT = 2
_MIN_LETTERS = 3
_MANY_SENTENCES = 5_000  # sentences of a large corpus
_BATCH = 64  # sentences that spaCy takes at a time

Parsed = tuple["Doc", int]
Progress = Callable[[Iterable[Parsed], str, int], Iterable[Parsed]]


@lru_cache(maxsize=1)
def load_model() -> Language:
    """Load the Spanish model without the components that keywords do not need.

    Its package says it wants an older spaCy; its output is the same with this one (warning W095).
    """
    import spacy

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r".*W095.*")
        return spacy.load(MODEL, exclude=["parser", "ner", "lemmatizer", "attribute_ruler", "senter"])


def find_keywords(
    documents: Sequence[Document], counts: Sequence[Mapping[str, int]], analyzer: Analyzer, *, progress: Progress
) -> list[tuple[Keyword, ...]]:
    """Return the automatic keywords of each document, best first.

    `counts` gives, per document, how often each folded word that is no stop word stands in it. A keyword's weight is
    (1 + ln tf) * ln((N + 1) / (df + 0.5)), relative to the best of its document.
    """
    phrases, content, surfaces = _read(documents, analyzer, progress=progress)
    frequencies = [_frequencies(words, found, content) for words, found in zip(counts, phrases, strict=True)]
    holders = Counter(term for terms in frequencies for term in terms)
    return [_best(terms, holders, len(documents), surfaces, analyzer) for terms in frequencies]


def _read(
    documents: Sequence[Document], analyzer: Analyzer, *, progress: Progress
) -> tuple[list[Counter[str]], frozenset[str], Mapping[str, str]]:
    """Return each document's noun phrases, the content words of the corpus, and how each folded term is written."""
    share = min(_SAMPLE_CHARS, _SAMPLE_IN_ALL // max(len(documents), 1))
    sentences = [(text, position) for position, document in enumerate(documents) for text in _sample(document, share)]
    phrases: list[Counter[str]] = [Counter() for _ in documents]
    kinds: defaultdict[str, Counter[bool]] = defaultdict(Counter)
    written: defaultdict[str, Counter[str]] = defaultdict(Counter)
    pipe = load_model().pipe(sentences, as_tuples=True, batch_size=_BATCH)
    for parsed, position in progress(pipe, "palabras clave", len(sentences)):
        for token in parsed:
            word = fold(token.text)
            kinds[word][token.pos_ in _CONTENT] += 1
            written[word][token.text.lower()] += 1
        for phrase in _noun_phrases(parsed):
            folded = fold(phrase)
            if _says_something(folded, analyzer):
                phrases[position][folded] += 1
                written[folded][phrase.lower()] += 1
    if len(sentences) > _MANY_SENTENCES:
        load_model.cache_clear()  # what a large build needs later is memory
    content = frozenset(word for word, seen in kinds.items() if seen[True] > seen[False])
    return phrases, content, {term: forms.most_common(1)[0][0] for term, forms in written.items()}


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
    return len(words) >= 2 and all(word.isalpha() and len(word) >= _MIN_LETTERS for word in words)


def _frequencies(words: Mapping[str, int], phrases: Mapping[str, int], content: frozenset[str]) -> dict[str, int]:
    single = {w: n for w, n in words.items() if w in content and w.isalpha() and len(w) >= _MIN_LETTERS}
    return single | {phrase: n for phrase, n in phrases.items() if n >= _MIN_PHRASE_COUNT}


def _best(
    terms: Mapping[str, int],
    holders: Mapping[str, int],
    documents: int,
    surfaces: Mapping[str, str],
    analyzer: Analyzer,
) -> tuple[Keyword, ...]:
    scores = {term: (1 + log(n)) * log((documents + 1) / (holders[term] + 0.5)) for term, n in terms.items()}
    ranked = sorted(scores, key=lambda term: (-scores[term], term))
    one_each: dict[tuple[str, ...], str] = {}  # of the forms of one word, the best
    for term in ranked:
        one_each.setdefault(tuple(analyzer.stems(term)), term)
    best = list(one_each.values())[:KEYWORDS]
    top = scores[best[0]] if best else 0.0
    return tuple(Keyword(surfaces.get(term, term), round(scores[term] / top, 4), "auto") for term in best if top > 0)
