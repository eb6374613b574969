"""A store with the documents in it, read by the real ingest, and everything that answers from it."""

import asyncio
import io
import json
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import web
from sqlalchemy import select

from adapters.sql.audit.answers import SqlAnswerRecords
from adapters.sql.audit.log import SqlAuditLog
from adapters.sql.database.transactions import fetch
from adapters.sql.policies.changes import SqlChangeFeed
from adapters.sql.tables.policies import chunks, versions
from adapters.web.app import web_app
from adapters.web.http_server import runner
from adapters.web.parts import Check, Readiness, WebParts
from ingest.catalogue import open_sources, read_catalogue
from ingest.run.pipeline import ingest
from ops.backends import Backends, open_backends
from ops.bench.stores import new_name, on_servers, own_database_if_set, remove_all
from ops.chat.people import giving_feedback, own_answers
from ops.config import Config
from ops.monitoring.logs import ServiceEvents
from ops.monitoring.metrics import Metrics
from ops.parts import Answering
from ops.wiring import answering_on, open_ingest
from tests.security.access.library import HIDDEN, Hidden, write_library
from tests.security.access.people import EVERYBODY, HEADER, Asker, BenchCallers

_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Secret:
    """A hidden version as it is stored. `words` are in small letters: its own words, and its ids."""

    hidden: Hidden
    doc_id: str
    chunk_ids: tuple[str, ...]
    words: frozenset[str]

    def may_see(self, asker: Asker) -> bool:
        return bool(self.hidden.groups & asker.groups)


@dataclass(frozen=True, slots=True)
class World:
    """All that roads lead through. `public`: doc_id -> chunk_ids of what everybody may see."""

    config: Config
    backends: Backends
    answering: Answering
    metrics: Metrics
    events: ServiceEvents
    site: aiohttp.ClientSession
    secrets: Mapping[str, Secret] = field(default_factory=dict)
    public: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    log: io.StringIO = field(default_factory=io.StringIO)

    @property
    def records(self) -> SqlAnswerRecords:
        return SqlAnswerRecords(self.answering.engine, SqlAuditLog(self.answering.engine))

    def hidden_from(self, asker: Asker) -> tuple[Secret, ...]:
        """Each without the words that he may know from another version."""
        known = frozenset().union(*(each.words for each in self.secrets.values() if each.may_see(asker)))
        hidden = [each for each in self.secrets.values() if not each.may_see(asker)]
        return tuple(replace(each, words=each.words - known) for each in hidden)


@dataclass(frozen=True, slots=True)
class Door:
    """Where an asker comes in. What comes back is text: status, headers, body."""

    world: World
    asker: Asker

    async def get(self, path: str, accept: str = "*/*") -> str:
        return await self._sent("GET", path, None, accept)

    async def page(self, path: str) -> str:
        """As a browser asks."""
        return await self._sent("GET", path, None, "text/html")

    async def post(self, path: str, body: Mapping[str, Any], accept: str = "*/*") -> str:
        return await self._sent("POST", path, body, accept)

    async def _sent(self, method: str, path: str, body: Mapping[str, Any] | None, accept: str) -> str:
        headers = {HEADER: self.asker.name, "Accept": accept}
        async with self.world.site.request(method, path, json=body, headers=headers) as response:
            shown = {name: value for name, value in response.headers.items() if name not in _EVERY_REPLY}
            return f"{response.status}\n{json.dumps(shown)}\n{await response.text()}"


_EVERY_REPLY = frozenset({"Date", "Content-Length", "X-Request-Id", "X-Request-ID"})


