"""The answer of Teams to a message is lost: where Graph may read, it is looked for before it is sent again."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from ops.sandbox.teams import Trouble, cut
from tests.fakes.service import until
from tests.fakes.teams import CHANNEL
from tests.scenarios.test_teams_replies import TeamsWorld, asked, teams_world
from tests.scenarios.test_teams_sent_before import READABLE, consent, kept_at, looks


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[TeamsWorld]:
    async with teams_world(tmp_path) as made:
        yield made


LOST: list[Trouble] = [Trouble(502, after_doing=True), Trouble(504, after_doing=True), cut(after_doing=True)]


@pytest.mark.parametrize("where", READABLE)
@pytest.mark.parametrize("trouble", LOST, ids=["502", "504", "cut"])
async def test_a_lost_answer_of_teams_is_looked_for_before_it_is_sent_again(
    world: TeamsWorld, where: str, trouble: Trouble
) -> None:
    consent(world, where)
    world.teams_server.trouble("POST", trouble)
    process = world.process()
    await world.ask(process, await asked(world, where))
    [message] = world.shown(where)
    assert await kept_at(world) == [message.id]
    assert (len(process.asking.asked), len(looks(world))) == (1, 1)  # nobody had to answer it again


@pytest.mark.parametrize("where", READABLE)
async def test_what_graph_shows_a_second_later_is_waited_for(world: TeamsWorld, where: str) -> None:
    consent(world, where)
    world.teams_server.facts.late = timedelta(seconds=1)
    world.teams_server.trouble("POST", Trouble(502, after_doing=True))
    await world.ask(world.process(), await asked(world, where))
    assert len(world.shown(where)) == 1


@pytest.mark.parametrize("where", READABLE)
async def test_what_teams_did_not_take_is_sent_again(world: TeamsWorld, where: str) -> None:
    consent(world, where)
    world.teams_server.trouble("POST", 502, times=3)
    process = world.process()
    await world.ask(process, await asked(world, where))
    assert len(world.shown(where)) == 1
    assert (len(process.asking.asked), len(looks(world))) == (1, 3)


@pytest.mark.parametrize("where", READABLE)
async def test_of_a_connection_that_broke_it_is_looked_for_again_later(world: TeamsWorld, where: str) -> None:
    """Nobody asks for it to be sent again, so it has the time that it takes to answer once more."""
    consent(world, where)
    world.teams_server.trouble("POST", cut())
    process = world.process()
    await world.ask(process, await asked(world, where))
    assert len(world.shown(where)) == 1
    assert (len(process.asking.asked), len(looks(world))) == (2, 2)


async def test_what_teams_does_not_take_for_long_goes_back_to_the_inbox_and_comes_then(world: TeamsWorld) -> None:
    consent(world, CHANNEL)
    world.teams_server.trouble("POST", 502, times=7)
    await world.ask(world.process(), await asked(world, CHANNEL))
    [message] = world.shown(CHANNEL)
    assert message.citations  # the answer, and no apology


async def test_what_teams_has_nothing_of_is_not_looked_for(world: TeamsWorld) -> None:
    consent(world, CHANNEL)
    world.teams_server.trouble("POST", 429, Retry_After="90")
    process = world.process()
    async with process.working():
        await process.service.accept(await asked(world, CHANNEL))

        async def put_back() -> bool:
            return bool(process.inbox.postponed)

        await until(put_back, 10.0)
    assert world.teams_server.graph.calls == []


@pytest.mark.parametrize("where", [*READABLE, ""])
@pytest.mark.parametrize("trouble", LOST, ids=["502", "504", "cut"])
async def test_without_looking_a_lost_answer_doubles_it_and_loses_nothing(
    world: TeamsWorld, where: str, trouble: Trouble
) -> None:
    world.teams_server.trouble("POST", trouble)
    await world.ask(world.process(), await asked(world, where))
    assert len(world.shown(where)) == 2
