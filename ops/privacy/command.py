"""`python -m ops forget` and `python -m ops retention`."""

import argparse
import asyncio
import sys
import time
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TextIO

from adapters.sql.database.wiping import wipe
from adapters.sql.people.privacy import QUEUED, MakeAct, SqlPeopleForgetting, open_pseudonyms
from bot.access.pseudonyms import ACCOUNT, actor_from
from bot.audit.entries import AuditEntry, administration
from bot.model.messages import Actor
from bot.ports import FastMemory, Spool
from bot.questions.spool import spooled_of
from ingest.model.operators import Confirmation, operator, refused
from ops.backends import build_keepers, build_spool, build_vault, connect_redis, open_engine
from ops.config import Config
from ops.parts import utc_now
from ops.privacy import wording
from ops.privacy.retention import build_retention
from rag_core.errors import Unavailable

SPOOL = "spool"

_MOST_PASSES = 3
_POLL_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Forgetting:
    """`memory`: the one that all processes share, None where each has its own (those look for themselves). `wipe`: gets
    what was deleted out of the database's files. `wait_seconds`: for what is being answered just now. Any step may
    raise Unavailable; called again, it goes on where it was stopped."""

    actor: Actor
    stored: SqlPeopleForgetting
    spool: Spool
    memory: FastMemory | None
    wipe: Callable[[], Awaitable[None]]
    operator: str
    now: Callable[[], datetime]
    wait_seconds: float
    clock: Callable[[], float] = time.monotonic

    async def counts(self) -> dict[str, int]:
        """How much there is of each kind."""
        spooled = await spooled_of(self.spool, self.actor, self.stored.person)
        return {**await self.stored.counts(), SPOOL: len(spooled)}

    async def run(self) -> dict[str, int]:
        """How much was removed of each kind."""
        await self._empty_memory()  # first of all: where Redis is down, nothing is begun
        forgetting_id = await self.stored.begin()
        removed: Counter[str] = Counter()

        def act(counts: Mapping[str, int]) -> AuditEntry:
            return self._act(forgetting_id, counts)

        for _ in range(_MOST_PASSES):  # what was on its way during one is found by the next
            found = await self._pass(act)
            removed.update(found)
            if not any(found.values()):
                break
        removed.update(await self.stored.record(act, removed))
        await self.wipe()
        await self.stored.finish(forgetting_id)
        return dict(removed)

    async def _pass(self, act: MakeAct) -> dict[str, int]:
        questions = await self._end_questions()
        spooled = await spooled_of(self.spool, self.actor, self.stored.person)
        for kind, key in spooled:
            await self.spool.remove(kind, key)
        rows = await self.stored.rows(act)
        await self._empty_memory()
        return {QUEUED: questions, SPOOL: len(spooled), **rows}

    async def _end_questions(self) -> int:
        """Waiting ones at once. Those being answered may end by themselves; who holds one longer is dead."""
        ended = await self.stored.drop_questions(held=False)
        give_up = self.clock() + self.wait_seconds
        while True:
            if not await self.stored.questions_held() or self.clock() >= give_up:
                break
            await asyncio.sleep(_POLL_SECONDS)
        return ended + await self.stored.drop_questions(held=True)

    async def _empty_memory(self) -> None:
        if self.memory is not None:
            await self.memory.forget_all()

    def _act(self, forgetting_id: int, counts: Mapping[str, int]) -> AuditEntry:
        """Without the person's name: the pseudonym tells it from others."""
        is_himself = (self.actor.platform, self.actor.person) == (ACCOUNT, self.operator)
        removed = {kind: count for kind, count in sorted(counts.items()) if count}
        return administration(
            str(uuid.uuid4()),
            "forget",
            self.now(),
            person="" if is_himself else self.operator,
            target=self.stored.person,
            facts={"forgetting": forgetting_id, "removed": removed},
        )


_GRACE_SECONDS = 10.0


async def forget(
    args: argparse.Namespace,
    config: Config,
    answers: TextIO | None = None,
    whoami: Callable[[], str] = operator,
) -> int:
    """0; 1 when the answer was no; 2 when there is nobody to ask. `answers`: where the answer is typed (None: standard
    input). Raises Rejected("person_unreadable"), Misconfigured, Unavailable."""
    actor = actor_from(args.person)
    async with open_forgetting(config, actor, whoami()) as forgetting:
        counts = await forgetting.counts()
        print(wording.found(counts) if any(counts.values()) else wording.NOTHING_FOUND, flush=True)
        if args.dry_run:
            return 0
        if not args.yes and (code := refused(answers or sys.stdin, _said())) is not None:
            return code
        try:
            removed = await forgetting.run()
        except Unavailable:
            print(wording.NOT_FINISHED, file=sys.stderr)
            raise
        print(wording.forgotten(removed, elsewhere=forgetting.memory is None))
        print(wording.not_reached())
        return 0


async def retention(args: argparse.Namespace, config: Config) -> int:
    """0; 3 where another process is at it. Raises Unavailable."""
    async with open_engine(config) as engine:
        keeping = build_retention(config, engine)
        if args.dry_run:
            print(wording.due(await keeping.due()))
            return 0
        removed = await keeping.sweep()
        print(wording.BUSY_ELSEWHERE if removed is None else wording.swept(removed))
        return 3 if removed is None else 0


@asynccontextmanager
async def open_forgetting(config: Config, actor: Actor, whoami: str) -> AsyncIterator[Forgetting]:
    """On everything that the settings name, closed at the end."""
    async with AsyncExitStack() as stack:
        engine = await stack.enter_async_context(open_engine(config))
        redis = connect_redis(config)
        if redis is not None:
            stack.push_async_callback(redis.aclose)
        vault = build_vault(config)
        pseudonyms = await open_pseudonyms(engine, vault)
        yield Forgetting(
            actor,
            SqlPeopleForgetting(engine, actor, pseudonyms, utc_now),
            build_spool(config, vault),
            build_keepers(config, redis).fast if redis is not None else None,
            lambda: wipe(engine),
            whoami,
            utc_now,
            config.ask_seconds + _GRACE_SECONDS,
        )


def _said() -> Confirmation:
    return Confirmation(wording.ASK_YES, wording.NEEDS_YES, wording.NOT_FORGOTTEN)
