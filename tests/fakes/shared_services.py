"""Ports that fail on demand: `down` raises Unavailable, otherwise the real in-process ones behind them answer."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from datetime import datetime

from adapters.local.claims import LocalClaims
from adapters.local.locks import LocalLocks
from bot.model.memory import RememberedTurn, conversation_key
from bot.model.messages import Actor, Conversation, InboundQuestion
from bot.ports import InboxEntry, InboxState, Lease, RecordedAnswer
from bot.questions.inbox import DurableInbox
from rag_core.errors import Unavailable


class Switch:
    """Whether a service answers. `hangs`: it does not even fail. `fail_after`: so many calls more, then down."""

    def __init__(self) -> None:
        self.down = False
        self.hangs = False
        self.fail_after: int | None = None
        self.calls = 0

    async def call(self) -> None:
        self.calls += 1
        if self.fail_after is not None:
            self.fail_after -= 1
            self.down = self.down or self.fail_after < 0
        if self.hangs:
            await asyncio.Event().wait()
        if self.down:
            raise Unavailable("switched_off")


class FakeMemory(Switch):
    """Turns in the order in which they came."""

    def __init__(self) -> None:
        super().__init__()
        self.turns: dict[str, list[RememberedTurn]] = {}

    async def recall(self, conversation: Conversation) -> tuple[RememberedTurn, ...]:
        await self.call()
        return tuple(self.turns.get(conversation_key(conversation), ()))

    async def remember(self, conversation: Conversation, turn: RememberedTurn) -> None:
        await self.call()
        known = self.turns.setdefault(conversation_key(conversation), [])
        if all(each.answer_id != turn.answer_id for each in known):
            known.append(turn)

    async def refill(self, conversation: Conversation, turns: Sequence[RememberedTurn]) -> None:
        await self.call()
        self.turns.setdefault(conversation_key(conversation), list(turns))

    async def forget(self, conversation: Conversation) -> None:
        await self.call()
        self.turns.pop(conversation_key(conversation), None)


class FakeLocks(Switch):
    """Local locks that can be switched off. `now`: their time, for a test that moves it by hand."""

    def __init__(self) -> None:
        super().__init__()
        self.now: float | None = None
        self._locks = LocalLocks(clock=lambda: time.monotonic() if self.now is None else self.now)
        self.extended = 0

    async def acquire(self, name: str, seconds: float) -> str | None:
        await self.call()
        return await self._locks.acquire(name, seconds)

    async def extend(self, name: str, token: str, seconds: float) -> bool:
        await self.call()
        self.extended += 1
        return await self._locks.extend(name, token, seconds)

    async def release(self, name: str, token: str) -> bool:
        await self.call()
        return await self._locks.release(name, token)


class FakeClaims(Switch):
    """Local claims that can be switched off; several processes may share them."""

    def __init__(self) -> None:
        super().__init__()
        self._claims = LocalClaims()

    async def claim(self, claim_key: str) -> bool:
        await self.call()
        return await self._claims.claim(claim_key)

    async def is_claimed(self, claim_key: str) -> bool:
        await self.call()
        return await self._claims.is_claimed(claim_key)

    async def release(self, claim_key: str) -> None:
        await self.call()
        await self._claims.release(claim_key)


class FakeLimits(Switch):
    """Says `seconds` to everybody."""

    def __init__(self, seconds: float = 0.0) -> None:
        super().__init__()
        self.seconds = seconds
        self.hits: list[tuple[Actor, Conversation | None]] = []

    async def hit(self, actor: Actor, conversation: Conversation | None) -> float:
        await self.call()
        self.hits.append((actor, conversation))
        return self.seconds


class FakeRecords(Switch):
    """What was recorded, each answer once."""

    def __init__(self) -> None:
        super().__init__()
        self.saved: dict[str, RecordedAnswer] = {}
        self.failure: Exception | None = None

    async def save(self, record: RecordedAnswer) -> None:
        await self.call()
        if self.failure:
            raise self.failure
        self.saved.setdefault(record.answer_id, record)


class FakeSpool(Switch):
    """What survives a process. `room`: entries it takes at most."""

    def __init__(self, room: int = 1000) -> None:
        super().__init__()
        self.room = room
        self.kept: dict[tuple[str, str], dict[str, object]] = {}

    async def put(self, kind: str, key: str, entry: Mapping[str, object]) -> None:
        await self.call()
        if (kind, key) not in self.kept and len(self.kept) >= self.room:
            raise Unavailable("spool_full")
        self.kept[kind, key] = dict(entry)

    async def entries(self, kind: str) -> AsyncIterator[tuple[str, dict[str, object]]]:
        await self.call()
        for (of, key), entry in tuple(self.kept.items()):
            if of == kind:
                yield key, entry

    async def remove(self, kind: str, key: str) -> None:
        await self.call()
        self.kept.pop((kind, key), None)

    def keys(self, kind: str) -> list[str]:
        return [key for of, key in self.kept if of == kind]


class FakeSpoolLog:
    """What an operator would read."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def spooled(self, kind: str, key: str) -> None:
        self.lines.append(f"spooled {kind} {key}")

    def entered(self, kind: str, key: str) -> None:
        self.lines.append(f"entered {kind} {key}")

    def unavailable(self, question_id: str, error: Exception, attempt: int) -> None:
        self.lines.append(f"unavailable {question_id} {getattr(error, 'code', '')}")


