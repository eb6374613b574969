"""Questions and answers as plain JSON values, for the spool, and back.

What is neither raises ValueError, KeyError or TypeError.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date, datetime
from typing import Any, Protocol

from bot.audit.entries import PERSON, AuditEntry, RecordKind
from bot.model.jsonable import jsonable
from bot.model.messages import EDITED, Actor, Conversation, InboundQuestion, ReplyAddress
from bot.ports import ENDS, HELD, AnswerRecords, AuditLog, InboxEntry, InboxState, Lease, RecordedAnswer, Spool
from bot.questions.answerer import RECORD_DOWN
from rag_core.errors import PolicyBotError, Rejected, Unavailable
from rag_core.questions import Filters, Turn


class SpoolLog(Protocol):
    """What an operator hears of; `key` is the id of a question or an answer ("-": of none), no text ever."""

    def spooled(self, kind: str, key: str) -> None: ...

    def entered(self, kind: str, key: str) -> None: ...

    def unavailable(self, question_id: str, error: PolicyBotError, attempt: int) -> None: ...


def entry_json(entry: InboxEntry) -> dict[str, object]:
    """The reply address of a finished question is not kept."""
    question = entry.question
    if entry.state in ENDS:
        question = replace(question, reply_address=ReplyAddress(question.reply_address.kind, {}))
    return dict(jsonable(replace(entry, question=question)))


def entry_from(value: Mapping[str, Any]) -> InboxEntry:
    state = InboxState(value["state"])
    return InboxEntry(**{**value, "state": state, "question": _question(value["question"])})


def record_json(record: RecordedAnswer) -> dict[str, object]:
    return dict(jsonable(record))


def record_from(value: Mapping[str, Any]) -> RecordedAnswer:
    """What was kept before there were entries has none."""
    entries = tuple(audit_entry_from(each) for each in value.get("entries", ()))
    at = datetime.fromisoformat(value["answered_at"])
    return RecordedAnswer(**{**value, "answered_at": at, "entries": entries})


def audit_entry_json(entry: AuditEntry) -> dict[str, object]:
    return dict(jsonable(entry))


def audit_entry_from(value: Mapping[str, Any]) -> AuditEntry:
    at = datetime.fromisoformat(value["at"])
    return AuditEntry(**{**value, "kind": RecordKind(value["kind"]), "at": at})


def _question(value: Mapping[str, Any]) -> InboundQuestion:
    return InboundQuestion(
        **{
            **value,
            "actor": Actor(**value["actor"]),
            "conversation": Conversation(**value["conversation"]),
            "reply_address": ReplyAddress(**value["reply_address"]),
            "received_at": datetime.fromisoformat(value["received_at"]),
            "filters": _filters(value["filters"]),
            "as_of": date.fromisoformat(value["as_of"]) if value["as_of"] else None,
            "history": tuple(Turn(**turn) for turn in value["history"]),
            "defaults": _filters(value["defaults"])
            if value.get("defaults")
            else Filters(),  # older versions wrote none
        }
    )


def _filters(value: Mapping[str, Any]) -> Filters:
    lists = {each.name: tuple(value[each.name]) for each in fields(Filters) if each.name != "labels"}
    return Filters(**lists, labels={key: tuple(values) for key, values in value["labels"].items()})


QUESTIONS = "question"
"""In the spool; the key is the question's id."""


@dataclass(slots=True)
class _Kept:
    """`due`: not to be taken before; of a held one, when its lease ends. By `elapsed`."""

    entry: InboxEntry
    due: float


