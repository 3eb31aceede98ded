"""Words of the chat that are put together."""

from __future__ import annotations

import pytest

from siaa.answering.wording import article_name


@pytest.mark.parametrize(
    ("number", "name"),
    [
        ("5", "5"),
        ("14_bis", "14 bis"),
        ("104a", "104a"),
        ("trans_5", "transitorio 5"),
        ("trans", "transitorio"),
        ("unico", "único"),
    ],
)
def test_article_is_named_as_people_write_it(number: str, name: str) -> None:
    assert article_name(number) == name
