"""The state of the pretended workspace: channels, who is in them, and what was posted."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

Clock = Callable[[], datetime]

BOT = "UBOT"
SLACKBOT = "USLACKBOT"


@dataclass(frozen=True, slots=True)
class Channel:
    """`members` are user ids; the bot may post only where it is one of them. `is_im`: a direct message of two.
    `sharing`: what Slack says of a channel that other companies read (`is_ext_shared` ...)."""

    channel_id: str
    name: str
    members: frozenset[str]
    is_private: bool = False
    is_archived: bool = False
    is_im: bool = False
    sharing: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who is known in the workspace; `facts` are further fields of Slack's (`is_restricted` ...)."""

    user: str
    facts: Mapping[str, object] = field(default_factory=dict)

    def shown(self, team: str) -> dict[str, object]:
        """As `users.info` shows him."""
        return {
            "id": self.user,
            "team_id": team,
            "deleted": False,
            "is_bot": False,
            "is_restricted": False,
            **self.facts,
        }


@dataclass(frozen=True, slots=True)
class Message:
    """A message as posted. `visible_to` None: everybody in the channel; else that user alone.

    `via` is how it came: "response_url", "chat.postMessage", "acknowledgement", or "slack" for what Slack
    itself shows when a command fails.
    """

    ts: str
    channel: str
    author: str
    via: str
    payload: Mapping[str, object]
    visible_to: str | None = None
    thread_ts: str | None = None

    @property
    def text(self) -> str:
        return str(self.payload.get("text") or "")

    @property
    def blocks(self) -> list[dict[str, object]]:
        blocks = self.payload.get("blocks")
        return [each for each in blocks if isinstance(each, dict)] if isinstance(blocks, list) else []


DEFAULT_CHANNELS = (
    Channel("C1", "ads-policy", frozenset({BOT, "U1", "U2"})),
    Channel("C2", "launches", frozenset({"U1", "U2"})),
    Channel("C3", "archive", frozenset({BOT, "U1"}), is_archived=True),
    Channel("G1", "legal-only", frozenset({"U2"}), is_private=True),
)

DEFAULT_PEOPLE = (Person("U1"), Person("U2"), Person(BOT, {"is_bot": True}))


@dataclass(slots=True)
class Workspace:
    """One workspace with its channels, people and user groups by id; `messages` in the order they came."""

    clock: Clock
    team: str = "T1"
    channels: dict[str, Channel] = field(default_factory=lambda: {each.channel_id: each for each in DEFAULT_CHANNELS})
    people: dict[str, Person] = field(default_factory=lambda: {each.user: each for each in DEFAULT_PEOPLE})
    usergroups: dict[str, frozenset[str]] = field(default_factory=dict)
    messages: list[Message] = field(default_factory=list)
    _posted: asyncio.Event = field(default_factory=asyncio.Event)
    _last_ts: tuple[int, int] = (0, 0)

    def post(
        self,
        channel: str,
        author: str,
        via: str,
        payload: Mapping[str, object],
        *,
        visible_to: str | None = None,
    ) -> Message:
        thread = payload.get("thread_ts")
        message = Message(
            self._next_ts(), channel, author, via, dict(payload), visible_to, str(thread) if thread else None
        )
        self.messages.append(message)
        self._posted.set()
        return message

    async def received(self, count: int, seconds: float) -> list[Message]:
        """All messages as soon as there are `count`; TimeoutError when that takes longer."""
        async with asyncio.timeout(seconds):
            while len(self.messages) < count:
                self._posted.clear()
                await self._posted.wait()
        return self.messages

    def seen_by(self, user: str, channel: str) -> list[Message]:
        """What `user` sees in `channel`."""
        return [each for each in self.messages if each.channel == channel and each.visible_to in (None, user)]

    def _next_ts(self) -> str:
        """Slack's message ids: seconds and a running number, unique in a channel and rising."""
        second, number = int(self.clock().timestamp()), 0
        if second <= self._last_ts[0]:
            second, number = self._last_ts[0], self._last_ts[1] + 1
        self._last_ts = (second, number)
        return f"{second}.{number:06d}"
