"""The commands of `python -m indexer`, one function each; every one returns its exit code."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from indexer import differences, history, publishing, review
from indexer.build import BuildResult, build
from indexer.gate import AUDIT, Ruling, StoppedByGateError
from indexer.golden import golden_of, quoted, retriever_for
from indexer.reading import read_documents, read_files
from indexer.reporting import Reporter
from siaa.command_line import SpanishParser
from siaa.config import Settings, unknown_variables
from siaa.errors import ConfigError, GenerationError
from siaa.generation import LEFT_OUT, current_name, open_generation
from siaa.language import GOLDEN_QUESTIONS

DONE, FOUND = 0, 1

Command = Callable[[argparse.Namespace, Settings, Reporter], int]


def build_index(options: argparse.Namespace, settings: Settings, reporter: Reporter) -> int:
    """Bring the index up to date."""
    if options.forzar and not options.motivo.strip():
        raise ConfigError('--forzar necesita --motivo "...": queda escrito quién publicó, cuándo y por qué.')
    reporter.say(f"Documentos: {settings.corpus_dir}\nÍndice: {settings.index_dir}")
    for name in unknown_variables():
        reporter.warn(f"{name} no es un ajuste de SIAA y no hace nada (docs/configuracion.md).")
    if not settings.owns_tuning:
        reporter.warn(
            "el corpus no es el del proyecto y no hay SIAA_CONFIG_DIR: se usan solo las tablas de lengua "
            "(ni palabras clave manuales, ni aclaraciones, ni preguntas de control)."
        )
    if options.motivo.strip() and not options.forzar:
        reporter.warn("--motivo no hace nada sin --forzar.")
    motive = options.motivo.strip() if options.forzar else ""
    try:
        result = build(settings, reporter, force=options.rehacer, motive=motive)
    except StoppedByGateError as error:
        _tell_ruling(error.ruling, reporter)
        reporter.say(
            "Corrija el documento, el ajuste o la pregunta y repita; si el cambio es el que se quería, publíquelo con "
            f'--forzar --motivo "por qué" (queda escrito en {AUDIT}).'
        )
        raise
    if result.published or options.detalle:
        reporter.files(result.manifest.reports, every=options.detalle)
    if result.ruling is not None:
        _tell_ruling(result.ruling, reporter)
    elif result.published and settings.owns_tuning:
        reporter.warn(f"no hay {GOLDEN_QUESTIONS}: se publica sin preguntas de control.")
    reporter.summary(result.manifest, published=result.published, seconds=result.seconds, kept=result.kept)
    if motive:
        reporter.say(_fate_of_motive(result))
    return DONE


def _fate_of_motive(result: BuildResult) -> str:
    """Say whether forcing did anything: a motive is written only where the gate had been against publishing."""
    if not result.published:
        return "No había nada que publicar: no se forzó nada y el motivo no queda escrito."
    if result.ruling is None or result.ruling.passes:
        return "No hizo falta forzar: las preguntas de control no lo impedían y el motivo no queda escrito."
    return f"Publicada a la fuerza: queda escrito en {AUDIT}."


def _tell_ruling(ruling: Ruling, reporter: Reporter) -> None:
    reporter.say(f"Preguntas de control: {ruling.green} de {ruling.asked} en verde.")
    for outcome in ruling.red:
        critical = " (crítica)" if outcome.question.critical else ""
        reporter.say(f"  rojo{critical}: {outcome.question.told}: {outcome.found}")
    for change in ruling.changes:
        named = quoted(change.id, change.text)
        mark = "se puso en ROJO" if change.turned_red else "se puso en verde"
        critical = " (crítica)" if change.critical else ""
        reporter.say(f"  {mark}{critical}: {named}\n    antes: {change.before}\n    ahora: {change.after}")
    for reason in ruling.reasons:
        reporter.say(f"  motivo: {reason}")


def review_corpus(options: argparse.Namespace, settings: Settings, reporter: Reporter) -> int:
    """Report the faults of the corpus without indexing anything."""
    corpus = read_files(settings.corpus_dir)
    documents, reports = read_documents(corpus.files, reporter)
    left_out = [report for report in (*corpus.reports, *reports) if report.state == LEFT_OUT]
    findings = review.review(documents)
    for report in left_out:
        reporter.say(f"excluido: {report.path}: {' '.join(report.reasons)}")
    for finding in findings:
        reporter.say(f"{finding.kind}: {', '.join(finding.documents)}: {finding.what}")
    reporter.say(
        f"{_counted(len(documents), 'documento revisado', 'documentos revisados')}, "
        f"{_counted(len(findings) + len(left_out), 'hallazgo', 'hallazgos')}."
    )
    return FOUND if findings or left_out else DONE


def _counted(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def list_generations(options: argparse.Namespace, settings: Settings, reporter: Reporter) -> int:
    """List the generations, the published one marked."""
    kept = history.list_generations(settings.index_dir)
    for one in kept:
        size = f"{one.manifest.documents} documentos, {one.manifest.passages} pasajes" if one.manifest else one.problem
        reporter.say(f"{'*' if one.published else ' '} {one.name}  {size}")
    if not kept:
        reporter.say("No hay ninguna generación: ejecute «make index».")
    return DONE


def check_generations(options: argparse.Namespace, settings: Settings, reporter: Reporter) -> int:
    """Verify the digests, counts and analyzer of every generation."""
    kept = history.list_generations(settings.index_dir, thorough=True)
    for one in kept:
        reporter.say(f"{'*' if one.published else ' '} {one.name}  {one.problem or 'entera'}")
    if not any(one.published for one in kept):
        reporter.say("No hay ninguna generación publicada: ejecute «make index».")
        return FOUND
    return FOUND if any(one.problem for one in kept) else DONE


def roll_back(options: argparse.Namespace, settings: Settings, reporter: Reporter) -> int:
    """Publish an older generation again."""
    name = history.roll_back(settings.index_dir, options.generacion)
    reporter.say(f"Publicada de nuevo: {name}. El próximo «make index» vuelve a construir si el corpus es otro.")
    return DONE


def prune(options: argparse.Namespace, settings: Settings, reporter: Reporter) -> int:
    """Remove old generations."""
    with publishing.build_lock(settings.index_dir):
        publishing.remove_unfinished(settings.index_dir)
        removed = publishing.prune(settings.index_dir, keep=options.conservar)
    reporter.say(f"Generaciones borradas: {', '.join(removed) or 'ninguna'}.")
    return DONE


def tell_differences(options: argparse.Namespace, settings: Settings, reporter: Reporter) -> int:
    """Say what changed from one generation to another; without names, from the one before to the published one."""
    names = _pair(options, settings)
    folders = [history.folder_of(settings.index_dir, name) for name in names]
    generations = [open_generation(folder) for folder in folders]
    try:
        golden = golden_of(folders[1])
        before, after = (retriever_for(generation, settings) for generation in generations)
        found = differences.compare(before, after, golden.questions if golden else ())
    finally:
        for generation in generations:
            generation.close()
    reporter.say(f"De {names[0]} a {names[1]}:")
    lines = [f"+ documento {name}" for name in found.added] + [f"- documento {name}" for name in found.removed]
    for change in found.changed:
        parts = (("nuevos", change.added), ("quitados", change.removed), ("cambiados", change.changed))
        told = "; ".join(f"artículos {kind}: {', '.join(articles)}" for kind, articles in parts if articles)
        lines.append(f"~ documento {change.doc_id}{': ' + told if told else ''}")
    for question in found.questions:
        what = "otro fragmento" if question.fragment_only else f"{_names(question.before)} -> {_names(question.after)}"
        lines.append(f"~ pregunta «{question.text}»: {what}")
    for line in lines or ["sin diferencias"]:
        reporter.say(f"  {line}")
    return FOUND if lines else DONE


def _names(documents: tuple[str, ...]) -> str:
    return ", ".join(documents) or "ningún documento"


def _pair(options: argparse.Namespace, settings: Settings) -> tuple[str, str]:
    if options.antes and options.despues:
        return options.antes, options.despues
    current = current_name(settings.index_dir)
    names = [one.name for one in history.list_generations(settings.index_dir)]
    if current not in names or names.index(current) + 1 >= len(names):
        raise GenerationError(
            "No hay dos generaciones que comparar: indique sus nombres, vea «python -m indexer list»."
        )
    return names[names.index(current) + 1], current


COMMANDS: dict[str, Command] = {
    "build": build_index,
    "review": review_corpus,
    "list": list_generations,
    "check": check_generations,
    "diff": tell_differences,
    "rollback": roll_back,
    "prune": prune,
}


def parser() -> argparse.ArgumentParser:
    """Return the command line: without a command it builds."""
    main = SpanishParser(
        prog="python -m indexer", description="Construye el índice de SIAA con los documentos del corpus y lo cuida."
    )
    _build_options(main)
    orders = main.add_subparsers(dest="orden", metavar="orden")
    _build_options(orders.add_parser("build", help="poner al día el índice (es lo que se hace sin orden)"))
    orders.add_parser("review", help="buscar faltas del corpus sin indexar nada")
    orders.add_parser("list", help="enumerar las generaciones; * es la publicada")
    orders.add_parser("check", help="comprobar huellas, cuentas y analizador de cada generación")
    diff = orders.add_parser("diff", help="decir qué cambió de una generación a otra")
    diff.add_argument("antes", nargs="?", default="", help="generación; sin nombres, la anterior a la publicada")
    diff.add_argument("despues", nargs="?", default="", help="generación; sin nombres, la publicada")
    back = orders.add_parser("rollback", help="volver a publicar una generación anterior")
    back.add_argument("generacion", nargs="?", default="", help="su nombre; sin él, la anterior a la publicada")
    old = orders.add_parser("prune", help="borrar generaciones viejas; la publicada nunca")
    old.add_argument(
        "--conservar", type=_positive, default=publishing.KEPT, metavar="N", help="cuántas se dejan (%(default)s)"
    )
    return main


def _build_options(order: argparse.ArgumentParser) -> None:
    order.add_argument("--rehacer", action="store_true", help="construir aunque nada haya cambiado, leyendo todo")
    order.add_argument(
        "--detalle", action="store_true", help="decir qué fue de cada archivo, aunque no haya nada que hacer"
    )
    order.add_argument("--forzar", action="store_true", help="publicar aunque las preguntas de control lo desaconsejen")
    order.add_argument("--motivo", default="", metavar="TEXTO", help="por qué se fuerza; queda escrito")


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 10 and int(text) >= 1):
        raise argparse.ArgumentTypeError(f"debe ser un número entero, al menos 1, y es «{text}»")
    return int(text)
