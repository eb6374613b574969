"""Writes the index that `OpenSearchIndex` searches."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
import stamina

from adapters.opensearch.aliases import IndexGenerations, LiveIndex
from adapters.opensearch.client import OpenSearchClient
from adapters.opensearch.documents import lines_of, removal
from adapters.opensearch.errors import INDEX_DOWN, INDEX_OUTDATED, INDEX_OVERLOADED, of_item, refusal
from adapters.opensearch.mapping import Shape
from ingest.ports import IndexedChunk, IndexEntry
from rag_core.errors import Misconfigured, Rejected, Unavailable

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


_MOST_BYTES = 5_000_000
_MOST_ACTIONS = 500
_FIRST_WAIT = 0.1
_LONGEST_WAIT = 5.0


@dataclass(frozen=True, slots=True)
class Action:
    """What to do with one chunk: the lines of a bulk request."""

    doc_id: str
    chunk_id: str
    lines: bytes


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to try with a cluster that refuses for now: `seconds` for each request, jitter added to every wait."""

    seconds: float = 60.0
    first_wait: float = _FIRST_WAIT
    longest_wait: float = _LONGEST_WAIT


class BulkWriter:
    """Sends actions one request after the other; what the cluster has no room for now is sent again, and only that.

    Raises Unavailable("index_overloaded" | "index_read_only" | "index_down" | "index_gone"): some may be written.
    """

    def __init__(self, client: OpenSearchClient, patience: Patience) -> None:
        self._client = client
        self._patience = patience

    async def run(self, index: str, actions: Sequence[Action], *, is_alias: bool) -> dict[str, str]:
        """doc_id -> reason of versions that hold a chunk which can never be written."""
        refused: dict[str, str] = {}
        for batch in _batches(actions):
            waiting = batch
            async for attempt in stamina.retry_context(
                on=_passes,
                attempts=None,
                timeout=self._patience.seconds,
                wait_initial=self._patience.first_wait,
                wait_max=self._patience.longest_wait,
                wait_jitter=self._patience.first_wait,
            ):
                with attempt:
                    waiting = await self._send(index, waiting, refused, is_alias)
                    if waiting:
                        raise Unavailable(INDEX_OVERLOADED, waiting=len(waiting))
        return refused

    async def _send(
        self, index: str, actions: Sequence[Action], refused: dict[str, str], is_alias: bool
    ) -> list[Action]:
        """Those that the cluster has no room for now."""
        body = await asyncio.to_thread(b"".join, [action.lines for action in actions])
        # An index that is gone must not be made by writing to it, which clusters do if one lets them
        params = {"require_alias": str(is_alias).lower(), "filter_path": "errors,items.*.status,items.*.error"}
        answer = await self._client.call(
            "POST", f"/{index}/_bulk", body, params=params, seconds=self._patience.seconds, patient=False
        )
        if not answer["errors"]:
            return []
        again = []
        for action, item in zip(actions, answer["items"], strict=True):
            result: dict[str, Any] = next(iter(item.values()))
            if "error" not in result:
                continue
            failure = of_item(int(result["status"]), result["error"])
            if failure is None:
                refused.setdefault(action.doc_id, refusal(result["error"]))
            elif isinstance(failure, Unavailable) and failure.code in (INDEX_OVERLOADED, INDEX_DOWN):
                again.append(action)
            else:
                raise failure
        return again


def _batches(actions: Sequence[Action]) -> Iterator[list[Action]]:
    batch: list[Action] = []
    size = 0
    for action in actions:
        if batch and (size + len(action.lines) > _MOST_BYTES or len(batch) >= _MOST_ACTIONS):
            yield batch
            batch, size = [], 0
        batch.append(action)
        size += len(action.lines)
    if batch:
        yield batch


def _passes(exc: Exception) -> bool:
    return isinstance(exc, Unavailable) and exc.code == INDEX_OVERLOADED


_SIGN_OF_LIFE_SECONDS = 60.0
_VERSIONS_AT_ONCE = 1_000


