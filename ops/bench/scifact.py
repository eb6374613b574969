"""SciFact through the project's own index and embedder: does retrieval reach what others published?

`python -m ops.bench.scifact [FOLDER]`. The first run embeds 5,183 abstracts, which takes minutes; their vectors
are kept in the user's cache folder. With ADPOLICY_OPENSEARCH_URL the same is asked of OpenSearch, in an index of its
own that is removed afterwards, and each search is held against the same request by opensearch-py alone.
"""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from opensearchpy import AsyncOpenSearch

from adapters.opensearch.client import OpenSearchClient
from adapters.opensearch.index import OpenSearchIndex
from adapters.opensearch.index_writer import OpenSearchIndexWriter
from adapters.opensearch.settings import OpenSearchSettings, hosts, tls
from ops.backends import connect_opensearch
from ops.bench.stores import new_name, remove_all
from ops.bench.timing import in_turns
from ops.config import Config, load_config
from ops.evaluation.beir import Figures, OpenIndex, entries, measure, measure_here, prepare
from rag_core.ports import Embedder, IndexQuery
from rag_core.retrieval.fusion import Fusion

_SEARCH = "/_search"


@dataclass(frozen=True, slots=True)
class Search:
    """A search as `OpenSearchIndex` sends it."""

    index: str
    body: Mapping[str, Any]
    params: Mapping[str, Any]


class BareOpenSearch:
    """opensearch-py with its defaults, asked what `OpenSearchIndex` asks for the same questions, to the letter."""

    def __init__(self, settings: OpenSearchSettings) -> None:
        self._sdk = AsyncOpenSearch(hosts(settings), ssl_context=tls(settings), timeout=settings.seconds)
        self._recorder = _Recorder(self._sdk, settings)
        self._searches: list[Search] = []

    async def learn(self, queries: Sequence[IndexQuery], embedder: Embedder, fusion: Fusion) -> None:
        """What to send, from a search for each of the queries."""
        index = OpenSearchIndex(self._recorder, model=embedder.model, dimensions=embedder.dimensions, fusion=fusion)
        for query in queries:
            self._recorder.searches.clear()
            await index.search(query)
            self._searches.append(self._recorder.searches[0])

    async def search(self, number: int) -> Any:
        """The answer to the query of this number."""
        asked = self._searches[number]
        return await self._sdk.search(index=asked.index, body=asked.body, params=dict(asked.params))

    async def aclose(self) -> None:
        await self._sdk.close()


class _Recorder(OpenSearchClient):
    """Keeps what is searched for."""

    def __init__(self, sdk: AsyncOpenSearch, settings: OpenSearchSettings) -> None:
        super().__init__(sdk, settings)
        self.searches: list[Search] = []

    async def call(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | bytes | None = None,
        *,
        params: Mapping[str, Any] | None = None,
        seconds: float | None = None,
        patient: bool = True,
    ) -> Any:
        if path.endswith(_SEARCH) and isinstance(body, Mapping):
            self.searches.append(Search(path.removesuffix(_SEARCH).strip("/"), body, params or {}))
        return await super().call(method, path, body, params=params, seconds=seconds, patient=patient)


async def bench_scifact(data_dir: Path, config: Config | None = None) -> Figures:
    """nDCG@10 and R@100 of each leg and each fusion, over the whole corpus; `data_dir` holds the BEIR files.

    With a config that names a cluster, its figures beside them ("opensearch ...").
    """
    prepared = await prepare(data_dir)
    embedder = prepared.embedder
    figures = await measure_here(prepared)
    if config is None or config.opensearch_url is None:
        return figures
    async with _cluster(config) as client:
        writer = OpenSearchIndexWriter(client, model=embedder.model, dimensions=embedder.dimensions)
        await writer.rebuild(entries(prepared))
        found = await measure(_opensearch(client, embedder), prepared.queries, prepared.collection.relevant)
        figures |= {f"opensearch {name}": each for name, each in found.items()}
        figures["opensearch, one request"] = await _beside_bare(client, embedder, list(prepared.queries.values()))
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


def _opensearch(client: OpenSearchClient, embedder: Embedder) -> OpenIndex:
    return lambda fusion: OpenSearchIndex(client, model=embedder.model, dimensions=embedder.dimensions, fusion=fusion)


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


if __name__ == "__main__":
    given = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("../shared/data/scifact")
    print(json.dumps(asyncio.run(bench_scifact(given, load_config())), indent=2))
