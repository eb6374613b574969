"""What channels' admins have set, changed in one transaction with its entry in the record."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, delete, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.audit.chain import add_entries
from adapters.sql.database.dialect import insert_into
from adapters.sql.database.transactions import fetch, write
from adapters.sql.tables.channels import channel_settings as table
from bot.audit.entries import channel_settings_changed
from bot.model.channels import ChannelPreferences, preferences_from
from bot.model.jsonable import jsonable


class SqlChannelSettings:
    """ChannelSettings. Columns hold ids of channels, and nobody's."""

    def __init__(self, engine: AsyncEngine, *, now: Callable[[], datetime], new_id: Callable[[], str]) -> None:
        self._engine = engine
        self._now = now
        self._new_id = new_id

    async def of(self, platform: str, workspace: str, channel: str) -> ChannelPreferences:
        statement = select(table.c.preferences).where(*_of(platform, workspace, channel))
        rows = await fetch(self._engine, statement)
        return preferences_from(rows[0].preferences) if rows else ChannelPreferences()

    async def save(self, platform: str, workspace: str, channel: str, preferences: ChannelPreferences, by: str) -> None:
        record_id, at = self._new_id(), self._now()

        async def change(connection: AsyncConnection) -> None:
            before = await _locked(connection, platform, workspace, channel)
            after = jsonable(preferences)
            if preferences_from(before) == preferences:
                return
            row = {"platform": platform, "workspace": workspace, "channel": channel}
            inserted = insert_into(connection, table).values(**row, preferences=after, changed_at=at)
            values = {name: inserted.excluded[name] for name in ("preferences", "changed_at")}
            await connection.execute(inserted.on_conflict_do_update(index_elements=list(row), set_=values))
            entry = channel_settings_changed(record_id, at, platform, workspace, channel, before, after, by)
            await add_entries(connection, [entry])

        await write(self._engine, change)

    async def remove_workspace(self, platform: str, workspace: str) -> int:
        return await self._remove(table.c.platform == platform, table.c.workspace == workspace)

    async def remove(self, platform: str, workspace: str, channel: str) -> bool:
        return bool(await self._remove(*_of(platform, workspace, channel)))

    async def _remove(self, *mine: ColumnElement[bool]) -> int:
        async def remove(connection: AsyncConnection) -> int:
            gone = await connection.execute(delete(table).where(*mine).returning(table.c.channel))
            return len(gone.all())

        return await write(self._engine, remove)


def _of(platform: str, workspace: str, channel: str) -> tuple[Any, ...]:
    return table.c.platform == platform, table.c.workspace == workspace, table.c.channel == channel


async def _locked(connection: AsyncConnection, platform: str, workspace: str, channel: str) -> Mapping[str, Any]:
    statement = select(table.c.preferences).where(*_of(platform, workspace, channel)).with_for_update()
    found = (await connection.execute(statement)).scalar_one_or_none()
    return {} if found is None else dict(found)
