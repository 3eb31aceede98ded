"""A recording adds up to what the retriever answers, whatever the profile."""

from __future__ import annotations

from dataclasses import replace

import pytest

from siaa.profile import Profile, load_profile
from siaa.retrieval import Retriever
from tests.eval.answerers import LocalAnswerer
from tests.eval.recorded import RecordedAnswerer, Recording


def _changed(profile: Profile) -> Profile:
    """Return a profile with weights that no file has."""
    return replace(
        profile,
        name="cambiado",
        routing=dict(profile.routing) | {"alias": 1.3, "densidad": 0.4, "rango": 0.0},
        selection=dict(profile.selection) | {"lista": 2.0, "encabezado": 0.0, "proximidad": 9.0},
    )


@pytest.mark.parametrize("name", ["calibrado", "clasico", "cambiado"])
def test_recorded_answers_are_those_of_the_retriever(
    sample: Retriever, sample_questions: list[dict[str, object]], name: str
) -> None:
    generation = sample.generation
    profile = _changed(sample.profile) if name == "cambiado" else load_profile(generation, name)
    plain = LocalAnswerer(generation, profile)
    recorded = RecordedAnswerer(Recording.of(generation, sample.profile), profile)
    for row in sample_questions[::4]:
        text = str(row["q"])
        routed = plain.route(text)
        assert recorded.route(text) == routed, text
        for document in routed:
            assert recorded.fragment(document, text) == plain.fragment(document, text), (document, text)
