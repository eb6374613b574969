"""Question in -> accepted once, worked on in order, bounded, recorded -> one terminal message, always."""

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from bot.asking import Answered, Asked
from bot.messages import InboundQuestion
from bot.ordering import Turns
from bot.outcomes import Failure, FailureCode, Outcome, Rejection
from bot.ports import Inbox, InboxState, Lease, ReplySink
from rag_core.errors import Misconfigured, PolicyBotError, Rejected, Unavailable

MOST_ATTEMPTS = 5
"""Tries to answer and send before a question ends as failed."""

MOST_WAITING = 64
"""Questions taken from the inbox beyond those that are worked on: they wait for their conversation's turn."""


class Asks(Protocol):
    """`bot.asking.Asking`."""

    async def ask(self, asked: Asked) -> Answered: ...


class ServiceLog(Protocol):
    """What an operator hears of; no question text ever."""

    def unavailable(self, question_id: str, error: PolicyBotError, attempt: int) -> None: ...

    def unreachable(self, question_id: str, error: PolicyBotError) -> None: ...

    def unexpected(self, question_id: str, error: BaseException) -> None: ...


@dataclass(frozen=True, slots=True)
class Pace:
    """How the workers run. Seconds; `retry` is the pause before the second try, doubled for each further one.

    `lease`: how long after the death of a process another one goes on with its questions. The living renew it
    three times as often, so it need not cover the longest answer.
    """

    workers: int = 4
    poll: float = 1.0
    retry: float = 1.0
    longest_retry: float = 15.0
    lease: float = 60.0


