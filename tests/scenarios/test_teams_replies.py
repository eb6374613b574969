"""Replies as Teams takes them: the real connector, renderer and stores on the stand-in."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from adapters.teams.addresses import TeamsAddress
from adapters.teams.botframework.opening import open_botframework
from adapters.teams.delivery.progress import StreamPace
from adapters.teams.delivery.sent import SentBefore
from adapters.teams.graph import Graph
from adapters.teams.ports import Activity
from adapters.teams.settings import GraphSettings, TeamsSettings
from bot.model.links import Links
from bot.model.messages import InboundQuestion
from bot.model.outcomes import Outcome
from bot.questions.answerer import Asked
from bot.render.teams.message import MESSAGE_UNITS, teams_message
from bot.render.teams.view import TeamsView
from ops.sandbox.teams import APP_ID, APP_SECRET, Limits, Message, TeamsStandIn, Trouble, cut, teams_stand_in
from ops.teams_sdk import app_tokens, channel_tokens
from tests.fakes.databases import migrated_engine
from tests.fakes.replies import ITEM, RULE, statement
from tests.fakes.service import until
from tests.fakes.slack import FakeClock
from tests.fakes.teams import CHANNEL, GROUP_CHAT, TENANT
from tests.fakes.teams_delivery import Process, World

LINKS = Links("http://127.0.0.1:8080", {"sample": "Sample platform"})
QUICK = StreamPace(begin_after=0.0, every=0.06, last_after=0.06)


class TeamsWorld(World):
    """Where teams and chats consent, Graph reads their messages."""

    teams_server: TeamsStandIn

    def process(self, *, dies_at: str = "", streams: bool = False, **_: object) -> Process:
        made = RenderingProcess(self, dies_at=dies_at, streams=streams)
        made.progress._pace = QUICK
        return made

    @property
    def chat(self) -> str:
        return self.teams_server.person(1).chat.id

    def shown(self, where: str = "") -> list[Message]:
        return self.teams_server.bot_messages(where or self.chat)


class RenderingProcess(Process):
    """With the real cards."""

    async def render(
        self,
        question: InboundQuestion,
        answer_id: str,
        outcome: Outcome,
        view: TeamsView,
        *,
        characters: int | None = None,
        begun: str = "",
    ) -> Activity:
        await self.steps.pass_by("rendering")
        room = characters or MESSAGE_UNITS
        return teams_message(question.text, answer_id, outcome, LINKS, view, characters=room, begun=begun)


@asynccontextmanager
async def teams_world(folder: Path) -> AsyncIterator[TeamsWorld]:
    clock, limits = FakeClock(), Limits({}, 0, 0.05)
    async with (
        migrated_engine(folder) as engine,
        aiohttp.ClientSession() as session,
        teams_stand_in(clock=clock, limits=limits) as server,
    ):
        settings = TeamsSettings(
            APP_ID, frozenset({TENANT}), APP_SECRET,
            openid_url=server.openid_url, issuer=server.issuer_name, scope=server.scope, login_url=server.login_url,
        )  # fmt: skip

        async def sleep(seconds: float) -> None:
            clock.move(seconds=seconds)

        tokens, keys = app_tokens(session, settings), channel_tokens(session, settings, clock)
        sdk = open_botframework(settings, session, tokens, keys, sleep=sleep)
        world = TeamsWorld(engine, clock, sdk.outbound)
        world.teams_server, world.service_url = server, server.service_url()
        reading = GraphSettings(APP_ID, APP_SECRET, frozenset({TENANT}), server.graph_url, server.login_url)
        world.sent_before = SentBefore(Graph(session, reading, app_tokens(session, reading)), APP_ID)
        yield world


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[TeamsWorld]:
    async with teams_world(tmp_path) as made:
        yield made


async def asked(world: TeamsWorld, where: str = "") -> InboundQuestion:
    """By person 1, in a message that stands there."""
    person = world.teams_server.person(1)
    text = "can I advertise alcohol in the UK"
    if where == CHANNEL:
        written = (await person.mentions(text, where)).message
    elif where:
        written = (await person.writes_in_group(text)).message
    else:
        written = (await person.writes_to_bot(text)).message
    assert written is not None
    return world.question(
        where, written.id, conversation_id=_conversation(world, where, written.id), asked_in=written.id
    )


def _conversation(world: TeamsWorld, where: str, root: str) -> str:
    return f"{where};messageid={root}" if where == CHANNEL else where or world.chat


def whole(message: Message) -> bool:
    return bool(message.card) and not message.is_streaming and bool(message.feedback)


async def told(world: TeamsWorld, asked_: Asked, *texts: str) -> None:
    assert asked_.watching is not None
    for text in texts:
        asked_.watching.stated(statement(text))

        async def shown(text: str = text) -> bool:
            return any(text.split("%")[0] in each.text.replace("\\", "") for each in world.shown())

        await until(shown, 10.0)


@pytest.mark.parametrize("where", [CHANNEL, GROUP_CHAT, ""])
async def test_a_reply_stands_where_it_was_asked(world: TeamsWorld, where: str) -> None:
    question = await asked(world, where)
    await world.ask(world.process(), question)
    [message] = world.shown(where)
    assert whole(message)
    assert message.thread == (question.conversation.thread if where == CHANNEL else "")
    assert [each.place.message for each in await world.kept()] == [message.id]
    assert len(message.citations) == 2


async def test_a_stream_is_taken_from_its_beginning_to_its_end(world: TeamsWorld) -> None:
    process = world.process(streams=True)
    process.asking.before = lambda each: told(world, each, RULE, ITEM)
    await world.ask(process, await asked(world))
    calls = world.teams_server.calls_of("stream")
    assert [each.status for each in calls] == [201, 202, 202, 202]
    [message] = world.shown()
    assert whole(message)
    assert RULE not in message.text  # what was shown before stands in the card
    assert len(message.citations) == 2


async def test_who_presses_stop_gets_the_whole_answer_below(world: TeamsWorld) -> None:
    process = world.process(streams=True)

    async def before(each: Asked) -> None:
        await told(world, each, RULE)
        world.teams_server.person(1).stops()

    process.asking.before = before
    await world.ask(process, await asked(world))
    [message] = world.shown()
    assert whole(message)


async def test_when_two_minutes_are_over_the_answer_takes_the_place_of_what_was_shown(world: TeamsWorld) -> None:
    process = world.process(streams=True)

    async def before(each: Asked) -> None:
        await told(world, each, RULE)
        world.clock.move(seconds=121)

    process.asking.before = before
    await world.ask(process, await asked(world))
    [message] = world.shown()
    assert whole(message)
    assert [each.status for each in world.teams_server.calls_of("stream")] == [201, 202, 403]
    assert [each.status for each in world.teams_server.calls_of("PUT")] == [200]


@pytest.mark.parametrize("step", ["asking", "rendering", "saved"])
async def test_killed_while_it_streams_the_answer_comes_once(world: TeamsWorld, step: str) -> None:
    first = world.process(streams=True, dies_at=step)
    first.asking.before = lambda each: told(world, each, RULE)
    await first.service.accept(await asked(world))
    await first.die()
    world.clock.move(seconds=61)
    await world.ask(world.process(streams=True))
    [message] = world.shown()
    assert whole(message)


async def test_a_lost_answer_to_the_end_of_a_stream_doubles_nothing(world: TeamsWorld) -> None:
    process = world.process(streams=True)

    async def before(each: Asked) -> None:
        await told(world, each, RULE)
        world.teams_server.trouble("stream", cut(after_doing=True))

    process.asking.before = before
    await world.ask(process, await asked(world))
    [message] = world.shown()
    assert whole(message)


async def test_a_long_wait_goes_back_to_the_inbox(world: TeamsWorld) -> None:
    world.teams_server.trouble("POST", 429, Retry_After="90")
    process = world.process()
    async with process.working():
        await process.service.accept(await asked(world, CHANNEL))

        async def put_back() -> bool:
            return bool(process.inbox.postponed)

        await until(put_back, 10.0)
        assert world.shown(CHANNEL) == []
        world.clock.move(seconds=91)
        await world.ended("sent")
    assert process.inbox.postponed == [90.0]
    assert len(world.shown(CHANNEL)) == 1


async def test_what_is_too_big_is_shortened(world: TeamsWorld) -> None:
    world.teams_server.trouble("POST", Trouble(413, "MessageSizeTooBig"))
    await world.ask(world.process(), await asked(world, CHANNEL))
    [message] = world.shown(CHANNEL)
    assert whole(message)


async def test_who_blocks_the_bot_is_told_nothing_more(world: TeamsWorld) -> None:
    question = await asked(world)
    world.teams_server.person(1).blocks_bot()
    process = world.process()
    await world.ask(process, question, end="failed")
    assert [each.conversation_id for each in process.closed] == [world.chat]
    assert isinstance(process.closed[0], TeamsAddress)


async def test_typing_is_seen(world: TeamsWorld) -> None:
    process = world.process()

    async def before(_: Asked) -> None:
        await world.teams_server.until(lambda: bool(world.teams_server.calls_of("typing")))

    process.asking.before = before
    await world.ask(process, await asked(world, GROUP_CHAT))
    assert {each.status for each in world.teams_server.calls_of("typing")} == {202}
