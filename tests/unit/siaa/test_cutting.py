"""Where passages begin and end."""

from __future__ import annotations

from itertools import pairwise

from siaa.config import CHUNK_OVERLAP, CHUNK_SIZE
from siaa.cutting import cut_document
from siaa.model import CutPassage
from tests.building import read_texts


def _passages(text: str) -> tuple[CutPassage, ...]:
    return cut_document(read_texts({"general/x.md": text})[0])


def test_heading_stands_inside_its_passage() -> None:
    """What people ask with is often only in the heading."""
    passage = next(p for p in _passages("# Manual\n\n## Inventario inicial\n\nProcesos al comenzar.\n"))
    assert "Inventario inicial" in passage.text


def test_heading_path_runs_from_the_outermost() -> None:
    passage = _passages("# Manual\n\n## Sección uno\n\n### Columna A\n\nTexto de la columna.\n")[-1]
    assert passage.heading_path == ("Manual", "Sección uno", "Columna A")


def test_article_opens_a_passage() -> None:
    text = "# Ley\n\nARTÍCULO 1o. Objeto. Esta ley regula.\n\nARTÍCULO 2o. Ámbito. Se aplica a todos.\n"
    assert [p.article for p in _passages(text)][-2:] == ["1", "2"]


def test_heading_after_an_article_ends_it() -> None:
    text = "# Ley\n\n## Capítulo I\n\n### Artículo 1\n\nDel primero.\n\n## Disposiciones\n\nDe ninguno.\n"
    assert [p.article for p in _passages(text)][-1] == ""


def test_long_section_is_cut_between_paragraphs() -> None:
    paragraph = "Una frase de relleno que ocupa lugar. " * 9
    passages = _passages(f"# Manual\n\n{paragraph}\n\n{paragraph}\n\n{paragraph}\n")
    assert len(passages) > 1
    assert all(passage.text.rstrip().endswith(".") for passage in passages)


def test_overlap_is_whole_trailing_units() -> None:
    items = "\n".join(f"- Elemento número {n} de la lista con algo de texto para ocupar lugar" for n in range(30))
    passages = _passages(f"# Lista\n\n{items}\n")
    for before, after in pairwise(passages):
        assert 0 < before.end - after.start <= CHUNK_OVERLAP + 1
        assert after.text.startswith("- Elemento")


def test_sentence_longer_than_a_passage_is_cut_at_a_space() -> None:
    passages = _passages("# Manual\n\n" + "palabra " * 300 + "\n")
    assert max(len(passage.text) for passage in passages) <= CHUNK_SIZE
    assert {word for passage in passages for word in passage.text.split()} == {"#", "Manual", "palabra"}


def test_bare_heading_is_carried_by_what_it_heads() -> None:
    passages = _passages("# Ley\n\n## Título I\n\n### Artículo 1\n\nTexto del artículo.\n")
    assert [p.heading_path[-1] for p in passages] == ["Artículo 1"]


def test_no_article_stands_below_another() -> None:
    """The second has no heading of its own: it opens in the text under the first one's."""
    text = "# Ley\n\n## Artículo 1\n\nARTÍCULO 1. Objeto. Uno.\n\nARTÍCULO 2. Plazo. Dos.\n\n## Artículo 3\n\nTres.\n"
    passages = _passages(text)
    assert [p.article for p in passages] == ["1", "2", "3"]
    assert [p.heading_path for p in passages][1] == ("Ley", "ARTÍCULO 2. Plazo")


def test_the_heading_of_a_lettered_article_is_carried_by_it() -> None:
    passages = _passages("# Ley\n\n## Artículo 5\n\nARTÍCULO 5A. Plazo. Diez días.\n\n## Artículo 6\n\nSeis.\n")
    assert [p.article for p in passages] == ["5a", "6"]


FOOTER = "Calle 3 No. 4 - 5\nConmutador: 123 4567\nwww.juzgado.gov.co\n"


def test_no_passage_begins_or_ends_with_what_a_page_prints() -> None:
    text = f"# Acuerdo\n\nARTÍCULO 1. Turnos. Los hay.\n{FOOTER}\nHoja No. 2\n\nARTÍCULO 2. Rige.\n\n{FOOTER}"
    assert [p.text.split("\n")[-1] for p in _passages(text)] == [
        "ARTÍCULO 1. Turnos. Los hay.",
        "ARTÍCULO 2. Rige.",
    ]


def test_a_page_break_stays_inside_its_article() -> None:
    passage = _passages(f"# Acuerdo\n\nARTÍCULO 1. Turnos.\n\nLos hay\n{FOOTER}\ntodo el año.\n")[-1]
    assert passage.text.startswith("ARTÍCULO 1")
    assert passage.text.endswith("todo el año.")


def test_a_page_break_makes_no_passage_of_what_is_repeated() -> None:
    """A footer behind a full passage is no reason for another one that holds only the overlap."""
    lines = "\n".join(f"- Elemento número {n} de la lista, con algo de texto más" for n in range(13))
    passages = _passages(f"# Lista\n\n{lines}\n\n{FOOTER * 3}")
    ends = [passage.end for passage in passages]
    assert ends == sorted(set(ends))


def test_a_section_of_nothing_but_an_address_keeps_it() -> None:
    assert "Calle 3" in _passages(f"# Guía\n\nTexto.\n\n## Sede\n\n{FOOTER}")[-1].text


def test_list_is_known() -> None:
    assert _passages("# Requisitos\n\n- Cédula\n- Firma\n")[-1].is_list
