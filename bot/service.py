"""Question in -> accepted once, worked on in order, bounded, recorded -> one terminal message, always."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Protocol

from bot.admission import Admission, Admitted
from bot.asking import RECORD_DOWN, Answered, Asked
from bot.channel_settings import ChannelSettings, NothingSet
from bot.messages import InboundQuestion
from bot.outcomes import Delay, Failure, FailureCode, Outcome, Postponed, Rejection
from bot.pace import Pace as Pace
from bot.ports import Inbox, InboxState, Lease, ReplySink
from rag_core.deadlines import within
from rag_core.errors import Misconfigured, PolicyBotError, Rejected, Unavailable

MOST_ATTEMPTS = 5
"""Tries to answer and send before a question ends as failed; those at which it was put off do not count."""


_SETTINGS_SECONDS = 0.5
"""Of the time for an acknowledgement, what reading the channel's settings may take."""


class Asks(Protocol):
    """`bot.asking.Asking`."""

    async def ask(self, asked: Asked) -> Answered: ...


class ServiceLog(Protocol):
    """What an operator hears of; no question text ever."""

    def unavailable(self, question_id: str, error: PolicyBotError, attempt: int) -> None: ...

    def unreachable(self, question_id: str, error: PolicyBotError) -> None: ...

    def unexpected(self, question_id: str, error: BaseException) -> None: ...

    def duplicate(self, platform: str) -> None:
        """A delivery of a message that is known already."""

    def postponed(self, question_id: str, code: str, seconds: float) -> None: ...

    def recovered(self, question_id: str, postponed: int) -> None:
        """Answered after it had been put off so often."""


