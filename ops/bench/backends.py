"""`python -m ops bench backends`: the same chunks in each search backend, held against the libraries alone."""

import json
import os
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import date
from math import log2
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import Any

from adapters.sql.policies.store import SqlPolicyStore
from ingest.ports import IndexEntry
from ops.backends import build_embedder
from ops.bench import wording
from ops.bench.ask import QUESTIONS, REAL, print_scifact
from ops.bench.comparing import (
    FULL,
    SMALLEST,
    Amounts,
    cluster_against_bare,
    local_against_bare,
    open_index,
    prepared,
    several_callers,
)
from ops.bench.deliveries import deliveries
from ops.bench.processes import ingest_in_own_process, rebuild_in_own_process
from ops.bench.stores import (
    KEPT,
    Corpus,
    embedded,
    fill,
    new_name,
    on_servers,
    open_store,
    own_database_if_set,
    real_entries,
    remove_all,
)
from ops.bench.timing import Agreement
from ops.config import Config
from ops.evaluation.measures import ndcg
from rag_core.documents import SAMPLE_LABEL
from rag_core.questions import Filters
from rag_core.retrieval.search import PolicySearch

_TOP = 10
_TODAY = date(2026, 6, 1)


@dataclass(frozen=True, slots=True)
class Ranked:
    """The first results of one question: chunks, and each one's document."""

    chunk_ids: tuple[str, ...]
    document_ids: tuple[str, ...]


