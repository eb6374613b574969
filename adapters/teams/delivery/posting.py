"""Writing to Teams: in turns, bounded in time, and again where that is safe."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from adapters.teams.addresses import PLATFORM, TeamsReference, channel_of
from adapters.teams.ports import Activity, TeamsOutbound
from bot.model.messages import Conversation
from bot.model.tasks import Background
from bot.questions.delivery import DeliveryLog
from bot.questions.pace import PostingPace, PostingTurns, channel_name
from rag_core.errors import PolicyBotError, Rejected, Unavailable

_T = TypeVar("_T")

_PACING = "teams_pacing"

Find = Callable[[], Awaitable[str]]
"""Looks for a message that may be there: its id, "" where it is not found. Raises nothing."""


@dataclass(frozen=True, slots=True)
class TeamsPatience:
    """Seconds. `every`: between two messages in a conversation; Teams takes 7 in one second, but only 60 in 30.
    `every_typing`: so soon after a sign of work the answer may follow. `longest_turn`: what is waited for here; what
    takes longer goes back to the inbox. `call`: for one call, with what is waited for in it because Teams asks for
    it. `looks`: before it is looked for what may be there, one after the other: what was written a moment ago cannot be
    read at once."""

    attempts: int = 3
    every: float = 0.5
    every_typing: float = 0.15
    longest_turn: float = 8.0
    first_wait: float = 0.5
    call: float = 60.0
    looks: tuple[float, ...] = (1.0, 2.0, 4.0, 8.0)


class TeamsPoster:
    """Waits in its own task: see that it is nobody else's. Raises as TeamsOutbound, and Unavailable("teams_pacing");
    `delivered` "no" means that Teams has nothing of it."""

    def __init__(
        self,
        outbound: TeamsOutbound,
        pace: PostingPace,
        log: DeliveryLog,
        tasks: Background,
        *,
        patience: TeamsPatience | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._outbound = outbound
        self._pace = pace
        self._log = log
        self._tasks = tasks
        self._patience = patience or TeamsPatience()
        self._sleep = sleep

    async def send(
        self,
        to: TeamsReference,
        activity: Activity,
        question_id: str,
        *,
        is_same: bool = False,
        sent: Callable[[str], Awaitable[None]] | None = None,
        find: Find | None = None,
    ) -> str:
        """The new activity's id. `is_same`: sent twice it is still one (the end of a stream). `sent`: told of the id,
        also where nobody waits for it any more. `find`: asked before what may be there is sent again."""

        async def told(id_: str) -> str:
            if sent is not None:
                await sent(id_)
            return id_

        async def call() -> str:
            return await told(await self._outbound.send(to, activity))

        async def call_once() -> str:
            return await told(await self._outbound.send(to, activity, once=True))

        if find is None:
            return await self._tried(to, call, question_id, is_same=is_same)
        return await self._looked_for(lambda: self._tried(to, call_once, question_id, is_same=False), find, told)

    async def _looked_for(
        self, attempt: Callable[[], Awaitable[str]], find: Find, told: Callable[[str], Awaitable[str]]
    ) -> str:
        """Again only what is not found, and only where Teams asks for it; all else is its caller's to judge."""
        pauses = iter(self._patience.looks)
        while True:
            try:
                return await attempt()
            except Unavailable as exc:
                pause = next(pauses, None)
                if exc.details.get("delivered") == "no" or pause is None:
                    raise
                await self._sleep(pause)
                if id_ := await find():
                    return await told(id_)
                if not exc.details.get("again"):
                    raise

    async def update(self, to: TeamsReference, activity_id: str, activity: Activity, question_id: str) -> None:
        await self._tried(to, lambda: self._outbound.update(to, activity_id, activity), question_id, is_same=True)

    async def delete(self, to: TeamsReference, activity_id: str) -> None:
        """What is gone already is deleted."""
        try:
            await self._tried(to, lambda: self._outbound.delete(to, activity_id), "-", is_same=True)
        except Rejected as exc:
            if exc.code != "teams_message_gone":
                raise

    async def typing(self, to: TeamsReference) -> None:
        """Where it would have to wait for its turn it is left out. Given up, it is not gone on with."""
        await self._turns(self._patience.every_typing).wait(_name(to), 0.0)
        await self._outbound.typing(to)

    def _turns(self, every: float) -> PostingTurns:
        return PostingTurns(self._pace, every, self._patience.longest_turn, _PACING, self._sleep)

    async def _tried(
        self, to: TeamsReference, call: Callable[[], Coroutine[Any, Any, _T]], question_id: str, *, is_same: bool
    ) -> _T:
        """Again what Teams has nothing of, and what may be there twice; anything else is its caller's to judge."""
        attempt = 0
        while True:
            attempt += 1
            await self._turns(self._patience.every).wait(_name(to))
            try:
                return await self._called(call())
            except Unavailable as exc:
                self._log.delivery_retried(question_id, exc.code)
                waits = exc.code == "teams_slow_down"  # the adapter has waited for as long as it may
                may_repeat = is_same or exc.details.get("delivered") == "no"
                if waits or not may_repeat or attempt >= self._patience.attempts:
                    raise
            await self._sleep(self._patience.first_wait * attempt)

    async def _called(self, call: Coroutine[Any, Any, _T]) -> _T:
        """What has begun is ended, also at a stop: else nobody knew of the message, and it was sent again."""
        under_way = asyncio.create_task(call)
        try:
            async with asyncio.timeout(self._patience.call):
                return await asyncio.shield(under_way)
        except TimeoutError as exc:
            under_way.cancel()
            raise Unavailable("teams_unreachable", delivered="unknown") from exc
        except asyncio.CancelledError:
            self._tasks.start(_ended(under_way), "a message on its way")
            raise
        except Unavailable as exc:
            if exc.code != "teams_slow_down":
                raise
            delivered = exc.details.get("delivered", "no")
            raise Unavailable(exc.code, retry_after=_asked(exc), delivered=delivered, only="channel") from exc


async def _ended(under_way: "asyncio.Task[_T]") -> None:
    with suppress(PolicyBotError):
        await under_way


def _name(to: TeamsReference) -> str:
    """A channel takes turns as a whole, with all of its threads."""
    return channel_name(Conversation(PLATFORM, to.tenant, channel_of(to.conversation)))


def _asked(error: Unavailable) -> float:
    asked = error.details.get("retry_after")
    return float(asked) if isinstance(asked, int | float) else 1.0
