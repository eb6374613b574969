"""Progress in Teams: a typing indicator, and the streamed answer in personal chats."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from adapters.teams.addresses import PLATFORM, TeamsAddress, TeamsPlace, TeamsReference, teams_address
from adapters.teams.delivery.posting import TeamsPoster
from adapters.teams.ports import Activity
from bot.access.pseudonyms import Pseudonyms
from bot.model.messages import InboundQuestion
from bot.model.posted import MessagePlace, Posted, PostedMessages, Subject
from bot.ports import Lease
from bot.questions.streaming import GrowingAnswer
from bot.render.teams.stream import streamed
from bot.wording.answers import reading_steps
from rag_core.errors import PolicyBotError, Rejected
from rag_core.ports import NobodyWatching, Watching

STREAM_SECONDS = 110.0
"""Teams ends a stream after 120; what is not whole by then is no part of it any more."""

OVER = "teams_stream_over"
_MOST_CHARACTERS = 9_000


class Over(StrEnum):
    """Why a stream is over: `why` of Rejected("teams_stream_over"), "" where Teams does not say."""

    NOT = "not"
    UNKNOWN = ""
    COMPLETED = "completed"
    TIME = "time"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class Begun:
    """What there is of an answer in Teams: `id` of a stream that was begun, "" for none; `text`: what it shows of the
    answer."""

    id: str = ""
    text: str = ""
    over: Over = Over.NOT


@dataclass(frozen=True, slots=True)
class StreamPace:
    """Seconds. `begin_after`: what is answered sooner is no stream. `every`: between two parts;
    `last_after`: before the last one. `longest`: after it nothing is added."""

    begin_after: float = 0.5
    every: float = 1.5
    last_after: float = 1.0
    longest: float = STREAM_SECONDS


class TeamsStream:
    """Nothing is sent before `may_begin` agrees. `begun` is told of the stream as soon as it is there. `steps`: what is
    shown before there is a statement; 1,000 characters at most."""

    def __init__(
        self,
        poster: TeamsPoster,
        to: TeamsReference,
        question_id: str,
        *,
        steps: Sequence[str],
        may_begin: Callable[[], Awaitable[bool]],
        begun: Callable[[str], Awaitable[None]],
        pace: StreamPace,
    ) -> None:
        self._poster = poster
        self._to = to
        self._question_id = question_id
        self._steps = list(steps)
        self._may_begin = may_begin
        self._told = begun
        self._pace = pace
        self._begun = Begun()
        self._sequence = 0
        self._sent_at = 0.0
        self._first_at = 0.0
        self.watching = GrowingAnswer(self._write, streamed, most=_MOST_CHARACTERS)

    @property
    def is_begun(self) -> bool:
        return bool(self._begun.id)

    async def close(self) -> Begun:
        """Nothing is written any more, and the last part may be sent now; what there is."""
        await self.watching.close()
        if self._begun.id:
            now = asyncio.get_running_loop().time()
            await asyncio.sleep(max(0.0, self._sent_at + self._pace.last_after - now))
            if self._begun.over is Over.NOT and self._is_late():
                self._begun = replace(self._begun, over=Over.TIME)
        return self._begun

    def cancel(self) -> None:
        self.watching.cancel()

    async def _write(self) -> None:
        if not await self.watching.rest(self._pace.begin_after) or not await self._may_begin():
            return
        if self.watching.is_closed:
            return
        self._first_at = asyncio.get_running_loop().time()
        id_ = await self._sent("informative", self._steps.pop(0))
        if not id_:  # it cannot be gone on with; the answer comes as a message
            return
        self._begun = Begun(id_)
        await self._told(id_)
        while await self.watching.rest(self._pace.every) and not self._is_late():
            await self._grow()

    async def _grow(self) -> None:
        if text := self.watching.taken():
            shown = f"{self._begun.text}\n\n{text}".strip()
            # before it is known whether Teams took it: the end has to begin with it
            self._begun = replace(self._begun, text=shown.rstrip())
            await self._sent("streaming", shown.rstrip())
        elif self._steps and not self._begun.text:
            await self._sent("informative", self._steps.pop(0))

    async def _sent(self, kind: str, text: str) -> str:
        self._sequence += 1
        info = {"type": "streaminfo", "streamType": kind, "streamSequence": self._sequence}
        if self._begun.id:
            info["streamId"] = self._begun.id
        part: Activity = {"type": "typing", "text": text, "textFormat": "markdown", "entities": [info]}
        try:
            return await self._poster.send(self._to, part, self._question_id)
        except Rejected as exc:
            if exc.code == OVER:  # before the answer was whole: somebody pressed stop, or the time is over
                why = Over.TIME if self._is_late() else over_of(exc)
                self._begun = replace(self._begun, over=Over.STOPPED if why is Over.UNKNOWN else why)
            raise
        finally:
            self._sent_at = asyncio.get_running_loop().time()

    def _is_late(self) -> bool:
        return asyncio.get_running_loop().time() - self._first_at > self._pace.longest


def over_of(error: Rejected) -> Over:
    """Of `teams_stream_over`."""
    try:
        return Over(str(error.details.get("why") or ""))
    except ValueError:
        return Over.UNKNOWN


def last_part(activity: Activity, stream_id: str) -> Activity:
    """The message with which the stream ends: without a number."""
    entities = activity.get("entities")
    kept = [*entities] if isinstance(entities, list | tuple) else []
    return {**activity, "entities": [*kept, {"type": "streaminfo", "streamId": stream_id, "streamType": "final"}]}


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
