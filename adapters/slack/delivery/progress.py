"""Progress in Slack: a status in the thread, and the streamed answer."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from adapters.slack.addresses import SlackAddress, slack_address
from adapters.slack.client import SlackClients, called
from adapters.slack.delivery.posting import SlackPoster
from bot.access.pseudonyms import Pseudonyms
from bot.model.messages import InboundQuestion
from bot.model.posted import MessagePlace, Posted, PostedMessages, Subject
from bot.ports import Lease
from bot.questions.pace import channel_name
from bot.questions.streaming import GrowingAnswer
from bot.render.slack.message import streamed
from bot.wording.answers import READING, reading_steps
from rag_core.errors import PolicyBotError, Rejected, Unavailable
from rag_core.ports import NobodyWatching, Watching

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


_log = logging.getLogger(__name__)

_STATUS_SECONDS = 3.0


@dataclass(slots=True)
class _Work:
    """`thread`: where the status stands; `is_shown`: it was set, and nothing that was posted since has cleared it."""

    address: SlackAddress
    thread: str
    is_shown: bool = False
    status: asyncio.Task[None] | None = None
    stream: SlackStream | None = None
    begun: Begun = field(default_factory=Begun)


class SlackProgress:
    """ReplyProgress, and what the sink asks about it. `streams`: with a model that writes; `append_every` seconds."""

    def __init__(
        self,
        clients: SlackClients,
        poster: SlackPoster,
        posted: PostedMessages,
        pseudonyms: Pseudonyms,
        *,
        clock: Callable[[], datetime],
        streams: bool,
        append_every: float = 1.0,
    ) -> None:
        self._clients = clients
        self._poster = poster
        self._posted = posted
        self._pseudonyms = pseudonyms
        self._clock = clock
        self._streams = streams
        self._every = append_every
        self._works: dict[str, _Work] = {}

    def begin(self, lease: Lease, sending: Callable[[], Awaitable[bool]]) -> Watching:
        question = lease.question
        try:
            address = slack_address(question.reply_address)
        except Rejected:
            return NobodyWatching()
        thread = address.thread or address.asked_in
        if not thread or address.to_asker or address.edits:
            return NobodyWatching()
        work = _Work(address, thread)
        self._works[question.question_id] = work
        work.status = asyncio.create_task(self._show(work))
        if not self._streams or lease.was_sending:  # what another attempt has begun is not begun again
            return NobodyWatching()
        work.stream = self._stream(question, work, sending)
        return work.stream.watching

    async def settled(self, question_id: str) -> Begun:
        """Nothing of it is under way any more: what is sent now is the last word. What there is of the answer."""
        work = self._works.get(question_id)
        if work is None:
            return Begun()
        if work.stream is not None:
            work.begun = await work.stream.close()
        if work.status is not None:
            await work.status
        return work.begun

    def posted_in_thread(self, question_id: str) -> None:
        """Slack took the status away when the answer came."""
        if work := self._works.get(question_id):
            work.is_shown = False

    async def end(self, question_id: str) -> None:
        await self.settled(question_id)
        work = self._works.pop(question_id, None)
        if work is not None and work.is_shown:
            await self._set(work, "")

    async def aclose(self) -> None:
        """Gives up what is under way."""
        works = list(self._works.values())
        self._works.clear()
        for work in works:
            if work.status is not None:
                work.status.cancel()
            if work.stream is not None:
                work.stream.cancel()
        await asyncio.sleep(0)

    def _stream(self, question: InboundQuestion, work: _Work, sending: Callable[[], Awaitable[bool]]) -> SlackStream:
        address, thread = work.address, work.thread

        async def begun(ts: str) -> None:
            work.is_shown = False
            place = MessagePlace("slack", address.team, address.channel, ts, thread)
            person = self._pseudonyms.of(question.actor)
            asked_in, now = address.asked_in, self._clock()
            await self._posted.save(Posted(place, Subject.ANSWER, question.question_id, now, asked_in, person))

        async def turn() -> None:
            await asyncio.wait([work.status] if work.status else [])
            await self._poster.turn(channel_name(address.conversation))

        return SlackStream(self._clients, address, thread, may_begin=sending, turn=turn, begun=begun, every=self._every)

    async def _show(self, work: _Work) -> None:
        work.is_shown = True  # from here on it may be there, whatever comes back
        await self._set(work, READING, reading_steps())

    async def _set(self, work: _Work, status: str, steps: list[str] | None = None) -> None:
        """Nobody waits long for it, and nothing depends on it."""
        address = work.address
        steps_shown: dict[str, Any] = {"loading_messages": steps} if steps else {}
        try:
            async with asyncio.timeout(_STATUS_SECONDS):
                client = await self._clients.of(address.team, address.enterprise)
                await called(
                    client.assistant_threads_setStatus(
                        channel_id=address.channel, thread_ts=work.thread, status=status, **steps_shown
                    )
                )
        except Rejected as exc:  # not there, or not allowed: then there is none to take away
            work.is_shown = False
            _log.debug("no status: code=%s error=%s", exc.code, exc.details.get("error", ""))
        except (PolicyBotError, TimeoutError) as exc:
            _log.debug("no status: %s", type(exc).__name__)
