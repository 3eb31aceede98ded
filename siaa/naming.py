"""Match a question against what documents are called: aliases, norms, initials, keywords, file names.

Built once per generation from the identities of its documents. All evidence is between 0 and 1.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from siaa.analysis import Analyzer
from siaa.identity import Norm
from siaa.records import DocumentRecord
from siaa.references import Reference
from siaa.text import fold

Evidence = npt.NDArray[np.float32]  # shape (D,), one value in 0..1 per document
Item = TypeVar("Item")

_HALF_WEIGHT = 3.0  # matched weight at which an alias counts half: one rare word is little, three are a name
SURE_NORM = 0.7  # evidence from which a document is taken for a norm that a question or a sentence names
_SURE = 0.9  # agreement from which a document is the norm named
_SHORTEST_SHARED_NAME = 2  # stems of a name that two editions of one document share
_IN_PASSING = 0.5  # what a name counts that the question mentions after another
_LATER_NORMS = (1.0, 0.5, 0.3)  # what the first, second and any later norm of a question count
_NUMBER_ALONE_IS_ENOUGH = ("acuerdo", "circular", "resolucion")
_FORM_TITLES = ("formulario", "formato", "planilla")  # a document so titled has blanks to fill in, not explanations
_STATUTE_FAMILY = frozenset(("ley", "ley_organica", "ley_estatutaria"))


@dataclass(frozen=True, slots=True)
class _Names:
    """Sets of stems that name documents, with an index by stem; `totals` is the weight of each set."""

    stems: tuple[tuple[str, ...], ...]
    documents: npt.NDArray[np.int32]
    totals: npt.NDArray[np.float32]
    weights: Mapping[str, float]
    holders: Mapping[str, npt.NDArray[np.int32]]


class NameIndex:
    """What the documents of a generation are called."""

    def __init__(self, documents: Sequence[DocumentRecord], analyzer: Analyzer) -> None:
        self.count = len(documents)
        self._aliases = _names(((d.position, alias) for d in documents for alias in d.identity.aliases), self.count)
        self._files = _names(
            ((d.position, d.identity.name_stems) for d in documents if d.identity.name_stems), self.count
        )
        self.supreme = np.array([_is_constitution(d, analyzer) for d in documents], dtype=np.float32)
        self.superseded = _superseded(documents)
        self.repealed = np.array([d.identity.repealed for d in documents], dtype=np.float32)
        self.forms = np.array([fold(d.title).startswith(_FORM_TITLES) for d in documents], dtype=np.float32)
        self._norms = [(d.position, norm) for d in documents for norm in d.identity.norms]
        self._by_number = _grouped((norm.number, (position, norm)) for position, norm in self._norms)
        self._acronyms = _grouped(
            (acronym, (d.position, sure)) for d in documents for acronym, sure in d.identity.acronyms.items()
        )
        keywords = [
            (d.position, k, tuple(dict.fromkeys(analyzer.stems(k.term)))) for d in documents for k in d.keywords
        ]
        self._automatic = _grouped(
            (stem, (position, k.weight)) for position, k, stems in keywords if k.origin == "auto" for stem in stems
        )
        self._manual = _grouped(
            (stems[0], (position, stems)) for position, k, stems in keywords if k.origin == "manual" and stems
        )

    def alias_cover(self, stems: Sequence[str]) -> Evidence:
        """Return m / (m + 3) * (m / w)^2 for the best alias of each document: w its weight, m what is matched."""
        matched = _matched(self._aliases, stems)
        return self._best_name(
            self._aliases, matched / (matched + _HALF_WEIGHT) * (matched / self._aliases.totals) ** 2
        )

    def alias_phrase(self, stems: Sequence[str], sequence: Sequence[str]) -> Evidence:
        """Return w / (w + 3) for the heaviest alias of each document that stands whole and in order in the question.

        What is named after the first counts half: "juzgado de familia: ¿se registra como en el laboral?".
        """
        names = self._aliases
        text = f" {' '.join(sequence)} "
        whole = np.flatnonzero(_matched(names, stems) > 0.999 * names.totals).tolist()
        found = [(at, alias) for alias in whole if (at := text.find(f" {' '.join(names.stems[alias])} ")) >= 0]
        first = min(found, default=(0, 0))[0]
        weighed = ((names.documents[alias], float(names.totals[alias]), at == first) for at, alias in found)
        return self._highest((d, w / (w + _HALF_WEIGHT) * (1.0 if leads else _IN_PASSING)) for d, w, leads in weighed)

    def addressed(self, stems: Sequence[str]) -> Evidence:
        """Return how well the best alias of each document agrees with what the question names before a colon.

        m^2 / (w * a): w the weight of the alias, a that of the name asked, m what both share. 1 when they are equal.
        """
        asked = _asked(self._aliases, stems)
        return self._best_name(self._aliases, _matched(self._aliases, stems) ** 2 / (self._aliases.totals * asked))

    def file_cover(self, stems: Sequence[str]) -> Evidence:
        """Return how much of the question is in a document's file name, damped by how much of the name is not."""
        matched = _matched(self._files, stems)
        shares = matched / _asked(self._files, stems) * np.sqrt(matched / self._files.totals)
        return self._best_name(self._files, shares)

    def norm_match(self, references: Sequence[Reference]) -> Evidence:
        """Return how surely each document is a norm that the question names; the first one named counts most.

        Where one is the norm for sure, another of the same number and year is a different norm.
        """
        found: list[tuple[int, float]] = []
        for position, reference in enumerate(references):
            factor = _LATER_NORMS[min(position, len(_LATER_NORMS) - 1)]
            sure = [(document, _agreement(reference, norm)) for document, norm in self._candidates(reference)]
            least = _SURE if any(agreement >= _SURE for _, agreement in sure) else 0.0
            found += [(document, factor * agreement) for document, agreement in sure if agreement >= least]
        return self._highest(found)

    def are_norms(self, references: Sequence[Reference]) -> npt.NDArray[np.bool_]:
        """Tell of each document whether it is one of the norms named, of which the first counts most."""
        return self.norm_match(references).astype(np.float64) >= SURE_NORM

    def holds_norm(self, reference: Reference) -> bool:
        """Tell whether a document of the index is the norm named."""
        return any(_agreement(reference, norm) >= _SURE for _, norm in self._candidates(reference))

    def lacks_norm(self, reference: Reference) -> bool:
        """Tell whether the question named a norm, by its number or by rank and year, that no document of the index is.

        "acuerdo de 2019" is any agreement of that year, those of a series such as PCSJA19 too.
        """
        if reference.number:
            return not self.holds_norm(reference)
        if not reference.year or (reference.rank == "constitucion" and bool(self.supreme.any())):
            return False
        return not any(_may_be_of(reference, norm) for _, norm in self._norms)

    def _candidates(self, reference: Reference) -> list[tuple[int, Norm]]:
        return self._by_number.get(reference.number, []) if reference.number else self._norms

    def acronym_match(self, words: Iterable[str]) -> Evidence:
        """Return 1 where a word of the question is the initials of a document's title, 0.7 where it begins them."""
        return self._highest(found for word in words for found in self._acronyms.get(word, ()))

    def automatic_keywords(self, stems: Sequence[str], weight_of: Mapping[str, float]) -> Evidence:
        """Return the share of the question's weight that a document's automatic keywords hold, each by its weight."""
        evidence = np.zeros(self.count, dtype=np.float32)
        total = sum(weight_of.values()) or 1.0
        for stem in stems:
            for document, weight in self._automatic.get(stem, ()):
                evidence[document] += weight * weight_of.get(stem, 0.0) / total
        return np.minimum(evidence, 1.0)

    def manual_keywords(self, stems: Sequence[str]) -> Evidence:
        """Return 1 where the question holds every word of a manual keyword of a document."""
        asked = set(stems)
        keywords = (found for stem in asked for found in self._manual.get(stem, ()))
        return self._highest((document, 1.0) for document, keyword in keywords if asked.issuperset(keyword))

    def _best_name(self, names: _Names, values: npt.NDArray[np.floating[Any]]) -> Evidence:
        """Return, per document, the highest of the `values` of its names."""
        evidence = np.zeros(self.count, dtype=np.float32)
        np.maximum.at(evidence, names.documents, values.astype(np.float32))
        return evidence

    def _highest(self, found: Iterable[tuple[int, float]]) -> Evidence:
        """Return, per document, the highest value found for it."""
        evidence = np.zeros(self.count, dtype=np.float32)
        for document, value in found:
            evidence[document] = max(evidence[document], value)
        return evidence


