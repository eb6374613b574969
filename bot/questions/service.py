"""The question service: accepts each once, works on them in order, bounded, and ends each with one message."""

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Protocol

from bot.model.channels import ChannelSettings, NothingSet
from bot.model.messages import InboundQuestion
from bot.model.outcomes import Admission, Admitted, Delay, Failure, FailureCode, Outcome, Postponed, Rejection
from bot.ports import Inbox, Lease, ReplyProgress, ReplySink
from bot.questions.answerer import RECORD_DOWN, Answered, Asked
from bot.questions.delivery import MOST_ATTEMPTS, Delivering, Pace, ServiceLog
from rag_core.deadlines import within
from rag_core.errors import STORED_TEXT_CHANGED, Misconfigured, Rejected, Unavailable
from rag_core.ports import NobodyWatching, Watching

_HAND_OVER_SECONDS = 5.0


_SETTINGS_SECONDS = 0.5
"""Of the time for an acknowledgement, what reading the channel's settings may take."""

_IN_VAIN = frozenset({"too_slow", STORED_TEXT_CHANGED})
"""Codes of an Unavailable after which the question is neither asked again nor kept: the asker has waited for as long as
the settings allow, or only the operator can mend it."""


class Asks(Protocol):
    """`bot.questions.answerer.Asking`."""

    async def ask(self, asked: Asked) -> Answered: ...


