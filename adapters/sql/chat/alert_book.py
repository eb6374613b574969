"""What alerting reads of changes and subscriptions, and how it writes: whole steps, each in one transaction."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import case, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.chat.notices import add_notices
from adapters.sql.chat.subscriptions import COLUMNS, subscription_from
from adapters.sql.database.dialect import among, batches, insert_into
from adapters.sql.database.transactions import fetch, write
from adapters.sql.policies.changes import change_from
from adapters.sql.policies.rows import VERSION_COLUMNS, version_from
from adapters.sql.tables.channels import change_marks, subscriptions
from adapters.sql.tables.policies import chunks, policy_changes, versions
from bot.alerts.alerting import Following, Pulse, Seen, fingerprint
from bot.alerts.changes import Spot
from bot.model.notices import Notice
from rag_core.policy_changes import ChangeKind

_CHANGE = tuple(policy_changes.c[name] for name in ("change_id", "kind", "previous_doc_id", "changed_on", "details"))
_TOLD = tuple(policy_changes.c[name] for name in ("document_id", "doc_id", "kind", "changed_on", "details"))


class SqlAlertBook:
    """AlertBook. Ids of changes are given in the order of commits, so who reads on from one misses none."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def mark(self, limit: int) -> int:
        async def note(connection: AsyncConnection) -> int:
            last = (await connection.scalar(select(func.max(change_marks.c.change_id)))) or 0
            new = select(policy_changes.c.change_id, *_TOLD).where(policy_changes.c.change_id > last)
            rows = (await connection.execute(new.order_by(policy_changes.c.change_id).limit(limit))).all()
            marks = [{"change_id": row[0], "fingerprint": _fingerprint(row[1:])} for row in rows]
            if marks:
                added = insert_into(connection, change_marks).values(marks)
                await connection.execute(added.on_conflict_do_nothing(index_elements=["change_id"]))
            return len(marks)

        return await write(self._engine, note)

    async def followings(self) -> tuple[Following, ...]:
        rows = await fetch(self._engine, select(subscriptions.c.looked_at, *COLUMNS))
        return tuple(Following(subscription_from(row[1:]), row[0]) for row in rows)

    async def pulse(self, after: int) -> Pulse | None:
        columns = (
            func.max(policy_changes.c.change_id),
            func.max(policy_changes.c.recorded_at),
            func.min(policy_changes.c.recorded_at),
        )
        # what is recorded meanwhile counts when it is marked: before that `changes` does not tell it, so no cursor may
        # pass it
        marked = change_marks.c.change_id == policy_changes.c.change_id
        statement: Any = select(*columns).join_from(policy_changes, change_marks, marked)
        statement = statement.where(policy_changes.c.change_id > after)
        [(last_id, last_at, first_at)] = await fetch(self._engine, statement)
        return None if last_id is None else Pulse(last_id, last_at, first_at)

    async def changes(
        self, after: int, until: int, limit: int, spots: bool
    ) -> tuple[tuple[Seen, tuple[Spot, ...]], ...]:
        same = change_marks.alias("same")
        first = select(func.min(same.c.change_id)).where(same.c.fingerprint == change_marks.c.fingerprint)
        statement = (
            select(
                change_marks.c.fingerprint,
                first.correlate(change_marks).scalar_subquery(),
                policy_changes.c.recorded_at,
                *_CHANGE,
                *VERSION_COLUMNS,
            )
            .join_from(policy_changes, versions, versions.c.doc_id == policy_changes.c.doc_id)
            .join(change_marks, change_marks.c.change_id == policy_changes.c.change_id)
            .where(policy_changes.c.change_id > after, policy_changes.c.change_id <= until)
            .order_by(policy_changes.c.change_id)
            .limit(limit)
        )
        seen = [_seen(row) for row in await fetch(self._engine, statement)]
        known = await self._spots(seen) if spots else {}
        return tuple((each, _spots_of(each, known)) for each in seen)

    async def tell(self, notices: Sequence[Notice], moved: Mapping[str, int], looked_at: datetime | None) -> None:
        looked = {} if looked_at is None else {"looked_at": looked_at}

        async def both(connection: AsyncConnection) -> None:
            await add_notices(connection, notices)
            for cursor, ids in _by_cursor(moved).items():
                theirs = among(connection.dialect, subscriptions.c.subscription_id, ids)
                later = case((subscriptions.c.cursor > cursor, subscriptions.c.cursor), else_=cursor)
                await connection.execute(update(subscriptions).where(theirs).values(cursor=later, **looked))

        await write(self._engine, both)

    async def _spots(self, seen: Sequence[Seen]) -> dict[str, list[Spot]]:
        doc_ids = {doc_id for each in seen for doc_id in (each.change.doc_id, each.change.previous_doc_id) if doc_id}
        found: defaultdict[str, list[Spot]] = defaultdict(list)
        columns = (chunks.c.doc_id, chunks.c.policy_path, chunks.c.regions, chunks.c.regions_excluded)
        for some in batches(sorted(doc_ids), 100):
            mine = among(self._engine.dialect, chunks.c.doc_id, some)
            for row in await fetch(self._engine, select(*columns).where(mine).order_by(chunks.c.chunk_index)):
                found[row[0]].append(Spot(row[1], tuple(row[2]), tuple(row[3])))
        return found


def _fingerprint(row: Sequence[Any]) -> str:
    document_id, doc_id, kind, changed_on, details = row
    return fingerprint(document_id, doc_id, ChangeKind(kind), changed_on, details["sections"])


def _seen(row: Sequence[Any]) -> Seen:
    mark, first_id, recorded_at = row[:3]
    last = 3 + len(_CHANGE)
    change = change_from(row[3:last], version_from(row[last:]), hides_previous=False)
    return Seen(change, first_id, recorded_at, mark)


def _spots_of(seen: Seen, known: Mapping[str, Sequence[Spot]]) -> tuple[Spot, ...]:
    doc_ids = (seen.change.doc_id, seen.change.previous_doc_id)
    return tuple(spot for doc_id in doc_ids if doc_id for spot in known.get(doc_id, ()))


def _by_cursor(moved: Mapping[str, int]) -> dict[int, list[str]]:
    found: defaultdict[int, list[str]] = defaultdict(list)
    for subscription_id, cursor in moved.items():
        found[cursor].append(subscription_id)
    return found