def _is_constitution(document: DocumentRecord, analyzer: Analyzer) -> bool:
    first = analyzer.stem("constitucion")
    return any(alias[0] == first for alias in document.identity.aliases[:2])


def _superseded(documents: Sequence[DocumentRecord]) -> Evidence:
    """Give 1 to a document when another that shares a name with it is of a later year. Norms differ by their number."""
    sharing: defaultdict[frozenset[str], list[DocumentRecord]] = defaultdict(list)
    for document in documents:
        names = {frozenset(s for s in alias if not s.isdigit()) for alias in document.identity.aliases}
        for name in names if document.identity.edition and not document.identity.norms else ():
            sharing[name].append(document)
    evidence = np.zeros(len(documents), dtype=np.float32)
    for name, bearers in sharing.items():
        newest = max(document.identity.edition for document in bearers)
        if len(name) >= _SHORTEST_SHARED_NAME:
            evidence[[d.position for d in bearers if d.identity.edition < newest]] = 1.0
    return evidence


def _grouped(pairs: Iterable[tuple[str, Item]]) -> Mapping[str, list[Item]]:
    """Return the second parts under their first ones."""
    groups: dict[str, list[Item]] = {}
    for key, item in pairs:
        groups.setdefault(key, []).append(item)
    return groups


def _names(pairs: Iterable[tuple[int, tuple[str, ...]]], count: int) -> _Names:
    rows = list(pairs)
    holders = _grouped((stem, position) for position, (_, stems) in enumerate(rows) for stem in stems)
    owners = {stem: len({rows[position][0] for position in positions}) for stem, positions in holders.items()}
    weights = {stem: log((count + 1) / (documents + 0.5)) for stem, documents in owners.items()}
    return _Names(
        stems=tuple(stems for _, stems in rows),
        documents=np.array([document for document, _ in rows], dtype=np.int32),
        totals=np.array([max(sum(weights[s] for s in stems), 1e-6) for _, stems in rows], dtype=np.float32),
        weights=weights,
        holders={stem: np.array(found, dtype=np.int32) for stem, found in holders.items()},
    )


