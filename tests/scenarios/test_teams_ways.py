"""The ways into the bot as people meet them: the stand-in for Teams in front, a hand-written inbox behind."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from adapters.teams.access import TeamsAdmission
from adapters.teams.addresses import TeamsReference
from adapters.teams.app import teams_routes
from adapters.teams.messages import TeamsActivity, activity_of, read_activity
from adapters.teams.ports import TeamsMember
from bot.model.outcomes import Admitted
from ops.sandbox.teams import TENANT, PersonKind, TeamsStandIn, teams_stand_in
from ops.sandbox.teams.world import CHANNEL, GROUP_CHAT, TEAM, TEAM_THREAD, object_id
from tests.fakes.teams import FakeOutbound, settings
from tests.fakes.teams_bot import ConnectorClient
from tests.fakes.teams_ways import Ways

QUESTION = "can I advertise alcohol in the UK?"
IN_CHANNEL = f"{TEAM}/{CHANNEL}"


class Believing:
    """A `TeamsInbound`: who is behind a token is another test's question."""

    async def receive(self, authorization: str, body: bytes) -> TeamsActivity:
        return activity_of(read_activity(body))


class Connected(FakeOutbound):
    """A `TeamsOutbound` and `TeamsDirectory` on the stand-in's connector."""

    def __init__(self, client: ConnectorClient) -> None:
        super().__init__()
        self._client = client

    async def send(self, to: TeamsReference, activity: Any, *, once: bool = False) -> str:
        status, made = await self._client.call("POST", f"/{to.conversation}/activities", activity, to.tenant)
        assert status in (200, 201), made
        return str(made["id"])

    async def member(self, to: TeamsReference, user: str) -> TeamsMember | None:
        return next((each for each in await self.members(to, 500) if user in (each.user, each.person)), None)

    async def members(self, to: TeamsReference, most: int) -> Sequence[TeamsMember]:
        status, found = await self._client.call("GET", f"/{to.conversation}/members", tenant=to.tenant)
        assert status == 200, found
        return [
            TeamsMember(each["id"], each.get("aadObjectId", ""), each["name"], each["tenantId"], each["userRole"])
            for each in found
        ]


@dataclass
class World:
    ways: Ways
    teams: TeamsStandIn
    rule: TeamsAdmission


@asynccontextmanager
async def world_with(**more: Any) -> AsyncIterator[World]:
    """4 is a guest, and 5 of another organisation; neither is anywhere yet."""
    ways, heard = Ways(), list[Any]()

    async def receive(request: web.Request) -> web.StreamResponse:
        answer: web.StreamResponse = await heard[0](request)
        return answer

    app = web.Application()
    app.router.add_post("/api/messages", receive)
    async with (
        TestServer(app) as server,
        teams_stand_in(str(server.make_url("")), clock=ways.clock, **more) as teams,
        aiohttp.ClientSession() as session,
    ):
        teams.world.add_person(4, kind=PersonKind.GUEST)
        teams.world.add_person(5, kind=PersonKind.FEDERATED)
        connected = Connected(ConnectorClient(teams, session))
        [route] = teams_routes(replace(ways.parts(), inbound=Believing(), outbound=connected, directory=connected))
        heard.append(route.handler)
        rule = TeamsAdmission(connected, settings())
        yield World(ways, teams, rule)
        await ways.background.aclose()
        await rule.aclose()


@pytest.fixture
async def world() -> AsyncIterator[World]:
    async with world_with() as made:
        yield made


async def test_installed_for_one_person_it_is_welcomed_with_questions_to_click(world: World) -> None:
    person = world.teams.person(1)
    await person.uninstalls()
    for seen in await person.installs():
        assert seen.status == 200
    await world.ways.idle()
    [said] = world.teams.bot_messages(person.chat.id)
    assert world.ways.known.rows[person.chat.id].installed_by == object_id(1)
    await person.clicks(said, world.ways.starters[0])
    assert world.ways.asked == [world.ways.starters[0]]
    assert world.ways.last.private


async def test_in_a_team_a_click_on_a_question_asks_it_below_the_welcome(world: World) -> None:
    person = world.teams.person(1)
    await person.uninstalls("ads")
    await person.installs("ads")
    await world.ways.idle()
    [said] = [each for name in ("ads", "general") for each in world.teams.bot_messages(name)]
    await world.teams.person(2).clicks(said, world.ways.starters[1])
    assert world.ways.asked == [world.ways.starters[1]]
    assert world.ways.last.actor.person == object_id(2)
    assert not world.ways.last.private


