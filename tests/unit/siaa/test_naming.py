"""How a question's words meet what documents are called."""

from __future__ import annotations

from dataclasses import replace

import pytest

from siaa.identity import Identity, Norm
from siaa.naming import NameIndex
from siaa.records import DocumentRecord, Keyword
from siaa.references import find_references
from tests.building import ANALYZER

_NOBODY = Identity(aliases=(), norms=(), acronyms={}, title_stems=(), name_stems=(), repealed=False, edition="")


def _stems(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(ANALYZER.stem(word) for word in text.split()))


def _named(*aliases: str, norm: tuple[str, str, str] | None = None, edition: str = "") -> Identity:
    norms = (Norm(*norm),) if norm else ()
    return replace(_NOBODY, aliases=tuple(_stems(a) for a in aliases), norms=norms, edition=edition)


def _index(*identities: Identity, titles: tuple[str, ...] = (), keywords: tuple[Keyword, ...] = ()) -> NameIndex:
    """Return an index of documents with these identities; the first one has `keywords`."""
    records = [
        DocumentRecord(
            position=position,
            doc_id=f"general/{position}.md",
            name=f"{position}.md",
            title=titles[position] if titles else "Documento",
            collection="general",
            size=0,
            first_passage=0,
            passage_count=0,
            text_start=0,
            articles=(),
            warnings=(),
            keywords=keywords if position == 0 else (),
            identity=identity,
        )
        for position, identity in enumerate(identities)
    ]
    return NameIndex(records, ANALYZER)


def _asked(text: str) -> tuple:
    return tuple(r for r in find_references(text) if r.kind == "norma")


def test_alias_wholly_in_the_question_counts_more_than_half_of_it() -> None:
    index = _index(_named("juzgado familia"), _named("juzgado laboral circuito"), _NOBODY, _NOBODY)
    whole, half, *others = index.alias_cover(_stems("juzgado familia registro")).tolist()
    assert whole > half > 0
    assert others == [0, 0]


def test_alias_phrase_wants_the_words_in_order() -> None:
    index = _index(_named("juzgado familia"), _NOBODY, _NOBODY)
    said, turned = _stems("juzgado familia"), _stems("familia juzgado")
    assert index.alias_phrase(said, said)[0] > 0
    assert index.alias_phrase(turned, turned)[0] == 0


def test_name_before_a_colon_counts_by_how_well_it_agrees() -> None:
    index = _index(_named("juzgado laboral circuito"), _named("juzgado laboral"), _named("sala civil"))
    exact, shorter, other = index.addressed(_stems("juzgado laboral circuito")).tolist()
    assert exact == pytest.approx(1.0)
    assert 0 < shorter < exact
    assert other == 0
    assert not index.addressed(()).any()


def test_name_mentioned_in_passing_counts_half() -> None:
    """The court that the question begins with is the one that asks."""
    index = _index(_named("juzgado familia"), _named("juzgado laboral"), _NOBODY, _NOBODY)
    words = _stems("juzgado familia igual") + _stems("juzgado laboral")
    first, later, *_ = index.alias_phrase(words, words)
    assert later == pytest.approx(first / 2)


@pytest.mark.parametrize(
    ("question", "evidence"),
    [
        ("Ley 270 de 1996", 1.0),  # rank, number and year
        ("ley 270", 1.0),  # the year may be left out
        ("Decreto 270 de 1996", 0.7),  # another rank, but nothing else has that number and year
        ("Ley 270 de 1997", 0.0),  # another year
        ("Ley 271 de 1996", 0.0),  # another number
    ],
)
def test_norm_match(question: str, evidence: float) -> None:
    index = _index(_named(norm=("ley", "270", "1996")))
    assert index.norm_match(_asked(question))[0] == pytest.approx(evidence)


def test_same_number_of_another_rank_is_another_norm_when_the_right_one_is_there() -> None:
    index = _index(_named(norm=("ley", "1", "1996")), _named(norm=("real_decreto_legislativo", "1", "1996")))
    assert index.norm_match(_asked("Ley 1/1996")).tolist() == [1.0, 0.0]


def test_norm_named_second_counts_half() -> None:
    index = _index(_named(norm=("ley", "270", "1996")), _named(norm=("ley", "600", "2000")))
    asked = _asked("¿Cambió la Ley 600 de 2000 la Ley 270 de 1996?")
    assert index.norm_match(asked).tolist() == [0.5, 1.0]


def test_missing_norm_is_not_held() -> None:
    index = _index(_named(norm=("ley", "270", "1996")))
    assert [index.holds_norm(r) for r in _asked("Ley 270 de 1996 y Ley 9999 de 2001")] == [True, False]


@pytest.mark.parametrize(
    ("question", "lacking"),
    [
        ("el acuerdo 2019", False),  # agreements of the series PCSJA19 are agreements of 2019
        ("el acuerdo de 2023", True),  # another year
        ("la circular de 2019", True),  # the series numbers agreements
        ("la circular de 2021", False),  # DEAJC21
        ("la resolución de 2015", False),  # one is there, its year unknown
        ("la ley estatutaria de 1996", False),  # of the family of laws
        ("la ley de 2020", True),  # another year
        ("la Ley 9999 de 2001", True),  # by its number
        ("la constitución de 1991", True),  # no constitution among the documents
    ],
)
def test_norm_that_the_index_lacks(question: str, lacking: bool) -> None:
    norms = [("pcsja19", "11207", "2019"), ("deajc21", "3", "2021"), ("resolucion", "451", ""), ("ley", "270", "1996")]
    index = _index(*(_named(norm=norm) for norm in norms))
    assert [index.lacks_norm(reference) for reference in _asked(question)] == [lacking]


def test_acronym() -> None:
    index = _index(replace(_NOBODY, acronyms={"cgp": 1.0}), _NOBODY)
    assert index.acronym_match(("cgp", "otro")).tolist() == [1.0, 0.0]


def test_manual_keyword_counts_when_all_its_words_are_asked() -> None:
    index = _index(_NOBODY, _NOBODY, keywords=(Keyword("sanciones sierju", 1.0, "manual"),))
    assert index.manual_keywords(_stems("sanciones sierju hoy"))[0] == 1
    assert index.manual_keywords(_stems("sanciones"))[0] == 0


def test_older_edition_of_the_same_name_is_superseded() -> None:
    index = _index(
        _named("juzgado administrativo", edition="2019"),
        _named("administrativo juzgado", edition="2022"),  # the same words in another order
        _named("juzgado familia", edition="2017"),  # another court
    )
    assert index.superseded.tolist() == [1, 0, 0]


def test_norms_with_one_name_are_not_editions() -> None:
    """Two laws that reform the budget are told apart by their numbers."""
    index = _index(
        _named("reforma presupuesto", norm=("ley", "38", "1989"), edition="1989"),
        _named("reforma presupuesto", norm=("ley", "179", "1994"), edition="1994"),
    )
    assert not index.superseded.any()


def test_blank_forms_and_the_constitution_are_known_by_their_names() -> None:
    index = _index(
        _named("juzgado familia"), _named("constitucion politica"), titles=("Formulario de familia", "Constitución")
    )
    assert index.forms.tolist() == [1, 0]
    assert index.supreme.tolist() == [0, 1]
