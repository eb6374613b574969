"""The inbox: a question is stored before its platform is told that it came, also while the database is down."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeVar

from bot.model.messages import InboundQuestion
from bot.ports import ENDS, HELD, Inbox, InboxEntries, InboxEntry, InboxState, Lease, Spool, Withdrawals
from bot.questions.limits import SteadyClaims
from bot.questions.spool import QUESTIONS, LocalQuestions, SpoolLog
from rag_core.errors import Unavailable

Accept = Callable[[InboundQuestion], Awaitable[bool]]
"""Keeps a question for good before it returns; False if it is known already. Raises Unavailable."""


async def is_kept(accept: Accept, question: InboundQuestion, seconds: float) -> bool:
    """Whether it is kept, now or before; then it is answered whatever happens. Raises Rejected."""
    try:
        async with asyncio.timeout(seconds):
            await accept(question)
    except (Unavailable, TimeoutError):
        return False
    return True


_T = TypeVar("_T")
_SLOW = "store_slow"


class DurableInbox(Inbox, InboxEntries, Withdrawals, Protocol):
    """The inbox in the database."""


@dataclass(frozen=True, slots=True)
class InboxPatience:
    """Seconds. `accept`: for the database to take a question, so that there is time left to keep it elsewhere before
    the platform gives up (Slack: 3), and to show that it is back. `call`: for everything else. `look_again`: how
    often a database that is down is tried. `settle`: how long nothing is taken from it when it is back and leases
    may have run out, so that every process can tell it what was sent before any takes over the others' questions.
    """

    accept: float = 1.2
    call: float = 10.0
    look_again: float = 2.0
    settle: float = 5.0


class FallbackInbox:
    """The database's inbox as long as it answers. While it does not, questions are kept in the spool before they are
    acknowledged, and worked on from there, by this process alone; `claims` decide what is new.

    Once it is back it learns of all of them, in their true state, before anything is taken from it. What was taken
    from it before it went down is sent only if it confirmed so; that it was sent is told to it afterwards.
    What may double: a question that two processes were given, while neither database nor shared claims answered;
    one that the database took without a word, if there is none `look_again` later either; and one that was being
    sent when the process died.
    """

    def __init__(
        self,
        inbox: DurableInbox,
        claims: SteadyClaims,
        spool: Spool,
        log: SpoolLog,
        *,
        elapsed: Callable[[], float] = time.monotonic,
        patience: InboxPatience | None = None,
    ) -> None:
        self._inbox = inbox
        self._claims = claims
        self._local = LocalQuestions(spool, elapsed)
        self._log = log
        self._elapsed = elapsed
        self._patience = patience or InboxPatience()
        self._restored = False
        self._restoring = asyncio.Lock()
        self._moving = asyncio.Lock()
        self._is_down = False
        self._down_since = 0.0
        self._look_again_at = 0.0
        self._settled_at = 0.0

    @property
    def is_down(self) -> bool:
        """Whether this process works alone."""
        return self._is_down

    async def accept(self, question: InboundQuestion) -> bool:
        await self._restore()
        if await self._claims.is_claimed(question.claim_key):
            return False
        pause = 0.0
        if not self._is_resting():
            try:
                accepted = await self._within(self._patience.accept, self._inbox.accept(question))
            except Unavailable as exc:
                self._went_down(exc)
                if exc.code == _SLOW:  # it may be there all the same, and another process may be answering it
                    pause = self._patience.look_again
            else:
                await self._claims.claim(question.claim_key)
                return accepted
        return await self._accept_alone(question, pause)

    async def take(self, worker: str, lease_seconds: float) -> Lease | None:
        await self._restore()
        if not self._is_resting():
            try:
                await self.settle(lease_seconds)
                if self._elapsed() < self._settled_at:
                    return None
                return await self._called(self._inbox.take(worker, lease_seconds))
            except Unavailable as exc:
                self._went_down(exc)
        async with self._moving:
            return await self._local.take(worker, lease_seconds)

    async def hold(self, lease: Lease, lease_seconds: float, *, sending: bool = False) -> bool:
        async with self._moving:
            if lease.question.question_id in self._local:
                return await self._local.hold(lease, lease_seconds, sending=sending)
        try:
            return await self._called(self._inbox.hold(lease, lease_seconds, sending=sending))
        except Unavailable as exc:
            self._went_down(exc)
            raise

    async def finish(self, lease: Lease, state: InboxState) -> bool:
        async with self._moving:
            if lease.question.question_id in self._local:
                return await self._local.finish(lease, state)
        try:
            return await self._called(self._inbox.finish(lease, state))
        except Unavailable as exc:
            self._went_down(exc)
            if state not in ENDS:
                raise  # its lease runs out
        await self._local.end(InboxEntry(lease.question, state, lease.attempt, lease.postponed, True, lease.worker))
        return True

    async def postpone(self, lease: Lease, seconds: float, *, quietly: bool = False, unsent: bool = False) -> bool:
        async with self._moving:
            if lease.question.question_id in self._local:
                return await self._local.postpone(lease, seconds, quietly=quietly, unsent=unsent)
        return await self._called(self._inbox.postpone(lease, seconds, quietly=quietly, unsent=unsent))

    async def withdraw(self, claim_key: str) -> bool:
        """As the database's inbox does. While that is down, one that is not kept here is kept from coming by claims
        alone, for as long as they hold."""
        async with self._moving:
            if await self._local.withdraw(claim_key):
                return True
        await self._claims.claim(claim_key)
        if self._is_resting():
            return False
        try:
            return await self._within(self._patience.accept, self._inbox.withdraw(claim_key))
        except Unavailable as exc:
            self._went_down(exc)
            return False

    async def edits_of(self, claim_key: str) -> tuple[str, ...]:
        """Of this process alone while the database is down."""
        here = self._local.edits_of(claim_key)
        if self._is_resting():
            return here
        try:
            found = await self._within(self._patience.accept, self._inbox.edits_of(claim_key))
        except Unavailable as exc:
            self._went_down(exc)
            return here
        return tuple(dict.fromkeys((*found, *here)))

    async def settle(self, lease_seconds: float) -> int:
        """Tell the database of what was accepted and ended without it; how many. Raises Unavailable."""
        async with self._moving:
            if self._is_down:  # one that hangs instead of failing must not hold up those who work alone
                await self._within(self._patience.accept, self._inbox.backlog())
        told = 0
        while await self._tell_one(lease_seconds):
            told += 1
        return told

    async def backlog(self) -> tuple[int, datetime | None]:
        """As of the database while it answers, and of this process. Never raises Unavailable."""
        waiting = [each.question.received_at for each in self._local.entries if each.state not in ENDS | HELD]
        count, oldest = 0, None
        if not self._is_resting():
            try:
                count, oldest = await self._called(self._inbox.backlog())
            except Unavailable as exc:
                self._went_down(exc)
        moments = [*waiting, *([oldest] if oldest else [])]
        return count + len(waiting), min(moments, default=None)

    async def _tell_one(self, lease_seconds: float) -> bool:
        """False: the database knows of all. One at a time: who works on one that it knows of renews his lease there
        meanwhile, or another process would take it and send it again."""
        async with self._moving:
            entry = self._local.first
            if entry is None:
                if self._is_down:
                    self._came_back(lease_seconds)
                return False
            await self._called(self._inbox.enter(entry, lease_seconds))
            await self._local.drop(entry.question.question_id)
            self._log.entered(QUESTIONS, entry.question.question_id)
            return True

    async def _accept_alone(self, question: InboundQuestion, pause: float) -> bool:
        """Taken after `pause` at the earliest. Raises Unavailable: what cannot be kept is not accepted."""
        accepted = claimed = False
        try:
            await self._local.spool(question)
            claimed = await self._claims.claim(question.claim_key)
            if claimed:
                self._local.take_up(question, pause)
                self._log.spooled(QUESTIONS, question.question_id)
                accepted = True
            return accepted
        finally:
            if not accepted:  # known already, or whoever delivers it has gone
                await self._local.drop(question.question_id)
                if claimed:
                    await self._claims.release(question.claim_key)

    async def _restore(self) -> None:
        """Once: the questions that an earlier process of ours has left in the spool."""
        async with self._restoring:
            if self._restored:
                return
            try:
                for entry in await self._local.restore():
                    await self._claims.claim(entry.question.claim_key)
            except Unavailable as exc:
                self._log.unavailable("-", exc, 0)
                return
            self._restored = True

    def _is_resting(self) -> bool:
        """The database is down and was tried a moment ago."""
        return self._is_down and self._elapsed() < self._look_again_at

    def _went_down(self, error: Unavailable) -> None:
        self._look_again_at = self._elapsed() + self._patience.look_again
        if not self._is_down:
            self._is_down, self._down_since = True, self._elapsed()
            self._log.unavailable("-", error, 0)

    def _came_back(self, lease_seconds: float) -> None:
        self._is_down = False
        if self._elapsed() - self._down_since > lease_seconds / 3:  # leases that could not be renewed
            self._settled_at = self._elapsed() + self._patience.settle

    async def _called(self, call: Awaitable[_T]) -> _T:
        return await self._within(self._patience.call, call)

    async def _within(self, seconds: float, call: Awaitable[_T]) -> _T:
        try:
            async with asyncio.timeout(seconds):
                return await call
        except TimeoutError as exc:
            raise Unavailable(_SLOW, seconds=seconds) from exc
