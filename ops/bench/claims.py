"""1,000 deliveries of 100 events at once: how many run, and how quickly that is known."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import quantiles
from uuid import uuid4

from bot.messages import Actor, Conversation, InboundQuestion, ReplyAddress
from bot.ports import Claims, Inbox, Locks
from rag_core.errors import Unavailable

EVENTS = 100
DELIVERIES = 10
"""Of each event."""

_LOCK_SECONDS = 60.0
_AGAIN_SECONDS = 0.2
_MOST_AGAIN = 50


@dataclass(frozen=True, slots=True)
class ClaimsFigure:
    """`ran` of `calls` were let through, and as many as there are `events` should be; `p50`, `p95` in milliseconds a
    call, all of them begun at once; `seconds` for all. `again`: how often one was refused because the keeper was too
    busy, and came again, as platforms do with what was not acknowledged."""

    what: str
    where: str
    events: int
    calls: int
    ran: int
    again: int
    seconds: float
    p50: float
    p95: float

    @property
    def is_right(self) -> bool:
        return self.ran == self.events


async def bench_claims(
    claims: Mapping[str, Claims], locks: Mapping[str, Locks], inboxes: Mapping[str, Inbox]
) -> list[ClaimsFigure]:
    """A figure for each of them, by where it is ("redis", "in process", "sqlite" ...).

    Claims and locks are given back. The questions stay in the inboxes: they must be of databases made for this.
    """
    figures = []
    for where, each in claims.items():
        figures.append(await _figure("claims", where, each.claim, each.release))
    for where, lock in locks.items():
        figures.append(await _bench_locks(where, lock))
    for where, inbox in inboxes.items():
        figures.append(await _bench_inbox(where, inbox))
    return figures


async def _bench_locks(where: str, locks: Locks) -> ClaimsFigure:
    held: dict[str, str] = {}

    async def acquire(key: str) -> bool:
        token = await locks.acquire(key, _LOCK_SECONDS)
        if token is not None:
            held[key] = token
        return token is not None

    async def release(key: str) -> None:
        await locks.release(key, held[key])

    return await _figure("locks", where, acquire, release)


async def _bench_inbox(where: str, inbox: Inbox) -> ClaimsFigure:
    async def accept(key: str) -> bool:
        return await inbox.accept(_question(key))

    return await _figure("inbox", where, accept)


async def _figure(
    what: str,
    where: str,
    is_first: Callable[[str], Awaitable[bool]],
    give_back: Callable[[str], Awaitable[None]] | None = None,
) -> ClaimsFigure:
    run = uuid4().hex
    keys = [f"bench:{run}:{event}" for event in range(EVENTS)]

    async def deliver(key: str) -> tuple[bool, int, float]:
        started = time.perf_counter()
        first, again = await _until_answered(is_first, key)
        return first, again, (time.perf_counter() - started) * 1000

    started = time.perf_counter()
    results = await asyncio.gather(*(deliver(key) for _ in range(DELIVERIES) for key in keys))
    seconds = time.perf_counter() - started
    if give_back is not None:
        for key in keys:
            await give_back(key)
    ran, again = sum(first for first, _, _ in results), sum(again for _, again, _ in results)
    percentiles = _percentiles([milliseconds for _, _, milliseconds in results])
    return ClaimsFigure(what, where, EVENTS, len(results), ran, again, seconds, *percentiles)


async def _until_answered(is_first: Callable[[str], Awaitable[bool]], key: str) -> tuple[bool, int]:
    """Whether it was the first, and how often it had to come again. Raises Unavailable when it came too often."""
    for again in range(_MOST_AGAIN):
        try:
            return await is_first(key), again
        except Unavailable:
            await asyncio.sleep(_AGAIN_SECONDS)
    return await is_first(key), _MOST_AGAIN


def _percentiles(milliseconds: Sequence[float]) -> tuple[float, float]:
    cuts = quantiles(milliseconds, n=20)
    return cuts[9], cuts[18]


def _question(key: str) -> InboundQuestion:
    """Every event in a channel of its own, every delivery with an id of its own."""
    return InboundQuestion(
        question_id=uuid4().hex,
        claim_key=key,
        actor=Actor("bench", "bench", "bench"),
        conversation=Conversation("bench", "bench", key),
        text="can I advertise alcohol in the UK",
        reply_address=ReplyAddress("bench", {}),
        received_at=datetime.now(UTC),
    )
