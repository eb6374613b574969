"""Question in -> accepted once, worked on in order, bounded, recorded -> one terminal message, always."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from bot.asking import Answered, Asked
from bot.messages import InboundQuestion
from bot.ordering import Turns
from bot.outcomes import Failure, FailureCode, Outcome, Rejection
from bot.ports import Inbox, InboxState, Lease, ReplySink
from rag_core.errors import PolicyBotError, Rejected, Unavailable

LEASE_SECONDS = 120.0
"""Longer than a question's deadline and all tries to send its reply: another worker takes over only the dead's."""

MOST_ATTEMPTS = 5
"""Tries to answer and send before a question ends as failed."""


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
    """How the workers run. Seconds; `retry` is the pause before the second try, doubled for each further one."""

    workers: int = 4
    poll: float = 1.0
    retry: float = 1.0
    longest_retry: float = 15.0


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
        self._turns = Turns()
        self._work = asyncio.Event()
        self._stopping = asyncio.Event()

    async def accept(self, question: InboundQuestion) -> bool:
        """Keep the question durably; False for a delivery that is there already. Raises Unavailable."""
        accepted = await self._inbox.accept(question)
        if accepted:
            self._work.set()
        return accepted

    async def run(self) -> None:
        """Answer until `stop`; what is being answered then is finished first."""
        async with asyncio.TaskGroup() as group:
            for number in range(self._pace.workers):
                group.create_task(self._work_on(f"{self._worker}/{number}"))

    def stop(self) -> None:
        """Take nothing more. What stays in the inbox is another worker's, or the next start's."""
        self._stopping.set()
        self._work.set()

    async def _work_on(self, worker: str) -> None:
        while not self._stopping.is_set():
            try:
                lease = await self._inbox.take(worker, self._now(), LEASE_SECONDS)
            except Unavailable as exc:
                self._log.unavailable("-", exc, 0)
                lease = None
            if lease is None:
                await self._wait_for_work()
                continue
            async with self._turns.turn(lease.question.conversation):
                await self._finish(lease)

    async def _wait_for_work(self) -> None:
        """Until a question is accepted here; now and then look for what another process left behind."""
        self._work.clear()
        try:
            async with asyncio.timeout(self._pace.poll):
                await self._work.wait()
        except TimeoutError:
            return

    async def _finish(self, lease: Lease) -> None:
        """Nothing that goes wrong with one question may stop the worker or leave the asker without a word."""
        try:
            await self._send(lease, await self._outcome(lease))
        except Exception as exc:  # noqa: BLE001 - a reply that cannot even be rendered
            self._log.unexpected(lease.question.question_id, exc)
            await self._apologise(lease)

    async def _apologise(self, lease: Lease) -> None:
        try:
            await self._send(lease, Failure(FailureCode.INTERNAL, lease.question.question_id))
        except Exception as exc:  # noqa: BLE001 - its lease runs out, and it is tried again
            self._log.unexpected(lease.question.question_id, exc)

    async def _outcome(self, lease: Lease) -> Outcome:
        question = lease.question
        attempt = lease.attempt
        while True:
            try:
                return (await self._asking.ask(_asked(question))).reply
            except Rejected as exc:
                return Rejection(exc.code, exc.details)
            except Unavailable as exc:
                self._log.unavailable(question.question_id, exc, attempt)
                if attempt >= MOST_ATTEMPTS or self._stopping.is_set():
                    code = FailureCode.TOO_SLOW if exc.code == "too_slow" else FailureCode.SEARCH_DOWN
                    return Failure(code, question.question_id)
                await asyncio.sleep(self._pause(attempt))
                attempt += 1
            except Exception as exc:  # noqa: BLE001 - the asker hears of it, the operator reads it
                self._log.unexpected(question.question_id, exc)
                return Failure(FailureCode.INTERNAL, question.question_id)

    async def _send(self, lease: Lease, outcome: Outcome) -> None:
        question = lease.question
        if not await self._inbox.sending(lease, self._now(), LEASE_SECONDS):
            return  # another worker has it: it answers
        try:
            await self._sinks[question.reply_address.kind].send(question, question.question_id, outcome)
        except Rejected as exc:
            self._log.unreachable(question.question_id, exc)
            await self._inbox.finish(lease, InboxState.FAILED, self._now())
        except Unavailable as exc:
            self._log.unavailable(question.question_id, exc, lease.attempt)
            await self._give_back(lease)
        else:
            await self._inbox.finish(lease, InboxState.SENT, self._now())

    async def _give_back(self, lease: Lease) -> None:
        """To be tried again, after a pause, unless it was tried too often."""
        if lease.attempt >= MOST_ATTEMPTS:
            state = InboxState.FAILED
        else:
            await asyncio.sleep(self._pause(lease.attempt))
            state = InboxState.ACCEPTED
        try:
            await self._inbox.finish(lease, state, self._now())
        except Unavailable as exc:  # its lease runs out, and it is taken again
            self._log.unavailable(lease.question.question_id, exc, lease.attempt)

    def _pause(self, attempt: int) -> float:
        return float(min(self._pace.retry * 2 ** (attempt - 1), self._pace.longest_retry))


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
