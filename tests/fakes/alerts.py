"""A store of a publisher's documents and all that tells channels of their changes, on a clock that stands."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.chat.alert_book import SqlAlertBook
from adapters.sql.chat.notices import SqlNoticeQueue
from adapters.sql.chat.subscriptions import SqlSubscriptions, subscription_row
from adapters.sql.database.transactions import write
from adapters.sql.policies.changes import SqlChangeFeed
from adapters.sql.policies.store import SqlPolicyStore
from adapters.sql.policies.versions import SqlVersionStore
from adapters.sql.tables.channels import subscriptions
from bot.access.groups import Access
from bot.alerts.alerting import Alerting, AlertPace
from bot.alerts.changes import AlertReading, Told
from bot.model.links import Links
from bot.model.notices import Notice, NoticeLease
from bot.model.subscriptions import Rhythm, Subscription
from ingest.planner import Arrival, plan
from rag_core.questions import Filters
from tests.fakes.clock import FakeClock
from tests.fakes.directories import FakeDirectory
from tests.fakes.documents import ACME, Section, make_version, make_write
from tests.fakes.notices import KeptLog

JANUARY, FEBRUARY, MARCH, APRIL = (date(2026, month, 1) for month in (1, 2, 3, 4))
KITES = "Ads for kites are allowed."
NO_KITES = "Ads for kites are not allowed."
AT_ONCE = AlertPace(settle=0.0)
LEGAL = frozenset({"slack:T1/usergroup/S1"})
LINKS = Links("https://bot.example", {"acme": "Acme Ads"})


class Newsroom:
    """`arrive` stores a version as the pipeline does, `round` queues what is to be told, `sent` takes it out."""

    def __init__(self, engine: AsyncEngine, pace: AlertPace = AT_ONCE) -> None:
        self.engine = engine
        self.clock = FakeClock()
        self.store = SqlVersionStore(engine, self.clock)
        self.book = SqlAlertBook(engine)
        self.queue = SqlNoticeQueue(engine, self.clock)
        self.subscriptions = SqlSubscriptions(engine, self.clock)
        self.log = KeptLog()
        self.alerting = Alerting(self.book, self.clock, self.log, pace)
        self.directory = FakeDirectory({"U1": LEGAL}, {"C-legal": ("U1",), "C1": ("U1", "U2")})
        self.access = Access({"legal": LEGAL}, {"slack": self.directory})
        self.reading = AlertReading(
            SqlChangeFeed(engine), SqlPolicyStore(engine), self.subscriptions, self.access, LINKS
        )
        self._number = 0

    def new_id(self) -> str:
        self._number += 1
        return f"s{self._number}"

    async def declare(self) -> None:
        await self.store.declare(ACME)

    async def arrive(
        self, day: date, text: str | Sequence[Section], document_id: str = "acme_kites", **facts: Any
    ) -> None:
        sections = [Section("Kites", text)] if isinstance(text, str) else list(text)
        version = make_version(document_id, day, sha256=f"{text}{facts}", doc_id="", **facts)
        stored = await self.store.stored("acme-folder")
        planned = plan(stored, stored, [Arrival(version, day)], frozenset(), day, forced={"all"})
        (document,) = (each for each in planned.documents if each.document_id == document_id)
        await self.store.save([make_write(new, sections) for new in document.new], document.updates)

    async def subscribe(
        self, channel: str = "C1", rhythm: Rhythm = Rhythm.AT_ONCE, workspace: str = "T1", **filters: tuple[str, ...]
    ) -> str:
        name = self.new_id()
        await self.subscriptions.begin(
            Subscription(
                name,
                "slack",
                workspace,
                channel,
                rhythm,
                "U1",
                self.clock(),
                0,
                Filters(**filters),  # type: ignore[arg-type]
            )
        )
        return name

    async def subscribe_all(self, channels: Sequence[str]) -> None:
        """Many at once; the record is left out."""
        rows = [
            subscription_row(
                Subscription(self.new_id(), "slack", "T1", each, Rhythm.AT_ONCE, "", self.clock(), 0), cursor=1
            )
            for each in channels
        ]
        await write(self.engine, lambda connection: connection.execute(insert(subscriptions), rows))

    async def round(self) -> int:
        return await self.alerting.round()

    async def leases(self) -> list[NoticeLease]:
        found = []
        while lease := await self.queue.take("w", 60.0):
            found.append(lease)
            await self.queue.finish(lease, sent=True)
        return found

    async def notices(self) -> list[Notice]:
        """All that waits; it counts as sent."""
        return [each.notice for each in await self.leases()]

    async def read(self, notice: Notice) -> Told | None:
        return await self.reading.read(notice, self.clock())

    async def told(self) -> list[tuple[str, str, list[str]]]:
        """(channel, kind, titles) of all that waits and has something to say."""
        found = []
        for notice in await self.notices():
            if told := await self.read(notice):
                titles = [f"{each.change.kind.value} {each.change.document_id}" for each in told.changes]
                found.append((notice.channel, notice.kind.value, titles))
        return found
