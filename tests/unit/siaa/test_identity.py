"""What documents are called."""

from __future__ import annotations

import pytest

from siaa.identity import Identity, Norm
from tests.building import ANALYZER, identify, read_texts


def _identities(texts: dict[str, str]) -> dict[str, Identity]:
    documents = read_texts(texts)
    found = identify(documents)
    return {document.doc_id: identity for document, identity in zip(documents, found, strict=True)}


def _alias(text: str) -> tuple[str, ...]:
    return tuple(ANALYZER.stem(word) for word in text.split())


@pytest.mark.parametrize(
    ("name", "norm"),
    [
        ("general/ley_820_de_2003.md", Norm("ley", "820", "2003")),  # rank, number and year in the file name
        ("general/acuerdo_no._psaa16-10476.md", Norm("psaa16", "10476", "2016")),  # "no." is no part of the number
        ("general/acuerdo_pcsja19-11207..md", Norm("pcsja19", "11207", "2019")),  # a stray dot in the file name
    ],
)
def test_norm_comes_from_the_file_name(name: str, norm: Norm) -> None:
    assert norm in _identities({name: "# Título\n\nUn texto cualquiera de la norma.\n"})[name].norms


def test_norm_comes_from_the_front_matter_when_nothing_else_tells() -> None:
    text = "---\nrank: ley-organica\nofficial_number: 3/2018\n---\n# Protección de datos\n\nTexto de la ley.\n"
    found = _identities({"general/a-2018.md": text})["general/a-2018.md"]
    assert found.norms == (Norm("ley_organica", "3", "2018"),)


def test_words_that_every_manual_bears_do_not_name_one() -> None:
    text = "# MANUAL INSTRUCTIVO DEL FORMULARIO SIERJU JUZGADO DE FAMILIA\n\nCómo se llenan las columnas.\n"
    found = _identities({"general/juzg_familia.md": text})["general/juzg_familia.md"]
    assert _alias("juzgado familia") in found.aliases


def test_title_block_ends_where_the_text_begins() -> None:
    """ "PRESENTACIÓN" and "TÍTULO I" head the text of many documents and name none."""
    text = (
        "MANUAL DEL JUZGADO LABORAL\n\nPRESENTACIÓN\n\nTÍTULO I\n\nDE LAS COSAS\n\nEste manual explica las columnas.\n"
    )
    found = _identities({"general/laboral.md": text})["general/laboral.md"]
    stems = {stem for alias in found.aliases for stem in alias}
    assert not stems & set(_alias("presentacion titulo cosas"))


def test_corpus_tells_what_a_law_is_called() -> None:
    """Another document names the law beside its number."""
    texts = {
        "general/ley_1564_de_2012.md": "# Ley 1564 de 2012\n\nDisposiciones del proceso.\n",
        "general/otra.md": "# Guía\n\nSe aplica el Código General del Proceso (Ley 1564 de 2012) a lo civil.\n",
    }
    found = _identities(texts)["general/ley_1564_de_2012.md"]
    assert _alias("codigo general proceso") in found.aliases


def test_initials_of_the_title_are_an_acronym() -> None:
    text = "# Código General del Proceso\n\nDisposiciones del proceso.\n"
    assert _identities({"general/c.md": text})["general/c.md"].acronyms["cgp"] == 1.0


def test_initials_that_are_a_word_of_the_corpus_are_no_acronym() -> None:
    """Questions come in any case: "sol" must not name the "Sistema de Observación Local"."""
    texts = {
        "general/s.md": "# Sistema de Observación Local\n\nCómo se observa el cielo.\n",
        "general/t.md": "# Astros\n\nEl sol sale cada día y el sol se pone.\n",
    }
    assert "sol" not in _identities(texts)["general/s.md"].acronyms


def test_first_word_names_the_only_constitution() -> None:
    texts = {
        "general/constitucion_politica_1991.md": "# Constitución Política de Colombia\n\nTexto de la carta.\n",
        "general/ley_5_de_1992.md": "# Ley 5 de 1992\n\nReglamento del Congreso.\n",
    }
    found = _identities(texts)
    assert _alias("constitucion") in found["general/constitucion_politica_1991.md"].aliases


def test_first_word_names_none_of_two_codes() -> None:
    texts = {
        "general/codigo_civil.md": "# Código Civil\n\nTexto del código.\n",
        "general/codigo_penal.md": "# Código Penal\n\nTexto del código.\n",
    }
    assert all(_alias("codigo") not in identity.aliases for identity in _identities(texts).values())


@pytest.mark.parametrize(
    ("name", "text", "edition"),
    [
        (
            "general/m.md",
            "---\nfecha_documento: junio de 2019\n---\n# Manual\n\nDe 2022.\n",
            "2019",
        ),  # front matter first
        ("general/acuerdo_pcsja19-11207.md", "# Acuerdo\n\nModifica el de 2016.\n", "2019"),  # the norm's own year
        ("general/m_2022.md", "# Manual\n\nReemplaza al de 2019.\n", "2022"),  # then the file name
        ("general/m.md", "# Manual\n\nSin fecha.\n", ""),  # nothing says it
    ],
)
def test_edition(name: str, text: str, edition: str) -> None:
    assert _identities({name: text})[name].edition == edition


def test_front_matter_tells_that_a_norm_is_repealed() -> None:
    text = '---\nstatus: "repealed"\n---\n# Ley 30/1992\n\nTexto de la ley.\n'
    assert _identities({"general/l.md": text})["general/l.md"].repealed