@asynccontextmanager
async def open_world(config: Config, folder: Path, *, hidden: bool = True) -> AsyncIterator[World]:
    """The documents ingested into what `config` names, its data in `folder`, and a web listener on loopback.

    Raises ValueError if not all of them could be.
    """
    catalogue = await asyncio.to_thread(write_library, folder / "library", hidden=hidden)
    config = config.model_copy(update={"catalogue": catalogue, "data_dir": folder / "data", "memory_hours": 1.0})
    config = config.model_copy(update={f"limit_{name}": "" for name in ("person", "channel", "workspace")})
    await ingest_all(config)
    metrics = Metrics()
    events = ServiceEvents(metrics)
    async with (
        open_backends(config, events) as backends,
        answering_on(backends, events) as answering,
        _served(answering, metrics) as site,
    ):
        world = World(config, backends, answering, metrics, events, site)
        yield await _with_secrets(world) if hidden else world


async def ingest_all(config: Config) -> None:
    """Everything that the catalogue names. Raises ValueError."""
    async with open_ingest(config) as parts:
        sources = open_sources(read_catalogue(config.catalogue), config.catalogue, parts.tools)
        report = await ingest(sources, parts, lambda: datetime.now(UTC))
    if report.failed or report.not_indexed is not None:
        codes = [each.code for each in report.failed]
        raise ValueError(f"not all documents were read: {codes}") from report.not_indexed


@asynccontextmanager
async def _served(answering: Answering, metrics: Metrics) -> AsyncIterator[aiohttp.ClientSession]:
    async def ready() -> Readiness:
        return Readiness(True, {"store": Check("ok"), "index": Check("ok")})

    parts = WebParts(
        ask=answering.asking.ask,
        search=answering.search.search,
        store=answering.store,
        changes=SqlChangeFeed(answering.engine),
        read_answer=own_answers(answering).read,
        give_feedback=giving_feedback(answering).give,
        links=answering.links,
        today=lambda: datetime.now(UTC).date(),
        ready=ready,
        metrics=metrics.exposition,
        callers=BenchCallers({each.name: each for each in EVERYBODY}),
    )
    running = runner(web_app(parts))
    await running.setup()
    try:
        await web.TCPSite(running, "127.0.0.1", 0).start()
        address = f"http://127.0.0.1:{running.addresses[0][1]}"
        timeout = aiohttp.ClientTimeout(total=_SECONDS)
        async with aiohttp.ClientSession(address, timeout=timeout) as session:
            yield session
    finally:
        await running.cleanup()


async def _with_secrets(world: World) -> World:
    """The world, with what is stored of each hidden version."""
    columns = (versions.c.doc_id, versions.c.document_id, versions.c.effective_from, chunks.c.chunk_id)
    statement = select(*columns).join_from(versions, chunks, chunks.c.doc_id == versions.c.doc_id)
    stored: dict[tuple[str, str, str], list[str]] = {}
    for doc_id, document_id, day, chunk_id in await fetch(world.answering.engine, statement):
        stored.setdefault((doc_id, document_id, _iso(day)), []).append(chunk_id)
    secrets: dict[str, Secret] = {}
    for hidden in HIDDEN:
        [key] = [each for each in stored if each[1] == hidden.document_id and hidden.day in ("", each[2])]
        ids = stored.pop(key)
        named = [hidden.document_id] if hidden.is_secret else []
        words = frozenset(each.casefold() for each in (*hidden.words, key[0], *ids, *named))
        secrets[hidden.key] = Secret(hidden, key[0], tuple(ids), words)
    return replace(world, secrets=secrets, public={key[0]: tuple(ids) for key, ids in stored.items()})


def _iso(day: date) -> str:
    return day.isoformat()


@asynccontextmanager
async def worlds_on_servers(config: Config) -> AsyncIterator[tuple[World, World]]:
    """On the servers that are set, one with hidden documents, one without; nothing is left of them."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="adpolicy-test-")))
        opened = []
        for part, hidden in (("with", True), ("without", False)):
            name = new_name()
            own = on_servers(config, folder, name, await own_database_if_set(config, name, stack))
            stack.push_async_callback(remove_all, own)
            own = own.model_copy(update={"redis_url": config.redis_url, "redis_prefix": name, "model": "none"})
            opened.append(await stack.enter_async_context(open_world(own, folder / part, hidden=hidden)))
        yield opened[0], opened[1]
