"""The bot's ways in as people in Slack meet them: the stand-in in front of it, a hand-written inbox behind it."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp.test_utils import unused_port

from adapters.local.claims import LocalClaims
from adapters.slack.addresses import SlackAddress, slack_address
from adapters.slack.settings import SlackSettings
from adapters.slack.tasks import SlackTasks
from bot.channel_settings import ChannelPreferences
from bot.messages import InboundQuestion
from bot.posted import MessagePlace, Posted, Subject
from bot.render.slack_view import SlackShortcut
from bot.threads import ThreadsWithBot
from ops.sandbox.slack import EVERY_EVENT, NO_LIMITS, App, SlackStandIn
from ops.sandbox.slack.workspace import Message
from rag_core.documents import PolicySource
from rag_core.errors import Unavailable
from tests.fakes.slack import NOW, SIGNING_SECRET, FakeClock, FakeInbox, bot_server

APP = App(
    events=EVERY_EVENT,
    shortcuts={SlackShortcut.ASK.value: "Ask"},
    message_shortcuts={SlackShortcut.CHECK_MESSAGE.value: "Check"},
)
SOURCES = (PolicySource("sample", "Sample platform", ("sample",)),)


class FakePosted:
    """PostedMessages of one thread after the other."""

    def __init__(self) -> None:
        self.rows: list[Posted] = []
        self.down = False

    def answered(self, thread: str, channel: str = "C1", subject: Subject = Subject.ANSWER) -> None:
        place = MessagePlace("slack", "T1", channel, f"{thread}1", thread)
        self.rows.append(Posted(place, subject, "a1", NOW))

    async def save(self, posted: Posted) -> None:
        self.rows.append(posted)

    async def of_subject(self, subject: Subject, subject_id: str) -> tuple[Posted, ...]:
        return tuple(each for each in self.rows if (each.subject, each.subject_id) == (subject, subject_id))

    async def in_thread(self, platform: str, workspace: str, channel: str, thread: str) -> tuple[Posted, ...]:
        if self.down:
            raise Unavailable("database_locked")
        return tuple(each for each in self.rows if (each.place.channel, each.place.thread) == (channel, thread))

    async def answering(self, platform: str, workspace: str, channel: str, asked_in: str) -> Posted | None:
        return next((each for each in self.rows if each.asked_in == asked_in), None)

    async def remove(self, place: MessagePlace) -> None:
        self.rows = [each for each in self.rows if each.place != place]


@dataclass(slots=True)
class FakePreferences:
    """ChannelSettings: the same for every channel."""

    of_all: ChannelPreferences = field(default_factory=ChannelPreferences)
    down: bool = False

    async def of(self, platform: str, workspace: str, channel: str) -> ChannelPreferences:
        if self.down:
            raise Unavailable("database_locked")
        return self.of_all

    async def save(self, platform: str, workspace: str, channel: str, preferences: ChannelPreferences, by: str) -> None:
        self.of_all = preferences

    async def remove_workspace(self, platform: str, workspace: str) -> int:
        return 0


@dataclass(slots=True)
class Ways:
    slack: SlackStandIn
    inbox: FakeInbox
    posted: FakePosted
    preferences: FakePreferences
    clock: FakeClock
    tasks: SlackTasks
    removed: list[tuple[str, ...]] = field(default_factory=list)
    """Answers that were to be removed: team, channel, ts, enterprise."""

    @property
    def asked(self) -> list[str]:
        """The questions that wait."""
        return [each.text for each in self.inbox.waiting]

    @property
    def last(self) -> InboundQuestion:
        return self.inbox.accepted[-1]

    @property
    def address(self) -> SlackAddress:
        """Where the last one is answered."""
        return slack_address(self.last.reply_address)

    def told(self, user: str = "U1", channel: str = "C1") -> list[Message]:
        """What only this person sees."""
        return self.slack.person(user).ephemeral(channel)

    async def idle(self) -> None:
        """Until the bot has done what it does after it acknowledged."""
        while self.tasks._tasks:
            await asyncio.wait(tuple(self.tasks._tasks), timeout=5)

    def forget(self) -> None:
        self.inbox.accepted.clear()
        self.inbox.withdrawn.clear()
        self.inbox.failure = None
        self.removed.clear()
        self.slack.messages.clear()


async def sources() -> Sequence[PolicySource]:
    return SOURCES


@asynccontextmanager
async def ways_in(app: App = APP, **ports: Any) -> AsyncIterator[Ways]:
    """Slack and the bot over HTTP; `ports` win over the usual fields of its parts."""
    port, clock, inbox, posted = unused_port(), FakeClock(), FakeInbox(), FakePosted()
    preferences, claims, tasks, removed = FakePreferences(), LocalClaims(), SlackTasks(), []

    async def withdraw(*where: str) -> None:
        removed.append(where)

    usual: dict[str, Any] = {
        "claims": claims,
        "threads": ThreadsWithBot(claims, posted),
        "channel_settings": preferences,
        "withdrawals": inbox,
        "withdraw": withdraw,
        "sources": sources,
        "tasks": tasks,
    }
    settings = SlackSettings("xoxb-sandbox", SIGNING_SECRET, f"http://127.0.0.1:{port}/api/")
    async with bot_server(inbox.accept, clock, settings, **usual | ports) as url:
        slack = SlackStandIn(url, SIGNING_SECRET, clock=clock, app=app, limits=NO_LIMITS, monotonic=lambda: 0.0)
        await slack.start(port)
        try:
            yield Ways(slack, inbox, posted, preferences, clock, tasks, removed)
        finally:
            await slack.stop()
