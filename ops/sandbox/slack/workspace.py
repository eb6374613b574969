"""The state of one pretended workspace: channels, who is in them, and what was posted."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from ops.sandbox.slack.people import (
    BOT,
    BOT_ID,
    DEFAULT_CHANNELS,
    DEFAULT_GROUPS,
    DEFAULT_USERS,
    SLACKBOT,
    Channel,
    User,
)
from ops.sandbox.tasks import Waiting

Clock = Callable[[], datetime]
Json = dict[str, object]
ORGANISATION = "Sandbox organisation"
_CALLS = re.compile(r"<(?:@|!subteam\^|!)(?=[A-Za-z])([A-Za-z0-9]+)(?:\|[^<>]*)?>")


@dataclass(frozen=True, slots=True)
class Message:
    """A message as it stands now. `visible_to` None: everybody in the channel; else that user alone.

    `via` is how it came: "response_url", "chat.postMessage", "acknowledgement", "person", or "slack" for what
    Slack itself shows when a command fails. `edited`: who changed it last, and when (a ts).
    """

    ts: str
    channel: str
    author: str
    via: str
    payload: Mapping[str, object]
    visible_to: str | None = None
    thread_ts: str | None = None
    subtype: str | None = None
    bot_id: str | None = None
    edited: tuple[str, str] | None = None
    posted_at: datetime | None = None
    is_streaming: bool = False

    @property
    def text(self) -> str:
        return str(self.payload.get("text") or "")

    @property
    def blocks(self) -> list[Json]:
        blocks = self.payload.get("blocks")
        return [each for each in blocks if isinstance(each, dict)] if isinstance(blocks, list) else []

    @property
    def metadata(self) -> Mapping[str, object]:
        found = self.payload.get("metadata")
        return found if isinstance(found, dict) else {}

    @property
    def written(self) -> list[str]:
        """Every text in it that Slack reads for mentions and links: `text` (shown without blocks) and mrkdwn."""
        return [self.text, *_mrkdwn(self.blocks)]

    @property
    def notifies(self) -> set[str]:
        """Whom it calls: user ids, "S1" for groups, "channel", "here", "everyone"."""
        return {found for each in self.written for found in _CALLS.findall(each)}

    @property
    def unfurls(self) -> bool:
        """Whether Slack would show previews of links in it."""
        linked = any("<http" in each for each in self.written)
        return linked and any(self.payload.get(each) is not False for each in ("unfurl_links", "unfurl_media"))

    @property
    def is_broadcast(self) -> bool:
        """A reply that is shown in the channel as well."""
        return self.subtype == "thread_broadcast"


def _mrkdwn(value: object) -> Iterator[str]:
    if isinstance(value, list):
        for each in value:
            yield from _mrkdwn(each)
    elif isinstance(value, dict):
        if value.get("type") in ("mrkdwn", "markdown") and isinstance(value.get("text"), str):
            yield value["text"]
        for each in value.values():
            yield from _mrkdwn(each)


@dataclass(frozen=True, slots=True)
class Change:
    """What happened in a workspace. `what`: "posted", "changed", "deleted", "joined"."""

    what: str
    channel: str
    message: Message | None = None
    previous: Message | None = None
    user: str = ""


@dataclass(slots=True)
class Workspace:
    """One workspace with its channels by id; `messages` in the order they came, ephemeral ones among them."""

    clock: Clock
    team: str = "T1"
    name: str = "Sandbox"
    enterprise: str = ""
    channels: dict[str, Channel] = field(default_factory=lambda: {each.channel_id: each for each in DEFAULT_CHANNELS})
    people: dict[str, User] = field(default_factory=lambda: {each.user_id: each for each in DEFAULT_USERS})
    usergroups: dict[str, frozenset[str]] = field(default_factory=lambda: dict(DEFAULT_GROUPS))
    disabled_usergroups: set[str] = field(default_factory=set)
    messages: list[Message] = field(default_factory=list)
    listeners: list[Callable[["Workspace", Change], None]] = field(default_factory=list)
    _places: dict[tuple[str, str], int] = field(default_factory=dict)
    _threads: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    _waiting: Waiting = field(default_factory=Waiting)
    _last_ts: tuple[int, int] = (0, 0)

    @property
    def domain(self) -> str:
        return self.name.lower().replace(" ", "-")

    @property
    def organisation(self) -> Json | None:
        return {"id": self.enterprise, "name": ORGANISATION} if self.enterprise else None

    def json(self) -> Json:
        named = {"enterprise_id": self.enterprise, "enterprise_name": ORGANISATION} if self.enterprise else {}
        return {"id": self.team, "name": self.name, "domain": self.domain, **named}

    def post(
        self,
        channel: str,
        author: str,
        via: str,
        payload: Mapping[str, object],
        *,
        visible_to: str | None = None,
        subtype: str | None = None,
        bot_id: str | None = None,
        is_streaming: bool = False,
    ) -> Message:
        thread = str(payload.get("thread_ts") or "") or None
        if thread and visible_to is None and payload.get("reply_broadcast") in (True, "true", "1"):
            subtype = "thread_broadcast"
        ts, now = self.next_ts(), self.clock()
        message = Message(
            ts, channel, author, via, dict(payload), visible_to, thread, subtype, bot_id, None, now, is_streaming
        )
        self._places[channel, message.ts] = len(self.messages)
        self.messages.append(message)
        if thread and visible_to is None:
            self._threads.setdefault((channel, thread), []).append(message.ts)
        self._changed(Change("posted", channel, message))
        return message

    def find(self, channel: str, ts: str) -> Message | None:
        place = self._places.get((channel, ts))
        return None if place is None else self.messages[place]

    def change(self, message: Message, payload: Mapping[str, object], editor: str, *, quietly: bool = False) -> Message:
        """Puts `payload` in place of the message's own; `quietly` without an event (what streams do)."""
        edited = message.edited if quietly else (editor, self.next_ts())
        changed = replace(message, payload={**payload}, edited=edited)
        return self.store(changed, previous=None if quietly else message)

    def store(self, message: Message, previous: Message | None = None) -> Message:
        """Keeps `message` in place of the one with its ts; told as a change if `previous` is given."""
        self.messages[self._places[message.channel, message.ts]] = message
        self._waiting.changed()
        if previous is not None:
            self._changed(Change("changed", message.channel, message, previous))
        return message

    def delete(self, message: Message) -> None:
        """Removes it; the first message of a thread with replies leaves a tombstone."""
        if self.replies(message.channel, message.ts):
            text: Json = {"text": "This message was deleted."}
            left = replace(message, payload=text, author=SLACKBOT, subtype="tombstone", bot_id=None, is_streaming=False)
            self.store(left, previous=message)
            return
        del self.messages[self._places[message.channel, message.ts]]
        self._places = {(each.channel, each.ts): place for place, each in enumerate(self.messages)}
        self._changed(Change("deleted", message.channel, None, message))

    def replies(self, channel: str, thread_ts: str) -> list[Message]:
        """What everybody sees in a thread, without its first message."""
        found = [self.find(channel, each) for each in self._threads.get((channel, thread_ts), ())]
        return [each for each in found if each is not None]

    def join(self, channel: str, user: str) -> None:
        found = self.channels[channel]
        if user not in found.members:
            self.channels[channel] = replace(found, members=found.members | {user})
            self._changed(Change("joined", channel, user=user))

    def conversation(self, users: frozenset[str]) -> Channel:
        """The direct message of two, or of several; the same for the same people."""
        known = [each for each in self.channels.values() if each.is_im or each.is_mpim]
        for each in known:
            if each.members == users:
                return each
        is_im, ending = len(users) <= 2, "" if self.team == "T1" else self.team
        name = "dm" if is_im else "mpdm-" + "-".join(sorted(users)).lower()
        id_ = f"{'D' if is_im else 'G9'}{len(known) + 1}{ending}"
        made = self.channels[id_] = Channel(id_, name, users, is_im=is_im, is_mpim=not is_im)
        return made

    async def received(self, count: int, seconds: float) -> list[Message]:
        """All messages as soon as there are `count`; TimeoutError when that takes longer."""
        await self.until(lambda: len(self.messages) >= count, seconds)
        return self.messages

    async def until(self, holds: Callable[[], bool], seconds: float) -> None:
        """Waits for something about the messages; TimeoutError when that takes longer."""
        await self._waiting.until(holds, seconds)

    def seen_by(self, user: str, channel: str) -> list[Message]:
        """What `user` sees in `channel`, threads included."""
        return [each for each in self.messages if each.channel == channel and each.visible_to in (None, user)]

    def _changed(self, change: Change) -> None:
        self._waiting.changed()
        for each in self.listeners:
            each(self, change)

    def next_ts(self) -> str:
        """Slack's message ids: seconds and a running number, unique in a channel and rising."""
        second, number = int(self.clock().timestamp()), 0
        if second <= self._last_ts[0]:
            second, number = self._last_ts[0], self._last_ts[1] + 1
        self._last_ts = (second, number)
        return f"{second}.{number:06d}"


