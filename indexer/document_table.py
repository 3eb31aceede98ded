"""Make the table of documents: what they settle together, names, identity and keywords, beside what each gives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from indexer.extracts import Extract
from indexer.keywords import find_keywords
from indexer.reporting import Reporter
from indexer.writing import Contents
from siaa.analysis import Analyzer
from siaa.identity import settle
from siaa.records import DocumentRecord, Keyword
from siaa.search.whoosh_index import WORDS


def describe(
    documents: Sequence[Extract], contents: Contents, analyzer: Analyzer, reporter: Reporter
) -> list[DocumentRecord]:
    """Return the row of each document, in order; `contents` are the passages of all."""
    automatic = find_keywords(
        [document.sample for document in documents], contents.postings[WORDS], contents.columns.document, analyzer
    )
    manual = _manual_keywords(documents, analyzer.tables.manual_keywords, reporter)
    identities = settle([document.identity for document in documents], analyzer)
    bearers = Counter(document.name.casefold() for document in documents)
    records: list[DocumentRecord] = []
    first_passage = text_start = 0
    for position, (document, identity) in enumerate(zip(documents, identities, strict=True)):
        records.append(
            DocumentRecord(
                position=position,
                doc_id=document.doc_id,
                name=document.name if bearers[document.name.casefold()] == 1 else document.doc_id,
                title=document.title,
                collection=document.collection,
                size=document.size,
                first_passage=first_passage,
                passage_count=document.passage_count,
                text_start=text_start,
                articles=document.articles,
                warnings=document.warnings,
                keywords=manual[position] + automatic[position],
                identity=identity,
            )
        )
        first_passage += document.passage_count
        text_start += document.size
    return records


def _manual_keywords(
    documents: Sequence[Extract], table: dict[str, tuple[str, ...]], reporter: Reporter
) -> list[tuple[Keyword, ...]]:
    """Return each document's manual keywords; a name in the table that no document bears is said, not ignored."""
    bearers = {document.name.casefold() for document in documents} | {
        document.doc_id.casefold() for document in documents
    }
    for name in sorted(set(table) - bearers):
        reporter.warn(f"palabras_clave.toml nombra «{name}», que no está en la carpeta de documentos.")
    words = [(*table.get(d.name.casefold(), ()), *table.get(d.doc_id.casefold(), ())) for d in documents]
    return [tuple(Keyword(word, 1.0, "manual") for word in dict.fromkeys(found)) for found in words]
