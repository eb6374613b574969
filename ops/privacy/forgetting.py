"""Forgetting a person everywhere, in an order in which nothing comes back: what waits goes first, then what is stored,
then the copies, and last the record, with the act that tells of it.
"""

import asyncio
import time
import uuid
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from adapters.sql.people.privacy import QUEUED, MakeAct, SqlPeopleForgetting
from bot.access.pseudonyms import ACCOUNT
from bot.audit.entries import AuditEntry, administration
from bot.model.messages import Actor
from bot.ports import FastMemory, Spool
from bot.questions.spool import spooled_of

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
