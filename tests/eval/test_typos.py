"""Typing errors, other spellings, halves and ablations: what the tools of the evaluation make of their input."""

from __future__ import annotations

import random
import unicodedata
from pathlib import Path

import pytest

from siaa.errors import ConfigError
from siaa.profile import Profile
from tests.eval.ablate import variant, without_each
from tests.eval.halves import halves
from tests.eval.macros import macro, macro_difference
from tests.eval.questions import Question, QuestionSet
from tests.eval.spellings import SPELLINGS, without_accents
from tests.eval.typos import ERRORS, misspell, neighbours, with_errors

PROFILE = Profile("p", "bm25f", 0.0, {"alias": 0.4, "norma": 1.0, "densidad": 0.0}, {"lista": 4.0, "inicio": 0.0})


@pytest.mark.parametrize("seed", range(50))
def test_one_word_of_five_letters_changes(seed: int) -> None:
    text = "¿Qué dice el artículo 12 sobre los plazos del año?"
    wrong = misspell(text, random.Random(seed))
    changed = [(a, b) for a, b in zip(text.split(), wrong.split(), strict=True) if a != b]
    assert len(changed) == 1
    assert changed[0][0] in ("artículo", "sobre", "plazos")
    assert abs(len(wrong) - len(text)) <= 1


def test_short_words_stay() -> None:
    assert misspell("qué es la UDAE", random.Random(1)) == "qué es la UDAE"


# kind of error -> how the length changes
@pytest.mark.parametrize(
    ("kind", "longer"),
    [
        ("falta una letra", -1),
        ("letra doblada", 1),
        ("letras cambiadas de orden", 0),
        ("tecla vecina", 0),
        ("otra letra", 0),
    ],
)
def test_kinds_of_error(kind: str, longer: int) -> None:
    wrong = {ERRORS[kind]("Sanción", random.Random(seed)) for seed in range(40)}
    assert all(len(word) == len("Sanción") + longer for word in wrong)
    assert len(wrong) > 3
    assert len(ERRORS) == 5


@pytest.mark.parametrize(
    ("letter", "keys"),
    [
        ("s", "adweaxz"),  # beside, above, below; the keyboard is shifted to the right row by row
        ("Á", "swqz"),  # an accented capital has the neighbours of its key
        ("ñ", "lp"),  # at the end of a row
        ("7", ""),  # no letter
    ],
)
def test_neighbouring_keys(letter: str, keys: str) -> None:
    assert set(neighbours(letter)) <= set(keys)
    assert bool(neighbours(letter)) is bool(keys)


def test_errors_depend_on_seed_and_id_alone() -> None:
    questions = tuple(Question(str(n), f"pregunta número {n} sobre sanciones disciplinarias") for n in range(20))
    first = {q.id: q.text for q in with_errors(questions, 1)}
    assert {q.id: q.text for q in with_errors(questions[::-1], 1)} == first
    assert {q.id: q.text for q in with_errors(questions, 2)} != first


def test_spellings() -> None:
    assert without_accents("¿Qué año?") == "¿Que año?"
    assert without_accents(unicodedata.normalize("NFD", "Ñandú")) == "Ñandu"
    assert SPELLINGS["NFD"]("é") == "e\u0301"
    assert SPELLINGS["mayúsculas"]("qué") == "QUÉ"


def _set(name: str, count: int) -> QuestionSet:
    questions = tuple(Question(str(n), "q", accepted=("a.md",)) for n in range(count))
    return QuestionSet(name, Path(), Path(), questions)


def test_halves_share_nothing_and_miss_nothing() -> None:
    one, other = halves([_set("x", 5), _set("y", 4)])
    assert not one & other
    assert len(one | other) == 9
    assert sum(item.startswith("x/") for item in one) == 3
    assert {item for item in one if item.startswith("y/")} == halves([_set("y", 4)])[0]  # whatever the other sets


def test_macro_is_the_mean_over_sets() -> None:
    met = {"doc@1": True, "doc@2": True, "strict@1": False}
    missed = {"doc@1": False, "doc@2": False, "strict@1": False}
    before = {"x": {"1": met, "2": missed}, "y": {"1": missed}}
    assert macro(before, "R") == pytest.approx(1 / 6)
    assert macro(before, "R", only={"x/1", "y/1"}) == pytest.approx(1 / 3)
    after = {"x": {"1": met, "2": met}, "y": {"1": missed}}
    assert macro_difference(before, after, "R").mean == pytest.approx(1 / 6)


def test_each_signal_that_weighs_is_taken_away_once() -> None:
    found = list(without_each(PROFILE))
    assert [p.name for p in found] == [
        "sin `enrutar.alias` (0.4)",
        "sin `enrutar.norma` (1)",
        "sin `fragmento.lista` (4)",
    ]
    assert found[0].routing == {"alias": 0.0, "norma": 1.0, "densidad": 0.0}
    assert found[0].selection == PROFILE.selection


def test_variants_are_written_as_changes() -> None:
    changed = variant(PROFILE, "x:enrutar.densidad=1,fragmento.lista=2,base=tfidf,destaca=0.35")
    assert (changed.routing["densidad"], changed.selection["lista"]) == (1.0, 2.0)
    assert (changed.base, changed.standout) == ("tfidf", 0.35)
    assert PROFILE.routing["densidad"] == 0.0


@pytest.mark.parametrize("written", ["x:enrutar.otra=1", "x:alias=1", "x:enrutar.alias", "x:enrutar.alias=mucho"])
def test_a_change_that_means_nothing_is_refused(written: str) -> None:
    with pytest.raises(ConfigError):
        variant(PROFILE, written)
