"""Roads that open where a part is behind or down: an index that is stale, a store that does not answer."""

import json
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncConnection

from adapters.sql.database.transactions import write
from adapters.sql.policies.changes import SqlChangeFeed
from adapters.sql.tables.policies import versions
from bot.model.jsonable import jsonable
from bot.render.json import reply_json
from ingest.indexing import rebuild_index
from ops.backends import build_index
from ops.parts import utc_now
from ops.wiring import indexing_parts
from rag_core.ask import Asker
from rag_core.documents import Classification, DocumentVersion, Passage, PolicySource
from rag_core.errors import Unavailable
from rag_core.ports import IndexCopies, IndexFilter, IndexQuery, PolicyStore, SearchIndex, VersionText
from rag_core.questions import AskRequest
from rag_core.retrieval.search import PolicySearch
from rag_core.understanding.terms import terms_of
from tests.security.access import asking, reading
from tests.security.access.attempts import Attempt, Proof, Road
from tests.security.access.world import Door, World

_LAST_CHUNK = 100_000


@asynccontextmanager
async def _index_says_public(world: World) -> AsyncIterator[World]:
    """The index learned of the hidden versions while they were public; the store knows better."""
    secrets = list(world.secrets.values())
    for secret in secrets:
        await _classify(world, secret.doc_id, Classification.PUBLIC, ())
    try:
        await _reindex(world)
    finally:
        for secret in secrets:
            await _classify(world, secret.doc_id, Classification.RESTRICTED, sorted(secret.hidden.groups))
    try:
        yield world
    finally:
        await _reindex(world)


async def _classify(world: World, doc_id: str, classification: Classification, groups: Sequence[str]) -> None:
    """As ingest would, but the index does not hear of it."""
    values = {"classification": classification, "allowed_groups": list(groups)}

    async def change(connection: AsyncConnection) -> None:
        await connection.execute(update(versions).where(versions.c.doc_id == doc_id).values(values))

    await write(world.answering.engine, change)


async def _reindex(world: World) -> None:
    parts = indexing_parts(world.backends)
    await rebuild_index(parts.outbox, parts.embeddings, parts.writer, parts.embedder)


def _stale(world: World) -> Iterator[Attempt]:
    yield from asking.some_questions()
    # what is dropped in the end has taken part in scoring: the order of the others may tell of it, no more
    yield from (replace(each, alike=False) for each in reading.some_searches(world))


def _both_legs(world: World) -> Iterator[Attempt]:
    """The index by itself: each leg has to know who may see what."""
    texts = {
        "memo": "vexolune",
        "twist": "alcohol Iceland Yarvessel",
        "platform": "kilnware ovens",
        "both": "hesperquil",
    }
    for key, text in (*texts.items(), ("nobody", "drimquast Fennelhythe")):
        for leg in ("keyword", "vector", "both legs"):
            proof = Proof.HIDDEN if world.secrets[key].hidden.groups else Proof.TAKEN
            yield Attempt(f"{text} by {leg}", key, _hits(text, leg), proof=proof, alike=False)


def _hits(text: str, leg: str) -> Callable[[Door], Any]:
    async def take(door: Door) -> str:
        answering = door.world.answering
        vector = (await answering.embedder.embed([text]))[0] if leg != "keyword" else None
        terms = terms_of(text) if leg != "vector" else ()
        query = IndexQuery(terms, vector, IndexFilter(groups=door.asker.groups), limit=200, depth=200)
        return json.dumps([each.chunk_id for each in (await answering.index.search(query)).hits])

    return take


@dataclass(slots=True)
class FallingStore:
    """`rag_core.ports.PolicyStore` that answers as `store` does, until it is down."""

    store: PolicyStore
    is_down: bool = False

    async def passages(self, chunk_ids: Sequence[str], groups: frozenset[str], day: date | None) -> list[Passage]:
        return await self._up().passages(chunk_ids, groups, day)

    async def section(self, doc_id: str, first_index: int, last_index: int, groups: frozenset[str]) -> list[Passage]:
        return await self._up().section(doc_id, first_index, last_index, groups)

    async def sources(self, groups: frozenset[str]) -> list[PolicySource]:
        return await self._up().sources(groups)

    async def versions(self, groups: frozenset[str], document_id: str | None = None) -> list[DocumentVersion]:
        return await self._up().versions(groups, document_id)

    async def version_text(self, doc_id: str, groups: frozenset[str]) -> VersionText | None:
        return await self._up().version_text(doc_id, groups)

    def _up(self) -> PolicyStore:
        if self.is_down:
            raise Unavailable("store_down")
        return self.store


@asynccontextmanager
async def _reading_index(world: World) -> AsyncIterator[tuple[SearchIndex, IndexCopies | None]]:
    index, copies = build_index(world.config, world.backends.embedder, world.backends.opensearch)
    try:
        yield index, copies
    finally:
        await index.aclose()


def _store_down(world: World) -> Iterator[Attempt]:
    """With copies in the index there are answers from public documents; without, there are none at all."""
    has_copies = world.backends.opensearch is not None
    for of, question, _ in (*asking.FORMS[:3], *asking.FORMS[15:19], *asking.FORMS[22:28], *asking.FORMS[34:38]):
        yield Attempt(question, of, _without_store(question), question, Proof.TAKEN, alike=False)
    shown = Proof.PUBLIC if has_copies else Proof.TAKEN
    for question in ("can I advertise alcohol in the UK", "are printed vouchers allowed on Tarrow"):
        yield Attempt(question, "twist", _without_store(question), question, shown, alike=False)


def _without_store(question: str) -> Callable[[Door], Any]:
    async def take(door: Door) -> str:
        world, store = door.world, FallingStore(door.world.answering.store)
        async with _reading_index(world) as (index, copies):
            search = PolicySearch(index, store, world.answering.embedder, copies)
            asker = Asker(search, store, copies, SqlChangeFeed(world.answering.engine))
            request = AskRequest(question, utc_now().date(), door.asker.groups)
            await asker.ask(request)  # while it answers: what is known of the sources then is all that is known later
            store.is_down = True
            try:
                reply, trace = await asker.ask(request)
            except Unavailable as exc:
                return f"unavailable: {exc.code}"
            return json.dumps([reply_json("", reply, world.answering.links, {}), jsonable(trace)], default=str)

    return take


def _copies(world: World) -> Iterator[Attempt]:
    if world.backends.opensearch is None:
        return
    for key, secret in world.secrets.items():
        ids = [*secret.chunk_ids, *(chunk_id for ids in world.public.values() for chunk_id in ids)]
        yield Attempt(f"{key} by its ids", key, _copied(ids), proof=Proof.PUBLIC, alike=False)
        yield Attempt(f"{key} by its version", key, _copied_section(secret.doc_id), proof=Proof.TAKEN, alike=False)


def _copied(ids: Sequence[str]) -> Callable[[Door], Any]:
    async def take(door: Door) -> str:
        async with _reading_index(door.world) as (_, copies):
            found = await copies.passages(ids, None) if copies is not None else []
            return json.dumps(jsonable(found))

    return take


def _copied_section(doc_id: str) -> Callable[[Door], Any]:
    async def take(door: Door) -> str:
        async with _reading_index(door.world) as (_, copies):
            found = await copies.section(doc_id, 0, _LAST_CHUNK) if copies is not None else []
            return json.dumps(jsonable(found))

    return take


ROADS = (
    Road("index, each leg by itself", _both_legs),
    Road("index that is behind the store", _stale, around=_index_says_public),
    Road("store down", _store_down),
    Road("copies in the index", _copies),
)
