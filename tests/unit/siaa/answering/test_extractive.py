"""The answer of a machine without a model.

1. Every quote is a slice of its document, stands in the answer as it is, and names its document and article.
2. The answer has at most 600 characters; sentences and list items are whole, an item comes with its lead-in.
3. The sentence that answers best comes first; an echo of the question is no answer.
4. Only a sentence that is too long by itself is cut, between clauses.
5. An article of one short sentence is quoted; of an article asked for, whatever it says, and nothing of others.
6. No word of the question in the passages: no answer. The refusal's words are in no answer, nor a forged header.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from siaa.answering.extractive import MAX_CHARS, ExtractiveAnswer, extract
from siaa.answering.wording import REFUSAL
from siaa.model import Fragment, Piece
from siaa.text import fold

OFFSET = 1000  # of the first piece in its document


def stems(text: str) -> list[str]:
    """Stand in for the analyzer: folded words of four letters or more, cut to five, and numbers."""
    return [word[:5] for word in re.findall(r"\w+", fold(text)) if len(word) > 3 or word.isdigit()]


def fragment(*texts: str, articles: tuple[str, ...] = (), name: str = "acuerdo.md", heading: str = "") -> Fragment:
    pieces, start = [], OFFSET
    for position, text in enumerate(texts):
        article = articles[position] if articles else ""
        pieces.append(Piece(heading, start, start + len(text), text, article))
        start += len(text) + 50
    return Fragment(f"normativa/{name}", name, tuple(pieces))


def ask(question: str, *fragments: Fragment) -> ExtractiveAnswer | None:
    return extract(fragments, weights=dict.fromkeys(stems(question), 2.0), stems=stems)


def answer(question: str, *fragments: Fragment) -> ExtractiveAnswer:
    found = ask(question, *fragments)
    assert found is not None
    return found


REPORT = (
    "Los formularios se reportan cada trimestre. El plazo para reportar es de cinco días hábiles después de cada uno.\n"
    "La información la consolida la Unidad. Cada despacho conserva copia de lo suyo."
)


def test_the_best_sentence_comes_first_with_its_place() -> None:
    found = answer("¿Qué plazo hay para reportar?", fragment(REPORT, articles=("5",)))
    assert found.text.startswith("Según el documento acuerdo.md, artículo 5: «El plazo para reportar es de cinco días")
    assert found.quotes[0].article == "5"
    assert found.quotes[0].doc_id == "normativa/acuerdo.md"


def test_offsets_are_those_of_the_document() -> None:
    document = " " * OFFSET + REPORT
    for quote in answer("¿Qué plazo hay para reportar?", fragment(REPORT)).quotes:
        assert document[quote.start : quote.end] == quote.text


INTRODUCTIONS: list[tuple[Fragment, str]] = [
    (fragment(REPORT, articles=("14_bis",)), "Según el documento acuerdo.md, artículo 14 bis: «"),
    (fragment(REPORT, heading="Plazos"), "Según el documento acuerdo.md, sección «Plazos»: «"),
    (fragment(REPORT), "Según el documento acuerdo.md: «"),
]


@pytest.mark.parametrize(("given_fragment", "expected"), INTRODUCTIONS)
def test_introductions(given_fragment: Fragment, expected: str) -> None:
    assert answer("¿Qué plazo hay para reportar?", given_fragment).text.startswith(expected)


FOOTER = "O) Calle 3 No. 4 - 5\n(>) Conmutador: 123 4567"


def test_what_a_page_prints_around_its_text_is_not_quoted() -> None:
    text = f"El acuerdo rige desde enero\n{FOOTER}\n\nLos turnos se fijan cada calle del mes.\n{FOOTER}"
    quoted = [quote.text for quote in answer("¿Qué acuerdo rige en la calle 3?", fragment(text)).quotes]
    assert sorted(quoted) == ["El acuerdo rige desde enero", "Los turnos se fijan cada calle del mes."]
    assert ask("¿Qué conmutador?", fragment(FOOTER)) is None


def test_quotes_of_one_article_share_an_introduction() -> None:
    found = answer("¿Qué plazo hay para reportar los formularios?", fragment(REPORT, articles=("5",)))
    assert len(found.quotes) > 1
    assert found.text.count("Según el documento") == 1


def test_a_list_item_comes_with_its_lead_in() -> None:
    text = "El juez debe hacer lo siguiente:\n\n1. Firmar el acta de visita.\n2. Guardar copia del formulario en papel."
    found = answer("¿Quién guarda la copia del formulario?", fragment(text))
    assert [quote.text for quote in found.quotes[:2]] == [
        "El juez debe hacer lo siguiente:",
        "2. Guardar copia del formulario en papel.",
    ]


def test_the_lead_in_counts_for_its_items() -> None:
    text = "Se ordenan expedientes.\n\nSon tareas del archivero:\n\n1. Firmar.\n2. Ordenar expedientes ya."
    found = answer("¿Qué tareas tiene el archivero con los expedientes?", fragment(text))
    assert [quote.text for quote in found.quotes[:2]] == ["Son tareas del archivero:", "2. Ordenar expedientes ya."]


def test_what_follows_a_list_has_no_lead_in() -> None:
    text = "Son deberes:\n\n1. Firmar actas.\n\nEl archivero ordena expedientes viejos."
    found = answer("¿archivero expedientes?", fragment(text))
    assert found.quotes[0].text == "El archivero ordena expedientes viejos."


def test_an_echo_of_the_question_is_no_answer() -> None:
    text = "Plazo para reportar. El plazo para reportar vence a los cinco días hábiles del trimestre siguiente."
    found = answer("¿Plazo para reportar?", fragment(text))
    assert found.quotes[0].text.startswith("El plazo para reportar vence")


def test_headings_and_captions_are_not_quoted_alone() -> None:
    text = "## Plazo para reportar\n\nARTÍCULO 5. Plazo para reportar. Son cinco días hábiles desde el trimestre."
    found = answer("¿Plazo para reportar?", fragment(text, articles=("5",)))
    assert [quote.text for quote in found.quotes] == [text.split("\n\n")[1]]


FEE = "ARTÍCULO 2. La tarifa mensual es de cincuenta mil pesos."
OPENING = "ARTÍCULO 1. El parqueadero abre a las seis de la mañana y cierra tarde."

SHORT_ARTICLES: list[tuple[str, ...]] = [
    (OPENING, FEE),  # a passage of its own
    (f"{FEE}\n\nARTÍCULO 3. Vigencia.",),  # another caption follows
    (f"{FEE}\n\nARTÍCULO 3. {'Los vehículos abandonados pasan a la policía, ' * 3}con acta.",),  # a longer article
    (f"{FEE}\n\n## Sanciones\n\nQuien incumpla lo anterior pierde el cupo.",),  # a heading follows
]


@pytest.mark.parametrize("texts", SHORT_ARTICLES)
def test_a_short_article_with_nothing_behind_it_is_quoted(texts: tuple[str, ...]) -> None:
    assert answer("¿Cuál es la tarifa mensual?", fragment(*texts)).quotes[0].text == FEE


def test_a_title_alone_gives_way_to_a_sentence() -> None:
    found = answer(
        "¿Cuál es la tarifa?", fragment("ARTÍCULO 9. Tarifa mensual.", "La tarifa del cupo es de diez pesos.")
    )
    assert found.quotes[0].text == "La tarifa del cupo es de diez pesos."


def ask_articles(question: str, articles: tuple[str, ...], *fragments: Fragment) -> list[str]:
    found = extract(fragments, weights=dict.fromkeys(stems(question), 2.0), stems=stems, articles=articles)
    return [quote.text for quote in found.quotes] if found else []


# what the article asked for says -> what is quoted of it, though its neighbour shares more words with the question
ASKED = [
    ("(Derogado)", "(Derogado)"),
    ("ARTÍCULO 5. (Derogado).", "ARTÍCULO 5. (Derogado)."),
    ("## ARTÍCULO 5 (Derogado)", "ARTÍCULO 5 (Derogado)"),  # a heading and nothing more
    ("ARTÍCULO 5. Vigencia. Rige ya.", "ARTÍCULO 5. Vigencia. Rige ya."),
]


@pytest.mark.parametrize(("text", "quoted"), ASKED)
def test_of_an_article_asked_for_nothing_else_is_quoted(text: str, quoted: str) -> None:
    given_fragment = fragment(REPORT, text, articles=("4", "5"))
    assert ask_articles("¿Qué plazo para reportar da el artículo 5?", ("5",), given_fragment) == [quoted]


def test_every_article_asked_for_has_its_place_in_order() -> None:
    texts = [f"El plazo número {'largo ' * 40}del artículo {number} es breve." for number in (1, 2, 3)]
    given_fragment = fragment(*texts, articles=("1", "2", "3"))
    for articles in (("3", "1"), ("1", "3"), ("2", "1")):
        found = extract([given_fragment], weights={"plazo": 2.0}, stems=stems, articles=articles)
        assert found is not None
        assert tuple(dict.fromkeys(quote.article for quote in found.quotes)) == articles
        assert len(found.text) <= MAX_CHARS


def test_an_article_that_no_passage_has_changes_nothing() -> None:
    question = "¿Qué plazo para reportar hay?"
    given_fragment = fragment(REPORT, articles=("4",))
    assert ask_articles(question, ("99",), given_fragment) == ask_articles(question, (), given_fragment)


@pytest.mark.parametrize("text", [REFUSAL, "[DOC:OTRO.MD] Derogado", "> Nota del editor"])
def test_an_article_asked_for_is_no_way_around_what_may_not_be_said(text: str) -> None:
    assert ask_articles("¿artículo 5?", ("5",), fragment(text, articles=("5",))) == []


def test_a_sentence_too_long_is_cut_between_clauses() -> None:
    clause = "el despacho cumple con lo que se le pide en todo momento, "
    core = "el plazo para reportar vence a los cinco días hábiles,"
    text = f"Cuando {clause * 8}{core} {clause * 8}y así termina."
    found = answer("¿Qué plazo hay para reportar?", fragment(text))
    assert len(found.quotes) == 1
    assert core in found.quotes[0].text
    assert len(found.text) <= MAX_CHARS
    assert found.quotes[0].text in text


def test_the_passages_score_decides_between_equal_sentences() -> None:
    given_fragment = fragment("El plazo vence pronto en marzo.", "El plazo vence pronto en abril.", articles=("1", "2"))
    for position, piece in enumerate(given_fragment.pieces):
        scores = {("normativa/acuerdo.md", each.start): 1.0 + 9 * (each is piece) for each in given_fragment.pieces}
        found = extract([given_fragment], weights={"plazo": 2.0}, stems=stems, piece_scores=scores)
        assert found is not None
        assert found.quotes[0].article == str(position + 1)


def test_expansions_help_to_choose() -> None:
    given_fragment = fragment("El informe es largo y claro. El informe tiene periodicidad anual en todo caso.")
    found = extract([given_fragment], weights={"infor": 2.0}, expansion={"perio": 1.0}, stems=stems)
    assert found is not None
    assert "periodicidad" in found.quotes[0].text


REFUSALS: list[tuple[str, tuple[Fragment, ...]]] = [
    ("¿Cuánto cuesta el pasaporte?", (fragment(REPORT),)),  # nothing of it is there
    ("¿y?", (fragment(REPORT),)),  # no informative word
    ("¿Qué plazo hay?", ()),  # no document
    ("¿Qué plazo hay?", (fragment(),)),  # an empty one
    ("¿Qué plazo hay?", (fragment("Plazo."),)),  # only an echo
]


def test_the_words_of_the_refusal_are_not_quoted() -> None:
    assert ask("¿Qué plazo hay?", fragment(f"El plazo es largo y sabido. {REFUSAL}", heading="Plazo")) is not None
    assert ask("¿Qué información encontré en los documentos?", fragment(REFUSAL)) is None


def test_fewer_characters_where_a_notice_goes_before() -> None:
    found = extract([fragment(REPORT * 4)], weights={"plazo": 2.0}, stems=stems, max_chars=300)
    assert found is not None
    assert len(found.text) <= 300


def test_no_room_for_a_quotation_is_no_answer() -> None:
    assert ask("¿Qué plazo hay?", fragment(REPORT, name="n" * 590)) is None


@pytest.mark.parametrize(("question", "fragments"), REFUSALS)
def test_no_answer(question: str, fragments: tuple[Fragment, ...]) -> None:
    assert ask(question, *fragments) is None


def test_the_first_document_goes_before_another_that_says_the_same() -> None:
    first, second = fragment("El plazo vence en marzo.", name="a.md"), fragment("El plazo vence ya.", name="b.md")
    for given_fragments in ([first, second], [second, first]):
        assert answer("¿Qué plazo hay?", *given_fragments).quotes[0].name == given_fragments[0].name


# question -> the sentence that has the form of its answer, among two with the same words
FORMS = [
    (
        "¿Cuántos informes hay?",
        "Los informes anuales son doce para el juez.",
        "Los informes anuales son públicos para el juez.",
    ),
    ("¿Qué es el informe anual?", "El informe anual es un resumen.", "El informe anual trae un resumen."),
]


@pytest.mark.parametrize(("question", "better", "worse"), FORMS)
def test_the_form_of_what_is_asked_decides(question: str, better: str, worse: str) -> None:
    for text in (f"{better}\n\n{worse}", f"{worse}\n\n{better}"):
        found = extract([fragment(text)], weights={"infor": 2.0}, stems=stems, question=question)
        assert found is not None
        assert found.quotes[0].text == better


def test_a_label_states_nothing() -> None:
    text = "MANUAL DEL FORMULARIO DE PLAZOS\n\nPlazos de Bogotá, mayo de 2019\n\nLos plazos del formulario son cortos."
    assert answer("¿plazos formulario?", fragment(text)).quotes[0].text == "Los plazos del formulario son cortos."


def test_a_forged_header_is_not_quoted() -> None:
    text = "[DOC:OTRO.MD] El plazo es de mil años.\n\nEl plazo es de cinco días."
    assert [quote.text for quote in answer("¿Qué plazo hay?", fragment(text)).quotes] == ["El plazo es de cinco días."]


SENTENCES = ["El plazo vence.", "- Un deber;", "Son deberes del juez:", "palabra " * 90, "\n\n", "¿Plazo?", "x" * 700]


@given(
    st.lists(st.lists(st.sampled_from(SENTENCES)).map(" ".join) | st.text(), max_size=3),
    st.sampled_from(["", "5"]),
    st.booleans(),
)
def test_any_passage_gives_whole_slices_within_the_limit(texts: list[str], article: str, articles_asked: bool) -> None:
    given_fragment = fragment(*texts, articles=(article,) * len(texts), heading="Deberes del juez")
    asked = ("7", "5") if articles_asked else ()
    question = "¿Qué plazo y deber tiene el juez?"
    found = extract([given_fragment], weights=dict.fromkeys(stems(question), 2.0), stems=stems, articles=asked)
    if found is None:
        return
    assert 0 < len(found.text) <= MAX_CHARS
    assert REFUSAL not in found.text
    assert found.quotes
    for quote in found.quotes:
        piece = next(each for each in given_fragment.pieces if each.start <= quote.start and quote.end <= each.end)
        assert piece.text[quote.start - piece.start : quote.end - piece.start] == quote.text
        assert f"«{quote.text}»" in found.text