class LocalQuestions:
    """In memory as the inbox would have them, and in the spool for a restart. `elapsed`: seconds that only grow.

    A question is spooled before it is taken up. If the spool fails later, the process goes on with what it knows,
    and a restart may do again what was done since.
    """

    def __init__(self, spool: Spool, elapsed: Callable[[], float]) -> None:
        self._spool = spool
        self._elapsed = elapsed
        self._kept: dict[str, _Kept] = {}

    def __contains__(self, question_id: str) -> bool:
        return question_id in self._kept

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def entries(self) -> tuple[InboxEntry, ...]:
        """All, finished ones as well, in the order in which they came."""
        return tuple(each.entry for each in self._kept.values())

    @property
    def first(self) -> InboxEntry | None:
        """The one that came first, finished or not."""
        return next((each.entry for each in self._kept.values()), None)

    async def restore(self) -> list[InboxEntry]:
        """What an earlier process left behind; what it held is to be taken again. Raises Unavailable."""
        found: list[InboxEntry] = []
        async for key, value in self._spool.entries(QUESTIONS):
            try:
                entry = entry_from(value)
            except (ValueError, KeyError, TypeError):
                continue  # of another version: it stays
            if key not in self._kept:
                was_sending = entry.was_sending or entry.state is InboxState.SENDING
                state = InboxState.ACCEPTED if entry.state in HELD else entry.state
                found.append(replace(entry, state=state, was_sending=was_sending))
        for entry in found:
            self._kept[entry.question.question_id] = _Kept(entry, self._elapsed())
        return found

    async def spool(self, question: InboundQuestion) -> None:
        """Keep it, without taking it up yet. Raises Unavailable."""
        await self._spool.put(QUESTIONS, question.question_id, entry_json(InboxEntry(question, InboxState.ACCEPTED)))

    def take_up(self, question: InboundQuestion, pause: float = 0.0) -> None:
        """`pause`: not to be taken before, in seconds."""
        self._kept[question.question_id] = _Kept(InboxEntry(question, InboxState.ACCEPTED), self._elapsed() + pause)

    async def drop(self, question_id: str) -> None:
        """It is kept elsewhere now, or was never accepted. A spool that fails leaves it for the next start."""
        self._kept.pop(question_id, None)
        try:
            await self._spool.remove(QUESTIONS, question_id)
        except Unavailable:
            return

    async def take(self, worker: str, lease_seconds: float) -> Lease | None:
        found = min(self._free(), key=lambda each: (each[1], each[0].due), default=None)
        if found is None:
            return None
        kept, behind = found
        was = kept.entry
        was_sending = was.was_sending or was.state is InboxState.SENDING
        taken = replace(was, state=InboxState.RUNNING, attempt=was.attempt + 1, was_sending=was_sending, worker=worker)
        await self._change(kept, taken, lease_seconds)
        return Lease(taken.question, worker, taken.attempt, was_sending, taken.postponed, behind, taken.waits)

    async def hold(self, lease: Lease, lease_seconds: float, *, sending: bool) -> bool:
        kept = self._held(lease)
        if kept is None:
            return False
        if sending and kept.entry.state is not InboxState.SENDING:
            await self._change(kept, replace(kept.entry, state=InboxState.SENDING), lease_seconds)
        kept.due = self._elapsed() + lease_seconds
        return True

    async def finish(self, lease: Lease, state: InboxState) -> bool:
        kept = self._held(lease)
        if kept is None:
            return False
        if state in ENDS:
            await self.end(replace(kept.entry, state=state))
        else:
            await self._put_back(kept, 0.0)
        return True

    async def postpone(self, lease: Lease, seconds: float, *, quietly: bool, unsent: bool) -> bool:
        kept = self._held(lease)
        if kept is None:
            return False
        entry = kept.entry
        waits, postponed = entry.waits + quietly, entry.postponed + (not quietly)
        kept.entry = replace(entry, waits=waits, postponed=postponed)
        await self._put_back(kept, seconds, unsent=unsent)
        return True

    async def withdraw(self, claim_key: str) -> bool:
        """Ends one that waits as FAILED, if it was never begun to be sent. Raises Unavailable as `end` does."""
        for kept in self._kept.values():
            entry = kept.entry
            if entry.question.claim_key == claim_key and entry.state is InboxState.ACCEPTED and not entry.was_sending:
                await self.end(replace(entry, state=InboxState.FAILED))
                return True
        return False

    def edits_of(self, claim_key: str) -> tuple[str, ...]:
        """The claim keys of the same message as it was changed."""
        keys = (each.question.claim_key for each in self.entries)
        return tuple(each for each in keys if each.startswith(f"{claim_key}{EDITED}"))

    async def end(self, entry: InboxEntry) -> None:
        """How a question ended, to be told to the inbox. Raises Unavailable where a restart would not know."""
        self._kept[entry.question.question_id] = _Kept(entry, self._elapsed())
        await self._spool.put(QUESTIONS, entry.question.question_id, entry_json(entry))

    def _free(self) -> Iterator[tuple[_Kept, bool]]:
        """What may be taken now, by the rules of `Inbox.take`, and whether it is behind others that are put off."""
        earlier: dict[Conversation, bool] = {}  # whether all unfinished ones seen so far are put off
        for kept in self._kept.values():
            entry = kept.entry
            if entry.state in ENDS:
                continue
            conversation = entry.question.conversation
            all_put_off = earlier.get(conversation)
            is_next = all_put_off is None or (all_put_off and not entry.postponed)
            if is_next and kept.due <= self._elapsed():
                yield kept, all_put_off is not None
            put_off = entry.state is InboxState.ACCEPTED and entry.postponed > 0
            earlier[conversation] = put_off and all_put_off is not False

    def _held(self, lease: Lease) -> _Kept | None:
        kept = self._kept.get(lease.question.question_id)
        if kept is None or kept.entry.state not in HELD:
            return None
        entry = kept.entry
        return kept if (entry.worker, entry.attempt) == (lease.worker, lease.attempt) else None

    async def _put_back(self, kept: _Kept, seconds: float, *, unsent: bool = False) -> None:
        was_sending = not unsent and (kept.entry.was_sending or kept.entry.state is InboxState.SENDING)
        entry = replace(kept.entry, state=InboxState.ACCEPTED, was_sending=was_sending)
        await self._change(kept, entry, seconds)

    async def _change(self, kept: _Kept, entry: InboxEntry, seconds: float) -> None:
        kept.entry, kept.due = entry, self._elapsed() + seconds
        try:
            await self._spool.put(QUESTIONS, entry.question.question_id, entry_json(entry))
        except Unavailable:
            return


