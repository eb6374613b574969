"""Databases, stores and corpora of a benchmark's own, beside those that the settings name, and gone afterwards.

The large corpora are made of real chunks; they are not embedded, and say so in their pipeline.
"""

import uuid
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path
from random import Random

import numpy as np
from pydantic import SecretStr
from sqlalchemy import make_url, text
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.database.engine import open_engine as open_sql_engine
from adapters.sql.database.errors import translated
from adapters.sql.policies.embeddings import SqlEmbeddingStore
from adapters.sql.policies.outbox import SqlOutbox
from adapters.sql.policies.versions import SqlVersionStore
from ingest.ports import IndexEntry, VersionWrite
from ops.backends import connect_opensearch, open_engine
from ops.bench import wording
from ops.config import Config
from ops.wording.general import explain
from rag_core.documents import (
    DocumentVersion,
    Passage,
    PolicyChunk,
    PolicySource,
    VersionStatus,
    chunk_id,
    content_hash,
)
from rag_core.errors import PolicyBotError, Unavailable
from rag_core.ports import IndexFilter, Vector


async def own_database_if_set(config: Config, name: str, stack: AsyncExitStack) -> str | None:
    """The address of a new database on the server that is set, dropped when the stack ends; None, and why is
    printed, where none is set or none can be made."""
    if config.database_url is None:
        print(wording.not_set("PostgreSQL", "ADPOLICY_DATABASE_URL"))
        return None
    beside = config.database_url.get_secret_value()
    made = make_url(beside).set(database=name.replace("-", "_"))
    try:
        await _administer(beside, f'CREATE DATABASE "{made.database}"')
    except PolicyBotError as exc:
        print(wording.no_own_database(explain(exc)))
        return None
    stack.push_async_callback(_administer, beside, f'DROP DATABASE "{made.database}" WITH (FORCE)')
    return made.render_as_string(hide_password=False)


async def _administer(url: str, statement: str) -> None:
    engine = open_sql_engine(url, statement_seconds=60.0)
    try:
        with translated(engine):
            async with engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
                await connection.execute(text(statement))
    finally:
        await engine.dispose()


DAY = date(2026, 6, 1)
KEEPS_A_FIFTH = IndexFilter(places=frozenset({"uk", "global"}), excluding=frozenset({"uk"}), day=DAY)
"""Two in five chunks hold in these places, and half of the documents on this day."""

KEPT = 0.2
"""The share of chunks that it keeps."""

SOURCES = tuple(PolicySource(f"made{number}", f"Made {number}") for number in range(12))
"""What a store must know before it takes the documents."""

_PIPELINE = "made-not-embedded"
_CHUNKS_OF_A_DOCUMENT = 40
_NOISE = 0.5
_REPLACED = 0.2
_REGIONS = {"global": 30, "uk": 10, "us": 15, "de": 12, "fr": 10, "eu": 10, "ca": 8, "au": 5}
_SEEN_AT = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class MadeDocument:
    """A version as a store takes it, and a vector for each of its chunks."""

    write: VersionWrite
    vectors: tuple[Vector, ...]

    def entries(self) -> list[IndexEntry]:
        """The chunks as an index takes them."""
        return [
            IndexEntry(Passage(chunk, self.write.version), vector)
            for chunk, vector in zip(self.write.chunks, self.vectors, strict=True)
        ]


class Corpus:
    """`chunks` chunks made of the `real` ones; the same every time it is read. Holds only the real ones."""

    def __init__(self, real: Sequence[IndexEntry], chunks: int, seed: int = 4) -> None:
        self._real = [entry.passage.chunk for entry in real]
        self._vectors = np.stack([entry.vector for entry in real])
        self._words = [word for chunk in self._real for word in chunk.chunk_text.split()]
        self.chunks = chunks
        self._seed = seed

    def documents(self) -> Iterator[MadeDocument]:
        """One document after the other; the last one may be shorter."""
        for number, first in enumerate(range(0, self.chunks, _CHUNKS_OF_A_DOCUMENT)):
            yield self._document(number, first, min(_CHUNKS_OF_A_DOCUMENT, self.chunks - first))

    def entries(self) -> Iterator[IndexEntry]:
        """One chunk after the other."""
        for document in self.documents():
            yield from document.entries()

    def _document(self, number: int, first: int, count: int) -> MadeDocument:
        random = Random(f"{self._seed}:{number}")  # noqa: S311 - no secret
        version = _version(number, count)
        rows = [(first + place) % len(self._real) for place in range(count)]
        text, chunks = f"# {version.title}\n\n", []
        for index, row in enumerate(rows):
            chunk = self._chunk(version, index, self._real[row], random)
            text += f"## {chunk.policy_section}\n\n"
            chunks.append(replace(chunk, char_start=len(text), char_end=len(text) + len(chunk.chunk_text)))
            text += f"{chunk.chunk_text}\n\n"
        return MadeDocument(VersionWrite(version, "made", text, tuple(chunks)), self._noisy(number, rows))

    def _chunk(self, version: DocumentVersion, index: int, real: PolicyChunk, random: Random) -> PolicyChunk:
        body = self._varied(real.chunk_text, random)
        hash_ = content_hash(real.policy_path, "", body)
        return replace(
            real,
            chunk_id=chunk_id(version.doc_id, index, hash_),
            doc_id=version.doc_id,
            chunk_index=index,
            chunk_text=body,
            lead_in="",
            policy_source=version.policy_source,
            regions=tuple(random.choices([*_REGIONS], weights=[*_REGIONS.values()])),
            regions_excluded=(),
            regions_mentioned=(),
            effective_from=version.effective_from,
            effective_to=version.effective_to,
            content_hash=hash_,
            created_at=_SEEN_AT,
            doc_url=version.url,
        )

    def _varied(self, text: str, random: Random) -> str:
        """Line by line, so that a list stays one; a number at the end makes every text another."""
        lines = [" ".join(self._instead_of(word, random) for word in line.split(" ")) for line in text.split("\n")]
        return "\n".join(lines) + f" {random.randrange(10**9)}"

    def _instead_of(self, word: str, random: Random) -> str:
        return random.choice(self._words) if word.isalpha() and random.random() < _REPLACED else word

    def _noisy(self, number: int, rows: Sequence[int]) -> tuple[Vector, ...]:
        noise = np.random.default_rng((self._seed, number)).standard_normal((len(rows), self._vectors.shape[1]))
        vectors = self._vectors[rows] + noise * (_NOISE / np.sqrt(self._vectors.shape[1]))
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return tuple(vectors.astype(np.float32))


def _version(number: int, chunks: int) -> DocumentVersion:
    """Every other one ended before `DAY`."""
    name = f"made_{number:06}"
    begins = date(2024, 1 + number % 12, 1 + number % 28)
    return DocumentVersion(
        doc_id=f"{name}_{begins.isoformat()}",
        document_id=name,
        policy_source=SOURCES[number // 2 % len(SOURCES)].slug,
        title=f"Made policy {number}",
        url=None,
        mime_type="text/markdown",
        sha256=sha256(name.encode()).hexdigest(),
        size=0,
        origin=name,
        pipeline=_PIPELINE,
        status=VersionStatus.LIVE,
        effective_from=begins,
        effective_to=date(2025, 12, 1) if number % 2 else None,
        seen_at=_SEEN_AT,
        checked_at=_SEEN_AT,
        chunk_count=chunks,
    )


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
