"""Build a retriever over a few hand-made documents: the real pipeline without spaCy or a published generation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from indexer.passages import AnalysedPassage, analyse
from indexer.readers import read_document
from siaa.analysis import Analyzer
from siaa.config import OWN_CONFIG_DIR
from siaa.cutting import cut_document
from siaa.generation import Generation
from siaa.identity import Identity, draft, settle
from siaa.language import load_tables
from siaa.model import Document
from siaa.profile import read_profile
from siaa.records import DocumentRecord
from siaa.retrieval import Retriever
from siaa.search import deriving, whoosh_index
from siaa.search.arrays import Arrays, Vocabularies
from siaa.search.index import SearchIndex
from tests.small_index import columns_of_rows

ANALYZER = Analyzer(load_tables(OWN_CONFIG_DIR))


@dataclass(frozen=True)
class _Manifest:
    collections: Mapping[str, int]


class SmallGeneration(Generation):
    """A generation in memory: what a retriever needs of one."""

    def __init__(
        self, documents: tuple[DocumentRecord, ...], index: SearchIndex, manifest: _Manifest, texts: tuple[str, ...]
    ) -> None:
        self.name = "gen-pequena"
        self.analyzer = ANALYZER
        self.tables = ANALYZER.tables
        self.documents = documents
        self.index = index
        self.manifest = manifest
        self.texts = texts

    def slice(self, document: DocumentRecord, start: int, end: int) -> str:
        """Return characters of a document."""
        return self.texts[document.position][start:end]


def read_texts(texts: Mapping[str, str]) -> list[Document]:
    """Read `texts`, by path such as "normativa/ley_5_de_1992.md", as the indexer reads files."""
    return [
        read_document(text.encode(), doc_id=doc_id, collection=doc_id.split("/")[0])
        for doc_id, text in sorted(texts.items())
    ]


def identify(documents: Sequence[Document]) -> tuple[Identity, ...]:
    """Return the identity of each document of a whole corpus, in order."""
    return settle([draft(document, ANALYZER) for document in documents], ANALYZER)


def build_retriever(
    folder: Path, texts: Mapping[str, str], *, profile: str = "calibrado", weights: Mapping[str, float] | None = None
) -> Retriever:
    """Return a retriever over `texts`; `weights` replaces routing and selection weights of the profile by name."""
    documents = read_texts(texts)
    identities = identify(documents)
    records: list[DocumentRecord] = []
    passages: list[AnalysedPassage] = []
    for position, (document, identity) in enumerate(zip(documents, identities, strict=True)):
        cut = cut_document(document)
        records.append(
            DocumentRecord(
                position=position,
                doc_id=document.doc_id,
                name=document.name,
                title=document.title,
                collection=document.collection,
                size=len(document.text),
                first_passage=len(passages),
                passage_count=len(cut),
                text_start=0,
                articles=tuple(dict.fromkeys(passage.article for passage in cut if passage.article)),
                warnings=(),
                keywords=(),
                identity=identity,
            )
        )
        passages += analyse(cut, identity.title_stems, doc_id=document.doc_id, position=position, analyzer=ANALYZER)
    generation = SmallGeneration(
        tuple(records),
        _search_index(folder, passages, len(documents)),
        _Manifest(Counter(document.collection for document in documents)),
        tuple(document.text for document in documents),
    )
    read = read_profile(OWN_CONFIG_DIR / "perfiles" / f"{profile}.toml")
    changed = weights or {}
    used = replace(
        read,
        routing={name: changed.get(name, weight) for name, weight in read.routing.items()},
        selection={name: changed.get(name, weight) for name, weight in read.selection.items()},
    )
    return Retriever(generation, profile=used, max_docs=2, max_chunks=3)


def _search_index(folder: Path, passages: list[AnalysedPassage], documents: int) -> SearchIndex:
    whoosh_index.write_index(folder / "whoosh", (passage.terms for passage in passages))
    columns = columns_of_rows(passage.row for passage in passages)
    stems = {word: ANALYZER.stem(word) for passage in passages for word in passage.terms.words}
    postings = whoosh_index.read_all_postings(folder / "whoosh")
    target = folder / "arrays"
    deriving.write_arrays(target, postings, columns, documents=documents, stem_of=stems.get)
    return SearchIndex(Arrays.open(target), Vocabularies.open(target))
