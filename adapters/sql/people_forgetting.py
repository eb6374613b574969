"""What the database holds of a person, counted and removed; the record itself stays, and still verifies.

Each step is a transaction or several, and may be done again: what was removed stays removed, the next call goes on.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, delete, func, or_, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.audit_forgetting import SqlAuditForgetting
from adapters.sql.audit_tables import audit_personal, audit_records
from adapters.sql.conversation_forgetting import count_turns, forget_turns
from adapters.sql.dialect import insert_into
from adapters.sql.inbox_rows import ENDED
from adapters.sql.known_conversations import forget_somebody, of_somebody
from adapters.sql.known_tables import known_conversations
from adapters.sql.notices import count_to_person, drop_to_person
from adapters.sql.people_rows import PEOPLE_ROWS, PeopleRows
from adapters.sql.people_tables import curated_answers
from adapters.sql.privacy_tables import forgettings
from adapters.sql.rule_tables import rule_corrections
from adapters.sql.tables import inbox, messages, removals
from adapters.sql.transactions import fetch, write
from adapters.sql.types import utc_now
from bot.jsonable import jsonable
from bot.messages import Actor
from bot.people import ACCOUNT
from bot.ports import HELD, InboxState
from bot.pseudonyms import Pseudonyms
from bot.record.entries import AuditEntry, RecordKind

QUEUED, TURNS, OTHERS, PERSONAL, REMOVALS = "inbox", "conversations", "answers to others", "record", "removals"
CORRECTIONS = "corrected rules"
CURATED = "curated answers"
NOTICES = "notices"
KNOWN = "known conversations"
"""Names of counts, beside those of PEOPLE_ROWS."""

_BATCH = 500

MakeAct = Callable[[Mapping[str, int]], AuditEntry]
"""The act that tells how much was removed of each kind; with an id of its own each time."""


class SqlPeopleForgetting:
    """One person. Found by the pseudonym and, so that nothing is missed where its key was lost, by what the record
    says of who asked."""

    def __init__(
        self, engine: AsyncEngine, actor: Actor, pseudonyms: Pseudonyms, now: Callable[[], datetime] = utc_now
    ) -> None:
        self._engine = engine
        self._actor = actor
        self._now = now
        self.person = pseudonyms.of(actor)

    async def counts(self) -> dict[str, int]:
        """How much there is of each."""
        found = {QUEUED: len(await self._questions())}
        for rows in PEOPLE_ROWS:
            found[rows.kind] = await self._count(rows.table, self._in(rows))
        found[CURATED] = await self._count(curated_answers, or_(*self._of_curated()))
        found[NOTICES] = await count_to_person(self._engine, self._actor)
        found[KNOWN] = await self._count(known_conversations, of_somebody(self.person))
        found[TURNS] = await count_turns(self._engine, self._turns())
        found[PERSONAL] = await self._count(audit_personal, self._recorded())
        found[REMOVALS] = found[CORRECTIONS] = 0
        if self._is_operator:
            found[REMOVALS] = await self._count(removals, or_(*self._operator()))
            found[CORRECTIONS] = await self._count(rule_corrections, self._corrector())
        return found

    async def begin(self) -> int:
        """The id of this forgetting: that of one which was not finished, if there is one."""
        row = {"person": self.person, "begun_at": self._now()}
        unfinished = (forgettings.c.person == self.person) & forgettings.c.finished_at.is_(None)

        async def note(connection: AsyncConnection) -> int:
            await connection.execute(insert_into(connection, forgettings).values(row).on_conflict_do_nothing())
            found = select(forgettings.c.forgetting_id).where(unfinished)
            return int((await connection.execute(found)).scalar_one())

        return await write(self._engine, note)

    async def drop_questions(self, *, held: bool) -> int:
        """Questions that wait end without a reply; with `held`, those that somebody works on as well."""
        states = {InboxState.ACCEPTED, *(HELD if held else ())}
        ids = [question_id for question_id, state in await self._questions() if state in states]
        of_states = inbox.c.state.in_([state.value for state in states])
        ended = {"state": InboxState.FAILED, "finished_at": self._now(), **ENDED}

        async def end(connection: AsyncConnection) -> int:
            theirs = inbox.c.question_id.in_(ids) & of_states
            return int((await connection.execute(update(inbox).where(theirs).values(ended))).rowcount)

        return await write(self._engine, end) if ids else 0

    async def questions_held(self) -> int:
        """How many are being answered just now."""
        return sum(1 for _, state in await self._questions() if state in HELD)

    async def rows(self, act: MakeAct) -> dict[str, int]:
        """Conversations, answers and whatever else is in PEOPLE_ROWS. `act` tells of the replies to others that go."""
        taken = await forget_turns(self._engine, self._turns(), lambda count: act({OTHERS: count}))
        found = {TURNS: taken.turns, OTHERS: taken.others}
        found[NOTICES] = await drop_to_person(self._engine, self._actor, self._now())
        for rows in PEOPLE_ROWS:
            found[rows.kind] = await self._delete(rows)
        found[CURATED] = await write(self._engine, self._take_names)
        found[KNOWN] = await write(self._engine, lambda connection: forget_somebody(connection, self.person))
        return found

    async def record(self, act: MakeAct, counts: Mapping[str, int]) -> dict[str, int]:
        """Values and salts beside the record, and the act that tells of the whole forgetting: both or neither."""
        found = {PERSONAL: await self._count(audit_personal, self._recorded())}
        found[REMOVALS] = await write(self._engine, self._rename_operator)
        found[CORRECTIONS] = await write(self._engine, self._rename_corrector)
        await SqlAuditForgetting(self._engine).of(self._recorded(), act({**counts, **found}), always=True)
        return found

    async def finish(self, forgetting_id: int) -> None:
        async def note(connection: AsyncConnection) -> None:
            this = forgettings.c.forgetting_id == forgetting_id
            await connection.execute(update(forgettings).where(this).values(finished_at=self._now()))

        await write(self._engine, note)

    @property
    def _is_operator(self) -> bool:
        return self._actor.platform == ACCOUNT

    def _operator(self) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
        return removals.c.person == self._actor.person, removals.c.undone_by == self._actor.person

    async def _rename_operator(self, connection: AsyncConnection) -> int:
        """A removal stays in force; who did it is told by the pseudonym."""
        if not self._is_operator:
            return 0
        did, undid = self._operator()
        first = await connection.execute(update(removals).where(did).values(person=self.person))
        second = await connection.execute(update(removals).where(undid).values(undone_by=self.person))
        return int(first.rowcount + second.rowcount)

    def _corrector(self) -> ColumnElement[bool]:
        return rule_corrections.c.person == self._actor.person

    async def _rename_corrector(self, connection: AsyncConnection) -> int:
        """A correction stays in force likewise."""
        if not self._is_operator:
            return 0
        renamed = update(rule_corrections).where(self._corrector()).values(person=self.person)
        return int((await connection.execute(renamed)).rowcount)

    def _of_curated(self) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
        """Approved answers that name the person: who approved it, and who is told of it."""
        owner = {"platform": self._actor.platform, "workspace": self._actor.workspace, "channel": self._actor.person}
        return curated_answers.c.person == self.person, curated_answers.c.owner == owner

    async def _take_names(self, connection: AsyncConnection) -> int:
        """An approved answer stays; nobody is named in it any more."""
        approved, told = self._of_curated()
        nobody = {"platform": "", "workspace": "", "channel": ""}
        once_more = {"revision": curated_answers.c.revision + 1}  # what was read before is read again
        first = await connection.execute(
            update(curated_answers).where(approved).values(person="", approved_by="", **once_more)
        )
        second = await connection.execute(update(curated_answers).where(told).values(owner=nobody, **once_more))
        return int(first.rowcount + second.rowcount)

    def _recorded(self) -> ColumnElement[bool]:
        named = audit_personal.c.person.in_((self._actor.person, self.person))
        return named & (audit_personal.c.chain == self._actor.workspace)

    def _asked(self) -> Select[Any]:
        """The answers (ids) of which the record says that they were this person's."""
        beside = (audit_personal.c.chain == audit_records.c.chain) & (
            audit_personal.c.sequence == audit_records.c.sequence
        )
        asked = audit_records.c.kind == RecordKind.QUESTION.value
        return select(audit_records.c.subject).join(audit_personal, beside).where(self._recorded(), asked)

    def _turns(self) -> ColumnElement[bool]:
        return or_(messages.c.person == self.person, messages.c.answer_id.in_(self._asked()))

    def _in(self, rows: PeopleRows) -> ColumnElement[bool]:
        theirs = rows.person == self.person
        return theirs if rows.answer is None else or_(theirs, rows.answer.in_(self._asked()))

    async def _count(self, table: Any, which: ColumnElement[bool]) -> int:
        return int((await fetch(self._engine, select(func.count()).select_from(table).where(which)))[0][0])

    async def _delete(self, rows: PeopleRows) -> int:
        """In batches: nobody waits long."""
        some = select(*rows.key).where(self._in(rows)).limit(_BATCH)
        deleted = 0

        async def remove(connection: AsyncConnection) -> int:
            return int((await connection.execute(delete(rows.table).where(tuple_(*rows.key).in_(some)))).rowcount)

        while count := await write(self._engine, remove):
            deleted += count
        return deleted

    async def _questions(self) -> list[tuple[str, InboxState]]:
        """Those that are not finished: few."""
        columns = (inbox.c.question_id, inbox.c.state, inbox.c.actor)
        rows = await fetch(self._engine, select(*columns).where(inbox.c.finished_at.is_(None)))
        return [(row[0], InboxState(row[1])) for row in rows if row[2] == jsonable(self._actor)]