class QuestionService:
    """Workers on the inbox, which keeps the order. Any number of processes may run one on the same inbox.

    Who asks gets one terminal message. While what an answer needs is down he is told so once, and the question is
    put off until it is back or `Pace.give_up` is over. (A process killed between telling and putting off may tell
    twice.)
    """

    def __init__(
        self,
        inbox: Inbox,
        asking: Asks,
        sinks: Mapping[str, ReplySink],
        log: ServiceLog,
        *,
        worker: str,
        now: Callable[[], datetime],
        pace: Pace | None = None,
        admissions: Mapping[str, Admission] | None = None,
        settings: ChannelSettings | None = None,
    ) -> None:
        self._inbox = inbox
        self._asking = asking
        self._sinks = sinks
        self._log = log
        self._worker = worker
        self._now = now
        self._pace = pace or Pace()
        self._admissions = admissions or {}
        self._settings = settings or NothingSet()
        self._held: dict[tuple[str, int], Lease] = {}
        self._taking = asyncio.Lock()
        self._work = asyncio.Event()
        self._stopping = asyncio.Event()
        self._ended_by: Misconfigured | None = None

    async def accept(self, question: InboundQuestion) -> bool:
        """Keep the question durably, with what it means where it names nothing; False for a delivery that is there
        already. Raises Unavailable."""
        question = await self._with_defaults(question)
        accepted = await self._inbox.accept(question)
        if accepted:
            self._work.set()
        else:
            self._log.duplicate(question.actor.platform)
        return accepted

    async def _with_defaults(self, question: InboundQuestion) -> InboundQuestion:
        """Without them if they cannot be read in time: then global rules decide."""
        where = question.conversation
        try:
            async with within(_SETTINGS_SECONDS):
                preferences = await self._settings.of(where.platform, where.workspace, where.channel)
        except TimeoutError:
            self._log.unavailable(question.question_id, Unavailable("settings_slow"), 0)
            return question
        except Unavailable as exc:
            self._log.unavailable(question.question_id, exc, 0)
            return question
        return replace(question, defaults=preferences.defaults)

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
                lease = await self._take(worker)
                if lease is None:
                    await self._wait_for_work()
                else:
                    await self._work_off(lease)
            except Misconfigured as exc:
                self._ended_by = exc
                self.stop()

    async def _take(self, worker: str) -> Lease | None:
        """The next question. One at a time: who finds nothing waits before another clears what woke him."""
        async with self._taking:
            if self._stopping.is_set():  # and nobody clears any more what `stop` has set
                return None
            self._work.clear()  # before looking: what is accepted from here on sets it again
            try:
                lease = await self._inbox.take(worker, self._pace.lease)
            except Unavailable as exc:
                self._log.unavailable("-", exc, 0)
                return None
            if lease is not None:
                self._held[_key(lease)] = lease
            return lease

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
                    await self._inbox.hold(lease, self._pace.lease)
                except (Unavailable, Misconfigured) as exc:  # the workers will meet it, too
                    self._log.unavailable(lease.question.question_id, exc, lease.attempt)

    async def _work_off(self, lease: Lease) -> None:
        """Nothing that goes wrong with one question may stop the worker or leave the asker without a word."""
        try:
            outcome = await self._outcome(lease)
            if isinstance(outcome, Postponed):
                await self._put_off(lease, outcome)
            elif await self._is_ours(lease, sending=True):
                state = await self._deliver(lease, outcome)
                if state is InboxState.ACCEPTED:
                    await self._rest(_tries(lease))
                await self._write_down(lease, lambda: self._inbox.finish(lease, state))
        finally:
            self._held.pop(_key(lease), None)

    async def _outcome(self, lease: Lease) -> Outcome:
        question = lease.question
        if _tries(lease) > MOST_ATTEMPTS:  # every process that took it died: it may be the reason
            return Failure(FailureCode.INTERNAL, question.question_id)
        if lease.behind:
            return Postponed(question.question_id, Delay.EARLIER_QUESTION)
        try:
            return await self._reply_at_second_try(lease)
        except Rejected as exc:
            return Rejection(exc.code, exc.details)
        except Unavailable as exc:
            self._log.unavailable(question.question_id, exc, lease.attempt)
            return self._without_reply(lease, exc)
        except Exception as exc:  # noqa: BLE001 - the asker hears of it, the operator reads it
            self._log.unexpected(question.question_id, exc)
            return Failure(FailureCode.INTERNAL, question.question_id)

    async def _reply_at_second_try(self, lease: Lease) -> Outcome:
        """The reply; what did not answer may have restarted just then."""
        try:
            return await self._reply(lease, counted=lease.attempt == 1)
        except Unavailable as exc:
            if exc.code == "too_slow":
                raise
            self._log.unavailable(lease.question.question_id, exc, lease.attempt)
        await self._rest(1)
        return await self._reply(lease, counted=False)

    async def _reply(self, lease: Lease, *, counted: bool) -> Outcome:
        admitted = await self._admitted(lease.question)
        if admitted.is_refused:
            return Rejection(admitted.code, {})
        reply = (await self._asking.ask(_asked(lease.question, admitted, counted=counted))).reply
        if lease.postponed:
            self._log.recovered(lease.question.question_id, lease.postponed)
        return reply

    async def _admitted(self, question: InboundQuestion) -> Admitted:
        admission = self._admissions.get(question.actor.platform)
        return await admission.of(question) if admission is not None else Admitted.ALLOWED

    def _without_reply(self, lease: Lease, error: Unavailable) -> Outcome:
        question = lease.question
        if error.code == "too_slow":  # the asker has waited for as long as the settings allow
            return Failure(FailureCode.TOO_SLOW, question.question_id)
        cause = "record_down" if error.code == RECORD_DOWN else "search_down"
        if self._pace.is_over((self._now() - question.received_at).total_seconds(), lease.postponed):
            return Failure(FailureCode(cause), question.question_id)
        return Postponed(question.question_id, Delay(cause))

    async def _put_off(self, lease: Lease, outcome: Postponed) -> None:
        """Tells the asker the first time, and puts the question back."""
        if not await self._is_ours(lease):
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
            await self._sink(question.reply_address.kind).send(question, question.question_id, outcome)
        except Rejected as exc:
            self._log.unreachable(question.question_id, exc)
            return False
        except Unavailable as exc:
            self._log.unavailable(question.question_id, exc, lease.attempt)
        except Exception as exc:  # noqa: BLE001 - the reply may still be rendered
            self._log.unexpected(question.question_id, exc)
        return True

    async def _is_ours(self, lease: Lease, *, sending: bool = False) -> bool:
        """Whether we may send now. False: another worker has it, or will have it once the lease runs out."""
        try:
            return await self._inbox.hold(lease, self._pace.lease, sending=sending)
        except Unavailable as exc:
            self._log.unavailable(lease.question.question_id, exc, lease.attempt)
            return False

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
            if _tries(lease) < MOST_ATTEMPTS:
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

    async def _write_down(self, lease: Lease, change: Callable[[], Awaitable[bool]]) -> None:
        """Patiently: what was sent and is not written down would be sent again."""
        for attempt in range(1, MOST_ATTEMPTS + 1):
            try:
                await change()
                return
            except Unavailable as exc:  # in the end its lease runs out, and it is taken again
                self._log.unavailable(lease.question.question_id, exc, lease.attempt)
                await self._rest(attempt)

    async def _rest(self, attempt: int) -> None:
        """The pause before the next try; a stop cuts it short."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._pace.pause(attempt)):
                await self._stopping.wait()


def _key(lease: Lease) -> tuple[str, int]:
    return lease.question.question_id, lease.attempt


def _tries(lease: Lease) -> int:
    """Those at which it was put off are none."""
    return lease.attempt - lease.postponed


def _asked(question: InboundQuestion, admitted: Admitted, *, counted: bool) -> Asked:
    return Asked(
        text=question.text,
        actor=question.actor,
        asked_from=question.actor.platform,
        filters=question.filters,
        history=question.history,
        as_of=question.as_of,
        answer_id=question.question_id,
        conversation=question.conversation,
        private=question.private,
        groups=frozenset() if admitted is Admitted.PUBLIC_ONLY else None,
        counted=counted,
        defaults=question.defaults,
    )
