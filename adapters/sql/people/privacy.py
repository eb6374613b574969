"""Tables with a row for what one person did: found, kept for a while and forgotten alike.

Another such table joins by a line in `PEOPLE_ROWS` (and in `ops.privacy.register`, or a test fails).
"""

import base64
import binascii
import re
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Column, ColumnElement, Select, Table, delete, func, or_, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from adapters.sql.audit.forgetting import SqlAuditForgetting
from adapters.sql.chat.conversations import forget_somebody, of_somebody, turn_of_row
from adapters.sql.chat.inbox import ENDED
from adapters.sql.chat.notices import count_to_person, drop_to_person
from adapters.sql.database.dialect import batches, insert_into
from adapters.sql.database.transactions import fetch, read, write
from adapters.sql.database.types import utc_now
from adapters.sql.database.vault import Vault
from adapters.sql.tables.audit import audit_personal, audit_records
from adapters.sql.tables.channels import known_conversations, posted_messages
from adapters.sql.tables.people import (
    curated_answers,
    escalation_acts,
    escalations,
    feedback,
    forgettings,
    pseudonym_keys,
)
from adapters.sql.tables.policies import answers, conversations, inbox, messages, removals, rule_corrections
from bot.access.pseudonyms import ACCOUNT, KEY_BYTES, Pseudonyms
from bot.audit.entries import AuditEntry, RecordKind
from bot.model.jsonable import jsonable
from bot.model.memory import RememberedTurn, condensed
from bot.model.messages import Actor
from bot.ports import HELD, InboxState
from rag_core.errors import Misconfigured
from rag_core.questions import Background


@dataclass(frozen=True, slots=True)
class PeopleRows:
    """`person`: holds a pseudonym; `at`: since when it is kept; `answer`: the id of an answer to this same person,
    where it holds one."""

    kind: str
    table: Table
    person: Column[Any]
    at: Column[Any]
    answer: Column[Any] | None = None

    @property
    def key(self) -> tuple[Column[Any], ...]:
        return tuple(self.table.primary_key.columns)


PEOPLE_ROWS: tuple[PeopleRows, ...] = (
    # before answers, with which it goes: so it is counted
    PeopleRows("feedback", feedback, feedback.c.person, feedback.c.given_at),
    # before escalations, with which they go
    PeopleRows("persons_answers", escalation_acts, escalation_acts.c.person, escalation_acts.c.at),
    PeopleRows("escalations", escalations, escalations.c.person, escalations.c.asked_at, escalations.c.answer_id),
    PeopleRows("posted", posted_messages, posted_messages.c.person, posted_messages.c.posted_at),
    PeopleRows("answers", answers, answers.c.person, answers.c.answered_at, answers.c.answer_id),
)


_PEOPLE = "people"


async def open_pseudonyms(
    engine: AsyncEngine,
    vault: Vault,
    *,
    now: Callable[[], datetime] = utc_now,
    new_key: Callable[[int], bytes] = secrets.token_bytes,
) -> Pseudonyms:
    """The same on all servers of a database; makes the key the first time.

    A key of the vault may be replaced as long as it still reads what the old one wrote. Raises
    Misconfigured("secret_key_wrong" | "pseudonym_key_unreadable"), Unavailable.
    """
    row = await _row(engine)
    if row is None:
        await _make(engine, vault.encrypt(base64.b64encode(new_key(KEY_BYTES)).decode()), now())
        row = await _row(engine)
    return Pseudonyms(_read(vault.decrypt(row.secret if row else "")))


async def _row(engine: AsyncEngine) -> Any:
    rows = await fetch(engine, select(pseudonym_keys).where(pseudonym_keys.c.purpose == _PEOPLE))
    return rows[0] if rows else None


async def _make(engine: AsyncEngine, secret: str, at: datetime) -> None:
    """The first to make one wins."""

    async def add(connection: AsyncConnection) -> None:
        row = {"purpose": _PEOPLE, "secret": secret, "made_at": at}
        await connection.execute(insert_into(connection, pseudonym_keys).values(row).on_conflict_do_nothing())

    await write(engine, add)


def _read(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret, validate=True)
    except binascii.Error as exc:
        raise Misconfigured("pseudonym_key_unreadable") from exc
    if len(key) != KEY_BYTES:
        raise Misconfigured("pseudonym_key_unreadable")
    return key


async def forgettings_state(engine: AsyncEngine) -> tuple[int, int]:
    """How many were begun and how many finished: another one whenever there is somebody to forget."""
    counted: Any = select(func.count(), func.count(forgettings.c.finished_at)).select_from(forgettings)
    begun, finished = (await fetch(engine, counted))[0]
    return int(begun), int(finished)


_WORD = re.compile(r"\w+")
_REPLIES = (RecordKind.ANSWER.value, RecordKind.REFUSAL.value, RecordKind.CLARIFICATION.value)


@dataclass(frozen=True, slots=True)
class Taken:
    """`turns` of the person, and `others`: answers to others that had been understood with the person's words."""

    turns: int = 0
    others: int = 0

    def __add__(self, more: "Taken") -> "Taken":
        return Taken(self.turns + more.turns, self.others + more.others)


async def count_turns(engine: AsyncEngine, theirs: ColumnElement[bool]) -> int:
    """`theirs`: which rows of `messages` are the person's."""
    return int((await fetch(engine, select(func.count()).select_from(messages).where(theirs)))[0][0])