class QuestionService:
    """Workers on the inbox, which keeps the order. Any number of processes may run one on the same inbox.

    Who asks gets one terminal message. While what an answer needs is down he is told so once, and the question is
    put off until it is back or `Pace.give_up` is over. (A process killed between telling and putting off may tell
    twice.)

    `progress`: by kind of reply address, what shows that somebody works on a question; none for the others.
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
        progress: Mapping[str, ReplyProgress] | None = None,
    ) -> None:
        self._inbox = inbox
        self._asking = asking
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
        self._progress = progress or {}
        self._room = asyncio.Semaphore(self._pace.deliveries)
        self._group = asyncio.TaskGroup()
        self._replies: set[asyncio.Task[None]] = set()
        self._delivering = Delivering(inbox, sinks, log, pace=self._pace, now=now, stopping=self._stopping)

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

        Raises Misconfigured, after the same, when the inbox cannot be worked on until the operator acts. Cancelled, it
        leaves what it held to `hand_over`.
        """
        self._group = asyncio.TaskGroup()
        async with self._group as group:
            names = [f"{self._worker}/{number}" for number in range(self._pace.workers)]
            workers = [group.create_task(self._work_on(name)) for name in names]
            renewing = group.create_task(self._keep_leases())
            await asyncio.wait(workers)
            while self._replies:
                await asyncio.wait(self._replies)
            renewing.cancel()
        if self._ended_by is not None:
            raise self._ended_by

    def stop(self) -> None:
        """Take nothing more. What stays in the inbox is another worker's, or the next start's."""
        self._stopping.set()
        self._work.set()

    async def hand_over(self, seconds: float = _HAND_OVER_SECONDS) -> int:
        """After `run` was cancelled: other workers may go on at once with what it held; how much that was. Nobody is
        told. A process that cannot say so leaves its leases to run out."""
        held = tuple(self._held.values())
        self._held.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await asyncio.gather(*map(self._delivering.hand_over, held))
        return len(held)

    async def _work_on(self, worker: str) -> None:
        while not self._stopping.is_set():
            await self._room.acquire()  # before taking: what cannot be sent yet is better taken by others
            try:
                lease = await self._take(worker)
            except Misconfigured as exc:
                self._end(exc)
            else:
                if lease is not None:
                    await self._work_off(lease)

    def _end(self, error: Misconfigured) -> None:
        self._ended_by = error
        self.stop()

    async def _take(self, worker: str) -> Lease | None:
        """The next question; None at a stop. One worker looks while the others wait for it to find something: what
        wakes it is one question to the inbox, however many workers there are."""
        async with self._taking:
            while not self._stopping.is_set():
                self._work.clear()  # before looking: what is accepted from here on sets it again
                lease = await self._look(worker)
                if lease is not None:
                    self._held[_key(lease)] = lease
                    return lease
                await self._wait_for_work()
        return None

    async def _look(self, worker: str) -> Lease | None:
        try:
            return await self._inbox.take(worker, self._pace.lease)
        except Unavailable as exc:
            self._log.unavailable("-", exc, 0)
            return None

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
        """Asks here, and sends beside: a reply that waits for its channel's turn holds up no other question."""
        outcome = await self._outcome(lease, self._begin(lease))
        reply = self._group.create_task(self._bring(lease, outcome))
        self._replies.add(reply)
        reply.add_done_callback(self._replies.discard)

    async def _bring(self, lease: Lease, outcome: Outcome) -> None:
        try:
            await self._delivering.bring(lease, outcome)
        except Misconfigured as exc:
            self._end(exc)
        except Exception as exc:  # noqa: BLE001 - its lease runs out; it must not end the work on all the others
            self._log.unexpected(lease.question.question_id, exc)
        self._held.pop(_key(lease), None)
        self._room.release()
        self._work.set()  # the next question of its conversation may be taken now
        await self._end_progress(lease.question)

    async def _end_progress(self, question: InboundQuestion) -> None:
        if progress := self._progress.get(question.reply_address.kind):
            try:
                await progress.end(question.question_id)
            except Exception as exc:  # noqa: BLE001 - the reply is there; nothing else depends on it
                self._log.unexpected(question.question_id, exc)

    def _begin(self, lease: Lease) -> Watching:
        progress = self._progress.get(lease.question.reply_address.kind)
        if progress is None or lease.behind:
            return NobodyWatching()
        try:
            return progress.begin(lease, lambda: self._delivering.is_ours(lease, sending=True))
        except Exception as exc:  # noqa: BLE001 - one question must not end the work on all the others
            self._log.unexpected(lease.question.question_id, exc)
            return NobodyWatching()

    async def _outcome(self, lease: Lease, watching: Watching) -> Outcome:
        """Nothing that goes wrong with one question may stop the worker or leave the asker without a word."""
        question = lease.question
        if lease.tries > MOST_ATTEMPTS:  # every process that took it died: it may be the reason
            return Failure(FailureCode.INTERNAL, question.question_id)
        if lease.behind:
            return Postponed(question.question_id, Delay.EARLIER_QUESTION)
        try:
            return await self._reply_at_second_try(lease, watching)
        except Rejected as exc:
            return Rejection(exc.code, exc.details)
        except Unavailable as exc:
            self._log.unavailable(question.question_id, exc, lease.attempt)
            return self._without_reply(lease, exc)
        except Exception as exc:  # noqa: BLE001 - the asker hears of it, the operator reads it
            self._log.unexpected(question.question_id, exc)
            return Failure(FailureCode.INTERNAL, question.question_id)

    async def _reply_at_second_try(self, lease: Lease, watching: Watching) -> Outcome:
        """The reply; what did not answer may have restarted just then."""
        try:
            return await self._reply(lease, watching, counted=lease.attempt == 1)
        except Unavailable as exc:
            if exc.code in _IN_VAIN:
                raise
            self._log.unavailable(lease.question.question_id, exc, lease.attempt)
        await self._delivering.rest(1)
        return await self._reply(lease, watching, counted=False)

    async def _reply(self, lease: Lease, watching: Watching, *, counted: bool) -> Outcome:
        admitted = await self._admitted(lease.question)
        if admitted.is_refused:
            return Rejection(admitted.code, {})
        reply = (await self._asking.ask(_asked(lease.question, admitted, watching, counted=counted))).reply
        if lease.postponed:
            self._log.recovered(lease.question.question_id, lease.postponed)
        return reply

    async def _admitted(self, question: InboundQuestion) -> Admitted:
        admission = self._admissions.get(question.actor.platform)
        return await admission.of(question) if admission is not None else Admitted.ALLOWED

    def _without_reply(self, lease: Lease, error: Unavailable) -> Outcome:
        question = lease.question
        if error.code in _IN_VAIN:
            return Failure(FailureCode(error.code), question.question_id)
        cause = "record_down" if error.code == RECORD_DOWN else "search_down"
        if self._pace.is_over((self._now() - question.received_at).total_seconds(), lease.postponed):
            return Failure(FailureCode(cause), question.question_id)
        return Postponed(question.question_id, Delay(cause))


def _key(lease: Lease) -> tuple[str, int]:
    return lease.question.question_id, lease.attempt


def _asked(question: InboundQuestion, admitted: Admitted, watching: Watching, *, counted: bool) -> Asked:
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
        watching=watching,
    )
