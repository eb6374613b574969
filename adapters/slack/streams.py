"""An answer that grows in Slack by whole verified statements."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from adapters.slack.addresses import SlackAddress
from adapters.slack.web_api import SlackClients, called
from bot.questions.streaming import GrowingAnswer
from bot.render.slack.message import streamed
from rag_core.errors import Unavailable

_MOST_CHARACTERS = 9_000
"""Of one stream: the whole message fails near 12,000; the answer that takes its place is shortened."""


@dataclass(frozen=True, slots=True)
class Begun:
    """What there is of an answer in Slack: `ts` of a message that was begun, "" for none. `is_sure`: nothing else is
    there."""

    ts: str = ""
    is_sure: bool = True


class SlackStream:
    """Nothing is posted before `watching` was told a statement, and `may_begin` agrees. `begun` is told of the message
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
        self._begun = Begun()
        self.watching = GrowingAnswer(self._write, streamed, most=_MOST_CHARACTERS)

    async def close(self) -> Begun:
        """Nothing is written any more; what there is."""
        await self.watching.close()
        return self._begun

    def cancel(self) -> None:
        self.watching.cancel()

    async def _write(self) -> None:
        if await self._may_begin():
            await self._turn()
            await self._begin()
            await self._grow()

    async def _begin(self) -> None:
        if self.watching.is_closed:
            return
        address = self._address
        client = await self._clients.of(address.team, address.enterprise)
        begin = client.chat_startStream(
            channel=address.channel,
            thread_ts=self._thread,
            markdown_text=self.watching.taken(),
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
        while self._begun.ts and not self.watching.is_closed:
            await self.watching.more()
            if not await self.watching.rest(self._every):
                return  # the whole answer is about to take its place
            await called(
                client.chat_appendStream(
                    channel=address.channel, ts=self._begun.ts, markdown_text=self.watching.taken()
                )
            )
