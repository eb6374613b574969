"""The bot's ways in as people in Teams meet them: activities over HTTP, a hand-written inbox behind them."""

import asyncio
import io
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from adapters.local.claims import LocalClaims
from adapters.teams.addresses import PLATFORM, TeamsAddress, teams_address
from adapters.teams.app import MESSAGES_PATH, teams_routes
from adapters.teams.messages import TeamsActivity, activity_of
from adapters.teams.parts import TeamsParts
from bot.model.channels import ChannelPreferences, KnownConversation
from bot.model.messages import InboundQuestion
from bot.model.outcomes import Admitted
from bot.model.posted import MessagePlace, Posted, Subject
from bot.model.tasks import Background
from bot.questions.threads import ThreadsWithBot
from rag_core.documents import PolicySource
from rag_core.errors import Unavailable
from tests.fakes.slack import NOW, FakeClock, FakeInbox
from tests.fakes.slack_ways import FakePosted, FakePreferences
from tests.fakes.teams import (
    BOT,
    CHANNEL,
    TEAM,
    TENANT,
    TOKEN,
    FakeDirectory,
    FakeInbound,
    FakeOutbound,
    raw_activity,
    settings,
    user_id,
)

IN_CHANNEL = f"{TEAM}/{CHANNEL}"
ROOT = str(int(NOW.timestamp() * 1000))
SOURCES = (PolicySource("sample", "Sample platform", ("sample",)),)


def posted(thread: str, subject: Subject = Subject.ANSWER, **more: Any) -> Posted:
    """A message of the bot in a thread of the channel."""
    place = MessagePlace(PLATFORM, TENANT, IN_CHANNEL, f"{thread}1", thread)
    return Posted(**{"place": place, "subject": subject, "subject_id": "a1", "posted_at": NOW, **more})


class FakeKnown:
    """KnownConversations and ChannelsOfTeams. `saved` counts; `down`: nothing is known of any."""

    def __init__(self) -> None:
        self.rows: dict[str, KnownConversation] = {}
        self.saved = 0
        self.down = False

    async def save(self, known: KnownConversation) -> None:
        self._up()
        self.saved += 1
        self.rows[known.channel] = known

    async def of_channel(self, platform: str, workspace: str, channel: str) -> KnownConversation | None:
        self._up()
        return self.rows.get(channel)

    async def of_person(self, platform: str, workspace: str, person: str) -> KnownConversation | None:
        self._up()
        return next((each for each in self.rows.values() if each.person == person), None)

    async def of_team(self, platform: str, workspace: str, team: str) -> tuple[str, ...]:
        self._up()
        return tuple(each.channel for each in self.rows.values() if each.team == team)

    async def remove(self, platform: str, workspace: str, channel: str) -> bool:
        self._up()
        return self.rows.pop(channel, None) is not None

    async def remove_team(self, platform: str, workspace: str, team: str) -> tuple[str, ...]:
        gone = await self.of_team(platform, workspace, team)
        for each in gone:
            del self.rows[each]
        return gone

    def _up(self) -> None:
        if self.down:
            raise Unavailable("database_locked")


