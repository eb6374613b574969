"""Whatever is signed as Teams': answered without an error of ours, and what goes on after it fails for nothing odd."""

import copy
import json
import random
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.render.teams.view import TeamsInvoke
from ops.sandbox.teams.world import TENANT
from tests.fakes.teams_people import PeopleInTeams, people_in_teams

Json = dict[str, Any]
KINDS = (
    "message", "messageUpdate", "messageDelete", "messageReaction", "conversationUpdate", "installationUpdate",
    "typing", "event", "invoke", "endOfConversation", "command", "trace", "unheard of",
)  # fmt: skip
INVOKES = (
    *TeamsInvoke, "composeExtension/queryLink", "composeExtension/querySettingUrl", "fileConsent/invoke",
    "signin/verifyState", "signin/tokenExchange", "tab/fetch", "config/fetch", "application/search", "", "unheard/of",
)  # fmt: skip
ODD: tuple[Any, ...] = (
    None, 0, -1, 1.5, True, "", "x" * 3_000, "a\0b", "\ud800", "\u202ea", [], {}, [None], [[]], [{"id": None}],
    {"id": 5}, {"id": "\0"}, 10**30, "٣٣٣", "9" * 14, "1e400", "<at>AdPolicy</at>", {"data": "x"},
    {"action": {"data": {"signed": "x"}}}, "https://[", "2026-99-99", ";messageid=\ud800",
)  # fmt: skip
KEPT = {("serviceUrl",), ("channelId",), ("channelData",), ("channelData", "tenant"), ("channelData", "tenant", "id")}
"""Without them it is refused before anything is looked at."""


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[PeopleInTeams]:
    async with people_in_teams(tmp_path) as opened:
        await opened.answer()
        yield opened


def paths(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, each in inside:
        if (*at, name) not in KEPT:
            yield (*at, name)
        yield from paths(each, (*at, name))


def odd(activity: Json, chance: random.Random, number: int) -> Json:
    made: Json = json.loads(json.dumps(activity))
    for name, value in (("value", {}), ("entities", [{}]), ("membersAdded", [{}]), ("attachments", [{}])):
        if chance.random() < 0.15:
            made.setdefault(name, value)
    if chance.random() < 0.4:
        made["type"] = chance.choice(KINDS)
    if made["type"] == "invoke" and chance.random() < 0.6:
        made["name"] = str(chance.choice(INVOKES))
    for _ in range(chance.choice((1, 1, 2, 3))):
        *way, last = chance.choice(list(paths(made)))
        inside = made
        for each in way:
            inside = inside[each]
        inside[last] = copy.deepcopy(chance.choice(ODD))
    if isinstance(made.get("id"), str) and chance.random() < 0.5:
        made["id"] = str(1_700_000_000_000 + number)
    return made


async def usual(world: PeopleInTeams) -> list[Json]:
    """One of each that people cause."""
    asked = await world.escalated()
    one, two = world.teams.person(1), world.teams.person(2)
    written = (await one.mentions("Can I advertise wine?", "ads")).written
    await one.edits(written, "Can I advertise beer?")
    await one.deletes((await one.writes_to_bot("Can I advertise rum?")).written)
    await two.clicks(asked, "I answer this")
    await two.clicks(asked, "Answer")
    await two.uses_action_on(asked)
    await two.searches("wine")
    await two.reacts(asked)
    await world.teams.members_change("ads", [3], added=False)
    await world.teams.team_changes("channelRenamed", "ads")
    await one.installs("talk")
    found = [dict(each.delivery.activity) for each in world.teams.attempts if each.delivery]
    rating = {"actionName": "feedback", "actionValue": {"reaction": "like", "feedback": '{"feedbackText": "fine"}'}}
    click = next(each for each in found if each["type"] == "invoke")
    return [*found, {**click, "name": str(TeamsInvoke.FEEDBACK), "value": rating, "replyToId": asked.id}]


@pytest.mark.parametrize("seed", [1, 2])
async def test_nothing_odd_is_an_error_of_ours(
    world: PeopleInTeams, caplog: pytest.LogCaptureFixture, seed: int
) -> None:
    chance, known = random.Random(seed), await usual(world)  # noqa: S311 - the same ones in every run
    assert len({each["type"] for each in known}) >= 6
    for number in range(250):
        made = odd(chance.choice(known), chance, number)
        found = await world.teams.send(made)
        assert 200 <= found.status < 500, json.dumps(made)
    await world.settled()
    assert [each for each in caplog.records if each.exc_info] == []
    assert (await world.teams.person(1).writes_to_bot(f"Can I advertise cider in {TENANT}?")).status == 200
