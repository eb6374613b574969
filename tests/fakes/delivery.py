"""What delivery is tried with on every chat platform: a scripted answer, stores that stop between steps, a process with
its worker, and the world that processes share.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Protocol, Self

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.local.limits import LocalPostingPace
from adapters.sql.chat.inbox import SqlInbox
from adapters.sql.chat.posted import SqlPostedMessages
from adapters.sql.database.vault import Vault, new_key
from adapters.sql.tables.policies import inbox as inbox_table
from bot.access.pseudonyms import KEY_BYTES, Pseudonyms
from bot.model.messages import InboundQuestion
from bot.model.posted import MessagePlace, Posted, Subject
from bot.model.tasks import Background
from bot.ports import InboxState, ReplyProgress, ReplySink
from bot.questions.answerer import Answered, Asked
from bot.questions.delivery import Pace
from bot.questions.service import QuestionService
from rag_core.answers import AskTrace, Reply
from rag_core.questions import Intent, Question
from tests.fakes.replies import answer, scope
from tests.fakes.service import FakeServiceLog, SteppedInbox, Steps, until
from tests.fakes.slack import FakeClock

TRACE = AskTrace(Question("", scope(), Intent.PERMISSION, ()))
PSEUDONYMS = Pseudonyms(b"k" * KEY_BYTES)
PACE = Pace(workers=2, poll=0.01, retry=0.001, longest_retry=0.002, lease=60.0)


class ScriptedAsking:
    """Answers alike, after `before`; `failures` are raised first."""

    def __init__(self, steps: Steps) -> None:
        self.asked: list[Asked] = []
        self.reply: Reply = answer()
        self.failures: list[Exception] = []
        self.before: Callable[[Asked], Awaitable[object]] | None = None
        self._steps = steps

    async def ask(self, asked: Asked) -> Answered:
        self.asked.append(asked)
        if self.before:
            await self.before(asked)
        await self._steps.pass_by("asking")
        if self.failures:
            raise self.failures.pop(0)
        return Answered(asked.answer_id or "", self.reply, TRACE)


class SteppedPosted:
    """Real posted messages, stopped between steps; `failures` are raised by `save`."""

    def __init__(self, posted: SqlPostedMessages, steps: Steps) -> None:
        self._posted = posted
        self._steps = steps
        self.failures: list[Exception] = []

    async def save(self, posted: Posted) -> None:
        await self._steps.pass_by("posted")
        if self.failures:
            raise self.failures.pop(0)
        await self._posted.save(posted)
        await self._steps.pass_by("saved")

    async def of_subject(self, subject: Subject, subject_id: str) -> tuple[Posted, ...]:
        return await self._posted.of_subject(subject, subject_id)

    async def in_thread(self, platform: str, workspace: str, channel: str, thread: str) -> tuple[Posted, ...]:
        return await self._posted.in_thread(platform, workspace, channel, thread)

    async def answering(self, platform: str, workspace: str, channel: str, asked_in: str) -> Posted | None:
        return await self._posted.answering(platform, workspace, channel, asked_in)

    async def remove(self, place: MessagePlace) -> None:
        await self._posted.remove(place)


@dataclass(slots=True)
class FakeDeliveryLog:
    lines: list[str] = field(default_factory=list)

    def delivered(self, question_id: str, road: str) -> None:
        self.lines.append(f"delivered {road}")

    def delivery_retried(self, question_id: str, code: str) -> None:
        self.lines.append(f"retried {code}")

    def reconciled(self, question_id: str, found: bool) -> None:
        self.lines.append(f"reconciled {found}")

    def fell_back(self, question_id: str, code: str, road: str) -> None:
        self.lines.append(f"fell back {code} {road}")


class Ending(Protocol):
    """Progress that is given up."""

    async def aclose(self) -> None: ...


class DeliveringProcess:
    """One process with a service on the world's inbox; a platform's own makes `progress` and calls `serve`."""

    service: QuestionService
    inbox: SteppedInbox
    progress: Ending

    def __init__(self, world: "DeliveryWorld", dies_at: str) -> None:
        self.steps, self.log, self.told = Steps(dies_at), FakeServiceLog(), FakeDeliveryLog()
        self.shared = world
        self.slept: list[float] = []
        self.tasks = Background()
        self.posted = SteppedPosted(SqlPostedMessages(world.engine), self.steps)
        self.asking = ScriptedAsking(self.steps)

    def serve(self, kind: str, sink: ReplySink, progress: ReplyProgress, pace: Pace) -> None:
        """Makes the service, which replies to addresses of a kind."""
        world = self.shared
        self.inbox = SteppedInbox(SqlInbox(world.engine, world.vault, world.clock), self.steps)
        self.service = QuestionService(
            self.inbox,
            self.asking,
            {kind: sink},
            self.log,
            worker=f"w{next(world.numbers)}",
            now=world.clock,
            pace=pace,
            progress={kind: progress},
        )

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        if seconds >= PACE.lease:  # waits beside the work, whose lease would run out by the clock alone
            await until(self.shared.nobody_works)
        self.shared.clock.move(seconds=seconds)
        await asyncio.sleep(0)

    @asynccontextmanager
    async def working(self) -> AsyncIterator[Self]:
        task = asyncio.create_task(self.service.run())
        try:
            yield self
        finally:
            self.service.stop()
            async with asyncio.timeout(30):
                await task
            await self.tasks.aclose()
            await self.progress.aclose()

    async def die(self) -> None:
        """Work until the step at which the process dies."""
        task = asyncio.create_task(self.service.run())
        async with asyncio.timeout(30):
            await self.steps.reached.wait()
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        await self.progress.aclose()
        await self.tasks.aclose(0.0)


class DeliveryWorld:
    """A database and a clock, shared by processes."""

    def __init__(self, engine: AsyncEngine, clock: FakeClock) -> None:
        self.engine, self.clock = engine, clock
        self.vault = Vault([new_key()])
        self.numbers = iter(range(1, 1000))
        self.pace = LocalPostingPace(clock=lambda: clock().timestamp())
        self.posted = SqlPostedMessages(engine)
        self.asked = 0

    async def ask(self, process: DeliveringProcess, *questions: InboundQuestion, end: str = "sent") -> None:
        """Until all that was ever asked has ended."""
        async with process.working():
            for each in questions:
                await process.service.accept(each)
            await self.ended(end)

    async def ended(self, *states: str) -> None:
        """All questions have ended; as `states`, or all alike where there is one."""

        async def all_ended() -> bool:
            found = await self.states()
            return found == (list(states) if len(states) > 1 else list(states) * len(found))

        await until(all_ended)

    async def states(self) -> list[str]:
        async with self.engine.connect() as connection:
            rows = await connection.execute(select(inbox_table.c.state).order_by(inbox_table.c.queued_at))
            return [str(each) for each in rows.scalars()]

    async def nobody_works(self) -> bool:
        return not {InboxState.RUNNING, InboxState.SENDING} & set(await self.states())

    async def kept(self, answer_id: str = "q1") -> list[Posted]:
        return list(await self.posted.of_subject(Subject.ANSWER, answer_id))