async def test_a_mention_and_its_thread_and_what_others_say_in_it(world: World) -> None:
    first, second = world.teams.person(1), world.teams.person(2)
    asked = await first.mentions(QUESTION)
    assert asked.message is not None
    assert (asked.status, world.ways.asked) == (200, [QUESTION])
    assert world.ways.last.conversation.channel == IN_CHANNEL
    assert world.ways.last.conversation.thread == asked.message.id
    for text in ("and in France?", "I will ask legal"):
        await second.says(text, thread=asked.message.id)
    await second.mentions("what about @bot Germany?", thread=asked.message.id)
    heard = [each.text for each in world.ways.inbox.accepted]
    assert heard[0] == QUESTION
    assert "I will ask legal" not in heard
    assert {each.conversation.thread for each in world.ways.inbox.accepted} == {asked.message.id}


async def test_where_the_bot_hears_everything_a_follow_up_needs_no_mention() -> None:
    async with world_with() as world:
        world.teams.world.teams[TEAM].hears_all = True
        asked = await world.teams.person(1).mentions(QUESTION)
        assert asked.message is not None
        await world.teams.person(2).says("and in France?", thread=asked.message.id)
        await world.teams.person(2).says("lunch?", thread=asked.message.id)
        assert world.ways.asked == [QUESTION, "and in France?"]


async def test_delivered_twice_it_is_asked_once(world: World) -> None:
    world.teams.disorder.duplicate_every = 1
    asked = await world.teams.person(1).mentions(QUESTION)
    await world.teams.catch_up()
    await world.teams.redeliver(asked)
    assert world.ways.asked == [QUESTION]


async def test_an_edit_a_deletion_and_its_being_taken_back(world: World) -> None:
    person = world.teams.person(1)
    asked = await person.mentions("beer ads?")
    assert asked.message is not None
    world.ways.clock.move(seconds=5)
    changed = await person.edits(asked.message, "wine ads?")
    assert changed.message is not None
    assert (world.ways.asked, world.ways.address.edits) == (["wine ads?"], True)
    world.ways.clock.move(seconds=5)
    await person.deletes(changed.message)
    assert world.ways.asked == []
    world.ways.clock.move(seconds=5)
    await person.undeletes(changed.message)
    assert world.ways.asked == ["wine ads?"]


async def test_a_file_is_said_to_be_unread(world: World) -> None:
    person = world.teams.person(1)
    await person.attaches_file("brief.pdf")
    await person.attaches_file("brief.pdf", "is this allowed in the UK?")
    await world.ways.idle()
    assert world.ways.asked == ["is this allowed in the UK?"]
    first, second = (str(each.activity["text"]) for each in world.teams.bot_messages(person.chat.id))
    assert "questions that are typed" in first
    assert "brief.pdf" in second


async def test_reactions_and_other_bots_ask_nothing(world: World) -> None:
    await world.teams.other_bot_says(QUESTION)
    await world.teams.person(1).attaches_file("a.pdf")
    await world.ways.idle()
    [said] = world.teams.bot_messages("a:chat-1")
    assert (await world.teams.person(1).reacts(said)).status == 200
    assert world.ways.inbox.calls == 0


async def test_who_is_answered_is_known_from_the_roster(world: World) -> None:
    await world.teams.person(1).writes_in_group(QUESTION)
    assert await world.rule.of(world.ways.last) is Admitted.ALLOWED
    world.teams.join(4, "ads")
    await world.teams.person(1).mentions(QUESTION)
    assert await world.rule.of(world.ways.last) is Admitted.ALLOWED
    await world.teams.person(4).mentions(QUESTION)
    assert await world.rule.of(world.ways.last) is Admitted.NOT_TO_GUESTS


async def test_where_somebody_of_another_organisation_reads_nobody_is(world: World) -> None:
    world.teams.join(5, "talk")
    for number, verdict in ((1, Admitted.NOT_HERE), (5, Admitted.NOT_TO_GUESTS)):
        await world.teams.person(number).writes_in_group(QUESTION)
        assert await world.rule.of(world.ways.last) is verdict


async def test_a_new_channel_and_a_removed_team(world: World) -> None:
    await world.teams.person(1).installs("ads")
    await world.teams.team_changes("channelCreated", "ads")
    assert set(world.ways.known.rows) >= {IN_CHANNEL}
    assert world.ways.known.rows[IN_CHANNEL].team == TEAM_THREAD
    await world.teams.team_changes("teamDeleted", "ads")
    assert world.ways.known.rows == {}
    assert {(TENANT, IN_CHANNEL), (TENANT, f"{TEAM}/{TEAM_THREAD}")} <= set(world.ways.forgotten)


async def test_removed_from_a_chat_it_is_forgotten(world: World) -> None:
    person = world.teams.person(1)
    await person.writes_in_group(QUESTION)
    await person.writes_to_bot(QUESTION)
    await world.ways.idle()
    assert set(world.ways.known.rows) == {GROUP_CHAT, person.chat.id}
    for where in ("talk", ""):
        assert all(each.status == 200 for each in await person.uninstalls(where))
    assert world.ways.known.rows == {}
    assert set(world.ways.forgotten) == {(TENANT, GROUP_CHAT), (TENANT, person.chat.id)}
