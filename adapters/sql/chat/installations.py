"""Where the app is installed: tokens encrypted, changes with their entry on the record."""

from dataclasses import fields
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Row, delete, func, literal, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.audit.chain import add_entries
from adapters.sql.database.dialect import insert_into
from adapters.sql.database.transactions import fetch, write
from adapters.sql.database.vault import Vault
from adapters.sql.tables.channels import slack_install_states, slack_installations, slack_workspaces
from bot.access.installations import Installation
from bot.audit.entries import AuditEntry

_COLUMNS = tuple(slack_installations.c[each.name] for each in fields(Installation))


class SqlInstallations:
    """Installations, in Slack. What was encrypted with a lost key raises Misconfigured."""

    def __init__(self, engine: AsyncEngine, vault: Vault) -> None:
        self._engine = engine
        self._vault = vault

    async def find(self, workspace: str, organisation: str = "") -> Installation | None:
        known = select(slack_workspaces.c.organisation).where(slack_workspaces.c.workspace == workspace)
        whole = literal(organisation) if organisation else func.coalesce(known.scalar_subquery(), "")
        place = slack_installations.c.place
        statement = select(*_COLUMNS).where(or_(place == workspace, place == whole), place != "")
        found = [self._installation(row) for row in await fetch(self._engine, statement)]
        own = [each for each in found if each.place == workspace]
        return own[0] if own else found[0] if found else None

    async def all(self) -> tuple[Installation, ...]:
        rows = await fetch(self._engine, select(*_COLUMNS).order_by(slack_installations.c.place))
        return tuple(self._installation(row) for row in rows)

    async def save(self, installation: Installation, entry: AuditEntry) -> None:
        row = row_of(installation, self._vault)
        inserted = insert_into(self._engine, slack_installations).values(row)
        statement = inserted.on_conflict_do_update(index_elements=["place"], set_=row)

        async def put(connection: AsyncConnection) -> None:
            await connection.execute(statement)
            await add_entries(connection, [entry])

        await write(self._engine, put)

    async def remove(self, installation: Installation, entry: AuditEntry) -> bool:
        table = slack_installations
        this = (table.c.place == installation.place, table.c.installation_id == installation.installation_id)

        async def drop(connection: AsyncConnection) -> bool:
            removed = await connection.execute(delete(table).where(*this))
            if not removed.rowcount:
                return False
            await add_entries(connection, [entry])
            return True

        return await write(self._engine, drop)

    async def belongs(self, workspace: str, organisation: str) -> None:
        row = {"workspace": workspace, "organisation": organisation}
        inserted = insert_into(self._engine, slack_workspaces).values(row)
        moved = slack_workspaces.c.organisation != organisation
        statement = inserted.on_conflict_do_update(index_elements=["workspace"], set_=row, where=moved)

        async def put(connection: AsyncConnection) -> None:
            await connection.execute(statement)

        await write(self._engine, put)

    async def workspaces_of(self, organisation: str) -> tuple[str, ...]:
        column = slack_workspaces.c.workspace
        statement = select(column).where(slack_workspaces.c.organisation == organisation).order_by(column)
        return tuple(row.workspace for row in await fetch(self._engine, statement))

    def _installation(self, row: Row[Any]) -> Installation:
        found: dict[str, Any] = row._asdict()
        refresh = found["refresh_token"]
        return Installation(
            **{
                **found,
                "scopes": tuple(found["scopes"]),
                "token": self._vault.decrypt(found["token"]),
                "refresh_token": self._vault.decrypt(refresh) if refresh else "",
            }
        )


def row_of(installation: Installation, vault: Vault) -> dict[str, Any]:
    """All columns, nobody renewing."""
    row = {each.name: getattr(installation, each.name) for each in fields(Installation)}
    return {
        **row,
        "scopes": sorted(installation.scopes),
        "token": vault.encrypt(installation.token),
        "refresh_token": vault.encrypt(installation.refresh_token) if installation.refresh_token else None,
        "renewing": None,
        "renewing_until": None,
    }


MOST_STATES = 2_000
"""At one time: anybody can begin, so somebody could fill the disk."""


class SqlInstallStates:
    """InstallStates; those that are over go whenever somebody begins."""

    def __init__(self, engine: AsyncEngine, most: int = MOST_STATES) -> None:
        self._engine = engine
        self._most = most

    async def begin(self, state: str, browser: str, now: datetime, until: datetime) -> bool:
        row = {"state": state, "browser": browser, "expires_at": until}
        inserted = (
            insert_into(self._engine, slack_install_states).values(row).on_conflict_do_nothing(index_elements=["state"])
        )

        async def add(connection: AsyncConnection) -> bool:
            await connection.execute(delete(slack_install_states).where(slack_install_states.c.expires_at <= now))
            there = (await connection.execute(select(func.count()).select_from(slack_install_states))).scalar_one()
            if there >= self._most:
                return False
            await connection.execute(inserted)
            return True

        return await write(self._engine, add)

    async def take(self, state: str, browser: str, now: datetime) -> bool:
        mine = (
            slack_install_states.c.state == state,
            slack_install_states.c.browser == browser,
            slack_install_states.c.expires_at > now,
        )

        async def use(connection: AsyncConnection) -> bool:
            return bool((await connection.execute(delete(slack_install_states).where(*mine))).rowcount)

        return await write(self._engine, use)


_TOKENS = ("token", "refresh_token", "expires_at", "renewals", "is_refused", "renewing", "renewing_until")
_NOBODY = {"renewing": None, "renewing_until": None}


class SqlTokenRenewals:
    """TokenRenewals of Slack's installations."""

    def __init__(self, engine: AsyncEngine, vault: Vault) -> None:
        self._engine = engine
        self._vault = vault

    async def claim(self, held: Installation, by: str, now: datetime, until: datetime) -> bool:
        free = or_(
            slack_installations.c.renewing.is_(None),
            slack_installations.c.renewing == by,
            slack_installations.c.renewing_until <= now,
        )
        unrefused = slack_installations.c.is_refused.is_(False)
        return await self._change(held, {"renewing": by, "renewing_until": until}, free, unrefused)

    async def release(self, held: Installation, by: str) -> None:
        await self._change(held, _NOBODY, slack_installations.c.renewing == by)

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
            slack_installations.c.place == held.place,
            slack_installations.c.installation_id == held.installation_id,
            slack_installations.c.renewals == (held.renewals if before is None else before),
        )

        async def change(connection: AsyncConnection) -> bool:
            changed = await connection.execute(update(slack_installations).where(*still, *further).values(values))
            return bool(changed.rowcount)

        return await write(self._engine, change)
