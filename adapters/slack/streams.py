"""An answer that grows in Slack by whole verified statements: one message, one writer."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from adapters.slack.addresses import SlackAddress
from adapters.slack.web_api import SlackClients, called
from bot.render.slack_stream import streamed
from rag_core.answers import Statement
from rag_core.errors import PolicyBotError, Unavailable
from rag_core.questions import Question

_log = logging.getLogger(__name__)

_MOST_CHARACTERS = 9_000
"""Of one stream: the whole message fails near 12,000; the answer that takes its place is shortened."""


@dataclass(frozen=True, slots=True)
class Begun:
    """What there is of an answer in Slack: `ts` of a message that was begun, "" for none. `is_sure`: nothing else is
    there."""

    ts: str = ""
    is_sure: bool = True


class SlackStream:
    """Watching. Nothing is posted before there is a statement, and `may_begin` agrees. `begun` is told of the message
    as soon as it is there. `turn`: waits until something may be posted in the channel."""

    def __init__(
        self,
        clients: SlackClients,
        address: SlackAddress,
        thread: str,
        *,
        may_begin: Callable[[], Awaitable[bool]],
        turn: Callable[[], Awaitable[None]],
        begun: Callable[[str], Awaitable[None]],
        every: float = 1.0,
    ) -> None:
        self._clients = clients
        self._address = address
        self._thread = thread
        self._may_begin = may_begin
        self._turn = turn
        self._told = begun
        self._every = every
        self._waiting: list[str] = []
        self._written = 0
        self._more = asyncio.Event()
        self._closed = asyncio.Event()
        self._muted = False
        self._begun = Begun()
        self._writing: asyncio.Task[None] | None = None

    def understood(self, question: Question) -> None:
        # asked once more: what is told now was shown already, or differs from it; the whole answer puts it right
        self._muted = self._writing is not None

    def stated(self, statement: Statement) -> None:
        text = streamed(statement)
        if self._muted or self._closed.is_set() or self._written + len(text) > _MOST_CHARACTERS:
            return
        self._written += len(text)
        self._waiting.append(text)
        self._more.set()
        if self._writing is None:
            self._writing = asyncio.create_task(self._write())

    async def close(self) -> Begun:
        """Nothing is written any more; what there is."""
        self._closed.set()
        self._more.set()
        if self._writing is not None:
            await self._writing
        return self._begun

    def cancel(self) -> None:
        self._closed.set()
        if self._writing is not None:
            self._writing.cancel()

    async def _write(self) -> None:
        try:
            if await self._may_begin():
                await self._turn()
                await self._begin()
                await self._grow()
        except PolicyBotError as exc:  # the whole answer comes as one message
            _log.warning("stream ended early: code=%s error=%s", exc.code, exc.details.get("error", ""))

    async def _begin(self) -> None:
        if self._closed.is_set():
            return
        address = self._address
        client = await self._clients.of(address.team, address.enterprise)
        begin = client.chat_startStream(
            channel=address.channel,
            thread_ts=self._thread,
            markdown_text=self._taken(),
            recipient_team_id=address.team,
            recipient_user_id=address.user,
        )
        try:
            answer = await called(begin)
        except Unavailable as exc:
            not_there = exc.code == "slack_rate_limited" or exc.details.get("delivered") == "no"
            self._begun = Begun("", is_sure=not_there)
            raise
        self._begun = Begun(str(answer.get("ts") or ""))
        await self._told(self._begun.ts)

    async def _grow(self) -> None:
        address = self._address
        client = await self._clients.of(address.team, address.enterprise)
        while self._begun.ts and not self._closed.is_set():
            await self._more.wait()
            await self._rested()
            if self._closed.is_set():
                return  # the whole answer is about to take its place
            await called(
                client.chat_appendStream(channel=address.channel, ts=self._begun.ts, markdown_text=self._taken())
            )

    async def _rested(self) -> None:
        """As often as Slack takes it; what comes meanwhile goes along."""
        try:
            async with asyncio.timeout(self._every):
                await self._closed.wait()
        except TimeoutError:
            return

    def _taken(self) -> str:
        text = "".join(self._waiting)
        self._waiting.clear()
        if not self._closed.is_set():
            self._more.clear()
        return text
