"""What `ops.wiring` puts together, as the rest of `ops` holds it."""

import asyncio
import uuid
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

from sqlalchemy.ext.asyncio import AsyncEngine

from bot.access.groups import Access
from bot.access.pseudonyms import Pseudonyms
from bot.model.links import Links
from bot.ports import FastMemory, Spool
from bot.questions.answerer import Asking
from bot.questions.inbox import FallbackInbox
from bot.questions.limits import SteadyClaims, SteadyLimits
from bot.questions.pace import PostingPace
from bot.questions.spool import SpooledAuditLog, SpooledRecords
from ingest.parts import IndexingParts
from ops.config import Config
from ops.monitoring.logs import ServiceEvents
from ops.monitoring.metrics import Metrics
from ops.monitoring.model_calls import WatchedModel
from ops.monitoring.model_health import ModelHealth
from rag_core.ask import Asker
from rag_core.errors import PolicyBotError, Unavailable
from rag_core.ports import Embedder, PolicyStore, SearchIndex
from rag_core.retrieval.search import PolicySearch

if TYPE_CHECKING:
    from ops.slack_installing import SlackConnection
    from ops.teams_connection import TeamsConnection

_NAMES_SECONDS = 30.0


def utc_now() -> datetime:
    return datetime.now(UTC)


def new_id() -> str:
    return str(uuid.uuid4())


class OutageLog(Protocol):
    """Hears of what did not answer: `ops.monitoring.logs.ServiceEvents`."""

    def unavailable(self, question_id: str, error: PolicyBotError, attempt: int) -> None: ...


@dataclass(frozen=True, slots=True)
class Answering:
    """All that answering needs, open. `links` knows the names of the sources as of the last `refresh_names`; `fast`
    is the memory to be emptied when somebody is forgotten."""

    asking: Asking
    asker: Asker
    search: PolicySearch
    store: PolicyStore
    index: SearchIndex
    embedder: Embedder
    links: Links
    names: dict[str, str]
    engine: AsyncEngine
    model: WatchedModel | None
    model_health: ModelHealth
    access: Access
    pseudonyms: Pseudonyms
    fast: FastMemory

    async def refresh_names(self) -> None:
        """Learn the display names of sources that were ingested meanwhile."""
        sources = await self.store.sources(frozenset())
        self.names.update({source.slug: source.display_name for source in sources})

    async def keep_names(self) -> None:
        """Until cancelled: names of sources that are ingested meanwhile. With the store down, those known stay."""
        while True:
            await asyncio.sleep(_NAMES_SECONDS)
            with suppress(Unavailable):
                await self.refresh_names()


@dataclass(frozen=True, slots=True)
class ServerParts:
    """All that `python -m bot serve` runs, open. `spool` is for looking at what waits, and for nothing else."""

    config: Config
    answering: Answering
    inbox: FallbackInbox
    records: SpooledRecords
    audit: SpooledAuditLog
    spool: Spool
    indexing: IndexingParts
    events: ServiceEvents
    metrics: Metrics
    request_limits: SteadyLimits
    claims: SteadyClaims
    posting_pace: PostingPace
    slack: "SlackConnection | None" = None
    teams: "TeamsConnection | None" = None
