"""Removing what has been kept for long enough: beside a server, or by `python -m ops retention`."""

import asyncio
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime, timedelta

from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.audit.log import SqlAuditLog
from adapters.sql.database.lease import SqlLeaderLease
from adapters.sql.database.wiping import empty_log
from adapters.sql.people.retention import SWEPT, SqlRetention
from bot.audit.entries import AuditEntry, administration, moment
from bot.audit.verification import RETAINED_SINCE
from bot.ports import AuditLog
from ingest.ports import LeaderLease
from ops.config import Config
from ops.parts import OutageLog, utc_now
from ops.privacy.register import REGISTER
from rag_core.errors import Unavailable

EVERY_SECONDS = 3600.0
_FIRST_SECONDS = 60.0
_PAUSE_SECONDS = 0.05
"""Between two batches: others are let in."""

_WORK = "retention"


class Retention:
    """`days`: by kind of `SqlRetention`; what is not among them, or 0, is kept for good."""

    def __init__(
        self,
        stored: SqlRetention,
        days: dict[str, int],
        audit: AuditLog,
        lease: LeaderLease,
        engine: AsyncEngine,
        now: Callable[[], datetime] = utc_now,
        log: OutageLog | None = None,
    ) -> None:
        self._stored = stored
        self._days = days
        self._audit = audit
        self._lease = lease
        self._engine = engine
        self._now = now
        self._log = log

    async def due(self) -> dict[str, int]:
        """How much there is to remove of each kind that is not kept for good."""
        return {kind: await self._stored.due(kind, before) for kind, before in self._limits()}

    async def sweep(self) -> dict[str, int] | None:
        """Remove it; how much it was. None: another process is at it. Raises Unavailable; the next sweep goes on.

        What is to be removed is on record before the first row goes.
        """
        async with self._lease.hold(_WORK, 0.0) as is_ours:
            if not is_ours:
                return None
            due = await self.due()
            if not any(due.values()):
                return due
            limits = dict(self._limits())
            since = {kind: moment(before) for kind, before in limits.items()}
            await self._audit.append([self._act({"due": due, "days": self._days, RETAINED_SINCE: since})])
            removed = {kind: await self._remove(kind, before) for kind, before in limits.items()}
        with suppress(Unavailable):  # the database empties its log by itself sooner or later
            await empty_log(self._engine, patience=1.0)
        return removed

    async def run(self, every_seconds: float = EVERY_SECONDS, first_seconds: float = _FIRST_SECONDS) -> None:
        """Until cancelled; what is down is tried again the next time."""
        await asyncio.sleep(first_seconds)
        while True:
            try:
                await self.sweep()
            except Unavailable as exc:
                if self._log is not None:
                    self._log.unavailable("-", exc, 0)
            await asyncio.sleep(every_seconds)

    def _limits(self) -> Iterator[tuple[str, datetime]]:
        now = self._now()
        for kind, days in self._days.items():
            if days:
                yield kind, now - timedelta(days=days)

    async def _remove(self, kind: str, before: datetime) -> int:
        removed = 0
        while count := await self._stored.remove(kind, before, self._act({"kind": kind})):
            removed += count
            await asyncio.sleep(_PAUSE_SECONDS)
        return removed

    def _act(self, facts: Mapping[str, object]) -> AuditEntry:
        return administration(str(uuid.uuid4()), "retention", self._now(), facts=facts)


def build_retention(config: Config, engine: AsyncEngine, log: OutageLog | None = None) -> Retention:
    """As the settings say."""
    stored = SqlRetention(engine)
    named = {each.kind: each.days for each in REGISTER}
    days = {kind: int(getattr(config, named[kind])) for kind in SWEPT}
    return Retention(stored, days, SqlAuditLog(engine), SqlLeaderLease(engine), engine, utc_now, log)
