"""Conversations in which the bot may speak by itself; that it was put there or removed is on record with it."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Row, RowMapping, and_, delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.audit.chain import add_entries
from adapters.sql.database.dialect import insert_into
from adapters.sql.database.transactions import fetch, write
from adapters.sql.database.types import utc_now
from adapters.sql.database.vault import Vault
from adapters.sql.tables.channels import known_conversations as table
from adapters.sql.tables.policies import conversations, messages
from bot.audit.entries import AuditEntry, administration
from bot.model.channels import KnownConversation
from bot.model.jsonable import jsonable
from bot.model.memory import MOST_TURNS, CitedChunk, RememberedTurn, background_from, conversation_key
from bot.model.messages import Actor, Conversation
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


_MOST_DISCUSSED = 50
"""Topics and documents noted of a conversation, the newest ones; of what was answered for everybody."""

_SCOPE = ("regions", "policy_sources", "content_types")


class SqlConversationMemory:
    """One row a conversation, one a turn. All turns are kept; those of a conversation that was quiet for longer than
    `most_quiet` are not recalled (None: always)."""

    def __init__(
        self, engine: AsyncEngine, *, most_quiet: timedelta | None = None, now: Callable[[], datetime] = utc_now
    ) -> None:
        self._engine = engine
        self._most_quiet = most_quiet
        self._now = now

    async def recall(self, conversation: Conversation) -> tuple[RememberedTurn, ...]:
        key = conversation_key(conversation)
        newest = select(messages).where(messages.c.conversation_key == key)
        newest = newest.order_by(messages.c.at.desc(), messages.c.answer_id.desc()).limit(MOST_TURNS)
        rows = await fetch(self._engine, newest)
        if not rows or self._is_over(rows[0].at):
            return ()
        return tuple(turn_of_row(row) for row in reversed(rows))

    async def remember(self, conversation: Conversation, turn: RememberedTurn) -> None:
        await write(self._engine, lambda connection: _add(connection, conversation, [turn]))

    async def refill(self, conversation: Conversation, turns: Sequence[RememberedTurn]) -> None:
        if not turns:
            return
        key = conversation_key(conversation)

        async def fill(connection: AsyncConnection) -> None:
            known = select(messages.c.answer_id).where(messages.c.conversation_key == key).limit(1)
            if await connection.scalar(known) is None:
                await _add(connection, conversation, turns)

        await write(self._engine, fill)

    async def forget(self, conversation: Conversation) -> None:
        key = conversation_key(conversation)

        async def remove(connection: AsyncConnection) -> None:
            await connection.execute(delete(messages).where(messages.c.conversation_key == key))
            await connection.execute(delete(conversations).where(conversations.c.conversation_key == key))

        await write(self._engine, remove)

    def _is_over(self, last_at: datetime) -> bool:
        return self._most_quiet is not None and last_at < self._now() - self._most_quiet


async def _add(connection: AsyncConnection, conversation: Conversation, turns: Sequence[RememberedTurn]) -> None:
    key = conversation_key(conversation)
    row = await _locked(connection, _conversation_row(key, conversation, turns))
    added = insert_into(connection, messages).on_conflict_do_nothing(index_elements=["answer_id"])
    for turn in turns:
        await connection.execute(added.values(_message_row(key, turn)))
    for_all = [turn for turn in turns if not turn.needed]
    discussed = {
        "topics": _newest(row["topics"], (topic for turn in for_all for topic in turn.topics)),
        "document_ids": _newest(row["document_ids"], (each.document_id for turn in for_all for each in turn.citations)),
        "last_at": max(row["last_at"], *(turn.at for turn in turns)),
    }
    await connection.execute(update(conversations).where(conversations.c.conversation_key == key).values(discussed))


async def _locked(connection: AsyncConnection, new: Mapping[str, Any]) -> RowMapping:
    """The conversation's row, locked before its lists are read: two that add at once add one after the other. Made if
    it is not there, once more if somebody removed it in between."""
    known = select(conversations).where(conversations.c.conversation_key == new["conversation_key"]).with_for_update()
    while True:
        added = insert_into(connection, conversations).values(new)
        await connection.execute(added.on_conflict_do_nothing(index_elements=["conversation_key"]))
        row = (await connection.execute(known)).mappings().one_or_none()
        if row is not None:
            return row


def _newest(known: Iterable[str], more: Iterable[str]) -> list[str]:
    """Each once, in the order in which it was last discussed."""
    found = dict.fromkeys(known)
    for each in more:
        found.pop(each, None)
        found[each] = None
    return list(found)[-_MOST_DISCUSSED:]


def _conversation_row(key: str, conversation: Conversation, turns: Sequence[RememberedTurn]) -> dict[str, Any]:
    return {
        "conversation_key": key,
        **jsonable(conversation),
        "started_at": turns[0].at,
        "last_at": turns[0].at,
        "topics": [],
        "document_ids": [],
    }


def _message_row(key: str, turn: RememberedTurn) -> dict[str, Any]:
    return {
        "answer_id": turn.answer_id,
        "conversation_key": key,
        "person": turn.person,
        "asked": turn.asked,
        "understood": turn.understood,
        "kind": turn.kind,
        "scope": {
            "as_of": turn.as_of,
            **{name: list(getattr(turn, name)) for name in _SCOPE},
            "before": jsonable(turn.before),
        },
        "topics": list(turn.topics),
        "citations": jsonable(turn.citations),
        "at": turn.at,
        "needed": list(turn.needed),
    }


def turn_of_row(row: Any) -> RememberedTurn:
    return RememberedTurn(
        answer_id=row.answer_id,
        person=row.person,
        asked=row.asked,
        understood=row.understood,
        kind=row.kind,
        at=row.at,
        as_of=row.scope["as_of"],
        topics=tuple(row.topics),
        citations=tuple(CitedChunk(**each) for each in row.citations),
        before=background_from(row.scope.get("before") or {}),
        needed=tuple(row.needed),
        **{name: tuple(row.scope[name]) for name in _SCOPE},
    )
