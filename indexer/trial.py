"""Try a finished generation out before it is published: its own documents, and the operators' questions."""

from __future__ import annotations

from pathlib import Path

from indexer import gate
from indexer.gate import Ruling
from indexer.golden import DEFAULT_DROP, GoldenSet, Outcome, ask_all, golden_of, retriever_for
from indexer.reporting import Reporter
from siaa.config import MAX_QUESTION_CHARS, Settings
from siaa.errors import AmbiguousDocumentError, GenerationError, SiaaError, UnknownDocumentError
from siaa.generation import TUNING, Generation, current_name, open_current, open_generation
from siaa.language import GOLDEN_QUESTIONS
from siaa.retrieval import Retriever

_TRIALS = 3  # documents a finished generation is asked for before it is published


def examine(folder: Path, settings: Settings, reporter: Reporter) -> Ruling | None:
    """Open the finished generation, try it out, and ask it the golden questions, beside the published one.

    Returns None when there are no golden questions. Raises GenerationError when it cannot find its own documents.
    """
    generation = open_generation(folder)
    try:
        candidate = retriever_for(generation, settings)
        _try_out(candidate)
        golden = golden_of(folder)
        published = _published_outcomes(settings) if settings.owns_tuning else None
        if golden is None and not published:
            _warn_of_questions_left_behind(settings, reporter)
            return None
        asked = golden or GoldenSet((), DEFAULT_DROP)  # a file that was taken away leaves its questions missing
        _warn_of_strangers(asked, generation, reporter)
        return gate.judge_candidate(asked, ask_all(candidate, asked.questions), published)
    finally:
        generation.close()


def _warn_of_questions_left_behind(settings: Settings, reporter: Reporter) -> None:
    """Say when the published generation was made with questions: a variable may have been forgotten."""
    try:
        name = current_name(settings.index_dir)
    except GenerationError:
        return
    if name and (settings.index_dir / name / TUNING / GOLDEN_QUESTIONS).is_file():
        reporter.warn(
            f"la generación publicada se hizo con preguntas de control y esta no las tiene: ¿falta SIAA_CONFIG_DIR? "
            f"Las guarda {name}/{TUNING}/{GOLDEN_QUESTIONS}."
        )


def _warn_of_strangers(golden: GoldenSet, generation: Generation, reporter: Reporter) -> None:
    """Say which documents the golden questions name that the index does not have."""
    for name in dict.fromkeys(question.document for question in golden.questions if question.document):
        try:
            generation.find(name)
        except UnknownDocumentError:
            reporter.warn(f"{GOLDEN_QUESTIONS} nombra «{name}», que no está en la carpeta de documentos.")
        except AmbiguousDocumentError:
            reporter.warn(f"{GOLDEN_QUESTIONS} nombra «{name}», que llevan varios documentos: use la ruta.")


def _published_outcomes(settings: Settings) -> tuple[Outcome, ...] | None:
    """Return how the published generation answers the questions it was published with; None when it cannot be asked."""
    try:
        published = open_current(settings.index_dir)
    except GenerationError:
        return None
    try:
        golden = golden_of(published.folder)
        return ask_all(retriever_for(published, settings), golden.questions) if golden else None
    except SiaaError:
        return None  # it has tables that this version cannot read
    finally:
        published.close()


def _try_out(retriever: Retriever) -> None:
    """Ask the generation for some of its own documents.

    Raises GenerationError when it does not find them: it is then never published.
    """
    generation = retriever.generation
    with_text = [document for document in generation.documents if document.passage_count]
    for document in with_text[:_TRIALS]:
        words = generation.slice(document, 0, min(document.size, 2000)).split()[:12]
        query = retriever.ask(" ".join(words)[:MAX_QUESTION_CHARS] or document.title)
        if not retriever.select(query, document).fragment.pieces:
            raise GenerationError(
                f"El índice recién construido no encuentra el texto de {document.doc_id}: no se publica."
            )
