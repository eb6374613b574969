"""What stands in conversations."""

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from ops.sandbox.waiting import Waiting

ADAPTIVE_CARD = "application/vnd.microsoft.card.adaptive"

Clock = Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class Message:
    """As it stands now. `thread`: id of the message that its thread begins with, "" for one that begins it and
    wherever there are no threads. `activity`: what was sent; `before`: what it was before it was changed, at
    `changed_at`, None for never."""

    id: str
    conversation: str
    author: str
    activity: Mapping[str, object]
    at: datetime
    thread: str = ""
    before: tuple[Mapping[str, object], ...] = ()
    is_deleted: bool = False
    is_streaming: bool = False
    heard: bool = False
    """The bot was told of it."""
    changed_at: datetime | None = None

    @property
    def is_by_bot(self) -> bool:
        return self.author.startswith("28:")

    @property
    def is_edited(self) -> bool:
        return bool(self.before)

    @property
    def root(self) -> str:
        """The message that its thread begins with: itself where it begins one."""
        return self.thread or self.id

    @property
    def text(self) -> str:
        return str(self.activity.get("text") or "")

    @property
    def attachments(self) -> list[Mapping[str, object]]:
        return objects(self.activity.get("attachments"))

    @property
    def cards(self) -> list[dict[str, object]]:
        """Contents of its Adaptive Cards."""
        found = [each.get("content") for each in self.attachments if each.get("contentType") == ADAPTIVE_CARD]
        return [each for each in found if isinstance(each, dict)]

    @property
    def card(self) -> dict[str, object]:
        """The first; {} for none."""
        return next(iter(self.cards), {})

    @property
    def entities(self) -> list[Mapping[str, object]]:
        return objects(self.activity.get("entities"))

    @property
    def citations(self) -> list[Mapping[str, object]]:
        found = [each.get("citation") for each in self.entities if each.get("type") == "https://schema.org/Message"]
        return objects(found[0]) if found else []

    @property
    def suggestions(self) -> list[str]:
        """Titles of its suggested actions."""
        found = self.activity.get("suggestedActions")
        actions = found.get("actions") if isinstance(found, dict) else None
        return [str(each.get("title") or "") for each in objects(actions)]

    @property
    def feedback(self) -> str:
        """ "default", "custom", or "" where it cannot be rated."""
        data = self.activity.get("channelData")
        loop = data.get("feedbackLoop") if isinstance(data, dict) else None
        return str(loop.get("type") or "") if isinstance(loop, dict) else ""


class Messages:
    """All messages, by conversation. Nothing is looked for by going through all of them."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._places: dict[str, dict[str, Message]] = {}
        self._last = 0
        self._waiting = Waiting()

    def new_id(self) -> str:
        """Milliseconds, as Teams counts messages; each later than the one before."""
        self._last = max(self._last + 1, int(self._clock().timestamp() * 1000))
        return str(self._last)

    def put(self, message: Message) -> Message:
        self._places.setdefault(message.conversation, {})[message.id] = message
        self._waiting.changed()
        return message

    def post(
        self,
        conversation: str,
        author: str,
        activity: Mapping[str, object],
        *,
        thread: str = "",
        id_: str = "",
        is_streaming: bool = False,
        heard: bool = False,
    ) -> Message:
        made = Message(id_ or self.new_id(), conversation, author, activity, self._clock(), thread)
        return self.put(replace(made, is_streaming=is_streaming, heard=heard))

    def change(self, message: Message, activity: Mapping[str, object], *, is_streaming: bool = False) -> Message:
        before = message.before if message.is_streaming else (*message.before, message.activity)
        changed = replace(message, activity=activity, before=before, changed_at=self._clock())
        return self.put(replace(changed, is_streaming=is_streaming))

    def find(self, conversation: str, id_: str) -> Message | None:
        return self._places.get(conversation, {}).get(id_)

    def listed(self, conversation: str, *, deleted: bool = False) -> list[Message]:
        found = self._places.get(conversation, {}).values()
        return [each for each in found if deleted or not each.is_deleted]

    def everywhere(self) -> Iterator[Message]:
        """What stands in any conversation now."""
        for each in self._places.values():
            yield from (message for message in each.values() if not message.is_deleted)

    def nudge(self) -> None:
        """Something that is waited for has changed."""
        self._waiting.changed()

    async def until(self, holds: Callable[[], bool], seconds: float) -> None:
        """Waits for something about messages; TimeoutError when that takes longer."""
        await self._waiting.until(holds, seconds)


@dataclass(slots=True)
class Numbers:
    """Ids that are no message's: of events, invokes, requests."""

    _count: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    def event(self) -> str:
        return f"f:{next(self._count):019d}"


def objects(value: object) -> list[Mapping[str, object]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
