"""Decide before any answer whether the passages found can answer the question at all.

Two exact rules first: a norm that the corpus neither has nor cites, and an article that the named document lacks. Then
a score between 0 and 1: the share of the question's informative words that the passages hold. docs/rechazo.md has the
curve that the two limits were read from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from siaa.analysis import Analyzer
from siaa.answering.reasons import Code, Reason
from siaa.generation import Generation
from siaa.model import Fragment
from siaa.naming import NameIndex
from siaa.page_parts import without_addresses
from siaa.question import Query
from siaa.records import DocumentRecord
from siaa.references import Reference, find_references
from siaa.retrieval import Retriever, Selected
from siaa.search.spelling import edits
from siaa.text import normalise, squeeze

REFUSE_BELOW = 0.25  # score: the passages speak of something else
ANSWER_FROM = 0.42  # score: below it only an answer that a passage plainly holds may be given
NAMED_ANSWER_FROM = 0.30  # the same where the question names the document: its own words are fewer, its aim is sure
TOGETHER_SHARE = 0.5  # of the score for what all passages hold together; the rest for the best one alone
UNKNOWN_WEIGHT = 10.0  # of a word that no document holds: as rare as a word of the largest corpus measured
FEW_ARTICLES = 3  # articles; a document with no more may have lost its numbering, and lacks none for sure
SURE_ALIAS = 0.3  # evidence from which a document is called by one of its names, whole and in order (siaa.naming)
WRITTEN_HELD = 0.4  # of an everyday word's weight, where the passages hold what documents write for it
CITING_PASSAGES = 200  # passages with the number that are searched for a citation of the norm
_KINDS = "artículo ley código acuerdo decreto resolución circular norma estatuto reglamento"  # words of no subject
_TYPING_ERROR = 1  # edits between a typed word and its correction that are a slip, not another word

Stems = Callable[[str], Sequence[str]]
Given = tuple[DocumentRecord, Fragment]


class Decision(StrEnum):
    """What may be done with the passages; the values are what `explicar=1` shows."""

    ANSWER = "responder"
    ONLY_IF_THERE = "solo_si_consta"
    REFUSE = "rechazar"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether to answer, and why: `value` is the score (0 to 1)."""

    value: float
    decision: Decision
    reason: Reason


def judge(retriever: Retriever, query: Query, selections: Sequence[Selected]) -> Verdict:
    """Return whether the fragments of `selections`, best document first, can answer `query`."""
    generation, names = retriever.generation, retriever.names
    given = [(selected.document, selected.fragment) for selected in selections]
    value, missing = coverage(query, given, weights=_weights(query, generation), analyzer=generation.analyzer)
    broken = _uncited_norm(query, generation, names) or _lacking_article(query, given, generation, names)
    if broken:
        return Verdict(value, Decision.REFUSE, broken)
    if not any(fragment.pieces for _, fragment in given):
        return Verdict(0.0, Decision.REFUSE, Reason(Code.NO_PASSAGE))
    if value >= (NAMED_ANSWER_FROM if _is_named(query, given[0][0], names) else ANSWER_FROM):
        return Verdict(value, Decision.ANSWER, Reason(Code.ON_TOPIC))
    decision = Decision.REFUSE if value < REFUSE_BELOW else Decision.ONLY_IF_THERE
    return Verdict(value, decision, Reason(Code.MISSING_WORDS, words=missing))


def coverage(
    query: Query, given: Sequence[Given], *, weights: Mapping[str, float], analyzer: Analyzer
) -> tuple[float, tuple[str, ...]]:
    """Return the share of the question's weight that the passages hold, and its words that they lack.

    Half of the score is what all passages and titles hold together, half what the best single passage holds under its
    heading and title: words scattered over six passages answer nothing. An everyday word is partly held where what
    documents write for it is. 1.0 for a question of references only.
    """
    total = sum(weights.values())
    if not total:
        return 1.0, ()
    passages = list(_passages(given, analyzer.stems))
    together = set().union(*passages)
    meant = {stem: expression.written for expression in query.everyday for stem in expression.asked}
    best = max((_held(weights, stems, meant) for stems in passages), default=0.0)
    value = (TOGETHER_SHARE * _held(weights, together, meant) + (1 - TOGETHER_SHARE) * best) / total
    missing = (word for word in query.words if analyzer.stem(word) in weights and analyzer.stem(word) not in together)
    return value, tuple(missing)


def is_cited(reference: Reference, *, generation: Generation) -> bool:
    """Tell whether any passage of the index cites the norm `reference`: its number, and its year if both have one."""
    index, arrays = generation.index, generation.index.arrays
    for word in {reference.number, f"{reference.rank}{reference.number}"}:
        for passage in index.passages_with_words([word])[:CITING_PASSAGES].tolist():
            document = generation.documents[int(arrays.passage_document[passage])]
            text = generation.slice(document, int(arrays.passage_start[passage]), int(arrays.passage_end[passage]))
            if any(_is_same(reference, found) for found in find_references(text)):
                return True
    return False