def golden_questions(path: Path) -> list[dict[str, Any]]:
    """The golden questions, as they are written."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


async def rankings(search: PolicySearch, golden: Sequence[Mapping[str, Any]], sources: Sequence[str]) -> list[Ranked]:
    """The first ten results of each question within these policy sources."""
    found = []
    for each in golden:
        as_of = date.fromisoformat(each["as_of"]) if "as_of" in each else None
        results = (
            await search.search(
                each["question"],
                filters=Filters(policy_sources=tuple(sources)),
                today=_TODAY,
                as_of=as_of,
                groups=frozenset(),
                limit=_TOP,
            )
        ).results
        chunk_ids = tuple(result.passage.chunk.chunk_id for result in results)
        found.append(Ranked(chunk_ids, tuple(result.passage.version.document_id for result in results)))
    return found


def agreement(reference: Sequence[Ranked], other: Sequence[Ranked], expected: Sequence[frozenset[str]]) -> Agreement:
    """`other` held against `reference`; `expected` documents by question, empty where none are known."""
    pairs = list(zip(reference, other, strict=True))
    judged = [(pair, documents) for pair, documents in zip(pairs, expected, strict=True) if documents]
    return Agreement(
        len(pairs),
        mean(overlap(one.chunk_ids, two.chunk_ids) for one, two in pairs),
        mean(graded_ndcg(one.chunk_ids, two.chunk_ids) for one, two in pairs),
        (
            mean(_finds(pair[0], documents) for pair, documents in judged),
            mean(_finds(pair[1], documents) for pair, documents in judged),
        )
        if judged
        else None,
    )


def overlap(reference: Sequence[str], other: Sequence[str]) -> float:
    """The share of results that both have; 1 where neither has any."""
    longest = max(len(reference), len(other))
    return len(set(reference) & set(other)) / longest if longest else 1.0


def graded_ndcg(reference: Sequence[str], other: Sequence[str]) -> float:
    """nDCG of `other` where the first of `reference` is worth most and the last one 1 (linear gains)."""
    worth = {each: len(reference) - place for place, each in enumerate(reference)}
    best = _gained([*worth.values()])
    return _gained([worth.get(each, 0) for each in other]) / best if best else 1.0


def _gained(gains: Sequence[int]) -> float:
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def _finds(ranked: Ranked, documents: frozenset[str]) -> float:
    return ndcg(list(dict.fromkeys(ranked.document_ids)), documents, _TOP)


_LOCAL_SECONDS, _CLUSTER_SECONDS = 60, 180
_LOCAL_RATIO, _CLUSTER_RATIO = 1.6, 1.3


@dataclass(frozen=True, slots=True)
class Backend:
    """A search backend with a store of its own; `seconds` is the target for a rebuild of 100,000 chunks."""

    name: str
    store: str
    config: Config
    seconds: int


async def bench_backends(
    config: Config, data: Path, chunks: int, without: frozenset[str], *, smallest: bool = False
) -> int:
    """Print the figures; parts whose server is not set or whose data is missing are named and left out. 1 only
    where no documents can be read."""
    print(wording.machine(os.cpu_count() or 1, os.getloadavg()[0]))
    with TemporaryDirectory(prefix="adpolicy-bench-") as name:
        folder = Path(name)
        real = await _real_chunks(folder / "real", data, without)
        if not real:
            print(wording.NO_DOCUMENTS, file=sys.stderr)
            return 1
        async with _backends(config, folder) as backends:
            corpus = Corpus(real, chunks)
            print(wording.corpus(chunks, len(real), KEPT))
            rebuilt = [await _rebuilt(backend, corpus) for backend in backends]
            await _compare(backends, folder, corpus, without, SMALLEST if smallest else FULL)
            print("\n".join(rebuilt))
            if "agreement" not in without and len(backends) > 1:
                await _agree(config, folder / "real", real)
        if "claims" not in without:
            print("\n".join(await deliveries(config, folder / "deliveries")))
    if "scifact" not in without:
        await print_scifact(data / "scifact", config)
    return 0


@asynccontextmanager
async def _backends(config: Config, folder: Path) -> AsyncIterator[list[Backend]]:
    """LocalIndex, and OpenSearchIndex where a cluster is set; what they hold is gone at the end."""
    found = [Backend("LocalIndex", "SQLite", embedded(config, folder / "local"), _LOCAL_SECONDS)]
    async with AsyncExitStack() as stack:
        if config.opensearch_url is None:
            print(wording.not_set("OpenSearchIndex", "ADPOLICY_OPENSEARCH_URL"))
        else:
            name = new_name()
            database = await own_database_if_set(config, name, stack)
            on_cluster = on_servers(config, folder / "cluster", name, database)
            stack.push_async_callback(remove_all, on_cluster)
            store = "PostgreSQL" if database else "SQLite"
            found.append(Backend("OpenSearchIndex", store, on_cluster, _CLUSTER_SECONDS))
        yield found


async def _real_chunks(folder: Path, data: Path, without: frozenset[str]) -> list[IndexEntry]:
    """The chunks of the samples, and of the real policies where they are there, read into a store in `folder`."""
    await ingest_in_own_process(folder)
    folders = [data / each for each in REAL]
    if "real" not in without:
        if all(each.is_dir() for each in folders):
            await ingest_in_own_process(folder, *folders)
        else:
            print(wording.left_out("the real policies", str(data)))
    config = Config(data_dir=folder)
    async with open_store(config) as store:
        return await real_entries(store, build_embedder(config).model)


async def _rebuilt(backend: Backend, corpus: Corpus) -> str:
    async with open_store(backend.config) as store:
        await fill(store, build_embedder(backend.config).model, corpus.documents())
    measured = await rebuild_in_own_process(backend.config)
    return wording.rebuilt(backend.name, backend.store, corpus.chunks, measured, backend.seconds)


async def _compare(
    backends: Sequence[Backend], folder: Path, corpus: Corpus, without: frozenset[str], amounts: Amounts
) -> None:
    texts = [each["question"] for each in golden_questions(QUESTIONS)][: amounts.questions]
    questions = await prepared(texts, build_embedder(backends[0].config))
    if "latency" not in without:
        local = backends[0].config
        print(await local_against_bare(local, folder / "bare", corpus, questions, _LOCAL_RATIO))
        for backend in backends[1:]:
            print(await cluster_against_bare(backend.config, questions, _CLUSTER_RATIO))
    if "callers" not in without:
        for backend in backends:
            print("\n".join(await several_callers(backend.name, backend.config, questions, amounts)))


async def _agree(config: Config, folder: Path, real: Sequence[IndexEntry]) -> None:
    """The first ten of both, on what was read and not made."""
    golden = [each for each in golden_questions(QUESTIONS) if each["expected"].get("document_ids")]
    on_cluster = on_servers(config, folder, new_name(), None)
    try:
        await rebuild_in_own_process(on_cluster)
        for what, sources in _sources(real).items():
            reference, other = [
                await _rankings(each, golden, sources) for each in (embedded(config, folder), on_cluster)
            ]
            is_expected = what == wording.SAMPLES
            expected = [frozenset(each["expected"].get("document_ids", ()) if is_expected else ()) for each in golden]
            print(wording.agreement(what, agreement(reference, other, expected)))
    finally:
        await remove_all(on_cluster)


async def _rankings(config: Config, golden: Sequence[Mapping[str, Any]], sources: Sequence[str]) -> list[Ranked]:
    async with open_store(config) as store, open_index(config) as index:
        return await rankings(
            PolicySearch(index, SqlPolicyStore(store.engine), build_embedder(config)), golden, sources
        )


def _sources(real: Sequence[IndexEntry]) -> dict[str, list[str]]:
    """The policy sources of the samples, and those of the real policies if there are any."""
    key, value = SAMPLE_LABEL
    found: dict[str, list[str]] = {}
    for slug, is_sample in sorted(
        {(each.passage.chunk.policy_source, each.passage.version.labels.get(key) == value) for each in real}
    ):
        found.setdefault(wording.SAMPLES if is_sample else wording.REAL_POLICIES, []).append(slug)
    return found
