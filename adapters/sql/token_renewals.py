"""Which process renews a token, by compare and swap."""

from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, or_, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.installation_tables import slack_installations as table
from adapters.sql.installations import row_of
from adapters.sql.transactions import write
from adapters.sql.vault import Vault
from bot.installations import Installation

_TOKENS = ("token", "refresh_token", "expires_at", "renewals", "is_refused", "renewing", "renewing_until")
_NOBODY = {"renewing": None, "renewing_until": None}


class SqlTokenRenewals:
    """TokenRenewals of Slack's installations."""

    def __init__(self, engine: AsyncEngine, vault: Vault) -> None:
        self._engine = engine
        self._vault = vault

    async def claim(self, held: Installation, by: str, now: datetime, until: datetime) -> bool:
        free = or_(table.c.renewing.is_(None), table.c.renewing == by, table.c.renewing_until <= now)
        unrefused = table.c.is_refused.is_(False)
        return await self._change(held, {"renewing": by, "renewing_until": until}, free, unrefused)

    async def release(self, held: Installation, by: str) -> None:
        await self._change(held, _NOBODY, table.c.renewing == by)

    async def renewed(self, new: Installation) -> None:
        row = row_of(new, self._vault)
        await self._change(new, {name: row[name] for name in _TOKENS}, before=new.renewals - 1)

    async def refused(self, held: Installation) -> None:
        await self._change(held, {"is_refused": True, **_NOBODY})

    async def _change(
        self, held: Installation, values: dict[str, Any], *further: ColumnElement[bool], before: int | None = None
    ) -> bool:
        """Whether `held` was as it is stored. `before`: the number of renewals that is stored."""
        still = (
            table.c.place == held.place,
            table.c.installation_id == held.installation_id,
            table.c.renewals == (held.renewals if before is None else before),
        )

        async def change(connection: AsyncConnection) -> bool:
            changed = await connection.execute(update(table).where(*still, *further).values(values))
            return bool(changed.rowcount)

        return await write(self._engine, change)
