"""Stores and indexes of a benchmark's own, beside those that the settings name, and gone afterwards."""

import uuid
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

from pydantic import SecretStr
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.embedding_store import SqlEmbeddingStore
from adapters.sql.outbox import SqlOutbox
from adapters.sql.version_store import SqlVersionStore
from ingest.ports import IndexEntry
from ops.backends import connect_opensearch, open_engine
from ops.bench.corpus import SOURCES, MadeDocument
from ops.config import Config
from rag_core.errors import Unavailable

_DOCUMENTS_AT_ONCE = 25


@dataclass(frozen=True, slots=True)
class Store:
    """The sides of a store that filling and rebuilding need."""

    engine: AsyncEngine
    versions: SqlVersionStore
    embeddings: SqlEmbeddingStore
    outbox: SqlOutbox


@asynccontextmanager
async def open_store(config: Config) -> AsyncIterator[Store]:
    """The store of these settings, at the newest revision."""
    async with open_engine(config) as engine:
        yield Store(engine, SqlVersionStore(engine), SqlEmbeddingStore(engine), SqlOutbox(engine))


def embedded(config: Config, folder: Path) -> Config:
    """Everything in `folder`, no server, the packaged model, with which chunks are embedded, and the same reader."""
    return Config(data_dir=folder, fusion=config.fusion, rule_reader=config.rule_reader)


def on_servers(config: Config, folder: Path, name: str, database: str | None) -> Config:
    """The cluster that is set, with indexes that begin with `name`; the database, None for SQLite in `folder`."""
    changes = {"database_url": SecretStr(database) if database else None, "redis_url": None, "embedding_model": None}
    return config.model_copy(update={"data_dir": folder, "opensearch_index": name, **changes})


def new_name() -> str:
    """What a benchmark's database and indexes are called; nothing of an operator's is called so."""
    return f"adpolicy-bench-{uuid.uuid4().hex[:8]}"


async def fill(store: Store, model: str, documents: Iterable[MadeDocument]) -> None:
    """Save the documents with their vectors; the outbox is left as it is after an ingest."""
    for source in SOURCES:
        await store.versions.declare(source)
    waiting: list[MadeDocument] = []
    for document in documents:
        waiting.append(document)
        if len(waiting) == _DOCUMENTS_AT_ONCE:
            await _save(store, model, waiting)
            waiting = []
    await _save(store, model, waiting)


async def real_entries(store: Store, model: str) -> list[IndexEntry]:
    """Everything a small store has, with its vectors."""
    entries: list[IndexEntry] = []
    async for passages in store.outbox.all_passages():
        vectors = await store.embeddings.known(model, [passage.chunk.content_hash for passage in passages])
        entries += [IndexEntry(passage, vectors[passage.chunk.content_hash]) for passage in passages]
    return entries


async def _save(store: Store, model: str, documents: list[MadeDocument]) -> None:
    if documents:
        vectors = [(entry.passage.chunk.content_hash, entry.vector) for each in documents for entry in each.entries()]
        await store.versions.save([each.write for each in documents], [])
        await store.embeddings.keep(model, dict(vectors))


async def remove_all(config: Config) -> None:
    """Every index and pipeline of these settings' cluster whose name begins as they say."""
    client = connect_opensearch(config)
    if client is None:
        return
    try:
        names = await client.call(
            "GET", f"/_cat/indices/{config.opensearch_index}-*", params={"format": "json", "h": "index"}
        )
        for each in names:
            await client.call("DELETE", f"/{each['index']}")
        try:
            await client.call("DELETE", f"/_search/pipeline/{config.opensearch_index}-*")
        except Unavailable as exc:
            if exc.details.get("status") != HTTPStatus.NOT_FOUND:
                raise
    finally:
        await client.aclose()
