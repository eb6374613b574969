"""SciFact through the project's own index and embedder: does retrieval reach what others published?

`python -m ops.bench.scifact [FOLDER]`. The first run embeds 5,183 abstracts, which takes minutes; their vectors
are kept in the user's cache folder. With ADPOLICY_OPENSEARCH_URL the same is asked of OpenSearch, in an index of its
own that is removed afterwards, and each search is held against the same request by opensearch-py alone.
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
from math import log2
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import numpy.typing as npt

from adapters.local.index import LocalIndex, LocalIndexWriter
from adapters.models.onnx import OnnxEmbedder
from adapters.opensearch.client import OpenSearchClient
from adapters.opensearch.index import OpenSearchIndex
from adapters.opensearch.index_writer import OpenSearchIndexWriter
from ingest.ports import IndexEntry
from ops.backends import connect_opensearch
from ops.bench.cluster import BareOpenSearch
from ops.bench.rounds import in_turns
from ops.bench.stores import new_name, remove_all
from ops.config import Config, load_config
from rag_core.documents import ContentType, DocumentVersion, Passage, PolicyChunk, VersionStatus, content_hash
from rag_core.ports import Embedder, IndexFilter, IndexQuery, SearchIndex, Vector
from rag_core.questions import QueryTerm
from rag_core.retrieval.fusion import Fusion, FusionMethod

_DEPTH = 100
_BATCH = 256
_DAY = date(2020, 1, 1)
_SEEN = datetime(2020, 1, 1, tzinfo=UTC)

_FUSIONS = {
    "rrf 60": Fusion(FusionMethod.RRF, rrf_k=60),
    "rrf 20": Fusion(FusionMethod.RRF, rrf_k=20),
    "minmax": Fusion(FusionMethod.MINMAX),
}


@dataclass(frozen=True, slots=True)
class SciFact:
    """Abstracts as chunks, claims by id, and for each claim the ids of the abstracts that decide it."""

    passages: list[Passage]
    claims: dict[str, str]
    relevant: dict[str, frozenset[str]]


Figures = dict[str, dict[str, float]]
Queries = Mapping[str, IndexQuery]
Relevant = Mapping[str, frozenset[str]]


async def bench_scifact(data_dir: Path, config: Config | None = None) -> Figures:
    """nDCG@10 and R@100 of each leg and each fusion, over the whole corpus; `data_dir` holds the BEIR files.

    With a config that names a cluster, its figures beside them ("opensearch ...").
    """
    data = await asyncio.to_thread(read_scifact, data_dir)
    embedder = OnnxEmbedder()
    vectors = await _embedded(embedder, [passage.chunk.search_text for passage in data.passages])
    claims = dict(zip(data.claims, await embedder.embed(list(data.claims.values())), strict=True))
    queries = {
        claim_id: IndexQuery(_terms(text), claims[claim_id], IndexFilter(), _DEPTH, _DEPTH)
        for claim_id, text in data.claims.items()
    }
    with TemporaryDirectory(prefix="adpolicy-scifact-") as folder:
        local = LocalIndexWriter(Path(folder), model=embedder.model, dimensions=embedder.dimensions)
        await local.rebuild(_entries(data.passages, vectors))
        figures = await _measure(_local(Path(folder), embedder), queries, data.relevant)
    if config is None or config.opensearch_url is None:
        return figures
    async with _cluster(config) as client:
        writer = OpenSearchIndexWriter(client, model=embedder.model, dimensions=embedder.dimensions)
        await writer.rebuild(_entries(data.passages, vectors))
        found = await _measure(_opensearch(client, embedder), queries, data.relevant)
        figures |= {f"opensearch {name}": each for name, each in found.items()}
        figures["opensearch, one request"] = await _beside_bare(client, embedder, list(queries.values()))
    return figures


@asynccontextmanager
async def _cluster(config: Config) -> AsyncIterator[OpenSearchClient]:
    """The cluster, with an index of our own that is removed afterwards."""
    config = config.model_copy(update={"opensearch_index": new_name()})
    client = connect_opensearch(config)
    if client is None:
        raise ValueError("no cluster is set")
    try:
        yield client
    finally:
        await client.aclose()
        await remove_all(config)


def read_scifact(data_dir: Path) -> SciFact:
    """Only claims with a judgement count, as BEIR does it."""
    relevant: dict[str, set[str]] = {}
    for line in (data_dir / "qrels.test.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        claim_id, document_id, grade = line.split("\t")
        if int(grade) > 0:
            relevant.setdefault(claim_id, set()).add(document_id)
    claims = {each["_id"]: each["text"] for each in _json_lines(data_dir / "queries.test.jsonl")}
    return SciFact(
        passages=[_passage(each) for each in _json_lines(data_dir / "corpus.jsonl")],
        claims={claim_id: text for claim_id, text in claims.items() if claim_id in relevant},
        relevant={claim_id: frozenset(ids) for claim_id, ids in relevant.items()},
    )


def ndcg(ranked: Sequence[str], relevant: frozenset[str], depth: int) -> float:
    """Normalised discounted cumulative gain with grades 0 and 1 (Jarvelin and Kekalainen, 2002), as trec_eval."""
    gained = sum(1 / log2(rank + 1) for rank, each in enumerate(ranked[:depth], start=1) if each in relevant)
    best = sum(1 / log2(rank + 1) for rank in range(1, min(len(relevant), depth) + 1))
    return gained / best if best else 0.0


def recall(ranked: Sequence[str], relevant: frozenset[str], depth: int) -> float:
    """The share of what is relevant among the first `depth`."""
    return len(relevant & set(ranked[:depth])) / len(relevant) if relevant else 0.0


def _local(folder: Path, embedder: Embedder) -> Callable[[Fusion], SearchIndex]:
    return lambda fusion: LocalIndex(folder, model=embedder.model, dimensions=embedder.dimensions, fusion=fusion)


def _opensearch(client: OpenSearchClient, embedder: Embedder) -> Callable[[Fusion], SearchIndex]:
    return lambda fusion: OpenSearchIndex(client, model=embedder.model, dimensions=embedder.dimensions, fusion=fusion)


async def _measure(open_index: Callable[[Fusion], SearchIndex], queries: Queries, relevant: Relevant) -> Figures:
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
    return {
        "nDCG@10": round(float(np.mean(gains)), 4),
        "R@100": round(float(np.mean(recalls)), 4),
        "p50_ms": round(float(np.median(times)), 2),
    }


async def _beside_bare(client: OpenSearchClient, embedder: Embedder, queries: Sequence[IndexQuery]) -> dict[str, float]:
    """Milliseconds of ours and of opensearch-py with the same request, ten hits each."""
    asked = [replace(query, limit=10) for query in queries]
    index = _opensearch(client, embedder)(Fusion())
    bare = BareOpenSearch(client.settings)
    try:
        await bare.learn(asked, embedder, Fusion())
        ours, theirs = await in_turns(lambda number: index.search(asked[number]), bare.search, len(asked), 2)
    finally:
        await bare.aclose()
    return {
        "ours p50_ms": round(ours.p50, 2),
        "ours p95_ms": round(ours.p95, 2),
        "bare p50_ms": round(theirs.p50, 2),
        "bare p95_ms": round(theirs.p95, 2),
    }


def _terms(text: str) -> tuple[QueryTerm, ...]:
    """Every word once; a word with a hyphen is a phrase."""
    return tuple(QueryTerm(word) for word in dict.fromkeys(re.findall(r"\S+", text)))


async def _entries(passages: Sequence[Passage], vectors: Sequence[Vector]) -> AsyncIterator[Sequence[IndexEntry]]:
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


def _json_lines(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def _passage(abstract: Mapping[str, str]) -> Passage:
    """An abstract as a chunk: its title is the heading."""
    identity, title, text = abstract["_id"], abstract["title"], abstract["text"]
    hash_ = content_hash(title, "", text)
    chunk = PolicyChunk(
        chunk_id=identity,
        doc_id=identity,
        chunk_index=0,
        chunk_text=text,
        lead_in="",
        policy_source="scifact",
        policy_section=title,
        policy_section_level=1,
        policy_path=title,
        regions=("global",),
        content_type=ContentType.GENERAL,
        char_start=0,
        char_end=len(text),
        effective_from=_DAY,
        effective_to=None,
        content_hash=hash_,
        created_at=_SEEN,
    )
    version = DocumentVersion(
        doc_id=identity,
        document_id=identity,
        policy_source="scifact",
        title=title,
        url=None,
        mime_type="application/json",
        sha256=hash_,
        size=len(text),
        origin=identity,
        pipeline="scifact",
        status=VersionStatus.LIVE,
        effective_from=_DAY,
        effective_to=None,
        seen_at=_SEEN,
        checked_at=_SEEN,
    )
    return Passage(chunk, version)


if __name__ == "__main__":
    given = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("../shared/data/scifact")
    print(json.dumps(asyncio.run(bench_scifact(given, load_config())), indent=2))