def _matched(names: _Names, stems: Sequence[str]) -> npt.NDArray[np.float32]:
    matched = np.zeros(names.documents.size, dtype=np.float32)
    for stem in stems:
        if stem in names.holders:
            matched[names.holders[stem]] += names.weights[stem]
    return matched


def _asked(names: _Names, stems: Sequence[str]) -> float:
    """Return the weight of all stems asked for; any positive number where no name has one of them."""
    return sum(names.weights.get(stem, 0.0) for stem in stems) or 1.0


def _agreement(asked: Reference, norm: Norm) -> float:
    """Return how surely `norm` is the one asked for: 1 number, rank and year; 0.7 number and year; else 0."""
    if asked.year and norm.year and asked.year != norm.year:
        return 0.0
    same_rank = _same_rank(asked.rank, norm.rank)
    if not asked.number:
        return 0.9 if same_rank and (asked.year or not norm.number or asked.rank == norm.rank) else 0.0
    if asked.number != norm.number:
        return 0.0
    if same_rank:
        return 1.0
    if asked.year:
        return 0.7
    return 0.9 if asked.rank in _NUMBER_ALONE_IS_ENOUGH and norm.rank[-2:].isdigit() else 0.0


def _may_be_of(asked: Reference, norm: Norm) -> bool:
    """Tell whether `norm` may be what a rank and a year name; a norm whose year is unknown may be of any."""
    if norm.year and norm.year != asked.year:
        return False
    # The last letter of a series says what it numbers: PSAA16 agreements, DEAJC21 circulars, PCSJSR22 resolutions.
    series = norm.rank.rstrip("0123456789")
    numbered_so = series != norm.rank and asked.rank in _NUMBER_ALONE_IS_ENOUGH
    return _same_rank(asked.rank, norm.rank) or (numbered_so and series[-1:] == asked.rank[0])


def _same_rank(asked: str, norm: str) -> bool:
    return asked == norm or {asked, norm} <= _STATUTE_FAMILY or asked[:2] == norm[:2] == "re"