class SwitchedInbox(Switch):
    """A durable inbox behind a switch. `loses_answers`: it does what it is told and the answer is lost;
    `keeps_answers`: and nobody waited for the answer long enough.
    `before_entering`: what happens before each entry; `entering` is set by the first, `entered` counts them.
    """

    def __init__(self, inbox: DurableInbox) -> None:
        super().__init__()
        self._inbox = inbox
        self.loses_answers = False
        self.keeps_answers = False
        self.before_entering: Callable[[], Awaitable[object]] | None = None
        self.entering = asyncio.Event()
        self.entered = 0

    async def accept(self, question: InboundQuestion) -> bool:
        await self.call()
        accepted = await self._inbox.accept(question)
        await self._answer()
        return accepted

    async def take(self, worker: str, lease_seconds: float) -> Lease | None:
        await self.call()
        return await self._inbox.take(worker, lease_seconds)

    async def hold(self, lease: Lease, lease_seconds: float, *, sending: bool = False) -> bool:
        await self.call()
        held = await self._inbox.hold(lease, lease_seconds, sending=sending)
        await self._answer()
        return held

    async def finish(self, lease: Lease, state: InboxState) -> bool:
        await self.call()
        finished = await self._inbox.finish(lease, state)
        await self._answer()
        return finished

    async def postpone(self, lease: Lease, seconds: float, *, quietly: bool = False, unsent: bool = False) -> bool:
        await self.call()
        return await self._inbox.postpone(lease, seconds, quietly=quietly, unsent=unsent)

    async def enter(self, entry: InboxEntry, lease_seconds: float) -> bool:
        await self.call()
        self.entering.set()
        if self.before_entering:
            await self.before_entering()
        self.entered += 1
        return await self._inbox.enter(entry, lease_seconds)

    async def backlog(self) -> tuple[int, datetime | None]:
        await self.call()
        return await self._inbox.backlog()

    async def withdraw(self, claim_key: str) -> bool:
        await self.call()
        return await self._inbox.withdraw(claim_key)

    async def edits_of(self, claim_key: str) -> tuple[str, ...]:
        await self.call()
        return await self._inbox.edits_of(claim_key)

    async def _answer(self) -> None:
        if self.keeps_answers:
            raise Unavailable("store_slow")
        if self.loses_answers:
            raise Unavailable("connection_lost")
