"""What an index has, read in pages."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

from adapters.opensearch.client import OpenSearchClient
from ingest.ports import IndexedChunk

_PAGE = 10_000


async def chunks_of(
    client: OpenSearchClient, index: str, doc_ids: Sequence[str] | None = None
) -> AsyncIterator[tuple[str, IndexedChunk]]:
    """(chunk_id, what there is of it) of these versions, or of all; only what is refreshed."""
    query: dict[str, Any] = {"match_all": {}} if doc_ids is None else {"terms": {"doc_id": list(doc_ids)}}
    body: dict[str, Any] = {
        "query": query,
        "size": _PAGE,
        "sort": [{"chunk_id": "asc"}],
        "stored_fields": ["_none_"],
        "docvalue_fields": ["chunk_id", "doc_id", "fingerprint"],
    }
    params = {"allow_partial_search_results": "false"}
    while True:
        hits = (await client.call("POST", f"/{index}/_search", body, params=params))["hits"]["hits"]
        for hit in hits:
            fields = hit["fields"]
            yield fields["chunk_id"][0], IndexedChunk(fields["doc_id"][0], fields["fingerprint"][0])
        if len(hits) < _PAGE:
            return
        body["search_after"] = hits[-1]["sort"]
