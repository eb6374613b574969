"""Teams with a channel where people are asked, and all that the bot tells by itself, sent by hand: on the stand-in,
with the connector's adapters and the embedded stores."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import web
from aiohttp.test_utils import TestServer
from sqlalchemy.ext.asyncio import AsyncEngine

from adapters.local.limits import LocalPostingPace
from adapters.local.signing import CardSigning
from adapters.sql.audit.answers import SqlAnswerRecords, SqlGivenAnswers
from adapters.sql.chat.channel_settings import SqlChannelSettings
from adapters.sql.chat.conversations import SqlKnownConversations
from adapters.sql.chat.posted import SqlPostedMessages
from adapters.sql.database.vault import Vault, new_key
from adapters.sql.people.curated import SqlCuratedAnswers
from adapters.sql.people.escalations import SqlEscalations
from adapters.sql.policies.store import SqlKeptPassages, SqlPolicyStore
from adapters.teams.access import TeamsAdmission
from adapters.teams.addresses import PLATFORM, TeamsReference, channel_of
from adapters.teams.app import MESSAGES_PATH, teams_routes
from adapters.teams.botframework.opening import BotFramework, open_botframework
from adapters.teams.conversations import reference_in
from adapters.teams.delivery.notices import NamesInTeams, TeamsNoticeSink
from adapters.teams.delivery.signed_cards import signed_card
from adapters.teams.parts import TeamsParts, TeamsPeople
from adapters.teams.settings import TeamsSettings
from bot.access.groups import Access
from bot.access.pseudonyms import Pseudonyms
from bot.alerts.sender import NoticePace, NoticeService
from bot.alerts.subscribing import Subscribing, SubscriptionCommands
from bot.answers.curated import Curating
from bot.model.channels import ChannelPreferences, KnownConversation
from bot.model.messages import Actor, InboundQuestion
from bot.model.notices import Notice, NoticeKind
from bot.model.tasks import Background
from bot.people.answers import AskingPeople, PeopleMessages, PeoplePorts
from bot.people.curation import SavingCurated
from bot.people.escalations import EscalationViews
from bot.render.teams import escalation
from bot.render.teams.alert import teams_alert
from bot.render.teams.elements import attachment, card, text_block
from bot.render.teams.people import data, here, open_dialog
from bot.render.teams.view import TeamsVerb
from bot.wording.teams import COMMAND
from ops.chat.people import people_renderers
from ops.chat.teams import nobodys_group
from ops.sandbox.teams import TeamsStandIn
from ops.sandbox.teams.messages import Message
from ops.sandbox.teams.world import CHANNEL, TEAM, TEAM_THREAD, TENANT, object_id
from ops.teams_sdk import app_tokens, channel_tokens
from tests.fakes.alerts import LINKS, Newsroom
from tests.fakes.databases import migrated_engine
from tests.fakes.directories import FakeDirectory
from tests.fakes.notices import Timer
from tests.fakes.slack_people import PUBLIC, SECRET, given_answer

GENERAL, ADS = channel_of(TEAM_THREAD, TEAM), channel_of(CHANNEL, TEAM)
LEGAL = f"entra:{TENANT}/55555555-5555-5555-5555-555555555555"
PSEUDONYMS = Pseudonyms(bytes(32))


def person(number: int) -> str:
    return object_id(number)


def chat(number: int) -> str:
    return f"a:chat-{number}"


@dataclass
class FakeOwners:
    """`TeamOwners`: None while it is not known."""

    owners: set[str] | None = field(default_factory=lambda: {person(1)})

    async def owns(self, tenant: str, team_group_id: str, person: str) -> bool | None:
        return None if self.owners is None else person in self.owners


@dataclass
class PeopleInTeams:
    """1, 2 and 3 are members; 1 owns the team. Questions are asked in "ads", people in "general"."""

    teams: TeamsStandIn
    engine: AsyncEngine
    sdk: BotFramework
    parts: TeamsParts
    people: TeamsPeople
    news: Newsroom
    sink: TeamsNoticeSink
    service: NoticeService
    known: SqlKnownConversations
    settings: SqlChannelSettings
    directory: FakeDirectory
    owners: FakeOwners
    questions: list[InboundQuestion]

    async def settled(self) -> None:
        """Nothing is under way any more."""
        while self.parts.background._tasks:
            await asyncio.gather(*self.parts.background._tasks, return_exceptions=True)

    async def pump(self) -> int:
        """Sends all that may be sent now."""
        await self.settled()
        before = len([each for each in self.news.log.heard if each[0] == "sent"])
        for _ in range(4):  # what has to wait for its turn is taken again
            while await self.service.once("w"):
                pass
            self.news.clock.move(seconds=3)
        await self.settled()
        return len([each for each in self.news.log.heard if each[0] == "sent"]) - before

    async def knows(self, channel: str, number: int = 0, installed_by: int = 0) -> TeamsReference:
        """As if the bot had been put there."""
        from_ = channel.rpartition("/")[2]
        to = TeamsReference(self.teams.service_url(), TENANT, from_, f"28:{self.teams.tokens.app_id}")
        team = TEAM_THREAD if "/" in channel else ""
        installer = person(installed_by) if installed_by else ""
        fields = {"service_url": to.service_url, "tenant": TENANT, "conversation": from_, "bot": to.bot}
        who = person(number) if number else ""
        await self.known.save(
            KnownConversation(PLATFORM, TENANT, channel, team, who, self.news.clock(), installer, reference=fields)
        )
        return to

    async def answer(self, answer_id: str = "a1", *cites: Any, shown_in: str = ADS, groups: Any = frozenset()) -> None:
        """An answer on record, as 1 got it."""
        actor = Actor(PLATFORM, TENANT, person(1))
        record = given_answer(answer_id, actor, PSEUDONYMS.of(actor), cites or (PUBLIC,), groups, shown_in)
        await SqlAnswerRecords(self.engine).save(record)

    async def answered(self, answer_id: str = "a1", channel: str = ADS) -> Message:
        """A message of the bot's with the button: in a thread of its own, or in 1's chat."""
        to = await reference_in(self.known, TENANT, channel)
        assert to is not None
        assert self.parts.signing is not None
        button = open_dialog("Ask a person", data(TeamsVerb.ASK_PERSON, answer=answer_id))
        made = {"type": "message", "attachments": [attachment(card([text_block("An answer.")], [button]))]}
        id_ = await self.sdk.outbound.send(to, signed_card(made, self.parts.signing, to.signed_for))
        return next(each for each in self.teams.messages(to.conversation) if each.id == id_)

    async def asks(self, note: str = "", number: int = 1, channel: str = ADS, answer_id: str = "a1") -> None:
        """The click, and the dialog with a note."""
        who = self.teams.person(number)
        await who.clicks(await self.answered(answer_id, channel), "Ask a person")
        assert who.dialog is not None, who.told
        await who.submits(who.dialog, {"note": note} if note else {})

    async def escalated(self, **more: Any) -> Message:
        """The message where people are asked."""
        await self.asks(**more)
        await self.pump()
        return self.teams.bot_messages("general")[-1]

    def now(self, message: Message) -> str:
        return shown(self.teams.message(message))


def shown(message: Message) -> str:
    """All that it says, without the characters that hold apart."""
    return json.dumps(dict(message.activity), ensure_ascii=False).replace("\u2060", "")


def shown_card(found: Mapping[str, object]) -> str:
    return json.dumps(dict(found), ensure_ascii=False).replace("\u2060", "")


@asynccontextmanager
async def people_in_teams(folder: Path, **changes: Any) -> AsyncIterator[PeopleInTeams]:
    """`changes`: of the settings."""
    async with migrated_engine(folder) as engine, aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session:
        routes: list[web.RouteDef] = []

        async def receive(request: web.Request) -> web.StreamResponse:
            answered: web.StreamResponse = await routes[0].handler(request)
            return answered

        app = web.Application()
        app.add_routes([web.post(MESSAGES_PATH, receive)])
        async with TestServer(app) as server:
            teams = TeamsStandIn(str(server.make_url("")))
            await teams.start()
            try:
                world = await _world(teams, engine, session, changes)
                routes.extend(teams_routes(world.parts))
                yield world
                await world.parts.background.aclose()
            finally:
                await teams.stop()


async def _world(
    teams: TeamsStandIn, engine: AsyncEngine, session: aiohttp.ClientSession, changes: Mapping[str, Any]
) -> PeopleInTeams:
    found = TeamsSettings(
        teams.tokens.app_id,
        frozenset({TENANT}),
        teams.tokens.app_secret,
        openid_url=teams.openid_url,
        issuer=teams.issuer_name,
        scope=teams.scope,
        login_url=teams.login_url,
        **changes,
    )
    sdk = open_botframework(found, session, app_tokens(session, found), channel_tokens(session, found))
    news, vault = Newsroom(engine), Vault([new_key()])
    await news.declare()
    await news.store.save([PUBLIC, SECRET], [])
    known = SqlKnownConversations(engine, vault, PSEUDONYMS.of, now=news.clock, new_id=news.new_id)
    settings = SqlChannelSettings(engine, now=news.clock, new_id=news.new_id)
    directory = FakeDirectory({person(1): frozenset({LEGAL}), person(2): frozenset({LEGAL})}, {})
    access = Access({"legal": frozenset({LEGAL})}, {PLATFORM: directory})
    ports = _ports(engine, vault, news, settings, access)
    owners = FakeOwners()
    names = NamesInTeams(sdk.directory, known)
    people = TeamsPeople(ports, settings, lambda: _platforms(engine), news.subscriptions, owners, names)
    questions: list[InboundQuestion] = []

    async def accept(question: InboundQuestion) -> bool:
        questions.append(question)
        return True

    subscribing = Subscribing(news.subscriptions, SqlPolicyStore(engine), access, now=news.clock, new_id=news.new_id)
    signing = CardSigning([new_key()])
    parts = TeamsParts(
        found,
        sdk.inbound,
        sdk.outbound,
        sdk.directory,
        accept,
        Background(),
        news.clock,
        news.new_id,
        known=known,
        signing=signing,
        subscriptions=SubscriptionCommands(subscribing, LINKS.source_names, 8, COMMAND, here),
        people=people,
        channel_settings=settings,
        admits=TeamsAdmission(sdk.directory, found),
    )

    async def alert(notice: Notice) -> dict[str, object] | None:
        told = await news.read(notice)
        return None if told is None else teams_alert(told, LINKS, news.clock().date())

    renderers = {
        **dict.fromkeys((NoticeKind.ALERT, NoticeKind.DIGEST), alert),
        **people_renderers(ports.messages),
    }
    timer = Timer(news.clock)

    async def no_sleep(_: float) -> None:
        return None

    sink = TeamsNoticeSink(
        sdk.outbound, renderers, ports.posted, known, names, signing, LocalPostingPace(clock=timer), news.clock,
        sleep=no_sleep,
    )  # fmt: skip
    service = NoticeService(
        news.queue, {PLATFORM: sink}, news.subscriptions, news.log,
        worker="w", now=news.clock, monotonic=timer, pace=NoticePace(),
    )  # fmt: skip
    made = PeopleInTeams(
        teams, engine, sdk, parts, people, news, sink, service, known, settings, directory, owners, questions
    )
    for channel in (GENERAL, ADS):
        await made.knows(channel)
    await settings.save(PLATFORM, TENANT, ADS, ChannelPreferences(escalate_to=GENERAL), person(1))
    return made


async def _platforms(engine: AsyncEngine) -> Mapping[str, str]:
    return {each.slug: each.display_name for each in await SqlPolicyStore(engine).sources(frozenset())}


def _ports(
    engine: AsyncEngine, vault: Vault, news: Newsroom, settings: SqlChannelSettings, access: Access
) -> PeoplePorts:
    given, kept, shelf = SqlGivenAnswers(engine), SqlEscalations(engine, vault), SqlCuratedAnswers(engine)
    views, passages = EscalationViews(given, SqlPolicyStore(engine), access), SqlKeptPassages(engine)
    curating = Curating(shelf, passages, now=news.clock, new_id=news.new_id)
    return PeoplePorts(
        asking=AskingPeople(
            given, kept, news.queue, settings, is_group=nobodys_group, now=news.clock, known_as=PSEUDONYMS.of
        ),
        escalations=kept,
        views=views,
        messages=PeopleMessages(kept, views, shelf, LINKS.source_names, escalation),
        posted=SqlPostedMessages(engine),
        saving=SavingCurated(curating, passages, now=news.clock, known_as=PSEUDONYMS.of),
        known_as=PSEUDONYMS.of,
    )
