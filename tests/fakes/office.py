"""One process with a QuestionService on a real inbox, for its tests."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.sql.tables.policies import inbox as inbox_table
from bot.model.messages import Conversation, InboundQuestion, ReplyAddress
from bot.model.outcomes import Outcome
from bot.ports import Inbox
from bot.questions.delivery import Pace
from bot.questions.service import QuestionService
from tests.fakes.clock import FakeClock
from tests.fakes.questions import make_question
from tests.fakes.service import KIND, FakeAsking, FakeServiceLog, FakeSink, SteppedInbox, Steps, until

PACE = Pace(workers=2, poll=0.02, retry=0.001, longest_retry=0.002)


def question(number: int = 1, channel: str = "C1", **changes: Any) -> InboundQuestion:
    changes = {"conversation": Conversation("slack", "T1", channel), "reply_address": ReplyAddress(KIND, {})} | changes
    return make_question(number, **changes)


class Office:
    """One process: a service and what stands around it. Several share an inbox and a sink's receiving end. `service`:
    what else it is made with."""

    def __init__(
        self, inbox: Inbox, clock: FakeClock, *, dies_at: str = "", pace: Pace = PACE, name: str = "w", **service: Any
    ) -> None:
        self.steps = Steps(dies_at)
        self.clock = clock
        self.inbox = SteppedInbox(inbox, self.steps)
        self.asking = FakeAsking(self.steps)
        self.sink = FakeSink(self.steps)
        self.log = FakeServiceLog()
        sinks = {KIND: self.sink}
        self.service = QuestionService(
            self.inbox, self.asking, sinks, self.log, worker=name, now=clock, pace=pace, **service
        )

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        task = asyncio.create_task(self.service.run())
        try:
            yield
        finally:
            self.service.stop()
            async with asyncio.timeout(60):
                await task

    async def die(self) -> None:
        """Work until the step at which the process dies; one worker, so that no other is cut off at work."""
        task = asyncio.create_task(self.service.run())
        async with asyncio.timeout(60):
            await self.steps.reached.wait()
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def states(engine: AsyncEngine) -> list[str]:
    async with engine.connect() as connection:
        found = await connection.execute(select(inbox_table.c.state).order_by(inbox_table.c.question_id))
        return [str(state) for state in found.scalars()]


async def ended(engine: AsyncEngine, *expected: str) -> None:
    """Waits until the questions, by id, are in these states."""

    async def as_expected() -> bool:
        return await states(engine) == list(expected)

    await until(as_expected)


async def renewals(office: Office, count: int) -> None:
    """Waits for `count` more."""
    seen = office.inbox.renewed

    async def renewed() -> bool:
        return office.inbox.renewed >= seen + count

    await until(renewed)


async def outcome_of(office: Office, engine: AsyncEngine) -> Outcome:
    """The one message of a question that ends as sent."""
    async with office.open():
        await office.service.accept(question())
        await office.sink.delivered(1)
        await ended(engine, "sent")
    [(answer_id, outcome)] = office.sink.sent
    assert answer_id == "q1"
    return outcome
