"""What stands around a QuestionService in tests: somebody who answers, who delivers, who reads the log, who dies."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from datetime import date

from bot.model.messages import InboundQuestion
from bot.model.outcomes import Outcome
from bot.ports import Inbox, InboxState, Lease
from bot.questions.answerer import Answered, Asked
from rag_core.answers import AskTrace, Refusal, RefusalReason
from rag_core.errors import PolicyBotError
from rag_core.questions import Intent, Question, Scope

SCOPE = Scope(as_of=date(2026, 6, 1))
REPLY = Refusal(SCOPE, RefusalReason.NOT_COVERED)
TRACE = AskTrace(Question("", SCOPE, Intent.PERMISSION, ()))
KIND = "fake"


async def until(happened: Callable[[], Awaitable[bool]], seconds: float = 60.0) -> None:
    """Waits for what nobody announces, a row in a table say; TimeoutError when that takes longer."""
    async with asyncio.timeout(seconds):
        while not await happened():  # noqa: ASYNC110 - there is no event to wait for
            await asyncio.sleep(0.005)


class Steps:
    """Named moments. At the one where the process is to die, everything stands still and `reached` is set."""

    def __init__(self, dies_at: str = "") -> None:
        self.dies_at = dies_at
        self.reached = asyncio.Event()

    async def pass_by(self, name: str) -> None:
        if name == self.dies_at:
            self.reached.set()
            await asyncio.Event().wait()


class FakeAsking:
    """Answers every question alike, after `before` (given the question); what `failures` hold is raised first."""

    def __init__(self, steps: Steps | None = None) -> None:
        self.asked: list[Asked] = []
        self.failures: deque[Exception] = deque()
        self.before: Callable[[Asked], Awaitable[object]] | None = None
        self._steps = steps or Steps()

    async def ask(self, asked: Asked) -> Answered:
        self.asked.append(asked)
        await self._steps.pass_by("asking")
        if self.before:
            await self.before(asked)
        if self.failures:
            raise self.failures.popleft()
        return Answered(asked.answer_id or "", REPLY, TRACE)


class FakeSink:
    """Remembers what it delivered; what `failures` hold is raised instead."""

    def __init__(self, steps: Steps | None = None) -> None:
        self.sent: list[tuple[str, Outcome]] = []
        self.tries = 0
        self.was_sending: list[bool] = []
        self.failures: deque[Exception] = deque()
        self._steps = steps or Steps()
        self._delivered = asyncio.Event()

    async def send(
        self, question: InboundQuestion, answer_id: str, outcome: Outcome, *, was_sending: bool = False
    ) -> None:
        self.tries += 1
        self.was_sending.append(was_sending)
        await self._steps.pass_by("before delivery")
        if self.failures:
            raise self.failures.popleft()
        self.sent.append((answer_id, outcome))
        self._delivered.set()
        await self._steps.pass_by("delivered")

    @property
    def ids(self) -> list[str]:
        return [answer_id for answer_id, _ in self.sent]

    async def delivered(self, count: int, seconds: float = 60.0) -> None:
        """Waits for `count` messages; TimeoutError when that takes longer."""
        async with asyncio.timeout(seconds):
            while len(self.sent) < count:
                self._delivered.clear()
                await self._delivered.wait()


class SteppedInbox:
    """A real inbox that can be stopped between its steps, and made to fail: `failures` by method name.

    `idle`: what happens whenever there is nothing to take and nothing in hand. Time that passes there, and nowhere
    else, passes under nobody's lease, however slow the machine is. What could not be written down is in hand no more:
    its lease is to run out.
    """

    def __init__(self, inbox: Inbox, steps: Steps | None = None) -> None:
        self._inbox = inbox
        self._steps = steps or Steps()
        self.failures: dict[str, deque[Exception]] = {}
        self.finished: list[InboxState] = []
        self.postponed: list[float] = []
        self.renewed = 0
        self.idle: Callable[[], object] | None = None
        self._busy: set[str] = set()

    async def accept(self, question: InboundQuestion) -> bool:
        return await self._inbox.accept(question)

    async def take(self, worker: str, lease_seconds: float) -> Lease | None:
        self._fail("take")
        lease = await self._inbox.take(worker, lease_seconds)
        if lease is not None:
            self._busy.add(lease.question.question_id)
            await self._steps.pass_by("taken")
        elif self.idle and not self._busy:
            self.idle()
        return lease

    async def hold(self, lease: Lease, lease_seconds: float, *, sending: bool = False) -> bool:
        if not sending:
            self._fail("hold")
            self.renewed += 1
            return await self._inbox.hold(lease, lease_seconds)
        await self._steps.pass_by("answered")
        is_ours = False
        try:
            self._fail("sending")
            is_ours = await self._inbox.hold(lease, lease_seconds, sending=True)
        finally:
            if not is_ours:
                self._done_with(lease)
        await self._steps.pass_by("sending written")
        return is_ours

    async def postpone(self, lease: Lease, seconds: float, *, quietly: bool = False, unsent: bool = False) -> bool:
        await self._steps.pass_by("told")
        try:
            self._fail("postpone")
            is_ours = await self._inbox.postpone(lease, seconds, quietly=quietly, unsent=unsent)
        finally:
            self._done_with(lease)
        self.postponed.append(seconds)
        await self._steps.pass_by("postponed")
        return is_ours

    async def finish(self, lease: Lease, state: InboxState) -> bool:
        try:
            self._fail("finish")
            is_ours = await self._inbox.finish(lease, state)
        finally:
            self._done_with(lease)
        self.finished.append(state)
        await self._steps.pass_by("finished")
        return is_ours

    def _done_with(self, lease: Lease) -> None:
        self._busy.discard(lease.question.question_id)

    def _fail(self, method: str) -> None:
        if failures := self.failures.get(method):
            raise failures.popleft()


class FakeServiceLog:
    """What an operator would read."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def unavailable(self, question_id: str, error: PolicyBotError, attempt: int) -> None:
        self.lines.append(f"unavailable {question_id} {error.code} {attempt}")

    def unreachable(self, question_id: str, error: PolicyBotError) -> None:
        self.lines.append(f"unreachable {question_id} {error.code}")

    def unexpected(self, question_id: str, error: BaseException) -> None:
        self.lines.append(f"unexpected {question_id} {type(error).__name__}")

    def duplicate(self, platform: str) -> None:
        self.lines.append(f"duplicate {platform}")

    def postponed(self, question_id: str, code: str, seconds: float) -> None:
        self.lines.append(f"postponed {question_id} {code} {seconds:g}")

    def put_back(self, question_id: str, code: str, seconds: float) -> None:
        self.lines.append(f"put_back {question_id} {code} {seconds:g}")

    def recovered(self, question_id: str, postponed: int) -> None:
        self.lines.append(f"recovered {question_id} {postponed}")
