"""A question from an answer in Teams to a person and back, through the connector: nothing to anybody who may not see
it, and nothing by a forged click."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.fakes.teams_people import (
    PeopleInTeams,
    people_in_teams,
    person,
    shown,
)


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[PeopleInTeams]:
    async with people_in_teams(tmp_path) as opened:
        await opened.answer()
        yield opened


async def test_a_question_goes_to_people_and_their_answer_comes_back(world: PeopleInTeams) -> None:
    asked = await world.escalated(note="For the **spring** campaign <at>everyone</at>")
    assert any("comes back to the place where you asked" in each for each in world.teams.person(1).told)
    for part in ("Can I advertise", "Ads for wine need a label", "United Kingdom", "Acme Ads", "allowed", "Person 1"):
        assert part in shown(asked), part
    assert "**spring**" not in shown(asked)
    assert person(1) not in shown(asked)  # names are for people, ids for nobody
    assert asked.activity["summary"]

    await world.teams.person(2).clicks(asked, "I answer this")
    await world.settled()
    assert "Claimed by Person 2" in world.now(asked)
    assert "I answer this" not in world.now(asked)

    await world.teams.person(2).mentions("Yes, *if* it is labelled.", "general", thread=asked.id)
    await world.settled()
    await world.pump()
    back = world.teams.bot_messages("ads")[-1]
    assert back.root == world.teams.bot_messages("ads")[0].id
    assert "A person answered: Person 2" in shown(back)
    assert "not a quote from the policies" in shown(back)
    assert all(sign not in shown(back) for sign in "✅⛔⚠️")
    assert "Answered by Person 2" in world.now(asked)
    assert world.questions == []
