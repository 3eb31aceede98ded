"""When the passages cannot answer.

1. A norm that the corpus neither has nor cites, and an article that the named document lacks, are refused whatever the
   passages share with the question.
2. The score is the weight of the question's words that the passages hold, half of it for the best passage alone.
3. Words that no document holds, corrected ones among them, count as missing, and are named to the reader.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from siaa.answering.refusal import ANSWER_FROM, REFUSE_BELOW, WRITTEN_HELD, Decision, coverage, is_cited
from siaa.answering.wording import told
from siaa.model import Fragment, Piece
from siaa.question import Query
from siaa.references import find_references
from siaa.retrieval import Retriever
from tests.asking import verdict_on
from tests.building import build_retriever


def decided(sample: Retriever, raw: str) -> tuple[Decision, str]:
    verdict = verdict_on(sample, raw)
    assert 0 <= verdict.value <= 1
    assert told(verdict.reason).endswith(".")
    return verdict.decision, told(verdict.reason)


# question -> what is decided, words of the reason
CASES = [
    # Its words are there.
    ("¿Quiénes son los funcionarios responsables de reportar la información?", Decision.ANSWER, "hablan de lo que"),
    ("¿Qué es el acoso laboral?", Decision.ANSWER, "hablan de lo que"),
    # Another subject: the words that no passage holds are named.
    ("¿Qué receta de ajiaco con guascas y pollo lleva el formulario?", Decision.REFUSE, "«guascas»"),
    ("xqzwk vvbrtl", Decision.REFUSE, "Ningún pasaje"),
    # No such norm, not even cited.
    ("¿Qué dice la Ley 9999 de 2001 sobre los funcionarios responsables?", Decision.REFUSE, "«Ley 9999 de 2001»"),
    ("¿Qué establece el Decreto 4321 de 2030 sobre el SIERJU?", Decision.REFUSE, "ninguno de los disponibles lo cita"),
    # No document is that law, but documents cite it: what they say may be an answer.
    ("¿Qué función da la Ley 270 de 1996 a los Consejos Seccionales?", Decision.ANSWER, ""),
    # No such article.
    ("¿Qué dispone el artículo 99 del Acuerdo PSAA16-10476?", Decision.REFUSE, "no tiene el artículo 99"),
    ("¿Qué dispone el artículo 5 del Acuerdo PSAA16-10476?", Decision.ANSWER, ""),
]


@pytest.mark.parametrize(("raw", "decision", "reason"), CASES)
def test_verdicts(sample: Retriever, raw: str, decision: Decision, reason: str) -> None:
    made, why = decided(sample, raw)
    assert made is decision
    assert reason in why


LAWS = {
    "normativa/ley_9_de_2001.md": "# Ley 9 de 2001\n\n"
    + "".join(
        f"ARTÍCULO {n}. El teletrabajo de los auxiliares se acuerda por escrito, regla {n}.\n\n" for n in range(1, 6)
    ),
    "normativa/ley_7_de_1990.md": "# Ley 7 de 1990\n\n"
    + "".join(f"ARTÍCULO {n}. La pesca en los ríos necesita permiso número {n}.\n\n" for n in range(1, 13)),
}
ARTICLES = [
    ("¿Qué dice el artículo 3 de la ley del teletrabajo?", ""),
    (
        "¿Qué dice el artículo 12 de la ley del teletrabajo?",
        "ley_9_de_2001.md no tiene el artículo 12",
    ),  # nor of fishing
    ("¿Qué dice el artículo 12 de la ley de pesca en los ríos?", ""),
    ("¿Qué dice el artículo 40 de la ley de pesca en los ríos?", "ley_7_de_1990.md no tiene el artículo 40"),
    ("artículo 12", ""),  # of any
]


@pytest.mark.parametrize(("raw", "reason"), ARTICLES)
def test_an_article_of_another_law_is_no_answer(tmp_path: Path, raw: str, reason: str) -> None:
    retriever = build_retriever(tmp_path, LAWS)
    verdict = verdict_on(retriever, raw)
    assert (verdict.decision is Decision.REFUSE) is bool(reason)
    assert reason in told(verdict.reason)


def test_the_limits_are_in_order() -> None:
    assert 0 < REFUSE_BELOW < ANSWER_FROM < 1


# what is cited somewhere in the sample corpus
CITED = [("Ley 270 de 1996", True), ("Acuerdo PCSJA17-10714", True), ("Ley 270 de 1997", False), ("Ley 27", False)]


@pytest.mark.parametrize(("text", "cited"), CITED)
def test_citations_of_norms_are_found_by_number_rank_and_year(sample: Retriever, text: str, cited: bool) -> None:
    (reference,) = find_references(text)
    assert is_cited(reference, generation=sample.generation) is cited


def covered(sample: Retriever, query: Query, weights: dict[str, float]) -> tuple[float, tuple[str, ...]]:
    gathered = sample.gather(sample.route(query))
    given = [(selected.document, selected.fragment) for selected in gathered.selections]
    return coverage(query, given, weights=weights, analyzer=sample.generation.analyzer)


def test_scattered_words_count_half(sample: Retriever) -> None:
    query = sample.ask("acoso laboral")
    stems = dict.fromkeys(query.local_stems, 1.0)
    assert covered(sample, query, stems)[0] == pytest.approx(1.0)
    assert covered(sample, query, {**stems, "guasc": 2.0})[0] == pytest.approx(0.5)


def test_words_of_a_page_frame_cover_nothing(sample: Retriever) -> None:
    query = sample.ask("conmutador acoso")
    gathered = sample.gather(sample.route(query))
    footer = Piece("", 0, 30, "Texto.\nConmutador: 123 4567", "")
    given = [(gathered.selections[0].document, Fragment("general/x.md", "x.md", (footer,)))]
    stem = sample.generation.analyzer.stem("conmutador")
    value, missing = coverage(query, given, weights={stem: 1.0}, analyzer=sample.generation.analyzer)
    assert (value, missing) == (0.0, ("conmutador",))


def test_a_question_of_references_only_is_covered(sample: Retriever) -> None:
    assert covered(sample, sample.ask("acoso laboral"), {}) == (1.0, ())


def test_a_correction_is_no_word_of_the_question(sample: Retriever) -> None:
    query = replace(sample.ask("acoso laboral"), words=("acozo", "acoso"), corrections={"acozo": "acoso"})
    assert covered(sample, query, {"acoz": 10.0})[1] == ("acozo",)


def test_an_everyday_word_counts_in_part_where_what_is_written_for_it_is(sample: Retriever) -> None:
    query = sample.ask("¿mi patrón?")
    asked = sample.generation.analyzer.stem("patron")
    shares = []
    for text in ("El patrón responde.", "El empleador responde.", "El arrendador responde."):
        given = [(sample.generation.documents[0], Fragment("x", "x", (Piece("", 0, len(text), text, ""),)))]
        shares.append(coverage(query, given, weights={asked: 4.0}, analyzer=sample.generation.analyzer)[0])
    assert shares == pytest.approx([1.0, WRITTEN_HELD, 0.0])