def _weights(query: Query, generation: Generation) -> dict[str, float]:
    """Return the idf of the question's stems.

    A word corrected by one edit is taken for its correction: a typing error is no reason to refuse. One that needed
    more counts as typed, a word that no document holds: names of other worlds are two edits from some word of this one.
    """
    index, analyzer = generation.index, generation.analyzer
    ids = index.names.stems.ids
    sure = {typed for typed, meant in query.corrections.items() if edits(typed, meant) <= _TYPING_ERROR}
    left_out = {analyzer.stem(typed if typed in sure else meant) for typed, meant in query.corrections.items()}
    return {
        stem: float(index.arrays.stem_idf[ids[stem]]) if stem in ids else UNKNOWN_WEIGHT
        for stem in query.local_stems
        if stem not in left_out
    }


def _passages(given: Sequence[Given], stems: Stems) -> Iterator[set[str]]:
    for document, fragment in given:
        title = set(stems(f"{document.title} {document.name.replace('_', ' ')}"))
        for piece in fragment.pieces:
            yield title | set(stems(f"{piece.heading}\n{without_addresses(piece.text)}"))


def _held(weights: Mapping[str, float], stems: set[str], meant: Mapping[str, Sequence[str]]) -> float:
    """Return the weight that `stems` hold; an everyday word counts in part where they hold what is written for it."""
    said = (stem for stem in weights.keys() & meant.keys() if stem not in stems)
    written = sum(weights[stem] for stem in said if not stems.isdisjoint(meant[stem]))
    return sum(weight for stem, weight in weights.items() if stem in stems) + WRITTEN_HELD * written


# -- the two exact rules --------------------------------------------------------------------------------------------


def _uncited_norm(query: Query, generation: Generation, names: NameIndex) -> Reason | None:
    """Return why not, when the norms named are no documents and one with a number is cited by none either."""
    if any(names.holds_norm(norm) for norm in query.norms):
        return None
    for norm in query.norms:
        if norm.number and not is_cited(norm, generation=generation):
            text = squeeze(normalise(query.raw))[norm.start : norm.end]
            return Reason(Code.UNKNOWN_NORM, norms=(text,))
    return None


def _lacking_article(query: Query, given: Sequence[Given], generation: Generation, names: NameIndex) -> Reason | None:
    """Return why not, when the document meant has more than a few articles and none of those asked for.

    It is the one named. If the question names none, it is one that speaks of what is asked, while those that have the
    article speak of something else in it: article 12 of another law is no answer.
    """
    if not query.articles or not given or len(query.norms) > 1:
        return None
    document = given[0][0]
    if query.norms or _is_named(query, document, names):
        lacking = document if _lacks(document, query) and _is_named(query, document, names) else None
    else:
        lacking = _lacking_meant(query, given, generation)
    return Reason(Code.MISSING_ARTICLE, document=lacking.name, article=query.articles[0]) if lacking else None


def _lacks(document: DocumentRecord, query: Query) -> bool:
    few = len(document.articles) <= FEW_ARTICLES and not _is_complete(document.articles)
    return not few and not set(query.articles) & set(document.articles)


def _lacking_meant(query: Query, given: Sequence[Given], generation: Generation) -> DocumentRecord | None:
    """Return the first document that holds the question's words and lacks its articles; None if an article fits."""
    kinds = set(generation.analyzer.stems(_KINDS))
    weights = {s: weight for s, weight in _weights(query, generation).items() if not s[0].isdigit() and s not in kinds}
    if not weights:
        return None

    def held(document: DocumentRecord, fragment: Fragment) -> float:
        return coverage(query, [(document, fragment)], weights=weights, analyzer=generation.analyzer)[0]

    for document, fragment in given:
        pieces = tuple(piece for piece in fragment.pieces if piece.article in query.articles)
        if pieces and held(document, replace(fragment, pieces=pieces)) >= REFUSE_BELOW:
            return None
    meant = (
        document for document, fragment in given if _lacks(document, query) and held(document, fragment) >= ANSWER_FROM
    )
    return next(meant, None)


def _is_named(query: Query, document: DocumentRecord, names: NameIndex) -> bool:
    """Tell whether the question names `document`, by its number or whole by one of its names."""
    if query.norms and bool(names.are_norms(query.norms)[document.position]):
        return True
    return float(names.alias_phrase(query.name_stems, query.name_sequence)[document.position]) > SURE_ALIAS


def _is_complete(articles: Sequence[str]) -> bool:
    """Tell whether the numbering runs from 1 without a gap: three such articles are all there are."""
    return len(articles) >= FEW_ARTICLES and set(articles) >= {str(n) for n in range(1, len(articles) + 1)}


def _is_same(asked: Reference, found: Reference) -> bool:
    same_year = not asked.year or not found.year or asked.year == found.year
    same_rank = asked.rank[:3] == found.rank[:3] or bool(set(asked.tokens) & set(found.tokens))
    return found.kind == "norma" and found.number == asked.number and same_year and same_rank
