"""Retrieval alone on a collection in BEIR's layout: `corpus.jsonl`, `queries.jsonl`, `qrels/test.tsv`.

`python -m ops evaluate --beir FOLDER`: each leg and each fusion of the project's own index and embedder over all of
it. The first run embeds the collection; its vectors are kept in the user's cache folder.
"""

import asyncio
import hashlib
import json
import os
import re
import sys
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import numpy.typing as npt

from adapters.local.index import LocalIndex, LocalIndexWriter
from adapters.models.onnx import OnnxEmbedder
from ingest.ports import IndexEntry
from ops.evaluation.measures import ndcg, recall
from ops.wording.evaluation import beir_figures
from rag_core.documents import ContentType, DocumentVersion, Passage, PolicyChunk, VersionStatus, content_hash
from rag_core.errors import Misconfigured, Rejected
from rag_core.ports import Embedder, IndexFilter, IndexQuery, SearchIndex, Vector
from rag_core.questions import Intent, QueryTerm
from rag_core.retrieval.found import Found
from rag_core.retrieval.fusion import Fusion, FusionMethod
from rag_core.retrieval.ranking import TUNED, Asked, weighed
from rag_core.understanding.terms import terms_of

DEPTH = 100
WIDE = 30
"""Passages that are re-ranked, as for a question."""

_BATCH = 256
DAY = date(2020, 1, 1)
_SEEN = datetime(2020, 1, 1, tzinfo=UTC)
_QUERIES, _QRELS = ("queries.test.jsonl", "queries.jsonl"), ("qrels.test.tsv", "qrels/test.tsv")

_FUSIONS = {
    "rrf 60": Fusion(FusionMethod.RRF, rrf_k=60),
    "rrf 20": Fusion(FusionMethod.RRF, rrf_k=20),
    "minmax": Fusion(FusionMethod.MINMAX),
}

Figures = dict[str, dict[str, float]]
Queries = Mapping[str, IndexQuery]
Relevant = Mapping[str, frozenset[str]]
OpenIndex = Callable[[Fusion], SearchIndex]