def message_json(space: Workspace, message: Message, app_id: str, *, with_metadata: bool = False) -> Json:
    """A message in history, events and payloads; metadata only where it was asked for."""
    found: Json = {"type": "message", "text": message.text, "ts": message.ts, "team": space.team}
    found |= _author(space, message, app_id) | _thread(space, message)
    if message.subtype:
        found["subtype"] = message.subtype
    if message.blocks:
        found["blocks"] = message.blocks
    elif message.via == "person":
        section = {"type": "rich_text_section", "elements": [{"type": "text", "text": message.text}]}
        found["blocks"] = [{"type": "rich_text", "block_id": "rt", "elements": [section]}]
    if message.edited:
        found["edited"] = {"user": message.edited[0], "ts": message.edited[1]}
    if with_metadata and message.metadata:
        found["metadata"] = dict(message.metadata)
    if message.is_streaming:
        found["streaming_state"] = "in_progress"
    return found


def _author(space: Workspace, message: Message, app_id: str) -> Json:
    if message.author == BOT:
        profile = {"id": BOT_ID, "app_id": app_id, "name": "adpolicy", "team_id": space.team, "deleted": False}
        return {"user": BOT, "bot_id": BOT_ID, "app_id": app_id, "bot_profile": profile}
    if message.bot_id:
        return {"bot_id": message.bot_id, "username": message.author}
    person = space.people.get(message.author)
    home = person.team if person and person.team else space.team
    shared = {} if home == space.team else {"team": home, "user_team": home, "source_team": home}
    return {"user": message.author, "client_msg_id": f"msg-{message.channel}-{message.ts}", **shared}


def _thread(space: Workspace, message: Message) -> Json:
    """Of a reply, and of the first message of a thread."""
    if not message.thread_ts:
        return {}
    parent = space.find(message.channel, message.thread_ts)
    known = {"parent_user_id": parent.author} if parent and parent.author != SLACKBOT else {}
    return {"thread_ts": message.thread_ts, **known}
