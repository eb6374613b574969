"""The public documents as the index last learned of them, for while the store does not answer."""

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

from adapters.opensearch.aliases import LiveIndex
from adapters.opensearch.client import OpenSearchClient
from adapters.opensearch.documents import copied
from adapters.opensearch.errors import INDEX_OUTDATED
from adapters.opensearch.mapping import COPY, Shape
from adapters.opensearch.queries import MOST_HITS, filter_query
from rag_core.documents import Passage
from rag_core.errors import STORED_TEXT_CHANGED, Unavailable
from rag_core.ports import IndexFilter


class OpenSearchCopies:
    """`rag_core.ports.IndexCopies`. Only public documents have copies, and each is checked again as the store would.

    Raises Unavailable("index_missing"), Unavailable("index_outdated") for an index of another version of this code,
    Unavailable("stored_text_changed") for copies that do not fit the checksums of their chunks, of whose ids `changed`
    is told, and what `client` raises, which the builder closes. `model` and `dimensions` are those of the index.
    """

    def __init__(
        self,
        client: OpenSearchClient,
        *,
        model: str,
        dimensions: int,
        changed: Callable[[Sequence[str]], None] | None = None,
    ) -> None:
        self._client = client
        self._changed = changed
        self._live = LiveIndex(client, Shape(model, dimensions))

    async def passages(self, chunk_ids: Sequence[str], day: date | None) -> list[Passage]:
        """In the order of `chunk_ids`; ids without a copy that may be shown on the day are left out."""
        wanted = list(dict.fromkeys(chunk_ids))
        found: dict[str, Passage] = {}
        for start in range(0, len(wanted), MOST_HITS):
            of_these = {"terms": {"chunk_id": wanted[start : start + MOST_HITS]}}
            for passage in await self._found([of_these, filter_query(IndexFilter(day=day))], day):
                found[passage.chunk.chunk_id] = passage
        return [found[each] for each in wanted if each in found]

    async def section(self, doc_id: str, first_index: int, last_index: int) -> list[Passage]:
        """Chunks of one version by chunk_index, both ends included, in order."""
        place = {"range": {"chunk_index": {"gte": first_index, "lte": last_index}}}
        of_version = {"term": {"doc_id": doc_id}}
        found = await self._found([of_version, place, filter_query(IndexFilter())], None)
        return sorted(found, key=lambda passage: passage.chunk.chunk_index)

    async def _found(self, conditions: list[dict[str, Any]], day: date | None) -> list[Passage]:
        name = await self._live.existing()
        body = {"query": {"bool": {"filter": conditions}}, "size": MOST_HITS, "_source": [COPY]}
        params = {"allow_partial_search_results": "false"}
        hits = (await self._client.call("POST", f"/{name}/_search", body, params=params))["hits"]["hits"]
        try:
            found = [copied(hit.get("_source", {}), day) for hit in hits]
        except ValueError as exc:
            raise Unavailable(INDEX_OUTDATED, index=name) from exc
        shown = [passage for passage in found if passage is not None]
        if changed := [each.chunk.chunk_id for each in shown if not each.is_intact]:
            if self._changed is not None:
                self._changed(changed)
            raise Unavailable(STORED_TEXT_CHANGED, ids=changed)
        return shown
