"""Conversations in which the bot may speak by itself; that it was put there or removed is on record with it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Row, and_, delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.audit_chain import add_entries
from adapters.sql.channel_tables import known_conversations as table
from adapters.sql.dialect import insert_into
from adapters.sql.transactions import fetch, write
from adapters.sql.vault import Vault
from bot.audit.entries import AuditEntry, administration
from bot.model.channels import KnownConversation
from bot.model.messages import Actor
from rag_core.errors import Misconfigured

_KEY = ("platform", "workspace", "channel")
_REFERENCE, _PERSON, _NAME = "reference", "person", "name"


class SqlKnownConversations:
    """KnownConversations, ChannelsOfTeams and SharedPlaces. `known_as` makes pseudonyms. What was encrypted with a lost
    key raises Misconfigured."""

    def __init__(
        self,
        engine: AsyncEngine,
        vault: Vault,
        known_as: Callable[[Actor], str],
        *,
        now: Callable[[], datetime],
        new_id: Callable[[], str],
    ) -> None:
        self._engine = engine
        self._vault = vault
        self._known_as = known_as
        self._now = now
        self._new_id = new_id

    async def save(self, known: KnownConversation) -> None:
        entry = self._act("app_added", known.platform, known.workspace, known.channel, known.installed_by)

        async def put(connection: AsyncConnection) -> None:
            this = _this(known.platform, known.workspace, known.channel)
            columns = (table.c.installer, table.c.encrypted_reference)
            before = (await connection.execute(select(*columns).where(this).with_for_update())).first()
            row = self._row(known if known.name or before is None else replace(known, name=self._name_in(before[1])))
            inserted = insert_into(connection, table).values(row)
            kept = ("encrypted_installer", "installer") if not known.installed_by else ()
            said = {name: inserted.excluded[name] for name in row if name not in (*_KEY, *kept)}
            await connection.execute(inserted.on_conflict_do_update(index_elements=_KEY, set_=said))
            if known.installed_by and (before is None or before[0] != row["installer"]):
                await add_entries(connection, [entry])

        await write(self._engine, put)

    async def of_channel(self, platform: str, workspace: str, channel: str) -> KnownConversation | None:
        return await self._found(_this(platform, workspace, channel))

    async def of_person(self, platform: str, workspace: str, person: str) -> KnownConversation | None:
        if not person:
            return None
        his = table.c.person == self._known_as(Actor(platform, workspace, person))
        return await self._found(and_(table.c.platform == platform, table.c.workspace == workspace, his))

    async def of_team(self, platform: str, workspace: str, team: str) -> tuple[str, ...]:
        statement = select(table.c.channel).where(_of_team(platform, workspace, team)).order_by(table.c.channel)
        return tuple(row.channel for row in await fetch(self._engine, statement)) if team else ()

    async def shared(self, platform: str, workspace: str, most: int) -> tuple[KnownConversation, ...]:
        where = (table.c.platform == platform, table.c.workspace == workspace, table.c.person == "")
        found = select(table).where(*where).order_by(table.c.seen_at.desc(), table.c.channel).limit(max(0, most))
        return tuple(map(self._known, await fetch(self._engine, found)))

    async def remove(self, platform: str, workspace: str, channel: str) -> bool:
        return bool(await self._remove(_this(platform, workspace, channel)))

    async def remove_team(self, platform: str, workspace: str, team: str) -> tuple[str, ...]:
        return await self._remove(_of_team(platform, workspace, team)) if team else ()

    async def _found(self, which: ColumnElement[bool]) -> KnownConversation | None:
        """The one that was heard of last."""
        rows = await fetch(self._engine, select(table).where(which).order_by(table.c.seen_at.desc()).limit(1))
        return self._known(rows[0]) if rows else None

    async def _remove(self, which: ColumnElement[bool]) -> tuple[str, ...]:
        record_id = self._new_id()

        async def drop(connection: AsyncConnection) -> tuple[str, ...]:
            columns = [table.c[name] for name in _KEY]
            gone = sorted((await connection.execute(delete(table).where(which).returning(*columns))).all())
            acts = [
                self._act("app_removed", *row, record_id=f"{record_id}/{number}") for number, row in enumerate(gone)
            ]
            await add_entries(connection, acts)
            return tuple(row.channel for row in gone)

        return await write(self._engine, drop)

    def _act(
        self, act: str, platform: str, workspace: str, channel: str, by: str = "", *, record_id: str = ""
    ) -> AuditEntry:
        id_, target = record_id or self._new_id(), f"{platform}:{workspace}/{channel}"
        return administration(id_, act, self._now(), person=by, target=target, workspace=workspace, origin=platform)

    def _row(self, known: KnownConversation) -> dict[str, Any]:
        said = {_REFERENCE: dict(known.reference), _PERSON: known.person, _NAME: known.name}
        installer = known.installed_by
        return {
            "platform": known.platform,
            "workspace": known.workspace,
            "channel": known.channel,
            "team": known.team,
            "person": self._name(known, known.person),
            "installer": self._name(known, installer),
            "encrypted_reference": self._vault.encrypt(json.dumps(said)),
            "encrypted_installer": self._vault.encrypt(installer) if installer else None,
            "seen_at": known.seen_at,
        }

    def _name(self, known: KnownConversation, person: str) -> str:
        return self._known_as(Actor(known.platform, known.workspace, person)) if person else ""

    def _known(self, row: Row[Any]) -> KnownConversation:
        said: Mapping[str, Any] = json.loads(self._vault.decrypt(row.encrypted_reference))
        installer = row.encrypted_installer
        return KnownConversation(
            row.platform,
            row.workspace,
            row.channel,
            row.team,
            str(said[_PERSON]),
            row.seen_at,
            self._vault.decrypt(installer) if installer else "",
            dict(said[_REFERENCE]),
            str(said.get(_NAME, "")),
        )

    def _name_in(self, encrypted: str) -> str:
        """What was told before; of a row that nobody can read any more, nothing."""
        try:
            return str(json.loads(self._vault.decrypt(encrypted)).get(_NAME, ""))
        except Misconfigured:
            return ""


def of_somebody(person: str) -> ColumnElement[bool]:
    """The conversations that are kept of a person (a pseudonym): his own with the bot, and where he put it."""
    return (table.c.person == person) | (table.c.installer == person)


async def forget_somebody(connection: AsyncConnection, person: str) -> int:
    """His own goes; of the others, who put the app there."""
    own = await connection.execute(delete(table).where(table.c.person == person))
    nobody = {"installer": "", "encrypted_installer": None}
    others = await connection.execute(update(table).where(table.c.installer == person).values(nobody))
    return int(own.rowcount + others.rowcount)


def _this(platform: str, workspace: str, channel: str) -> ColumnElement[bool]:
    return and_(table.c.platform == platform, table.c.workspace == workspace, table.c.channel == channel)


def _of_team(platform: str, workspace: str, team: str) -> ColumnElement[bool]:
    return and_(table.c.platform == platform, table.c.workspace == workspace, table.c.team == team)
