"""Which channels hear of changes; beginning and ending one is on record in the same transaction."""

import hashlib
import json
import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.audit.chain import add_entries
from adapters.sql.database.dialect import insert_into
from adapters.sql.database.transactions import fetch, write
from adapters.sql.database.types import utc_now
from adapters.sql.tables.channels import subscriptions
from adapters.sql.tables.policies import policy_changes
from bot.audit.entries import AuditEntry, administration
from bot.model.jsonable import jsonable
from bot.model.subscriptions import Rhythm, Subscription
from rag_core.questions import Filters

COLUMNS = tuple(
    subscriptions.c[name]
    for name in ("subscription_id", "platform", "workspace", "channel", "rhythm", "since", "cursor", "filters")
)
_ORDER = (subscriptions.c.since, subscriptions.c.subscription_id)


class SqlSubscriptions:
    """Subscriptions. Who ends one that is not there leaves nothing on record."""

    def __init__(
        self,
        engine: AsyncEngine,
        now: Callable[[], datetime] = utc_now,
        new_id: Callable[[], str] = lambda: str(uuid.uuid4()),
    ) -> None:
        self._engine = engine
        self._now = now
        self._new_id = new_id

    async def begin(self, subscription: Subscription) -> bool:
        entry = self._act("subscribe", subscription, subscription.by)

        async def add(connection: AsyncConnection) -> bool:
            last = await connection.scalar(select(func.max(policy_changes.c.change_id)))
            row = subscription_row(subscription, cursor=last or 0)
            key = ["platform", "workspace", "channel", "filters_key"]
            statement = insert_into(connection, subscriptions).values(row).on_conflict_do_nothing(index_elements=key)
            added = bool((await connection.execute(statement)).rowcount)
            if added or await self._change_rhythm(connection, subscription):
                await add_entries(connection, [entry])
            return added or await self._is_this_one(connection, subscription)

        return await write(self._engine, add)

    async def end(self, platform: str, workspace: str, channel: str, by: str, subscription_id: str = "") -> int:
        theirs = _of_channel(platform, workspace, channel)
        if subscription_id:
            theirs &= subscriptions.c.subscription_id == subscription_id
        return await self._delete("unsubscribe", theirs, by)

    async def give_up(self, platform: str, workspace: str, channel: str, reason: str) -> int:
        """All of a channel that cannot be reached any more; `reason` is an error code."""
        return await self._delete("subscription_ended", _of_channel(platform, workspace, channel), "", reason)

    async def of_channel(self, platform: str, workspace: str, channel: str) -> tuple[Subscription, ...]:
        return await self._found(_of_channel(platform, workspace, channel))

    async def of_workspace(self, platform: str, workspace: str) -> tuple[Subscription, ...]:
        return await self._found(_of_workspace(platform, workspace))

    async def all(self) -> tuple[Subscription, ...]:
        """Of all workspaces, for operators."""
        return await self._found(subscriptions.c.subscription_id.is_not(None))

    async def remove_workspace(self, platform: str, workspace: str) -> int:
        return await self._delete("subscription_ended", _of_workspace(platform, workspace), "", "uninstalled")

    async def _found(self, which: ColumnElement[bool]) -> tuple[Subscription, ...]:
        rows = await fetch(self._engine, select(*COLUMNS).where(which).order_by(*_ORDER))
        return tuple(map(subscription_from, rows))

    async def _change_rhythm(self, connection: AsyncConnection, subscription: Subscription) -> bool:
        its = _same(subscription) & (subscriptions.c.rhythm != subscription.rhythm.value)
        change = update(subscriptions).where(its).values(rhythm=subscription.rhythm.value)
        return bool((await connection.execute(change)).rowcount)

    async def _is_this_one(self, connection: AsyncConnection, subscription: Subscription) -> bool:
        """Added by an earlier attempt, the answer to which was lost."""
        found = await connection.scalar(select(subscriptions.c.subscription_id).where(_same(subscription)))
        return found == subscription.subscription_id

    async def _delete(self, act: str, which: ColumnElement[bool], by: str, reason: str = "") -> int:
        """The rows are read and deleted in one go: of two who end the same, one has it on record."""
        record_id = self._new_id()

        async def remove(connection: AsyncConnection) -> int:
            gone = (await connection.execute(delete(subscriptions).where(which).returning(*COLUMNS))).all()
            ended = sorted(map(subscription_from, gone), key=lambda each: each.subscription_id)
            entries = [
                self._act(act, each, by, reason, record_id=f"{record_id}/{number}") for number, each in enumerate(ended)
            ]
            await add_entries(connection, entries)
            return len(ended)

        return await write(self._engine, remove)

    def _act(
        self, act: str, subscription: Subscription, by: str, reason: str = "", *, record_id: str = ""
    ) -> AuditEntry:
        facts: dict[str, object] = {
            "platform": subscription.platform,
            "channel": subscription.channel,
            "rhythm": subscription.rhythm.value,
            "filters": jsonable(subscription.filters),
        }
        return administration(
            record_id or self._new_id(),
            act,
            self._now(),
            person=by,
            target=subscription.subscription_id,
            facts=facts | ({"code": reason} if reason else {}),
            workspace=subscription.workspace,
            origin=subscription.platform,
        )


def filters_key(filters: Filters) -> str:
    """Equal for filters that want the same, in whatever order."""
    plain: Mapping[str, Any] = jsonable(filters)
    told = {name: sorted(value) if isinstance(value, list) else value for name, value in plain.items()}
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def subscription_from(row: Sequence[Any]) -> Subscription:
    """From a row of COLUMNS."""
    subscription_id, platform, workspace, channel, rhythm, since, cursor, filters = row
    return Subscription(
        subscription_id, platform, workspace, channel, Rhythm(rhythm), "", since, cursor, _filters(filters)
    )


def _filters(stored: Mapping[str, Any]) -> Filters:
    labels = {key: tuple(values) for key, values in stored.get("labels", {}).items()}
    return Filters(labels=labels, **{name: tuple(values) for name, values in stored.items() if name != "labels"})


def subscription_row(subscription: Subscription, cursor: int) -> dict[str, Any]:
    return {
        "cursor": cursor,
        "subscription_id": subscription.subscription_id,
        "platform": subscription.platform,
        "workspace": subscription.workspace,
        "channel": subscription.channel,
        "rhythm": subscription.rhythm.value,
        "filters": jsonable(subscription.filters),
        "filters_key": filters_key(subscription.filters),
        "since": subscription.since,
        "looked_at": subscription.since,
    }


def _of_workspace(platform: str, workspace: str) -> ColumnElement[bool]:
    return (subscriptions.c.platform == platform) & (subscriptions.c.workspace == workspace)


def _of_channel(platform: str, workspace: str, channel: str) -> ColumnElement[bool]:
    return _of_workspace(platform, workspace) & (subscriptions.c.channel == channel)


def _same(subscription: Subscription) -> ColumnElement[bool]:
    its = _of_channel(subscription.platform, subscription.workspace, subscription.channel)
    return its & (subscriptions.c.filters_key == filters_key(subscription.filters))
