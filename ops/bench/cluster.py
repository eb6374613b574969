"""OpenSearch without us: the same query by the client library alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from opensearchpy import AsyncOpenSearch

from adapters.opensearch.client import OpenSearchClient
from adapters.opensearch.index import OpenSearchIndex
from adapters.opensearch.settings import OpenSearchSettings, hosts, tls
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
