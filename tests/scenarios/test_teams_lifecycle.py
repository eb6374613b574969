"""The bot is put into Teams, hears of channels, and is removed: what is remembered, said once, and forgotten."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from bot.render.teams.welcome import MOST_SUGGESTED
from tests.fakes.teams import (
    BOT,
    CHANNEL,
    GROUP_CHAT,
    SERVICE_URL,
    TEAM,
    TEAM_THREAD,
    TENANT,
    person_id,
    personal_chat,
    raw_activity,
    user_id,
)
from tests.fakes.teams_ways import IN_CHANNEL, Ways, ways_in

GENERAL = f"{TEAM}/{TEAM_THREAD}"
ME = [{"id": BOT, "name": "AdPolicy"}]


@pytest.fixture
async def ways() -> AsyncIterator[Ways]:
    async with ways_in() as open_ways:
        yield open_ways


def event(kind: str, where: str = "", *, name: str = "", channel: str = "", **more: Any) -> dict[str, object]:
    """`channel`: that the event tells of; `name`: its `eventType`."""
    raw = raw_activity(kind=kind, where=where, **more)
    data: dict[str, object] = {"tenant": {"id": TENANT}}
    if "@thread.tacv2" in where:
        data["team"] = {"id": TEAM_THREAD, "aadGroupId": TEAM}
        raw["conversation"] = {"id": where, "conversationType": "channel", "tenantId": TENANT}
    if name:
        data["eventType"] = name
    if channel:
        data["channel"] = {"id": channel, "name": "Ads"}
    return {**raw, "channelData": data}


def added(where: str = "", **more: Any) -> tuple[dict[str, object], dict[str, object]]:
    """The two events of an installation."""
    told = event("conversationUpdate", where, membersAdded=ME, **more)
    return told, event("installationUpdate", where, action="add", **more)


def removed(where: str = "") -> tuple[dict[str, object], dict[str, object]]:
    told = event("conversationUpdate", where, membersRemoved=ME)
    return told, event("installationUpdate", where, action="remove")


@pytest.mark.parametrize(
    ("where", "channel"),
    [("", personal_chat(1)), (GROUP_CHAT, GROUP_CHAT), (TEAM_THREAD, GENERAL)],
)
async def test_where_it_is_put_is_remembered_with_who_did_it_and_welcomed_once(
    ways: Ways, where: str, channel: str
) -> None:
    for each in (*added(where), *reversed(added(where))):  # in any order, twice
        await ways.hears(each)
    [kept] = ways.known.rows.values()
    assert (kept.platform, kept.workspace, kept.channel) == ("teams", TENANT, channel)
    assert kept.installed_by == person_id(1)
    assert kept.person == ("" if where else person_id(1))
    assert kept.team == (TEAM_THREAD if where == TEAM_THREAD else "")
    conversation = where or personal_chat(1)
    assert kept.reference == {"service_url": SERVICE_URL, "tenant": TENANT, "conversation": conversation, "bot": BOT}
    [said] = ways.outbound.written
    assert said.to.conversation == conversation


async def test_alone_with_somebody_it_suggests_questions_to_type(ways: Ways) -> None:
    ways.starters = [f"Question {number}?" for number in range(6)]
    await ways.hears(added()[0])
    [said] = ways.outbound.written
    actions: Any = said.activity["suggestedActions"]
    assert [each["type"] for each in actions["actions"]] == ["imBack"] * MOST_SUGGESTED
    assert [each["value"] for each in actions["actions"]] == ways.starters[:MOST_SUGGESTED]
    assert "actions" not in card_of(said.activity)


@pytest.mark.parametrize("where", [GROUP_CHAT, TEAM_THREAD])
async def test_where_several_read_it_says_how_to_mention_it_and_has_buttons(ways: Ways, where: str) -> None:
    raw = added(where)[0] | {"recipient": {"id": BOT, "name": "Ad [Policy](http://x) Test"}}
    await ways.hears(raw)
    [said] = ways.outbound.written
    card = card_of(said.activity)
    assert [each["title"] for each in card["actions"]] == list(ways.starters)
    assert "suggestedActions" not in said.activity
    assert any("@Ad Policyhttpx Test" in each["text"] for each in card["body"])


async def test_without_documents_it_is_welcomed_without_questions(ways: Ways) -> None:
    ways.starters = ()
    for where in ("", GROUP_CHAT):
        await ways.hears(added(where)[0])
    assert len(ways.outbound.written) == 2
    assert all("suggestedActions" not in each.activity for each in ways.outbound.written)
    assert all("actions" not in card_of(each.activity) for each in ways.outbound.written)


async def test_people_who_come_and_go_are_not_greeted(ways: Ways) -> None:
    people = [{"id": user_id(2), "aadObjectId": person_id(2)}]
    await ways.hears(event("conversationUpdate", TEAM_THREAD, membersAdded=people))
    await ways.hears(event("conversationUpdate", TEAM_THREAD, membersRemoved=people))
    await ways.hears(event("conversationUpdate", GROUP_CHAT, membersAdded="odd", membersRemoved=[1]))
    assert ways.outbound.written == []
    assert ways.forgotten == []


async def test_an_upgrade_is_remembered_and_neither_welcomed_nor_forgotten(ways: Ways) -> None:
    await ways.hears(event("installationUpdate", TEAM_THREAD, action="remove-upgrade"))
    await ways.hears(event("installationUpdate", TEAM_THREAD, action="add-upgrade"))
    assert list(ways.known.rows) == [GENERAL]
    assert ways.outbound.written == []
    assert ways.forgotten == []


@pytest.mark.parametrize("name", ["channelCreated", "channelRestored", "channelRenamed"])
async def test_another_channel_of_the_team_is_remembered(ways: Ways, name: str) -> None:
    await ways.hears(event("conversationUpdate", TEAM_THREAD, name=name, channel=CHANNEL))
    kept = ways.known.rows[IN_CHANNEL]
    assert (kept.reference["conversation"], kept.team, kept.installed_by) == (CHANNEL, TEAM_THREAD, "")
    assert ways.outbound.written == []


async def test_a_channel_that_is_deleted_is_forgotten_and_no_other(ways: Ways) -> None:
    await ways.hears(added(TEAM_THREAD)[0])
    await ways.hears(event("conversationUpdate", TEAM_THREAD, name="channelCreated", channel=CHANNEL))
    for _ in range(2):
        await ways.hears(event("conversationUpdate", TEAM_THREAD, name="channelDeleted", channel=CHANNEL))
    assert list(ways.known.rows) == [GENERAL]
    assert set(ways.forgotten) == {(TENANT, IN_CHANNEL)}


@pytest.mark.parametrize(
    "gone",
    [
        removed(TEAM_THREAD)[0],
        removed(TEAM_THREAD)[1],
        event("conversationUpdate", TEAM_THREAD, name="teamDeleted"),
        event("conversationUpdate", TEAM_THREAD, name="teamHardDeleted"),
    ],
)
async def test_a_team_that_it_is_removed_from_is_forgotten_with_all_channels(
    ways: Ways, gone: dict[str, object]
) -> None:
    await ways.hears(added(TEAM_THREAD)[0])
    await ways.hears(event("conversationUpdate", TEAM_THREAD, name="channelCreated", channel=CHANNEL))
    await ways.hears(added()[0])
    for _ in range(2):
        await ways.hears(gone)
    assert list(ways.known.rows) == [personal_chat(1)]
    assert set(ways.forgotten) == {(TENANT, GENERAL), (TENANT, IN_CHANNEL)}


@pytest.mark.parametrize("where", ["", GROUP_CHAT])
@pytest.mark.parametrize("which", [0, 1])
async def test_a_chat_that_it_is_removed_from_is_forgotten(ways: Ways, where: str, which: int) -> None:
    await ways.hears(added(where)[0])
    await ways.hears(removed(where)[which])
    assert ways.known.rows == {}
    assert ways.forgotten == [(TENANT, where or personal_chat(1))]


async def test_what_was_not_forgotten_is_found_again_when_it_is_told_again(ways: Ways) -> None:
    await ways.hears(added(TEAM_THREAD)[0])
    await ways.hears(event("conversationUpdate", TEAM_THREAD, name="channelCreated", channel=CHANNEL))
    ways.forgetting_fails = True
    assert await ways.deliver(removed(TEAM_THREAD)[0]) == 503
    assert set(ways.known.rows) == {GENERAL, IN_CHANNEL}
    ways.forgetting_fails = False
    assert await ways.deliver(removed(TEAM_THREAD)[0]) == 200
    assert ways.known.rows == {}
    assert set(ways.forgotten) == {(TENANT, GENERAL), (TENANT, IN_CHANNEL)}


async def test_where_it_could_not_be_remembered_teams_tells_it_again(ways: Ways) -> None:
    ways.known.down = True
    assert await ways.deliver(added()[0]) == 503
    ways.known.down = False
    await ways.hears(added()[0])
    assert list(ways.known.rows) == [personal_chat(1)]
    assert len(ways.outbound.written) == 1


async def test_put_back_it_says_hello_again(ways: Ways) -> None:
    for each in (*added(), *removed(), *added()):
        await ways.hears(each)
    assert len(ways.outbound.written) == 2
    assert list(ways.known.rows) == [personal_chat(1)]


async def test_who_is_of_another_organisation_installed_nothing(ways: Ways) -> None:
    guest = {"id": user_id(1), "aadObjectId": person_id(1), "role": "guest"}
    await ways.hears(added(GROUP_CHAT)[0] | {"from": guest})
    assert ways.known.rows[GROUP_CHAT].installed_by == ""


def card_of(activity: Any) -> Any:
    [attachment] = activity["attachments"]
    return attachment["content"]


async def test_a_conversation_that_could_not_be_remembered_is_by_the_next_message(ways: Ways) -> None:
    ways.known.down = True
    await ways.says("beer ads?")
    ways.known.down = False
    for _ in range(2):
        await ways.says("wine ads?")
    assert (list(ways.known.rows), ways.known.saved) == ([personal_chat(1)], 1)