class QuestionService:
    """Workers on the inbox. Any number of processes may run one on the same inbox."""

    def __init__(
        self,
        inbox: Inbox,
        asking: Asks,
        sinks: Mapping[str, ReplySink],
        log: ServiceLog,
        *,
        worker: str,
        now: Callable[[], datetime],
        pace: Pace = Pace(),
    ) -> None:
        self._inbox = inbox
        self._asking = asking
        self._sinks = sinks
        self._log = log
        self._worker = worker
        self._now = now
        self._pace = pace
        self._turns: Turns[Lease] = Turns()
        self._held: dict[tuple[str, int], Lease] = {}
        self._taking = asyncio.Lock()
        self._work = asyncio.Event()
        self._stopping = asyncio.Event()
        self._ended_by: Misconfigured | None = None

    async def accept(self, question: InboundQuestion) -> bool:
        """Keep the question durably; False for a delivery that is there already. Raises Unavailable."""
        accepted = await self._inbox.accept(question)
        if accepted:
            self._work.set()
        return accepted

    async def run(self) -> None:
        """Answer until `stop`; what is being answered then is finished first.

        Raises Misconfigured, after the same, when the inbox cannot be worked on until the operator acts.
        """
        async with asyncio.TaskGroup() as group:
            names = [f"{self._worker}/{number}" for number in range(self._pace.workers)]
            workers = [group.create_task(self._work_on(name)) for name in names]
            renewing = group.create_task(self._keep_leases())
            await asyncio.wait(workers)
            renewing.cancel()
        if self._ended_by is not None:
            raise self._ended_by

    def stop(self) -> None:
        """Take nothing more. What stays in the inbox is another worker's, or the next start's."""
        self._stopping.set()
        self._work.set()

    async def _work_on(self, worker: str) -> None:
        while not self._stopping.is_set():
            try:
                lease, is_ours = await self._take(worker)
                if lease is None:
                    await self._wait_for_work()
                elif is_ours:
                    await self._work_off(lease)
            except Misconfigured as exc:
                self._ended_by = exc
                self.stop()

    async def _take(self, worker: str) -> tuple[Lease | None, bool]:
        """The next question, and whether to work on it now. False: whoever works on its conversation will.

        One at a time: questions join the line of their conversation in the order in which they are taken.
        """
        async with self._taking:
            if self._stopping.is_set():  # and nobody clears any more what `stop` has set
                return None, False
            self._work.clear()  # before looking: what is accepted from here on sets it again
            if self._turns.waiting >= MOST_WAITING:
                return None, False
            try:
                lease = await self._inbox.take(worker, self._now(), self._pace.lease)
            except Unavailable as exc:
                self._log.unavailable("-", exc, 0)
                return None, False
            if lease is None:
                return None, False
            self._held[_key(lease)] = lease
            return lease, self._turns.begin(lease.question.conversation, lease)

    async def _wait_for_work(self) -> None:
        """Until a question is accepted here; now and then look for what another process left behind."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._pace.poll):
                await self._work.wait()

    async def _keep_leases(self) -> None:
        """Tell the inbox that what is held here is being worked on."""
        while True:
            await asyncio.sleep(self._pace.lease / 3)
            for lease in tuple(self._held.values()):
                try:
                    await self._inbox.renew(lease, self._now(), self._pace.lease)
                except (Unavailable, Misconfigured) as exc:  # the workers will meet it, too
                    self._log.unavailable(lease.question.question_id, exc, lease.attempt)

    async def _work_off(self, lease: Lease) -> None:
        """This question and those of its conversation that are taken meanwhile."""
        following: Lease | None = lease
        while following is not None:
            try:
                if following is lease or not self._stopping.is_set():
                    await self._finish(following)
                else:
                    await self._close(following, InboxState.ACCEPTED)
            finally:
                self._held.pop(_key(following), None)
            following = self._turns.following(lease.question.conversation)

    async def _finish(self, lease: Lease) -> None:
        """Nothing that goes wrong with one question may stop the worker or leave the asker without a word."""
        outcome = await self._outcome(lease)
        try:
            if not await self._inbox.sending(lease, self._now(), self._pace.lease):
                return  # another worker has it: it answers
        except Unavailable as exc:  # its lease runs out, and it is taken again
            self._log.unavailable(lease.question.question_id, exc, lease.attempt)
            return
        state = await self._deliver(lease, outcome)
        if state is InboxState.ACCEPTED:
            await self._rest(lease.attempt)
        await self._close(lease, state)

    async def _outcome(self, lease: Lease) -> Outcome:
        question, attempt = lease.question, lease.attempt
        if attempt > MOST_ATTEMPTS:  # every process that took it died: it may be the reason
            return Failure(FailureCode.INTERNAL, question.question_id)
        while True:
            try:
                return (await self._asking.ask(_asked(question))).reply
            except Rejected as exc:
                return Rejection(exc.code, exc.details)
            except Unavailable as exc:
                self._log.unavailable(question.question_id, exc, attempt)
                if exc.code == "too_slow":  # the asker has waited for as long as the settings allow
                    return Failure(FailureCode.TOO_SLOW, question.question_id)
                if attempt >= MOST_ATTEMPTS or self._stopping.is_set():
                    return Failure(FailureCode.SEARCH_DOWN, question.question_id)
                await self._rest(attempt)
                attempt += 1
            except Exception as exc:  # noqa: BLE001 - the asker hears of it, the operator reads it
                self._log.unexpected(question.question_id, exc)
                return Failure(FailureCode.INTERNAL, question.question_id)

    async def _deliver(self, lease: Lease, outcome: Outcome) -> InboxState:
        """Sends; what is to become of the question. A reply that cannot be rendered is replaced by an apology."""
        question = lease.question
        try:
            await self._sink(question.reply_address.kind).send(question, question.question_id, outcome)
        except Rejected as exc:
            self._log.unreachable(question.question_id, exc)
            return InboxState.FAILED
        except Unavailable as exc:
            self._log.unavailable(question.question_id, exc, lease.attempt)
            if lease.attempt < MOST_ATTEMPTS:
                return InboxState.ACCEPTED
            self._log.unreachable(question.question_id, exc)
            return InboxState.FAILED
        except Exception as exc:  # noqa: BLE001 - nothing may stop the worker
            self._log.unexpected(question.question_id, exc)
            if isinstance(outcome, Failure):
                return InboxState.FAILED
            return await self._deliver(lease, Failure(FailureCode.INTERNAL, question.question_id))
        return InboxState.SENT

    def _sink(self, kind: str) -> ReplySink:
        sink = self._sinks.get(kind)
        if sink is None:
            raise Rejected("reply_platform_missing", kind=kind)
        return sink

    async def _close(self, lease: Lease, state: InboxState) -> None:
        """Write down how it ended, patiently: what was sent and is not written down would be sent again."""
        for attempt in range(1, MOST_ATTEMPTS + 1):
            try:
                await self._inbox.finish(lease, state, self._now())
                return
            except Unavailable as exc:  # in the end its lease runs out, and it is taken again
                self._log.unavailable(lease.question.question_id, exc, lease.attempt)
                await self._rest(attempt)

    async def _rest(self, attempt: int) -> None:
        """The pause before the next try; a stop cuts it short."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._pause(attempt)):
                await self._stopping.wait()

    def _pause(self, attempt: int) -> float:
        return float(min(self._pace.retry * 2 ** (attempt - 1), self._pace.longest_retry))


def _key(lease: Lease) -> tuple[str, int]:
    return lease.question.question_id, lease.attempt


def _asked(question: InboundQuestion) -> Asked:
    return Asked(
        text=question.text,
        actor=question.actor,
        asked_from=question.actor.platform,
        filters=question.filters,
        history=question.history,
        as_of=question.as_of,
        answer_id=question.question_id,
    )