@dataclass(frozen=True, slots=True)
class Collection:
    """Documents as chunks, queries by id, and for each query the ids of the documents that answer it."""

    passages: list[Passage]
    queries: dict[str, str]
    relevant: dict[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A collection with its vectors, and the queries as the index is asked."""

    collection: Collection
    vectors: Sequence[Vector]
    queries: Queries
    embedder: Embedder


@dataclass(frozen=True, slots=True)
class Fused:
    """What fusion found for a query, best first: the `first` ones, which are re-ranked, and the `rest`."""

    asked: Asked
    first: tuple[Found, ...]
    rest: tuple[Found, ...]
    relevant: frozenset[str]


async def print_beir(folder: Path) -> int:
    """Print the figures; always 0. Raises Misconfigured, Rejected as `read_collection` does."""
    figures = await measure_here(await prepare(folder))
    print(beir_figures(folder.name, figures))
    return 0


async def prepare(folder: Path) -> Prepared:
    """Read and embedded. Raises as `read_collection` does."""
    return await prepared_from(await asyncio.to_thread(read_collection, folder))


async def prepared_from(collection: Collection) -> Prepared:
    """The collection, embedded."""
    embedder = OnnxEmbedder()
    vectors = await _embedded(embedder, [passage.chunk.search_text for passage in collection.passages])
    asked = dict(zip(collection.queries, await embedder.embed(list(collection.queries.values())), strict=True))
    queries = {
        query_id: IndexQuery(_terms(text), asked[query_id], IndexFilter(), DEPTH, DEPTH)
        for query_id, text in collection.queries.items()
    }
    return Prepared(collection, vectors, queries, embedder)


async def measure_here(prepared: Prepared) -> Figures:
    """nDCG@10 and R@100 of each leg and each fusion of the embedded index, and of the default fusion re-ranked."""
    async with indexed(prepared) as open_index:
        figures = await measure(open_index, prepared.queries, prepared.collection.relevant)
        index = open_index(Fusion())
        figures["re-ranked"] = _reranked(await fused(index, prepared))
        await index.aclose()
        return figures


@asynccontextmanager
async def indexed(prepared: Prepared) -> AsyncIterator[OpenIndex]:
    """An embedded index of the collection, as long as the block lasts."""
    embedder = prepared.embedder
    with TemporaryDirectory(prefix="adpolicy-beir-") as folder:
        local = LocalIndexWriter(Path(folder), model=embedder.model, dimensions=embedder.dimensions)
        await local.rebuild(entries(prepared))
        yield _local(Path(folder), embedder)


async def found_by_fusion(folder: Path) -> list[Fused]:
    """What the default fusion finds for every query of a collection. Raises as `read_collection` does."""
    return await found_in(await prepare(folder))


async def found_in(prepared: Prepared) -> list[Fused]:
    """The same for a collection that is embedded already."""
    async with indexed(prepared) as open_index:
        index = open_index(Fusion())
        try:
            return await fused(index, prepared)
        finally:
            await index.aclose()


async def fused(index: SearchIndex, prepared: Prepared) -> list[Fused]:
    """The hits of every query, as passages."""
    passages = {each.chunk.chunk_id: each for each in prepared.collection.passages}
    lists = []
    for query_id, query in prepared.queries.items():
        hits = (await index.search(query)).hits
        found = tuple(Found(passages[hit.chunk_id], hit.score, hit.cosine) for hit in hits)
        asked = asked_of_text(prepared.collection.queries[query_id])
        lists.append(Fused(asked, found[:WIDE], found[WIDE:], prepared.collection.relevant[query_id]))
    return lists


def asked_of_text(text: str) -> Asked:
    """A query as what re-ranking looks at: no place, its content words as those of a question."""
    return Asked(text, terms_of(text), Intent.PERMISSION, None)


def _reranked(lists: Sequence[Fused]) -> dict[str, float]:
    gains, recalls, times = [], [], []
    for each in lists:
        started = time.perf_counter()
        best = weighed(each.first, each.asked, TUNED)
        times.append((time.perf_counter() - started) * 1000)
        ranked = [found.passage.chunk.chunk_id for found in (*best, *each.rest)]
        gains.append(ndcg(ranked, each.relevant, 10))
        recalls.append(recall(ranked, each.relevant, 100))
    return _means(gains, recalls, times)


def read_collection(folder: Path) -> Collection:
    """Only queries with a judgement count, as BEIR does it.

    Raises Misconfigured("dataset_unreadable", path=...), Rejected("dataset_malformed", path, line, problem).
    """
    relevant: dict[str, set[str]] = {}
    qrels = _one_of(folder, _QRELS)
    for number, line in enumerate(_read(qrels).splitlines()[1:], start=2):
        try:
            query_id, document_id, grade = line.split("\t")
            if int(grade) > 0:
                relevant.setdefault(query_id, set()).add(document_id)
        except ValueError as exc:
            raise Rejected("dataset_malformed", path=str(qrels), line=number, problem=str(exc)) from exc
    queries = {each["_id"]: each["text"] for each in _json_lines(_one_of(folder, _QUERIES))}
    return Collection(
        passages=[passage_of(each, folder.name) for each in _json_lines(folder / "corpus.jsonl")],
        queries={query_id: text for query_id, text in queries.items() if query_id in relevant},
        relevant={query_id: frozenset(ids) for query_id, ids in relevant.items()},
    )


def _local(folder: Path, embedder: Embedder) -> OpenIndex:
    return lambda fusion: LocalIndex(folder, model=embedder.model, dimensions=embedder.dimensions, fusion=fusion)


async def measure(open_index: OpenIndex, queries: Queries, relevant: Relevant) -> Figures:
    """nDCG@10, R@100 and the median milliseconds of a search, of each leg and each fusion."""
    words = {claim_id: replace(query, vector=None) for claim_id, query in queries.items()}
    meaning = {claim_id: replace(query, terms=()) for claim_id, query in queries.items()}
    runs: dict[str, tuple[Queries, Fusion]] = {"bm25": (words, Fusion()), "dense": (meaning, Fusion())}
    runs |= {name: (dict(queries), fusion) for name, fusion in _FUSIONS.items()}
    figures = {}
    for name, (asked, fusion) in runs.items():
        index = open_index(fusion)
        figures[name] = await _run(index, asked, relevant)
        await index.aclose()
    return figures


async def _run(index: SearchIndex, queries: Queries, relevant: Relevant) -> dict[str, float]:
    gains, recalls, times = [], [], []
    for claim_id, query in queries.items():
        started = time.perf_counter()
        ranked = [hit.chunk_id for hit in (await index.search(query)).hits]
        times.append((time.perf_counter() - started) * 1000)
        gains.append(ndcg(ranked, relevant[claim_id], 10))
        recalls.append(recall(ranked, relevant[claim_id], 100))
    return _means(gains, recalls, times)


def _means(gains: Sequence[float], recalls: Sequence[float], times: Sequence[float]) -> dict[str, float]:
    return {
        "nDCG@10": round(float(np.mean(gains)), 4),
        "R@100": round(float(np.mean(recalls)), 4),
        "p50_ms": round(float(np.median(times)), 2),
    }


def _terms(text: str) -> tuple[QueryTerm, ...]:
    """Every word once; a word with a hyphen is a phrase."""
    return tuple(QueryTerm(word) for word in dict.fromkeys(re.findall(r"\S+", text)))


async def entries(prepared: Prepared) -> AsyncIterator[Sequence[IndexEntry]]:
    """What an index is built from."""
    passages, vectors = prepared.collection.passages, prepared.vectors
    for start in range(0, len(passages), _BATCH):
        yield [
            IndexEntry(passage, vector)
            for passage, vector in zip(passages[start : start + _BATCH], vectors[start : start + _BATCH], strict=True)
        ]


async def _embedded(embedder: OnnxEmbedder, texts: Sequence[str]) -> Sequence[Vector]:
    """The texts' vectors, from the cache folder if they were embedded before."""
    digest = hashlib.sha256("\0".join((embedder.model, *texts)).encode()).hexdigest()[:16]
    path = _cache_folder() / f"scifact-{digest}.npy"
    if await asyncio.to_thread(path.is_file):
        return list(await asyncio.to_thread(np.load, path))
    vectors: list[Vector] = []
    for start in range(0, len(texts), _BATCH):
        vectors += await embedder.embed(texts[start : start + _BATCH])
        print(f"embedded {len(vectors)} of {len(texts)}", file=sys.stderr)
    await asyncio.to_thread(_save, path, np.stack(vectors))
    return vectors


def _save(path: Path, vectors: npt.NDArray[np.float32]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    np.save(path, vectors)


def _cache_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "adpolicy" / "bench"


def _one_of(folder: Path, names: Sequence[str]) -> Path:
    """The first that is there: SciFact comes with names of its own. Without any, the one of BEIR."""
    return next((folder / name for name in names if (folder / name).is_file()), folder / names[-1])


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as exc:
        raise Misconfigured("dataset_unreadable", path=str(path)) from exc


def _json_lines(path: Path) -> list[dict[str, str]]:
    found: list[dict[str, str]] = []
    for number, line in enumerate(_read(path).split("\n"), start=1):
        try:
            row = json.loads(line) if line else None
            if row is not None:
                found.append({"_id": row["_id"], "title": row.get("title", ""), "text": row["text"]})
        except (ValueError, KeyError, TypeError) as exc:
            raise Rejected("dataset_malformed", path=str(path), line=number, problem=repr(exc)) from exc
    return found


def passage_of(document: Mapping[str, str], source: str) -> Passage:
    """A document as a chunk: its title is the heading."""
    identity, title, text = document["_id"], document["title"], document["text"]
    hash_ = content_hash(title, "", text)
    chunk = PolicyChunk(
        chunk_id=identity,
        doc_id=identity,
        chunk_index=0,
        chunk_text=text,
        lead_in="",
        policy_source=source,
        policy_section=title,
        policy_section_level=1,
        policy_path=title,
        regions=("global",),
        content_type=ContentType.GENERAL,
        char_start=0,
        char_end=len(text),
        effective_from=DAY,
        effective_to=None,
        content_hash=hash_,
        created_at=_SEEN,
    )
    version = DocumentVersion(
        doc_id=identity,
        document_id=identity,
        policy_source=source,
        title=title,
        url=None,
        mime_type="application/json",
        sha256=hash_,
        size=len(text),
        origin=identity,
        pipeline="beir",
        status=VersionStatus.LIVE,
        effective_from=DAY,
        effective_to=None,
        seen_at=_SEEN,
        checked_at=_SEEN,
    )
    return Passage(chunk, version)
