"""That somebody works on a question: a status in its thread, and with a model the answer while it grows."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from adapters.slack.addresses import SlackAddress, slack_address
from adapters.slack.posting import SlackPoster
from adapters.slack.streams import Begun, SlackStream
from adapters.slack.web_api import SlackClients, called
from bot.access.pseudonyms import Pseudonyms
from bot.model.messages import InboundQuestion
from bot.model.posted import MessagePlace, Posted, PostedMessages, Subject
from bot.ports import Lease
from bot.questions.pace import channel_name
from bot.wording.answers import reading, reading_steps
from rag_core.errors import PolicyBotError, Rejected
from rag_core.ports import NobodyWatching, Watching

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
        await self._set(work, reading(), reading_steps())

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
