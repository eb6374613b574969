"""The durable queue of messages that nobody asked for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, func, not_, null, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.database.dialect import batches, insert_into
from adapters.sql.database.moments import Moment, Moments
from adapters.sql.database.transactions import fetch, write
from adapters.sql.tables.channels import NoticeState, notices
from bot.model.jsonable import jsonable
from bot.model.messages import Actor
from bot.model.notices import Notice, NoticeKind, NoticeLease

_BATCH = 500
_COLUMNS = tuple(
    notices.c[name]
    for name in ("notice_id", "kind", "platform", "workspace", "channel", "queued_at", "thread", "content")
)

ENDED: dict[str, Any] = {"lease_until": null(), "channel": "", "thread": "", "content": {}}
"""Of an ended notice its id is kept, and what it was counted as."""


@dataclass(frozen=True, slots=True)
class WaitingNotice:
    """A notice that is not ended, as an operator sees it. `is_held`: somebody is sending it."""

    notice: Notice
    attempts: int
    is_held: bool
    not_before: datetime | None


class SqlNoticeQueue:
    """NoticeQueue: one row a notice. Whoever takes one is taken to be sending it from then on: when its lease runs out,
    the message may be there. A lease is fenced by worker and attempt."""

    def __init__(self, engine: AsyncEngine, now: Callable[[], datetime] | None = None) -> None:
        self._engine = engine
        self._moments = Moments(engine.dialect, now)

    async def queue(self, given: Sequence[Notice]) -> int:
        async def add(connection: AsyncConnection) -> int:
            return await add_notices(connection, given)

        return await write(self._engine, add) if given else 0

    async def take(self, worker: str, lease_seconds: float) -> NoticeLease | None:
        async def lease(connection: AsyncConnection) -> NoticeLease | None:
            notice_id = await connection.scalar(_next(self._moments.now()))
            if notice_id is None:
                return None
            values = {
                "was_sending": or_(notices.c.was_sending, notices.c.state == NoticeState.SENDING),
                "state": NoticeState.SENDING,
                "worker": worker,
                "attempt": notices.c.attempt + 1,
                "lease_until": self._moments.after(lease_seconds),
            }
            taking = update(notices).where(notices.c.notice_id == notice_id).values(values)
            row = (
                await connection.execute(taking.returning(notices.c.attempt, notices.c.was_sending, *_COLUMNS))
            ).one()
            return NoticeLease(_notice(row[2:]), worker, row.attempt, row.was_sending)

        return await write(self._engine, lease)

    async def postpone(self, lease: NoticeLease, seconds: float, *, may_be_there: bool = False) -> bool:
        values = {
            "state": NoticeState.WAITING,
            "lease_until": null(),
            "not_before": self._moments.after(seconds),
            "was_sending": may_be_there or lease.was_sending,
        }
        return await self._change(lease, values)

    async def finish(self, lease: NoticeLease, *, sent: bool) -> bool:
        state = NoticeState.SENT if sent else NoticeState.GIVEN_UP
        return await self._change(lease, {"state": state, "finished_at": self._moments.now(), **ENDED})

    async def drop_workspace(self, platform: str, workspace: str) -> int:
        return await self._drop(and_(notices.c.platform == platform, notices.c.workspace == workspace))

    async def drop_channel(self, platform: str, workspace: str, channel: str) -> int:
        """When the app is removed from one channel: what waits for it is given up; how many."""
        its = and_(notices.c.platform == platform, notices.c.workspace == workspace, notices.c.channel == channel)
        return await self._drop(its)

    async def _drop(self, theirs: ColumnElement[bool]) -> int:
        values = {"state": NoticeState.GIVEN_UP, "finished_at": self._moments.now(), **ENDED}

        async def drop(connection: AsyncConnection) -> int:
            change = update(notices).where(theirs, notices.c.finished_at.is_(None)).values(values)
            return int((await connection.execute(change)).rowcount)

        return await write(self._engine, drop)

    async def backlog(self) -> tuple[int, int, datetime | None]:
        """How many are not ended, how many of them failed before, and since when the oldest waits."""
        tried = func.count().filter(notices.c.attempt > 1)
        statement: Any = select(func.count(), tried, func.min(notices.c.queued_at))
        [(count, failing, oldest)] = await fetch(self._engine, statement.where(notices.c.finished_at.is_(None)))
        return count, failing, oldest

    async def waiting(self, limit: int) -> list[WaitingNotice]:
        """Those that are not ended, oldest first."""
        statement = (
            select(notices.c.attempt, notices.c.state, notices.c.not_before, *_COLUMNS)
            .where(notices.c.finished_at.is_(None))
            .order_by(notices.c.position)
            .limit(limit)
        )
        return [
            WaitingNotice(_notice(row[3:]), row.attempt, row.state == NoticeState.SENDING, row.not_before)
            for row in await fetch(self._engine, statement)
        ]

    async def _change(self, lease: NoticeLease, values: dict[str, Any]) -> bool:
        held = and_(
            notices.c.notice_id == lease.notice.notice_id,
            notices.c.worker == lease.worker,
            notices.c.attempt == lease.attempt,
            notices.c.state == NoticeState.SENDING,
        )

        async def change(connection: AsyncConnection) -> bool:
            return bool((await connection.execute(update(notices).where(held).values(values))).rowcount)

        return await write(self._engine, change)


async def add_notices(connection: AsyncConnection, given: Sequence[Notice]) -> int:
    """Part of a transaction: queue them with what they tell of. How many were not known yet."""
    added = 0
    for some in batches(given, _BATCH):
        statement = insert_into(connection, notices).values([_row(each) for each in some])
        done = await connection.execute(statement.on_conflict_do_nothing(index_elements=["notice_id"]))
        added += max(0, done.rowcount)
    return added


async def count_to_person(engine: AsyncEngine, actor: Actor) -> int:
    """How many wait to be sent to this person directly."""
    [(count,)] = await fetch(engine, select(func.count()).select_from(notices).where(_to_person(actor)))
    return int(count)


async def drop_to_person(engine: AsyncEngine, actor: Actor, now: datetime) -> int:
    """They end unsent; how many."""
    values = {"state": NoticeState.GIVEN_UP, "finished_at": now, **ENDED}

    async def drop(connection: AsyncConnection) -> int:
        return int((await connection.execute(update(notices).where(_to_person(actor)).values(values))).rowcount)

    return await write(engine, drop)


def _to_person(actor: Actor) -> ColumnElement[bool]:
    theirs = and_(notices.c.platform == actor.platform, notices.c.workspace == actor.workspace)
    return and_(theirs, notices.c.channel == actor.person, notices.c.finished_at.is_(None))


def _row(notice: Notice) -> dict[str, Any]:
    said = {column.name: getattr(notice, column.name) for column in _COLUMNS}
    return said | {
        "content": jsonable(notice.content),
        "state": NoticeState.WAITING,
        "attempt": 0,
        "was_sending": False,
    }


def _notice(row: Sequence[Any]) -> Notice:
    notice_id, kind, *said = row
    return Notice(notice_id, NoticeKind(kind), *said)


def _next(now: Moment) -> Any:
    """The notice to take next, locked: the first unfinished of its channel. Two that take at once: what one of them
    has locked the other passes over, and still sees as unfinished, so it does not get the next of that channel."""
    this, earlier = notices.alias("this"), notices.alias("earlier")
    before_it = (
        select(earlier.c.position)
        .where(
            earlier.c.platform == this.c.platform,
            earlier.c.workspace == this.c.workspace,
            earlier.c.channel == this.c.channel,
            earlier.c.finished_at.is_(None),
            earlier.c.position < this.c.position,
        )
        .correlate(this)
    )
    return (
        select(this.c.notice_id)
        .where(this.c.finished_at.is_(None), _is_due(this, now), not_(before_it.exists()))
        .order_by(func.coalesce(this.c.not_before, this.c.queued_at), this.c.position)
        .limit(1)
        .with_for_update(skip_locked=True, of=this)  # SQLite: writers queue up, the clause is left out
    )


def _is_due(row: Any, now: Moment) -> ColumnElement[bool]:
    waited = or_(row.c.not_before.is_(None), row.c.not_before <= now)
    return or_(and_(row.c.state == NoticeState.WAITING, waited), row.c.lease_until <= now)