ANSWERS = "answer"
"""In the spool; the key is the answer's id."""


class SpooledRecords:
    """AnswerRecords that keep in `spool` what the database does not take; without a spool nothing is answered
    unrecorded. Raises Unavailable("record_down") for what is kept nowhere."""

    def __init__(self, records: AnswerRecords, spool: Spool | None, log: SpoolLog, *, seconds: float = 5.0) -> None:
        self._records = records
        self._spool = spool
        self._log = log
        self._seconds = seconds

    async def save(self, record: RecordedAnswer) -> None:
        try:
            await self._recorded(record)
        except Unavailable as exc:
            await self._kept(record, exc)

    async def enter_spooled(self) -> int:
        """Records what was kept, with its own times; how many. Again and again is harmless. Raises Unavailable."""
        entered = 0
        if self._spool is None:
            return entered
        async for answer_id, value in self._spool.entries(ANSWERS):
            try:
                await self._recorded(record_from(value))
            except (Rejected, ValueError, KeyError, TypeError) as exc:
                error = exc if isinstance(exc, Rejected) else Rejected("record_unreadable")
                self._log.unavailable(answer_id, error, 0)  # it stays where it is
                continue
            await self._spool.remove(ANSWERS, answer_id)
            self._log.entered(ANSWERS, answer_id)
            entered += 1
        return entered

    async def _recorded(self, record: RecordedAnswer) -> None:
        try:
            async with asyncio.timeout(self._seconds):
                await self._records.save(record)
        except TimeoutError as exc:
            raise Unavailable("store_slow", seconds=self._seconds) from exc

    async def _kept(self, record: RecordedAnswer, error: Unavailable) -> None:
        if self._spool is None:
            raise Unavailable(RECORD_DOWN, cause=error.code) from error
        try:
            await self._spool.put(ANSWERS, record.answer_id, record_json(record))
        except Unavailable as exc:
            raise Unavailable(RECORD_DOWN, cause=exc.code) from exc
        self._log.unavailable(record.answer_id, error, 0)
        self._log.spooled(ANSWERS, record.answer_id)