async def forget_turns(engine: AsyncEngine, theirs: ColumnElement[bool], act: Callable[[int], AuditEntry]) -> Taken:
    """A transaction for each conversation. Who asked on after the person may have been understood with the person's
    words: those answers are gone as well, and what the record holds beside the replies. That goes first, with an `act`
    of its own: as long as the turns are there, another call finds out whose it is."""
    keys = await fetch(engine, select(messages.c.conversation_key).where(theirs).distinct())
    taken = Taken()
    for (key,) in keys:
        emptied: frozenset[str] = frozenset()
        while (found := await _forget_in(engine, key, theirs, emptied)) is None:
            touched = await _touched(engine, key, theirs)
            await SqlAuditForgetting(engine).of(_replies(touched), act(len(touched)))
            emptied |= touched
        taken += found
    return taken


async def _touched(engine: AsyncEngine, key: str, theirs: ColumnElement[bool]) -> frozenset[str]:
    rows, gone = await read(engine, lambda connection: _turns(connection, key, theirs))
    return frozenset(_without(*_split([turn_of_row(row) for row in rows], gone))[1])


async def _turns(connection: AsyncConnection, key: str, theirs: ColumnElement[bool]) -> tuple[Sequence[Any], set[str]]:
    """All rows of a conversation, and which of them (ids) are the person's."""
    here = messages.c.conversation_key == key
    rows = (await connection.execute(select(messages).where(here).order_by(messages.c.at, messages.c.answer_id))).all()
    gone = await connection.execute(select(messages.c.answer_id).where(here, theirs))
    return rows, set(gone.scalars())


async def _forget_in(
    engine: AsyncEngine, key: str, theirs: ColumnElement[bool], emptied: frozenset[str]
) -> Taken | None:
    """None, and nothing is changed, where the records of some replies are not `emptied` yet."""
    this = conversations.c.conversation_key == key

    async def forget(connection: AsyncConnection) -> Taken | None:
        # locked, as by who adds a turn: nobody condenses meanwhile what is being taken out
        locked = (await connection.execute(select(conversations).where(this).with_for_update())).one_or_none()
        rows, gone = await _turns(connection, key, theirs)
        before, after = _split([turn_of_row(row) for row in rows], gone)
        left, touched = _without(before, after)
        if not emptied.issuperset(touched):
            return None
        for batch in batches(gone):
            await connection.execute(delete(messages).where(messages.c.answer_id.in_(batch)))
        if locked is not None and (before or left):
            await _rewrite(connection, left, {row.answer_id: row.scope for row in rows})
            await connection.execute(update(conversations).where(this).values(_discussed(locked, [*before, *left])))
        else:
            await connection.execute(delete(conversations).where(this))
        for batch in batches(touched):
            await connection.execute(delete(answers).where(answers.c.answer_id.in_(batch)))
        return Taken(len(gone), len(touched))

    return await write(engine, forget)


async def _rewrite(connection: AsyncConnection, turns: Sequence[RememberedTurn], scopes: Mapping[str, Any]) -> None:
    for turn in turns:
        values = {
            "understood": turn.understood,
            "topics": list(turn.topics),
            "scope": scopes[turn.answer_id] | {"before": jsonable(turn.before)},
        }
        await connection.execute(update(messages).where(messages.c.answer_id == turn.answer_id).values(values))


def _discussed(known: Any, turns: Sequence[RememberedTurn]) -> dict[str, Any]:
    """No more than was noted: what was answered for a few is not."""
    topics = {topic for turn in turns for topic in turn.topics}
    documents = {each.document_id for turn in turns for each in turn.citations}
    return {
        "topics": [each for each in known.topics if each in topics],
        "document_ids": [each for each in known.document_ids if each in documents],
        "started_at": turns[0].at,
        "last_at": turns[-1].at,
    }


def _replies(answer_ids: Iterable[str]) -> ColumnElement[bool]:
    """The rows beside the records of these replies; the records of the questions stay whole."""
    of_them = audit_records.c.subject.in_(sorted(answer_ids)) & audit_records.c.kind.in_(_REPLIES)
    replies = select(audit_records.c.chain, audit_records.c.sequence).where(of_them)
    return tuple_(audit_personal.c.chain, audit_personal.c.sequence).in_(replies)


def _split(turns: Sequence[RememberedTurn], gone: set[str]) -> tuple[list[RememberedTurn], list[RememberedTurn]]:
    """The others' turns before the person's first one, and those after it."""
    first = next((n for n, turn in enumerate(turns) if turn.answer_id in gone), len(turns))
    return list(turns[:first]), [turn for turn in turns[first:] if turn.answer_id not in gone]


def _without(
    before: Sequence[RememberedTurn], after: Sequence[RememberedTurn]
) -> tuple[list[RememberedTurn], list[str]]:
    """The turns after, as if those that are gone had never been; and which of them had been completed."""
    known, touched = list(before), []
    for turn in after:
        own = turn
        if _completed(turn):
            touched.append(turn.answer_id)
            words = _words(turn.asked)
            own = replace(
                turn, understood=turn.asked, topics=tuple(each for each in turn.topics if _words(each) <= words)
            )
        known.append(replace(own, before=_shared(condensed(known), turn.before)))
    return known[len(before) :], touched


def _shared(made: Background, was: Background) -> Background:
    """Of what was known before, no more than what was known then: it was for its own readers."""
    names = ("topics", "regions", "policy_sources", "document_ids")
    return Background(**{name: tuple(e for e in getattr(made, name) if e in getattr(was, name)) for name in names})


def _completed(turn: RememberedTurn) -> bool:
    """Whether it was understood with words that were not its own."""
    return not _words(turn.understood) <= _words(turn.asked)


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


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
