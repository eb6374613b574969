"""Deliveries of the same events at once, to every kind of claims, locks and inbox: how many run, how quickly."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path
from statistics import quantiles
from uuid import uuid4

from adapters.sql.chat.inbox import SqlInbox
from bot.model.messages import Actor, Conversation, InboundQuestion, ReplyAddress
from bot.ports import Claims, Inbox, Locks
from ops.backends import build_keepers, build_vault, connect_redis, own_keepers
from ops.bench import wording
from ops.bench.stores import embedded, new_name, on_servers, open_store, own_database_if_set
from ops.bench.timing import ClaimsFigure
from ops.config import Config
from rag_core.errors import Unavailable

EVENTS = 100
DELIVERIES = 10
"""Of each event."""

_LOCK_SECONDS = 60.0
_AGAIN_SECONDS = 0.2
_MOST_AGAIN = 50


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


async def deliveries(config: Config, folder: Path) -> list[str]:
    """A line for each; what is written stands in databases and under a prefix of its own."""
    own = embedded(config, folder)
    keepers = own_keepers(own)
    claims: dict[str, Claims] = {"in the process": keepers.claims}
    locks: dict[str, Locks] = {"in the process": keepers.locks}
    async with AsyncExitStack() as stack:
        inboxes: dict[str, Inbox] = {"SQLite": await _inbox(own, stack)}
        if address := await own_database_if_set(config, new_name(), stack):
            inboxes["PostgreSQL"] = await _inbox(on_servers(config, folder, new_name(), address), stack)
        client = connect_redis(config.model_copy(update={"redis_prefix": new_name()}))
        if client is None:
            print(wording.not_set("claims and locks in Redis", "ADPOLICY_REDIS_URL"))
        else:
            stack.push_async_callback(client.aclose)
            kept = build_keepers(config, client)
            claims["Redis"], locks["Redis"] = kept.claims, kept.locks
        return [wording.claims(figure) for figure in await bench_claims(claims, locks, inboxes)]


async def _inbox(config: Config, stack: AsyncExitStack) -> Inbox:
    store = await stack.enter_async_context(open_store(config))
    return SqlInbox(store.engine, build_vault(config))
