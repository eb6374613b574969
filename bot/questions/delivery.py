"""Delivery of an outcome to the conversation it was asked in, with retries. Seconds everywhere."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from bot.model.outcomes import Failure, FailureCode, Outcome, Postponed
from bot.ports import Inbox, InboxState, Lease, ReplySink
from rag_core.errors import PolicyBotError, Rejected, Unavailable


@dataclass(frozen=True, slots=True)
class Pace:
    """How the workers run. `retry` is the pause before the second try, doubled for each further one.

    `lease`: how long after the death of a process another one goes on with its questions. The living renew it
    three times as often, so it need not cover the longest answer. `postpone`: how long a question is put off when
    what it needs is down, doubled each time. `give_up`: how long after it came in it is told that it is not answered
    (Slack takes messages to a `response_url` for 30 minutes, five at most). `deliveries`: how many replies may be on
    their way at once, beside what is being answered. `longest_wait`: the longest that a platform's word to wait is
    followed without asking again.
    """

    workers: int = 4
    poll: float = 1.0
    retry: float = 1.0
    longest_retry: float = 15.0
    lease: float = 30.0
    postpone: float = 5.0
    longest_postpone: float = 60.0
    give_up: float = 25 * 60.0
    deliveries: int = 100
    longest_wait: float = 120.0

    def pause(self, attempt: int) -> float:
        """Before the next try, after try `attempt` (from 1)."""
        return float(min(self.retry * 2 ** (attempt - 1), self.longest_retry))

    def delay(self, postponed: int) -> float:
        """How long a question is put off that was so `postponed` times."""
        return float(min(self.postpone * 2 ** min(postponed, 20), self.longest_postpone))

    def is_over(self, waited: float, postponed: int) -> bool:
        """Whether a question has waited long enough. `waited`: by the clocks of two processes, which may differ;
        the times that it was put off count as well."""
        return max(waited, sum(self.delay(each) for each in range(postponed))) >= self.give_up


_log = logging.getLogger(__name__)


class DeliveryLog(Protocol):
    """Codes and ids only. `road`: "channel", "update", "stream", "response_url", "ephemeral", "direct" ..."""

    def delivered(self, question_id: str, road: str) -> None: ...

    def delivery_retried(self, question_id: str, code: str) -> None: ...

    def reconciled(self, question_id: str, found: bool) -> None:
        """It was looked for, as it may have been there already."""

    def fell_back(self, question_id: str, code: str, road: str) -> None:
        """Where it was asked it cannot be answered: it goes by another road."""


class LoggedDeliveries:
    """Where nothing is counted."""

    def delivered(self, question_id: str, road: str) -> None:
        _log.info("reply delivered: question_id=%s road=%s", question_id, road)

    def delivery_retried(self, question_id: str, code: str) -> None:
        _log.warning("reply sent again: question_id=%s code=%s", question_id, code)

    def reconciled(self, question_id: str, found: bool) -> None:
        _log.warning("reply looked for: question_id=%s found=%s", question_id, found)

    def fell_back(self, question_id: str, code: str, road: str) -> None:
        _log.warning("reply goes by another road: question_id=%s code=%s road=%s", question_id, code, road)


MOST_ATTEMPTS = 5
"""Tries to answer, and to send soon again; those at which it was put off or back do not count. Of a question whose
processes died so often the asker is told; one that cannot be sent is put back, until `Pace.give_up`."""


class ServiceLog(Protocol):
    """What an operator hears of; no question text ever."""

    def unavailable(self, question_id: str, error: PolicyBotError, attempt: int) -> None: ...

    def unreachable(self, question_id: str, error: PolicyBotError) -> None: ...

    def unexpected(self, question_id: str, error: BaseException) -> None: ...

    def duplicate(self, platform: str) -> None:
        """A delivery of a message that is known already."""

    def postponed(self, question_id: str, code: str, seconds: float) -> None: ...

    def put_back(self, question_id: str, code: str, seconds: float) -> None:
        """Back into the inbox, and nobody is told: the platform wants us to wait, or this process ends."""

    def recovered(self, question_id: str, postponed: int) -> None:
        """Answered after it had been put off so often."""


class Delivering:
    """Sends what became of questions. `stopping`: set when pauses are to be cut short."""

    def __init__(
        self,
        inbox: Inbox,
        sinks: Mapping[str, ReplySink],
        log: ServiceLog,
        *,
        pace: Pace,
        now: Callable[[], datetime],
        stopping: asyncio.Event,
    ) -> None:
        self._inbox = inbox
        self._sinks = sinks
        self._log = log
        self._pace = pace
        self._now = now
        self._stopping = stopping

    async def bring(self, lease: Lease, outcome: Outcome) -> None:
        """To its end, or put off, or back to be tried again. Raises Misconfigured."""
        if isinstance(outcome, Postponed):
            await self._put_off(lease, outcome)
        elif await self.is_ours(lease, sending=True):
            await self._deliver(lease, outcome)

    async def is_ours(self, lease: Lease, *, sending: bool = False) -> bool:
        """Whether we may send now. False: another worker has it, or will have it once the lease runs out."""
        try:
            return await self._inbox.hold(lease, self._pace.lease, sending=sending)
        except Unavailable as exc:
            self._log.unavailable(lease.question.question_id, exc, lease.attempt)
            return False

    async def hand_over(self, lease: Lease) -> None:
        """Another worker may take it at once. What is not written down now runs out by itself."""
        question_id = lease.question.question_id
        self._log.put_back(question_id, "stopping", 0.0)
        try:
            await self._inbox.postpone(lease, 0.0, quietly=True)
        except PolicyBotError as exc:
            self._log.unavailable(question_id, exc, lease.attempt)

    async def rest(self, attempt: int) -> None:
        """The pause before the next try; a stop cuts it short."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._pace.pause(attempt)):
                await self._stopping.wait()

    async def _put_off(self, lease: Lease, outcome: Postponed) -> None:
        """Tells the asker the first time, and puts the question back."""
        if not await self.is_ours(lease):
            return
        if not lease.postponed and not await self._tell(lease, outcome):
            await self._write_down(lease, lambda: self._inbox.finish(lease, InboxState.FAILED))
            return
        seconds = self._pace.delay(lease.postponed)
        self._log.postponed(lease.question.question_id, str(outcome.delay), seconds)
        await self._write_down(lease, lambda: self._inbox.postpone(lease, seconds))

    async def _tell(self, lease: Lease, outcome: Postponed) -> bool:
        """Sends what is no end. False: nothing will ever arrive there. What fails for now is left out."""
        question = lease.question
        try:
            await self._sink(lease).send(question, question.question_id, outcome)
        except Rejected as exc:
            self._log.unreachable(question.question_id, exc)
            return False
        except Unavailable as exc:
            self._log.unavailable(question.question_id, exc, lease.attempt)
        except Exception as exc:  # noqa: BLE001 - the reply may still be rendered
            self._log.unexpected(question.question_id, exc)
        return True

    async def _deliver(self, lease: Lease, outcome: Outcome) -> None:
        """Sends. A reply that cannot be rendered is replaced by an apology."""
        question_id = lease.question.question_id
        try:
            await self._sink(lease).send(lease.question, question_id, outcome, was_sending=lease.was_sending)
        except Rejected as exc:
            self._log.unreachable(question_id, exc)
            await self._ended(lease, InboxState.FAILED)
        except Unavailable as exc:
            await self._not_sent(lease, exc)
        except Exception as exc:  # noqa: BLE001 - nothing may stop the worker
            self._log.unexpected(question_id, exc)
            if isinstance(outcome, Failure):
                await self._ended(lease, InboxState.FAILED)
            else:
                await self._deliver(lease, Failure(FailureCode.INTERNAL, question_id))
        else:
            await self._ended(lease, InboxState.SENT)

    async def _not_sent(self, lease: Lease, error: Unavailable) -> None:
        """Once more, first soon, then less and less often: a platform may be away for minutes. In the end given up."""
        question_id = lease.question.question_id
        self._log.unavailable(question_id, error, lease.attempt)
        asked_to_wait = error.details.get("retry_after")
        if isinstance(asked_to_wait, int | float):
            wait = float(asked_to_wait)
        elif lease.tries < MOST_ATTEMPTS:
            await self.rest(lease.tries)
            await self._ended(lease, InboxState.ACCEPTED)
            return
        else:
            wait = self._pace.delay(lease.waits)
        if self._is_over(lease):
            self._log.unreachable(question_id, error)
            await self._ended(lease, InboxState.FAILED)
        else:
            await self._put_back(lease, error, wait)

    async def _put_back(self, lease: Lease, error: Unavailable, seconds: float) -> None:
        """The platform says when, or is away: that is no failure, and the asker could not hear of it."""
        unsent = error.details.get("delivered") == "no"
        wait = min(seconds, self._pace.longest_wait)
        self._log.put_back(lease.question.question_id, error.code, wait)
        await self._write_down(lease, lambda: self._inbox.postpone(lease, wait, quietly=True, unsent=unsent))

    def _is_over(self, lease: Lease) -> bool:
        waited = (self._now() - lease.question.received_at).total_seconds()
        return self._pace.is_over(waited, lease.postponed)

    def _sink(self, lease: Lease) -> ReplySink:
        kind = lease.question.reply_address.kind
        sink = self._sinks.get(kind)
        if sink is None:
            raise Rejected("reply_platform_missing", kind=kind)
        return sink

    async def _ended(self, lease: Lease, state: InboxState) -> None:
        await self._write_down(lease, lambda: self._inbox.finish(lease, state))

    async def _write_down(self, lease: Lease, change: Callable[[], Awaitable[bool]]) -> None:
        """Patiently: what was sent and is not written down would be sent again."""
        for attempt in range(1, MOST_ATTEMPTS + 1):
            try:
                await change()
                return
            except Unavailable as exc:  # in the end its lease runs out, and it is taken again
                self._log.unavailable(lease.question.question_id, exc, lease.attempt)
                await self.rest(attempt)
