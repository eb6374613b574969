"""Messages that the bot has posted: replies, edits, clicks and follow-ups find their question by them."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from bot.model.tasks import Background
from rag_core.errors import Unavailable


class Subject(StrEnum):
    """What a message of the bot is about; `Posted.subject_id` is the id of it."""

    ANSWER = "answer"
    ESCALATION = "escalation"
    ALERT = "alert"


@dataclass(frozen=True, slots=True)
class MessagePlace:
    """A message by the platform's own ids. `thread`: the message that its thread begins with, which may be itself."""

    platform: str
    workspace: str
    channel: str
    message: str
    thread: str


@dataclass(frozen=True, slots=True)
class Posted:
    """A message that the bot posted. `asked_in`: the message of the person that it answers, or the notice that it is
    where a platform cannot be searched; "" for none (a command).

    `person` is who asked, as records know people (a pseudonym), "" for nobody.
    """

    place: MessagePlace
    subject: Subject
    subject_id: str
    posted_at: datetime
    asked_in: str = ""
    person: str = ""


class PostedMessages(Protocol):
    """Remembers them for `bot.model.posted.KEPT_DAYS`. Raises Unavailable."""

    async def save(self, posted: Posted) -> None:
        """One row a message; saving it again replaces what was said of it."""
        ...

    async def of_subject(self, subject: Subject, subject_id: str) -> tuple[Posted, ...]:
        """Oldest first."""
        ...

    async def in_thread(self, platform: str, workspace: str, channel: str, thread: str) -> tuple[Posted, ...]:
        """All of one thread, oldest first, the message that it begins with among them."""
        ...

    async def answering(self, platform: str, workspace: str, channel: str, asked_in: str) -> Posted | None:
        """The answer to a person's message, the last one if there are several."""
        ...

    async def remove(self, place: MessagePlace) -> None: ...


class PostedAt(Protocol):
    """The same, by where a message stands. Raises Unavailable."""

    async def at(self, platform: str, workspace: str, channel: str, message: str) -> Posted | None: ...


KEPT_DAYS = 90
"""How long a thread can be gone on with, an answer be shared and an edit be followed."""


_log = logging.getLogger(__name__)

_AT_ONCE = (0.0, 0.2, 0.5)
_LATER = (5.0, 20.0, 60.0, 120.0, 240.0)


@dataclass(frozen=True, slots=True)
class KeepingPosted:
    """Raises nothing: the message is there, whatever becomes of the note of it."""

    posted: PostedMessages
    tasks: Background
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    async def keep(self, posted: Posted) -> None:
        """That it was posted is known once this is written. Who dies before that has to find it on the platform."""
        if not await self._saved(posted, _AT_ONCE):
            self.tasks.start(self._save_later(posted), "keep where an answer was posted")

    async def forget(self, place: MessagePlace) -> None:
        """It is there no more."""
        try:
            await self.posted.remove(place)
        except Unavailable as exc:
            _log.warning("posted message not forgotten: code=%s", exc.code)

    async def _save_later(self, posted: Posted) -> None:
        if not await self._saved(posted, _LATER):
            raise Unavailable("store_down")

    async def _saved(self, posted: Posted, waits: tuple[float, ...]) -> bool:
        for wait in waits:
            if wait:
                await self.sleep(wait)
            try:
                await self.posted.save(posted)
            except Unavailable as exc:
                _log.warning("posted message not kept yet: code=%s", exc.code)
            else:
                return True
        return False
