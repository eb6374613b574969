"""That somebody works on a question: a typing indicator; with a model, in personal chats, the answer while it grows.

In channels Teams shows nobody typing: https://github.com/MicrosoftDocs/msteams-docs/issues/1451
"""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime

from adapters.teams.addresses import PLATFORM, TeamsAddress, TeamsPlace, teams_address
from adapters.teams.posting import TeamsPoster
from adapters.teams.streams import Begun, StreamPace, TeamsStream
from bot.access.pseudonyms import Pseudonyms
from bot.model.messages import InboundQuestion
from bot.model.posted import MessagePlace, Posted, PostedMessages, Subject
from bot.ports import Lease
from bot.wording.answers import reading_steps
from rag_core.errors import PolicyBotError, Rejected
from rag_core.ports import NobodyWatching, Watching

STREAMING = "stream"
"""`thread` of a posted message that is a stream whose end is not written down yet: no thread has this name."""

_log = logging.getLogger(__name__)

_TYPING_SECONDS = 3.0
_LAST_TYPING_SECONDS = 0.5
"""For a call that is under way when the answer is there."""


@dataclass(slots=True)
class _Work:
    address: TeamsAddress
    typing: asyncio.Task[None] | None = None
    stream: TeamsStream | None = None
    done: asyncio.Event = field(default_factory=asyncio.Event)


class TeamsProgress:
    """ReplyProgress, and what the sink asks about it. `streams`: with a model that writes. Seconds: `typing_after` for
    answers that are there at once, which would have to wait behind the sign that they are coming; `typing_every`:
    Teams shows the indicator for a few."""

    def __init__(
        self,
        poster: TeamsPoster,
        posted: PostedMessages,
        pseudonyms: Pseudonyms,
        *,
        clock: Callable[[], datetime],
        streams: bool,
        typing_after: float = 0.3,
        typing_every: float = 3.0,
        pace: StreamPace | None = None,
    ) -> None:
        self._poster = poster
        self._posted = posted
        self._pseudonyms = pseudonyms
        self._clock = clock
        self._streams = streams
        self._typing_after = typing_after
        self._typing_every = typing_every
        self._pace = pace or StreamPace()
        self._works: dict[str, _Work] = {}

    def begin(self, lease: Lease, sending: Callable[[], Awaitable[bool]]) -> Watching:
        question = lease.question
        try:
            address = teams_address(question.reply_address)
        except Rejected:
            return NobodyWatching()
        if address.working:  # a card says so
            return NobodyWatching()
        work = _Work(address)
        may_stream = self._may_stream(lease, address)
        self._works[question.question_id] = work
        if may_stream:
            work.stream = self._stream(question, work, sending)
            work.stream.watching.start()
        if address.place is not TeamsPlace.CHANNEL:  # there nobody is seen typing: it would cost calls for nothing
            work.typing = asyncio.create_task(self._type(work))
        return work.stream.watching if work.stream else NobodyWatching()

    async def settled(self, question_id: str) -> Begun:
        """Nothing of it is under way any more: what is sent now is the last word. What there is of the answer."""
        work = self._works.get(question_id)
        if work is None:
            return Begun()
        work.done.set()
        await self._typed(work)
        return await work.stream.close() if work.stream is not None else Begun()

    async def _typed(self, work: _Work) -> None:
        """What is on its way comes before the answer; what hangs, or is wrong, holds nothing up."""
        if work.typing is None:
            return
        _, late = await asyncio.wait({work.typing}, timeout=_LAST_TYPING_SECONDS)
        if late:
            work.typing.cancel()
            await asyncio.wait(late)
        failure = None if work.typing.cancelled() else work.typing.exception()
        if failure is not None:
            _log.error("typing failed", exc_info=failure)

    async def end(self, question_id: str) -> None:
        await self.settled(question_id)
        self._works.pop(question_id, None)

    async def aclose(self) -> None:
        """Gives up what is under way."""
        works = list(self._works.values())
        self._works.clear()
        for work in works:
            if work.typing is not None:
                work.typing.cancel()
            if work.stream is not None:
                work.stream.cancel()
        await asyncio.sleep(0)

    def _may_stream(self, lease: Lease, address: TeamsAddress) -> bool:
        """Of a chat one stream at a time; what another attempt has begun is not begun again."""
        if not self._streams or lease.was_sending or address.edits or address.place is not TeamsPlace.PERSONAL:
            return False
        chat = address.conversation_id
        return not any(each.stream and each.address.conversation_id == chat for each in self._works.values())

    def _stream(self, question: InboundQuestion, work: _Work, sending: Callable[[], Awaitable[bool]]) -> TeamsStream:
        address = work.address

        async def begun(id_: str) -> None:
            place = MessagePlace(PLATFORM, address.tenant, address.conversation.channel, id_, STREAMING)
            person, now = self._pseudonyms.of(question.actor), self._clock()
            await self._posted.save(Posted(place, Subject.ANSWER, question.question_id, now, address.asked_in, person))

        return TeamsStream(
            self._poster,
            address.reference,
            question.question_id,
            steps=reading_steps(),
            may_begin=sending,
            begun=begun,
            pace=self._pace,
        )

    async def _type(self, work: _Work) -> None:
        """Until it is answered, or a stream shows the same. Nothing depends on it."""
        await _waited(work, self._typing_after)
        while not work.done.is_set() and not (work.stream and work.stream.is_begun):
            try:
                async with asyncio.timeout(_TYPING_SECONDS):
                    await self._poster.typing(work.address.reference)
            except Rejected as exc:  # nothing can be shown there
                _log.debug("no typing: code=%s", exc.code)
                return
            except (PolicyBotError, TimeoutError) as exc:
                _log.debug("no typing: %s", type(exc).__name__)
            await _waited(work, self._typing_every)


async def _waited(work: _Work, seconds: float) -> None:
    """So long, or until it is answered."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await work.done.wait()