@dataclass
class Ways:
    """`removed`: where answers were to be removed; `forgotten`: (tenant, channel) that the app left."""

    inbox: FakeInbox = field(default_factory=FakeInbox)
    outbound: FakeOutbound = field(default_factory=FakeOutbound)
    directory: FakeDirectory = field(default_factory=FakeDirectory)
    posted: FakePosted = field(default_factory=FakePosted)
    preferences: FakePreferences = field(default_factory=FakePreferences)
    known: FakeKnown = field(default_factory=FakeKnown)
    clock: FakeClock = field(default_factory=FakeClock)
    background: Background = field(default_factory=Background)
    claims: LocalClaims = field(default_factory=LocalClaims)
    verdict: Admitted = Admitted.ALLOWED
    starters: Sequence[str] = ("What are the rules on alcohol?", "What are the rules on gambling?")
    removed: list[TeamsAddress] = field(default_factory=list)
    forgotten: list[tuple[str, str]] = field(default_factory=list)
    forgetting_fails: bool = False
    client: "TestClient[Any, Any]" = field(init=False)

    @property
    def asked(self) -> list[str]:
        """The questions that wait."""
        return [each.text for each in self.inbox.waiting]

    @property
    def last(self) -> InboundQuestion:
        return self.inbox.accepted[-1]

    @property
    def address(self) -> TeamsAddress:
        """Where the last one is answered."""
        return teams_address(self.last.reply_address)

    @property
    def told(self) -> list[str]:
        return [str(each.activity.get("text", "")) for each in self.outbound.written]

    async def hears(self, raw: Mapping[str, object]) -> TeamsActivity:
        """An activity, delivered; the bot has done all that it does."""
        assert await self.deliver(raw) == 200
        return activity_of(raw)

    async def says(self, text: str = "", **more: Any) -> TeamsActivity:
        return await self.hears(raw_activity(text, **more))

    async def deliver(self, raw: Mapping[str, object]) -> int:
        body, headers = io.BytesIO(json.dumps(raw).encode()), {"Authorization": TOKEN}
        async with self.client.post(MESSAGES_PATH, data=body, headers=headers) as answer:
            status = answer.status
        await self.idle()
        return status

    async def idle(self) -> None:
        """Until the bot has done what it does after it answered."""
        while self.background._tasks:
            await asyncio.wait(tuple(self.background._tasks), timeout=5)

    def parts(self) -> TeamsParts:
        numbers = iter(range(1, 1_000_000))

        async def sources() -> Sequence[PolicySource]:
            return SOURCES

        return TeamsParts(
            settings(),
            FakeInbound(),
            self.outbound,
            self.directory,
            self.inbox.accept,
            self.background,
            self.clock,
            lambda: f"q{next(numbers)}",
            known=self.known,
            channels_of=self.known,
            claims=self.claims,
            threads=ThreadsWithBot(self.claims, self.posted),
            withdrawals=self.inbox,
            sources=sources,
            admits=self._admits,
            channel_settings=self.preferences,
            withdraw=self._withdraw,
            starters=self._starters,
            forget=(self._forget,),
        )

    async def _admits(self, address: TeamsAddress, *, seconds: float = 0.0) -> Admitted:
        return self.verdict

    async def _withdraw(self, address: TeamsAddress) -> bool:
        self.removed.append(address)
        return True

    async def _starters(self) -> Sequence[str]:
        return self.starters

    async def _forget(self, tenant: str, channel: str) -> None:
        if self.forgetting_fails:
            raise Unavailable("database_locked")
        self.forgotten.append((tenant, channel))


@asynccontextmanager
async def ways_in() -> AsyncIterator[Ways]:
    ways = Ways()
    app = web.Application()
    app.add_routes(teams_routes(ways.parts()))
    async with TestClient(TestServer(app)) as client:
        ways.client = client
        yield ways
        await ways.background.aclose()


def no_follow_ups() -> ChannelPreferences:
    return ChannelPreferences(follow_ups=False)


def mention(of: str = BOT, name: str = "AdPolicy") -> dict[str, object]:
    return {"type": "mention", "mentioned": {"id": of, "name": name}, "text": f"<at>{name}</at>"}


def person_mention(number: int) -> dict[str, object]:
    return mention(user_id(number), f"Person {number}")


def in_channel(text: str, **more: Any) -> dict[str, object]:
    return raw_activity(text, where=CHANNEL, **more)


def edit(
    text: str, of: str, at: str = "2026-03-02T09:01:00Z", event: str = "editMessage", **more: Any
) -> dict[str, object]:
    raw = raw_activity(text, kind="messageUpdate", id_=of, timestamp=at, **more)
    data: Any = raw["channelData"]
    return raw | {"channelData": {**data, "eventType": event}}


def deletion(of: str, **more: Any) -> dict[str, object]:
    return edit("", of, event="softDeleteMessage", **more) | {"type": "messageDelete"}
