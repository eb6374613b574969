"""An answer that grows in a personal chat: first that it is worked on, then by whole verified statements.

https://learn.microsoft.com/microsoftteams/platform/bots/streaming-ux: every part holds what the parts before it held,
the last one as well; one request a second; two minutes in all.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from adapters.teams.addresses import TeamsReference
from adapters.teams.ports import Activity
from adapters.teams.posting import TeamsPoster
from bot.questions.streaming import GrowingAnswer
from bot.render.teams.stream import streamed
from rag_core.errors import Rejected

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
