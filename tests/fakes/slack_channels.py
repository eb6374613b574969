"""A bot with settings and App Home beside a pretended Slack, over HTTP, with everything behind it in memory."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta

from aiohttp import web
from aiohttp.test_utils import TestServer, unused_port

from adapters.slack.access import ExternalRule, SlackAdmission, everybody
from adapters.slack.app import slack_app, slack_routes
from adapters.slack.client import SlackClients
from adapters.slack.directory import SlackWorkspaces
from adapters.slack.home_tab import InSlackChannels
from adapters.slack.oauth.tokens import authorized_by
from adapters.slack.parts import ChannelPorts, SlackParts
from adapters.slack.settings import SlackSettings
from bot.access.groups import Access
from bot.commands.home import HomeReader, RecentQuestion, SourceStatus
from bot.model.channels import ChannelSettings
from bot.model.messages import Actor
from bot.model.subscriptions import Rhythm, Subscription
from ops.sandbox.slack import NO_LIMITS, SlackStandIn, slack_stand_in
from ops.sandbox.slack.person import Person
from ops.sandbox.slack.views import View
from rag_core.errors import Unavailable
from rag_core.questions import Filters
from tests.fakes.channel_settings import FakeChannelSettings
from tests.fakes.conversing import PSEUDONYMS
from tests.fakes.directories import FakeDirectory
from tests.fakes.slack import NOW, PATIENT_SECONDS, SIGNING_SECRET, FakeClock, FakeInbox, client
from tests.fakes.slack_tokens import FakeTokens

LEGAL = "slack:T1/usergroup/S1"
PLATFORMS = {"acme": "Acme <Ads>", "brim": "Brim"}


def subscription(channel: str, number: int = 1, team: str = "T1") -> Subscription:
    filters = Filters(("acme",), ("uk",))
    return Subscription(f"s{number}", "slack", team, channel, Rhythm.WEEKLY, "U1", NOW, 0, filters)


class FakeSubscriptions:
    """Subscriptions in memory; `ended`: which, and by whom."""

    def __init__(self) -> None:
        self.kept: list[Subscription] = []
        self.ended: list[tuple[str, str]] = []

    async def begin(self, subscription: Subscription) -> bool:
        self.kept.append(subscription)
        return True

    async def end(self, platform: str, workspace: str, channel: str, by: str, subscription_id: str = "") -> int:
        mine = await self.of_channel(platform, workspace, channel)
        gone = [each for each in mine if subscription_id in ("", each.subscription_id)]
        self.kept = [each for each in self.kept if each not in gone]
        self.ended += [(each.subscription_id, by) for each in gone]
        return len(gone)

    async def of_channel(self, platform: str, workspace: str, channel: str) -> tuple[Subscription, ...]:
        return tuple(each for each in await self.of_workspace(platform, workspace) if each.channel == channel)

    async def of_workspace(self, platform: str, workspace: str) -> tuple[Subscription, ...]:
        return tuple(each for each in self.kept if (each.platform, each.workspace) == (platform, workspace))

    async def remove_workspace(self, platform: str, workspace: str) -> int:
        return 0

    async def remove(self, platform: str, workspace: str, channel: str) -> bool:
        return False


class FakeHomeReading:
    """`asked`: (workspace, person) -> questions. `down` makes it silent."""

    def __init__(self) -> None:
        self.asked: dict[tuple[str, str], list[str]] = {}
        self.sources: tuple[SourceStatus, ...] = (
            SourceStatus("Acme <Ads>", NOW, failing=True),
            SourceStatus("Brim", None, failing=False),
        )
        self.down = False

    def asks(self, actor: Actor, *texts: str) -> None:
        self.asked[actor.workspace, PSEUDONYMS.of(actor)] = list(texts)

    async def recent(self, platform: str, workspace: str, person: str, most: int) -> tuple[RecentQuestion, ...]:
        if self.down:
            raise Unavailable("store_unreachable")
        texts = self.asked.get((workspace, person), [])
        return tuple(RecentQuestion(f"a{n}", text, NOW - timedelta(days=n)) for n, text in enumerate(texts))[:most]

    async def statuses(self) -> tuple[SourceStatus, ...]:
        if self.down:
            raise Unavailable("store_unreachable")
        return self.sources


class FakeStarters:
    """Other questions for who is in a group."""

    async def of(self, groups: frozenset[str]) -> tuple[str, ...]:
        return ("What are the rules on kites?", *(f"What are the rules on {each}?" for each in sorted(groups)))


@dataclass(slots=True)
class ChannelDesk:
    """The pretended Slack and what is behind the bot. `down`: the list of platforms does not answer."""

    slack: SlackStandIn
    parts: SlackParts
    inbox: FakeInbox
    settings: FakeChannelSettings
    subscriptions: FakeSubscriptions
    reading: FakeHomeReading
    directory: FakeDirectory
    down: list[str] = field(default_factory=list)

    async def settled(self) -> None:
        await self.slack.catch_up()
        await self.parts.tasks.aclose()

    async def settings_of(self, channel: str, user: str = "U3", team: str = "T1") -> View:
        """Opens them from the home tab."""
        person = self.slack.person(user, team)
        home = await self.home(user, team)
        await person.chooses(home, "adpolicy_open_settings", channel)
        await self.settled()
        assert person.modal is not None
        return person.modal

    async def home(self, user: str = "U1", team: str = "T1") -> View:
        person: Person = self.slack.person(user, team)
        await person.opens_home()
        await self.settled()
        assert person.home is not None
        return person.home


async def no_platforms() -> Mapping[str, str]:
    return {}


async def in_none(actor: Actor, channels: frozenset[str]) -> frozenset[str]:
    return frozenset()


def ports_of(settings: ChannelSettings | None = None, admits: ExternalRule = everybody) -> ChannelPorts:
    """For tests of other things: App Home is there and shows nothing."""
    home = HomeReader(FakeHomeReading(), FakeStarters(), Access({}, {}), PSEUDONYMS, in_channels=in_none)
    return ChannelPorts(settings or FakeChannelSettings(), admits, no_platforms, home)


@asynccontextmanager
async def channel_desk(*, external: bool = False) -> AsyncIterator[ChannelDesk]:
    port, clock = unused_port(), FakeClock()
    async with (
        slack_stand_in(f"http://127.0.0.1:{port}", SIGNING_SECRET, clock=clock, limits=NO_LIMITS) as slack,
        client() as session,
    ):
        slack.add_workspace("T2", token="xoxb-two")
        tokens = FakeTokens(T1="xoxb-sandbox", T2="xoxb-two")
        clients = SlackClients(session, tokens, slack.api_url)
        workspaces = SlackWorkspaces(clients)
        settings, subscriptions, reading = FakeChannelSettings(), FakeSubscriptions(), FakeHomeReading()
        directory, down, inbox = FakeDirectory({}), list[str](), FakeInbox()

        async def platforms() -> Mapping[str, str]:
            if down:
                raise Unavailable("store_unreachable")
            return PLATFORMS

        home = HomeReader(
            reading,
            FakeStarters(),
            Access({"legal": frozenset({LEGAL})}, {"slack": directory}),
            PSEUDONYMS,
            subscriptions=subscriptions,
            in_channels=InSlackChannels(workspaces.of),
        )
        admission = SlackAdmission(workspaces.of, external=external)
        ports = ChannelPorts(settings, admission, platforms, home, subscriptions)
        numbers = iter(range(1, 10_000))
        parts = SlackParts(
            SlackSettings("xoxb-sandbox", SIGNING_SECRET, slack.api_url),
            inbox.accept,
            clients,
            clock=clock,
            new_id=lambda: f"question-{next(numbers)}",
            channels=ports,
        )
        app = web.Application()
        app.add_routes(slack_routes(parts, slack_app(parts, authorized_by(tokens, wait_seconds=PATIENT_SECONDS))))
        server = TestServer(app, port=port)
        await server.start_server()
        try:
            yield ChannelDesk(slack, parts, inbox, settings, subscriptions, reading, directory, down)
        finally:
            await parts.tasks.aclose()
            await server.close()
            await workspaces.aclose()
