"""The bot's ways in as people in Slack meet them: the stand-in in front of it, a hand-written inbox behind it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from aiohttp.test_utils import unused_port

from adapters.local.claims import LocalClaims
from adapters.slack.addresses import SlackAddress, slack_address
from adapters.slack.app import slack_app
from adapters.slack.client import SlackClients
from adapters.slack.oauth.tokens import SingleWorkspace
from adapters.slack.parts import SlackParts
from adapters.slack.settings import SlackSettings
from adapters.slack.socket_mode import SlackSocket, open_socket
from bot.model.channels import ChannelPreferences
from bot.model.messages import InboundQuestion
from bot.model.posted import MessagePlace, Posted, Subject
from bot.model.tasks import Background
from bot.questions.threads import ThreadsWithBot
from bot.render.slack.view import SlackShortcut
from ops.sandbox.slack import EVERY_EVENT, NO_LIMITS, App, SlackStandIn
from ops.sandbox.slack.workspace import Message
from rag_core.documents import PolicySource
from rag_core.errors import Unavailable
from tests.fakes.slack import NOW, SIGNING_SECRET, FakeClock, FakeInbox, bot_server, client
from tests.fakes.slack_channels import ports_of
from tests.fakes.slack_gate import FakeRule

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

    async def remove(self, platform: str, workspace: str, channel: str) -> bool:
        return False


@dataclass
class Ways:
    """`removed`: answers that were to be removed, by team, channel, ts, enterprise."""

    port: int
    inbox: FakeInbox = field(default_factory=FakeInbox)
    posted: FakePosted = field(default_factory=FakePosted)
    preferences: FakePreferences = field(default_factory=FakePreferences)
    clock: FakeClock = field(default_factory=FakeClock)
    tasks: Background = field(default_factory=Background)
    rule: FakeRule = field(default_factory=FakeRule)
    removed: list[tuple[str, ...]] = field(default_factory=list)
    slack: SlackStandIn = field(init=False)
    connect: Callable[..., AbstractAsyncContextManager[SlackSocket]] = field(init=False)

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
    made, usual = _made(unused_port())
    async with bot_server(made.inbox.accept, made.clock, _settings(made), **usual | ports) as url:
        made.slack = SlackStandIn(url, SIGNING_SECRET, clock=made.clock, app=app, limits=NO_LIMITS, monotonic=_still)
        await made.slack.start(made.port)
        try:
            yield made
        finally:
            await made.slack.stop()


@asynccontextmanager
async def ways_over_socket(app: App = APP, *, ack_seconds: float = 3.0, **ports: Any) -> AsyncIterator[Ways]:
    """The same over Socket Mode; nothing of it is reached over HTTP. `Ways.connect` opens a connection."""
    made, usual = _made(unused_port())
    made.slack = SlackStandIn(
        "http://127.0.0.1:9",
        SIGNING_SECRET,
        clock=made.clock,
        app=replace(app, is_socket=True),
        limits=NO_LIMITS,
        monotonic=_still,
        ack_seconds=ack_seconds,
    )
    settings = replace(_settings(made), signing_secret="", app_token="xapp-sandbox")
    await made.slack.start(made.port)
    try:
        async with client() as session:
            clients = SlackClients(session, SingleWorkspace(settings.bot_token), settings.api_url)
            parts = SlackParts(settings, made.inbox.accept, clients, clock=made.clock, **usual | ports)
            made.connect = partial(open_socket, slack_app(parts), settings, renew_seconds=0.1)
            yield made
            await made.tasks.aclose()
    finally:
        await made.slack.stop()


def _still() -> float:
    return 0.0


def _settings(ways: Ways) -> SlackSettings:
    return SlackSettings("xoxb-sandbox", SIGNING_SECRET, f"http://127.0.0.1:{ways.port}/api/")


def _made(port: int) -> tuple[Ways, dict[str, Any]]:
    """Without its stand-in, and the usual fields of the bot's parts."""
    made, claims = Ways(port), LocalClaims()

    async def withdraw(*where: str) -> None:
        made.removed.append(where)

    usual: dict[str, Any] = {
        "claims": claims,
        "threads": ThreadsWithBot(claims, made.posted),
        "channels": ports_of(made.preferences, made.rule),
        "withdrawals": made.inbox,
        "withdraw": withdraw,
        "sources": sources,
        "tasks": made.tasks,
    }
    return made, usual
