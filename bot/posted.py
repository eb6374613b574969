"""What the bot has posted and where: by it, follow-ups, edits, clicks and people's replies find what they belong to."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol


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
    """Remembers them for `bot.posted.KEPT_DAYS`. Raises Unavailable."""

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
