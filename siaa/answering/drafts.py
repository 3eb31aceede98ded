"""Check the citations of any text, such as a draft somebody wrote, against the whole corpus.

A citation is a sentence, or a part of one, that quotes or that names an article, a norm or a file. It is read as an
answer's sentences are (`siaa.answering.citing.claims`) and held against the places that it may mean
(`siaa.answering.citing.support`): those of the document it names first, then, for a quotation, wherever in the corpus
its words stand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from siaa.answering.citing.claims import Claim, each_claim
from siaa.answering.citing.place import Place
from siaa.answering.citing.support import State, Support, find_support
from siaa.answering.events import Source
from siaa.answering.grounding import place_of
from siaa.answering.reasons import Code, Reason
from siaa.config import MAX_QUESTION_CHARS
from siaa.errors import AmbiguousDocumentError, InvalidQuestionError, UnknownDocumentError
from siaa.references import Reference

if TYPE_CHECKING:
    from siaa.records import DocumentRecord
    from siaa.retrieval import Retriever

SURE_ALIAS = 0.5  # evidence from which a text names a document by one of its names (siaa.naming)
WINDOW_WORDS = 6  # words of a quotation that are looked up together
WINDOWS = 3  # windows of a quotation: its beginning, its middle, its end
MAX_PLACES = 20  # places that one citation is held against
MAX_NAMED = 20  # norms, and files, of one citation that are looked up
MAX_PASSAGES = 12  # passages of one article to either side that are read together
LOOSE_PASSAGES = 1  # the same where a document has no articles
SHOWN_CHARS = 300  # characters of an article that a bare reference to it shows


@dataclass(frozen=True, slots=True)
class Citation:
    """A citation found in a text, `text[start:end]`: how it stands, why, and the place it rests on, if any."""

    start: int
    end: int
    text: str
    references: tuple[str, ...]
    state: State
    reasons: tuple[Reason, ...]
    source: Source | None


@dataclass(frozen=True, slots=True)
class _Scope:
    """What a claim names: `documents` of the corpus, `unknown` names of none, or, `carried`, those named before it."""

    documents: tuple[DocumentRecord, ...]
    unknown: tuple[str, ...] = ()
    carried: bool = False


@dataclass(frozen=True, slots=True)
class _Stretch:
    """A stretch of a document that may be meant."""

    document: DocumentRecord
    start: int
    end: int
    article: str


Places = dict[tuple[int, int, int], Place]  # document, start and end -> the stretch as it was read


def verify_text(retriever: Retriever, text: str) -> list[Citation]:
    """Return every citation in `text`, in order, with its state. `text` is NFC."""
    found: list[Citation] = []
    places: Places = {}
    last: tuple[DocumentRecord, ...] = ()
    for _, claims in each_claim(text, stem=retriever.generation.analyzer.stem):
        for claim in claims:
            scope = _named(retriever, claim)
            if not _is_citation(claim, scope):
                continue
            last = scope.documents or last
            if not scope.documents and not scope.unknown:
                scope = _Scope(last, carried=True)
            found.append(_check(retriever, claim, scope, places))
    return found


def _is_citation(claim: Claim, scope: _Scope) -> bool:
    articles = any(r.article for r in (*claim.sources, *claim.mentions))
    return bool(claim.quote or articles or scope.unknown or scope.documents)


def _check(retriever: Retriever, claim: Claim, scope: _Scope, known: Places) -> Citation:
    missing = _missing(claim, scope)
    if not claim.quote and (missing or not claim.core):
        return _bare(retriever, claim, scope, missing)
    stretches = list(_stretches(retriever, claim, scope))[:MAX_PLACES]
    places = [_place(retriever, stretch, known) for stretch in stretches]
    support = find_support(claim, places)
    stretch = stretches[support.place] if support.place >= 0 else None
    if stretch is not None:
        support = _reconsidered(support, stretch, scope, missing)
    reasons = _reasons(support, stretch, claim, missing)
    return _citation(claim, support.state, reasons, _source(retriever, stretch, support) if stretch else None)


def _reconsidered(support: Support, stretch: _Stretch, scope: _Scope, missing: Reason | None) -> Support:
    """Return the support in the light of what the whole text names."""
    inside = any(stretch.document is document for document in scope.documents)
    if missing or (scope.documents and not scope.carried and not inside):
        return replace(support, state=State.MISATTRIBUTED)
    if scope.carried and scope.documents and not inside and support.state is State.VERIFIED and stretch.article:
        return replace(support, state=State.PARTIAL, reason=Code.ELSEWHERE)
    return support


def _reasons(support: Support, stretch: _Stretch | None, claim: Claim, missing: Reason | None) -> tuple[Reason, ...]:
    if stretch is None:
        return (missing,) if missing else _of_code(support.reason)
    if support.state is not State.MISATTRIBUTED:
        return _of_code(support.reason, stretch)
    first = (missing,) if missing else () if claim.quote else _of_code(Code.OTHER_PLACE)
    return (*first, *_of_code(Code.STANDS_IN, stretch))


def _of_code(code: Code | None, stretch: _Stretch | None = None) -> tuple[Reason, ...]:
    """Return the reason with this code, about a stretch, if there is one."""
    if code is None:
        return ()
    return (Reason(code, stretch.document.name, stretch.article) if stretch else Reason(code),)


def _bare(retriever: Retriever, claim: Claim, scope: _Scope, missing: Reason | None) -> Citation:
    """Return the citation that only names a place, or that names one which is not there."""
    if missing:
        return _citation(claim, State.UNSUPPORTED, (missing,), None)
    if not scope.documents:
        return _citation(claim, State.UNSUPPORTED, _of_code(Code.WHOSE_ARTICLE), None)
    articles = _articles(claim)
    stretch = next(_of_articles(retriever, scope.documents, articles), None) if articles else None
    if stretch is None:
        document = scope.documents[0]
        stretch = _Stretch(document, 0, min(document.size, SHOWN_CHARS), "")
    shown = Support(State.VERIFIED, 0, 0, min(stretch.end - stretch.start, SHOWN_CHARS))
    return _citation(claim, State.VERIFIED, _of_code(Code.PLACE_EXISTS), _source(retriever, stretch, shown))


# -- what is named --------------------------------------------------------------------------------------------------


def _named(retriever: Retriever, claim: Claim) -> _Scope:
    documents: list[DocumentRecord] = []
    unknown: list[str] = []
    for reference in list({r.tokens: r for r in _norms(claim)}.values())[:MAX_NAMED]:
        found = _of_norm(retriever, reference)
        documents += found
        if not found:
            unknown.append(claim.text[reference.start : reference.end])
    for name in list(dict.fromkeys(claim.files))[:MAX_NAMED]:
        found = _of_file(retriever, name)
        documents += found
        if not found:
            unknown.append(name)
    if not documents and not unknown:
        documents += _of_alias(retriever, claim)
    once = {document.position: document for document in documents}
    return _Scope(tuple(once.values()), () if documents else tuple(unknown))


def _norms(claim: Claim) -> list[Reference]:
    """Return the norms named as the source; where none is, those in what is said."""
    sources = [r for r in claim.sources if r.kind == "norma"]
    return sources or [r for r in claim.mentions if r.kind == "norma"]


def _of_norm(retriever: Retriever, reference: Reference) -> list[DocumentRecord]:
    sure = retriever.names.are_norms([reference])
    return [d for d in retriever.generation.documents if sure[d.position]]


def _of_file(retriever: Retriever, name: str) -> list[DocumentRecord]:
    try:
        return [retriever.generation.find(name)]
    except AmbiguousDocumentError as error:
        return [retriever.generation.find(path) for path in error.suggestions]
    except UnknownDocumentError:
        return []


def _of_alias(retriever: Retriever, claim: Claim) -> list[DocumentRecord]:
    """Return the documents called by name: "el Código General del Proceso"."""
    analyzer = retriever.generation.analyzer
    start, end = claim.quote or (0, 0)
    stems = analyzer.stems(claim.text[:start] + " " + claim.text[end:])
    evidence = retriever.names.alias_phrase(tuple(dict.fromkeys(stems)), stems)
    best = float(evidence.max(initial=0.0))
    if best < SURE_ALIAS:
        return []
    return [d for d in retriever.generation.documents if float(evidence[d.position]) >= best]


def _articles(claim: Claim) -> list[str]:
    sources = [r.article for r in claim.sources if r.article]
    return sources or [r.article for r in claim.mentions if r.article]


def _missing(claim: Claim, scope: _Scope) -> Reason | None:
    """Return what the claim names and the corpus lacks; None if nothing."""
    if scope.unknown:
        return Reason(Code.MISSING_DOCUMENT, norms=scope.unknown[:1])
    numbered = [d for d in scope.documents if d.articles]
    if scope.carried or not numbered or len(numbered) < len(scope.documents):
        return None
    for article in _articles(claim):
        if not any(article in document.articles for document in numbered):
            return Reason(Code.MISSING_ARTICLE, document=numbered[0].name, article=article)
    return None


# -- where it may stand ---------------------------------------------------------------------------------------------


def _stretches(retriever: Retriever, claim: Claim, scope: _Scope) -> Iterator[_Stretch]:
    seen: set[tuple[int, int, int]] = set()
    for stretch in _all_stretches(retriever, claim, scope):
        key = _key(stretch)
        if key not in seen:
            seen.add(key)
            yield stretch


def _all_stretches(retriever: Retriever, claim: Claim, scope: _Scope) -> Iterator[_Stretch]:
    articles = _articles(claim)
    if articles:
        yield from _of_articles(retriever, scope.documents, articles)
    if claim.quote:
        passages = _quoting_passages(retriever, claim.quoted)
        owners = retriever.generation.index.arrays.passage_document
        own = {document.position for document in scope.documents}
        for passage in sorted(passages, key=lambda p: (int(owners[p]) not in own, p)):
            yield _around(retriever, passage)
    elif not articles or not scope.documents:
        yield from _relevant(retriever, claim, scope)


def _of_articles(
    retriever: Retriever, documents: Iterable[DocumentRecord], articles: Sequence[str]
) -> Iterator[_Stretch]:
    index = retriever.generation.index
    for document in documents:
        before = ""
        for passage in document.passages:
            article = index.article(passage)
            if article in articles and article != before:
                yield _around(retriever, passage)
            before = article


def _quoting_passages(retriever: Retriever, quoted: str) -> set[int]:
    """Return the passages that hold the words at the beginning, in the middle or at the end of a quotation."""
    index = retriever.generation.index
    words = [token.word for token in retriever.generation.analyzer.tokens(quoted)]
    last = max(0, len(words) - WINDOW_WORDS)
    starts = {last * step // (WINDOWS - 1) for step in range(WINDOWS)}
    found: set[int] = set()
    for start in sorted(starts):
        window = [word for word in words[start : start + WINDOW_WORDS] if index.is_content(word)]
        found.update(int(passage) for passage in index.passages_with_words(window))
    return found


def _relevant(retriever: Retriever, claim: Claim, scope: _Scope) -> Iterator[_Stretch]:
    """Yield the passages that retrieval finds for what the claim says, in the documents named or in all."""
    try:
        query = retriever.ask(claim.text[:MAX_QUESTION_CHARS])
    except InvalidQuestionError:
        return
    if scope.documents:
        selections = [retriever.select(query, document) for document in scope.documents[: retriever.max_docs]]
    else:
        selections = list(retriever.gather(retriever.route(query)).selections)
    for selected in selections:
        for passage in (scored.passage for scored in selected.chosen):
            yield _Stretch(selected.document, passage.start, passage.end, passage.article)


def _key(stretch: _Stretch) -> tuple[int, int, int]:
    return stretch.document.position, stretch.start, stretch.end


def _around(retriever: Retriever, passage: int) -> _Stretch:
    """Return the article that a passage belongs to, or the passage with its neighbours."""
    generation, index = retriever.generation, retriever.generation.index
    document, article = generation.passage(passage).document, index.article(passage)
    own = document.passages
    reach = MAX_PASSAGES if article else LOOSE_PASSAGES
    first = last = passage
    while first - 1 in own and passage - first < reach and index.article(first - 1) == article:
        first -= 1
    while last + 1 in own and last - passage < reach and index.article(last + 1) == article:
        last += 1
    end = max(generation.passage(number).end for number in range(first, last + 1))
    return _Stretch(document, generation.passage(first).start, end, article)


def _place(retriever: Retriever, stretch: _Stretch, known: Places) -> Place:
    """Return the stretch as claims are held against it; what was read for one claim serves the next."""
    key = _key(stretch)
    if key not in known:
        text = retriever.generation.slice(stretch.document, stretch.start, stretch.end)
        known[key] = place_of(retriever, stretch.document, text, start=stretch.start, article=stretch.article)
    return known[key]


# -- what is told ---------------------------------------------------------------------------------------------------


def _citation(claim: Claim, state: State, reasons: tuple[Reason, ...], source: Source | None) -> Citation:
    lead = len(claim.text) - len(claim.text.lstrip())
    text = claim.text.strip()
    references = tuple(claim.text[r.start : r.end] for r in (*claim.sources, *claim.mentions))
    start = claim.start + lead
    return Citation(start, start + len(text), text, tuple(dict.fromkeys(references)), state, reasons, source)


def _source(retriever: Retriever, stretch: _Stretch, support: Support) -> Source:
    document = stretch.document
    start, end = stretch.start + support.start, stretch.start + support.end
    return Source(
        name=document.name,
        collection=document.collection,
        title=document.title,
        article=stretch.article,
        heading="",
        start=start,
        end=end,
        text=retriever.generation.slice(document, start, end),
        state=support.state.value,
    )
