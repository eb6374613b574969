"""Who has set out to install the app."""

from datetime import datetime

from sqlalchemy import delete, func, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.dialect import insert_into
from adapters.sql.installation_tables import slack_install_states as table
from adapters.sql.transactions import write

MOST_STATES = 2_000
"""At one time: anybody can begin, so somebody could fill the disk."""


class SqlInstallStates:
    """InstallStates; those that are over go whenever somebody begins."""

    def __init__(self, engine: AsyncEngine, most: int = MOST_STATES) -> None:
        self._engine = engine
        self._most = most

    async def begin(self, state: str, browser: str, now: datetime, until: datetime) -> bool:
        row = {"state": state, "browser": browser, "expires_at": until}
        inserted = insert_into(self._engine, table).values(row).on_conflict_do_nothing(index_elements=["state"])

        async def add(connection: AsyncConnection) -> bool:
            await connection.execute(delete(table).where(table.c.expires_at <= now))
            there = (await connection.execute(select(func.count()).select_from(table))).scalar_one()
            if there >= self._most:
                return False
            await connection.execute(inserted)
            return True

        return await write(self._engine, add)

    async def take(self, state: str, browser: str, now: datetime) -> bool:
        mine = (table.c.state == state, table.c.browser == browser, table.c.expires_at > now)

        async def use(connection: AsyncConnection) -> bool:
            return bool((await connection.execute(delete(table).where(*mine))).rowcount)

        return await write(self._engine, use)