def utc_now() -> datetime:
    return datetime.now(UTC)


def new_token() -> str:
    return uuid.uuid4().hex


class OpenSearchIndexWriter:
    """`ingest.ports.IndexWriter` on an index behind an alias.

    Written versions wait in memory until `commit`. The index is never refreshed but at the end of a commit, so what a
    commit writes becomes visible at once (with several shards: at nearly the same time). A commit that failed half way
    shows nothing of itself until the next one, and forgets what was written: by then it may be out of date. Only
    `rebuild` makes an index.

    Relies on `ingest.indexing.INDEX_WORK`: of all processes one at a time commits or rebuilds. So nothing is committed
    into the old index while another process builds a new one, and what comes into the outbox meanwhile is written to
    whatever stands behind the alias afterwards.

    Raises Unavailable("index_missing") where nothing was built yet and Unavailable("index_outdated", index) for an
    index of another model or version of this code (for both: rebuild), Unavailable("index_overloaded" |
    "index_read_only" | "index_down" | "index_failed"), Misconfigured("wrong_dimensions" | "index_name_taken"),
    Rejected("vector_not_finite" | "wrong_version").
    """

    def __init__(
        self,
        client: OpenSearchClient,
        *,
        model: str,
        dimensions: int,
        patience: Patience | None = None,
        now: Callable[[], datetime] = utc_now,
        new_token: Callable[[], str] = new_token,
    ) -> None:
        patience = patience or Patience()
        self._client = client
        self._shape = Shape(model, dimensions)
        self._live = LiveIndex(client, self._shape)
        self._generations = IndexGenerations(client, self._live, now=now, new_token=new_token, seconds=patience.seconds)
        self._bulk = BulkWriter(client, patience)
        self._seconds = patience.seconds
        self._pending: dict[str, tuple[IndexEntry, ...]] = {}

    async def write(self, doc_id: str, entries: Sequence[IndexEntry]) -> None:
        """Make these all the chunks that the index has of this version, once committed (none: it is removed)."""
        for entry in entries:
            self._check(entry)
            if entry.passage.chunk.doc_id != doc_id:
                raise Rejected("wrong_version", doc_id=doc_id, got=entry.passage.chunk.doc_id)
        self._pending[doc_id] = tuple({entry.passage.chunk.chunk_id: entry for entry in entries}.values())

    async def commit(self) -> Mapping[str, str]:
        """Make what was written visible; a version with a chunk that OpenSearch refuses is removed and given back."""
        batch, self._pending = self._pending, {}
        if not batch:
            return {}
        await self._live.existing()
        return await self._replace(batch)

    async def rebuild(self, entries: AsyncIterator[Sequence[IndexEntry]]) -> Mapping[str, str]:
        """A new index beside the live one, swapped in when complete; a failure leaves the live one as it was.

        Versions that OpenSearch refuses are left out and given back as `commit` does. Memory: two batches.
        """
        await self._generations.clear_away()
        name = await self._generations.create()
        finished = False
        try:
            async with self._kept_alive(name):
                refused = await self._load(name, entries)
                await self._generations.bring_in(name)
            finished = True
        finally:
            if not finished:
                await self._generations.abandon(name)
        return refused

    async def indexed(self) -> Mapping[str, IndexedChunk]:
        """Everything that is committed, by chunk id."""
        name = await self._live.name()
        return {} if name is None else {chunk_id: chunk async for chunk_id, chunk in chunks_of(self._client, name)}

    async def is_current(self) -> bool:
        """Whether there is a live index, of the shape that this code writes."""
        try:
            return await self._live.name() is not None
        except Unavailable as exc:
            if exc.code != INDEX_OUTDATED:
                raise
            return False

    async def _replace(self, batch: Mapping[str, Sequence[IndexEntry]]) -> dict[str, str]:
        alias = self._live.alias
        await self._refresh(alias)  # a commit that died may have left what no search shows yet
        old = await self._chunk_ids(alias, list(batch))
        new = await asyncio.to_thread(_actions, [entry for entries in batch.values() for entry in entries])
        kept = {action.chunk_id for action in new}
        gone = [_remove(doc_id, chunk_id) for chunk_id, doc_id in old.items() if chunk_id not in kept]
        refused = await self._bulk.run(alias, [*new, *gone], is_alias=True)
        if refused:
            written = old | {action.chunk_id: action.doc_id for action in new}
            halves = [_remove(doc_id, chunk_id) for chunk_id, doc_id in written.items() if doc_id in refused]
            await self._bulk.run(alias, halves, is_alias=True)
        await self._refresh(alias)
        return refused

    async def _load(self, name: str, entries: AsyncIterator[Sequence[IndexEntry]]) -> dict[str, str]:
        """While one batch is written, the next is read. Not merged into one segment afterwards: on 50,000 chunks that
        took a third of the rebuild again, and the one graph of vectors found less (.984 of the true 100 best instead
        of .996)."""
        refused: dict[str, str] = {}
        writing: asyncio.Task[dict[str, str]] | None = None
        try:
            async for batch in entries:
                no_numbers = self._refused(batch)
                taken = [entry for entry in batch if entry.passage.chunk.doc_id not in no_numbers]
                actions = await asyncio.to_thread(_actions, taken)
                refused |= await writing if writing is not None else {}
                refused |= no_numbers
                writing = asyncio.create_task(self._bulk.run(name, actions, is_alias=False))
            refused |= await writing if writing is not None else {}
        finally:
            if writing is not None:
                writing.cancel()
                await asyncio.gather(writing, return_exceptions=True)
        await self._refresh(name)
        if refused:
            halves = await self._chunk_ids(name, list(refused))
            await self._bulk.run(name, [_remove(doc, chunk) for chunk, doc in halves.items()], is_alias=False)
            await self._refresh(name)
        return refused

    async def _chunk_ids(self, index: str, doc_ids: Sequence[str]) -> dict[str, str]:
        """chunk_id -> doc_id of what the index has of these versions."""
        return {
            chunk_id: chunk.doc_id
            for start in range(0, len(doc_ids), _VERSIONS_AT_ONCE)
            async for chunk_id, chunk in chunks_of(self._client, index, doc_ids[start : start + _VERSIONS_AT_ONCE])
        }

    async def _refresh(self, index: str) -> None:
        await self._client.call("POST", f"/{index}/_refresh", seconds=self._seconds)

    @asynccontextmanager
    async def _kept_alive(self, name: str) -> AsyncIterator[None]:
        """Signs of life for as long as the block lasts, however long the next batch takes."""

        async def give_signs() -> None:
            while True:
                await asyncio.sleep(_SIGN_OF_LIFE_SECONDS)
                with suppress(Unavailable):
                    await self._generations.sign_of_life(name)

        signs = asyncio.create_task(give_signs())
        try:
            yield
        finally:
            signs.cancel()
            await asyncio.gather(signs, return_exceptions=True)

    def _refused(self, entries: Sequence[IndexEntry]) -> dict[str, str]:
        """doc_id -> why."""
        refused: dict[str, str] = {}
        for entry in entries:
            try:
                self._check(entry)
            except Rejected as error:
                refused[entry.passage.chunk.doc_id] = str(error)
        return refused

    def _check(self, entry: IndexEntry) -> None:
        shape, dimensions = entry.vector.shape, self._shape.dimensions
        if shape != (dimensions,):
            raise Misconfigured("wrong_dimensions", model=self._shape.model, expected=dimensions, got=list(shape))
        if not np.isfinite(entry.vector).all():
            chunk_id = entry.passage.chunk.chunk_id
            raise Rejected("vector_not_finite", model=self._shape.model, chunk_id=chunk_id)


def _actions(entries: Sequence[IndexEntry]) -> list[Action]:
    return [Action(doc_id, chunk_id, lines) for doc_id, chunk_id, lines in lines_of(entries)]


def _remove(doc_id: str, chunk_id: str) -> Action:
    return Action(doc_id, chunk_id, removal(chunk_id))
