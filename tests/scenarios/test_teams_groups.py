"""From a message in Teams to the groups that its answer may be for: what one person alone may see, he sees alone."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from adapters.teams.access import TeamsAdmission
from bot.access.groups import GROUPS, Access, Audience
from bot.model.outcomes import Admitted
from tests.fakes.graph import FakeGraph, graph_desk, group, member
from tests.fakes.graph import person as person_in_graph
from tests.fakes.teams import CHANNEL, GROUP_CHAT, OTHER_TENANT, TENANT, person_id, raw_activity, settings
from tests.fakes.teams_ways import IN_CHANNEL, Ways, ways_in

LEGAL: Mapping[str, frozenset[str]] = {"legal": frozenset({f"entra:{TENANT}/{group(1)}"})}
ALONE, NOTHING = Audience(frozenset({"legal"})), Audience()


@dataclass
class World:
    ways: Ways
    graph: FakeGraph
    access: Access

    async def audience(self, **more: Any) -> Audience:
        """Of what is asked by it."""
        await self.ways.hears(raw_activity("beer ads?", mentions_bot=True, **more))
        asked = self.ways.last
        return await self.access.audience(asked.actor, asked.conversation, private=asked.private)


@asynccontextmanager
async def world_with(directory: bool = True) -> AsyncIterator[World]:
    """1 and 2 are of the group, 3 is not; 4 is a guest whom somebody put into it."""
    async with ways_in() as ways, graph_desk() as desk:
        desk.graph.add(1, 2, 3)
        desk.graph.add(4, userType="Guest")
        desk.graph.groups[group(1)] = {person_in_graph(number) for number in (1, 2, 4)}
        yield World(ways, desk.graph, Access(LEGAL, {"teams": desk.directory} if directory else {}))


@pytest.fixture
async def world() -> AsyncIterator[World]:
    async with world_with() as made:
        yield made


async def test_ids_in_activities_are_those_of_the_directory() -> None:
    assert person_id(1) == person_in_graph(1)


async def test_alone_with_the_bot_one_sees_what_ones_groups_may(world: World) -> None:
    assert await world.audience(by=1) == ALONE
    assert await world.audience(by=3) == NOTHING
    assert await world.audience(by=4) == NOTHING


async def test_by_other_case_of_his_id_he_is_the_same(world: World) -> None:
    raw = raw_activity("beer ads?")
    sender: Any = raw["from"]
    await world.ways.hears(raw | {"from": {**sender, "aadObjectId": person_id(1).upper()}})
    asked = world.ways.last
    assert await world.access.audience(asked.actor, asked.conversation, private=asked.private) == ALONE


@pytest.mark.parametrize("where", [GROUP_CHAT, CHANNEL])
async def test_where_several_read_it_is_what_all_of_them_may(world: World, where: str) -> None:
    readers = world.graph.chats if where == GROUP_CHAT else world.graph.channels
    readers[where] = [member(person_in_graph(number)) for number in (1, 2)]
    assert await world.audience(where=where) == ALONE
    readers[where].append(member(person_in_graph(3)))
    assert await world.audience(where=where) == NOTHING


@pytest.mark.parametrize("where", [GROUP_CHAT, CHANNEL])
@pytest.mark.parametrize("facts", [{"roles": ["guest"]}, {"tenantId": OTHER_TENANT}])
async def test_a_guest_or_stranger_among_them_leaves_what_is_public(
    world: World, where: str, facts: dict[str, Any]
) -> None:
    readers = world.graph.chats if where == GROUP_CHAT else world.graph.channels
    readers[where] = [member(person_in_graph(1)), member(person_in_graph(4), **facts)]
    assert await world.audience(where=where) == NOTHING


async def test_in_a_public_team_anybody_could_read(world: World) -> None:
    world.graph.channels[CHANNEL] = [member(person_in_graph(1))]
    world.graph.visibility = "public"
    assert await world.audience(where=CHANNEL) == NOTHING


async def test_of_a_channel_whose_team_is_not_said_it_is_not_known_who_reads(world: World) -> None:
    world.graph.channels[CHANNEL] = [member(person_in_graph(1))]
    raw = raw_activity("beer ads?", where=CHANNEL, mentions_bot=True)
    data: Any = raw["channelData"]
    await world.ways.hears(raw | {"channelData": {**data, "team": {"id": data["team"]["id"]}}})
    asked = world.ways.last
    assert await world.access.audience(asked.actor, asked.conversation, private=asked.private) == NOTHING


async def test_it_is_known_since_the_bot_was_put_there(world: World) -> None:
    world.graph.channels[CHANNEL] = [member(person_in_graph(1))]
    await world.ways.says(where=CHANNEL, kind="installationUpdate", action="add")
    raw = raw_activity("beer ads?", where=CHANNEL, mentions_bot=True)
    data: Any = raw["channelData"]
    await world.ways.hears(raw | {"channelData": {**data, "team": {"id": data["team"]["id"]}}})
    asked = world.ways.last
    assert asked.conversation.channel == IN_CHANNEL
    assert await world.access.audience(asked.actor, asked.conversation, private=asked.private) == ALONE
    world.ways.known.down = True  # then it is answered all the same
    await world.ways.hears(raw | {"id": "9", "channelData": {**data, "team": {"id": data["team"]["id"]}}})
    assert world.ways.last.conversation.channel == CHANNEL


async def test_a_private_question_of_a_channel_is_answered_for_him_alone_and_in_his_chat(world: World) -> None:
    world.graph.channels[CHANNEL] = [member(person_in_graph(number)) for number in (1, 3)]
    await world.ways.hears(raw_activity("private beer ads?", where=CHANNEL, mentions_bot=True))
    asked = world.ways.last
    assert asked.private
    assert world.ways.address.conversation_id != CHANNEL
    assert await world.access.audience(asked.actor, asked.conversation, private=True) == ALONE


async def test_somebody_without_object_id_is_in_nothing(world: World) -> None:
    await world.ways.says("beer ads?", **{"from": {"id": f"29:{person_id(1)}"}})
    asked = world.ways.last
    assert await world.access.audience(asked.actor, asked.conversation, private=True) == NOTHING
    rule = TeamsAdmission(world.ways.directory, settings())
    assert await rule.of(asked) is Admitted.NOT_TO_GUESTS


async def test_without_graph_nothing_restricted_is_shown() -> None:
    async with world_with(directory=False) as world:
        assert await world.audience(by=1) == NOTHING


async def test_while_graph_is_down_neither(world: World) -> None:
    world.graph.troubles.extend([(500, None)] * 20)
    assert await world.audience(by=1) == Audience(missing=(GROUPS,))