ENTRIES = "audit"
"""In the spool; the key is the record's id."""


class SpooledAuditLog:
    """AuditLog that keeps in `spool` what the database does not take. Raises Unavailable("record_down") for what is
    kept nowhere. What is entered later comes later in its chain; its own time stays."""

    def __init__(self, log: AuditLog, spool: Spool | None, events: SpoolLog, *, seconds: float = 5.0) -> None:
        self._log = log
        self._spool = spool
        self._events = events
        self._seconds = seconds

    async def append(self, entries: Sequence[AuditEntry]) -> None:
        try:
            await self._appended(entries)
        except Unavailable as exc:
            for entry in entries:
                await self._kept(entry, exc)

    async def enter_spooled(self) -> int:
        """Adds what was kept; how many. Again and again is harmless. Raises Unavailable."""
        entered = 0
        if self._spool is None:
            return entered
        async for record_id, value in self._spool.entries(ENTRIES):
            try:
                await self._appended([audit_entry_from(value)])
            except (Rejected, ValueError, KeyError, TypeError) as exc:
                error = exc if isinstance(exc, Rejected) else Rejected("record_unreadable")
                self._events.unavailable(record_id, error, 0)  # it stays where it is
                continue
            await self._spool.remove(ENTRIES, record_id)
            self._events.entered(ENTRIES, record_id)
            entered += 1
        return entered

    async def _appended(self, entries: Sequence[AuditEntry]) -> None:
        try:
            async with asyncio.timeout(self._seconds):
                await self._log.append(entries)
        except TimeoutError as exc:
            raise Unavailable("store_slow", seconds=self._seconds) from exc

    async def _kept(self, entry: AuditEntry, error: Unavailable) -> None:
        if self._spool is None:
            raise Unavailable(RECORD_DOWN, cause=error.code) from error
        try:
            await self._spool.put(ENTRIES, entry.record_id, audit_entry_json(entry))
        except Unavailable as exc:
            raise Unavailable(RECORD_DOWN, cause=exc.code) from exc
        self._events.unavailable(entry.record_id, error, 0)
        self._events.spooled(ENTRIES, entry.record_id)


KINDS = (QUESTIONS, ANSWERS, ENTRIES)


async def spooled_of(spool: Spool, actor: Actor, person: str) -> list[tuple[str, str]]:
    """(kind, key) of entries that hold something of `actor`, whose pseudonym is `person`. Raises Unavailable."""
    found = []
    for kind in KINDS:
        async for key, entry in spool.entries(kind):
            if _is_of(kind, entry, actor, person):
                found.append((kind, key))
    return found


def _is_of(kind: str, entry: Mapping[str, Any], actor: Actor, person: str) -> bool:
    if kind == QUESTIONS:
        question = entry.get("question")
        return isinstance(question, Mapping) and question.get("actor") == jsonable(actor)
    if kind == ANSWERS:
        records = entry.get("entries") or ()
        return entry.get("person") == person or any(_records(each, actor) for each in records)
    return _records(entry, actor)


def _records(entry: Mapping[str, Any], actor: Actor) -> bool:
    personal = entry.get("personal") or {}
    return (entry.get("workspace"), personal.get(PERSON)) == (actor.workspace, actor.person)
