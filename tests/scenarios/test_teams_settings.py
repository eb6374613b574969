"""A conversation's settings in Teams: who may change them, what can be set, and that everything wrong is said."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select

from adapters.sql.tables.audit import audit_records
from adapters.teams.actions.settings_rules import channel_from, channel_link
from adapters.teams.addresses import TeamsReference
from adapters.teams.ports import TeamsDirectory, TeamsMember
from bot.model.channels import ChannelPreferences
from ops.sandbox.teams.world import CHANNEL, GROUP_CHAT, TEAM, TENANT, PersonKind
from tests.fakes.alerts import JANUARY, KITES
from tests.fakes.teams_people import ADS, GENERAL, PeopleInTeams, chat, people_in_teams, person, shown_card

LINK = channel_link(GENERAL, TENANT)


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[PeopleInTeams]:
    async with people_in_teams(tmp_path) as opened:
        yield opened


async def opened(world: PeopleInTeams, number: int = 1, where: str = "ads") -> str:
    """The dialog, as it says."""
    who = world.teams.person(number)
    if where == "ads":
        await who.mentions("settings")
    elif where == "talk":
        await who.writes_in_group("settings")
    else:
        await who.writes_to_bot("settings")
    await world.settled()
    await who.clicks(world.teams.bot_messages(where if where else chat(number))[-1], "Open the settings")
    return "\n".join(who.told) if who.dialog is None else shown_card(who.dialog.card)


async def submitted(world: PeopleInTeams, number: int = 1, **given: str) -> str:
    """What is said of it: a word, or the dialog again."""
    who = world.teams.person(number)
    assert who.dialog is not None
    await who.submits(who.dialog, given)
    now = world.teams.person(number).dialog
    return who.told[-1] if now is None else shown_card(now.card)


async def set_to(world: PeopleInTeams, channel: str = ADS) -> ChannelPreferences:
    return await world.settings.of("teams", TENANT, channel)


async def test_an_owner_sets_what_holds_in_a_channel_and_it_is_on_record(world: PeopleInTeams) -> None:
    form = await opened(world)
    assert "Action.Submit" in form
    assert LINK in form
    said = await submitted(world, places="United Kingdom, us-tx", platforms="acme", follow_ups="")
    assert "Saved" in said
    assert await set_to(world) == ChannelPreferences(("uk", "us-tx"), ("acme",), follow_ups=False, escalate_to=GENERAL)
    async with world.engine.connect() as connection:
        rows = (await connection.execute(select(audit_records.c.canonical))).scalars().all()
    assert sum("settings" in str(each) and ADS in str(each) for each in rows) == 2  # the world's own, and this


async def test_others_look_and_change_nothing(world: PeopleInTeams) -> None:
    form = await opened(world, 2)
    assert "Owners of the team can change them" in form
    assert "Action.Submit" not in form


async def test_who_lost_it_while_the_dialog_was_open_changes_nothing(world: PeopleInTeams) -> None:
    await opened(world)
    world.owners.owners = {person(2)}
    assert "Not saved" in await submitted(world, places="France")
    assert (await set_to(world)).regions == ()


async def test_without_graph_who_installed_it_changes_and_nobody_else(world: PeopleInTeams) -> None:
    world.owners.owners = None
    assert "Action.Submit" not in await opened(world, 2)
    await world.knows(GENERAL, installed_by=2)
    assert "Action.Submit" in await opened(world, 2)
    assert "Action.Submit" not in await opened(world, 1)


async def test_of_a_group_chat_its_members_and_of_his_own_chat_the_person(world: PeopleInTeams) -> None:
    await world.knows(GROUP_CHAT)
    await opened(world, 3, "talk")
    assert "Saved" in await submitted(world, 3, places="Germany")
    assert (await set_to(world, GROUP_CHAT)).regions == ("de",)
    await opened(world, 2, "")
    assert "Saved" in await submitted(world, 2, places="France")
    assert (await set_to(world, chat(2))).regions == ("fr",)


async def test_a_guest_changes_nothing(tmp_path: Path) -> None:
    async with people_in_teams(tmp_path, external=True) as world:
        world.owners.owners = {person(4)}
        world.teams.person(4, kind=PersonKind.GUEST)
        world.teams.join(4, "ads")
        assert "Action.Submit" not in await opened(world, 4)


async def test_what_is_wrong_stands_beside_its_field_and_nothing_is_lost(world: PeopleInTeams) -> None:
    await opened(world)
    said = await submitted(world, places="uk, Atlantis", person_channel=LINK)
    assert "Not known as a place: Atlantis" in said
    assert "uk, Atlantis" in said
    said = await submitted(world, places="uk, de, fr, it, es, pl")
    assert "At most 5 places" in said
    said = await submitted(world, places="uk", person_channel="#general")
    assert "This is no link to a channel" in said
    said = await submitted(world, person_channel=LINK, person=person(2))
    assert "not both" in said
    assert await set_to(world) == ChannelPreferences(escalate_to=GENERAL)


async def test_only_channels_where_bot_and_person_are_can_be_asked(world: PeopleInTeams) -> None:
    other = world.teams.world.add_channel(world.teams.world.teams[TEAM], "19:hidden@thread.tacv2", "hidden", {2})
    hidden = channel_link(f"{TEAM}/{other.id}", TENANT)
    foreign = channel_link(f"{TEAM[:-1]}4/{CHANNEL}", TENANT)
    await opened(world)
    for link in (hidden, foreign):
        assert "are not in this channel" in await submitted(world, person_channel=link), link
    other.own_members = {1, 2, 5}
    world.teams.world.add_person(5, kind=PersonKind.FEDERATED)
    assert "People of other organisations can read" in await submitted(world, person_channel=hidden)
    other.own_members = {1, 2}
    assert "Saved" in await submitted(world, person_channel=hidden)
    assert (await set_to(world)).escalate_to == f"{TEAM}/{other.id}"
    assert await world.known.of_channel("teams", TENANT, f"{TEAM}/{other.id}") is not None


async def test_a_person_is_asked_by_his_chat_and_named_nowhere(world: PeopleInTeams) -> None:
    await opened(world)
    assert "not a member here" in await submitted_raw(world, person(9))
    await opened(world)
    assert "Saved" in await submitted(world, person_channel="", person=person(2))
    assert (await set_to(world)).escalate_to == chat(2)
    form = await opened(world, 3)
    assert "Person 2" in form
    async with world.engine.connect() as connection:
        rows = (await connection.execute(select(audit_records.c.canonical))).scalars().all()
    assert all(person(2) not in str(each) for each in rows)
    await opened(world)
    assert "Saved" in await submitted(world, person="nobody")
    assert (await set_to(world)).escalate_to == ""


async def submitted_raw(world: PeopleInTeams, who: str) -> str:
    """A value that the form never offered: a forged one."""
    one = world.teams.person(1)
    assert one.dialog is not None
    for each in one.dialog.card["body"]:  # type: ignore[attr-defined]
        if each.get("id") == "person":
            each["choices"].append({"title": "?", "value": who})
    return await submitted(world, person_channel="", person=who)


@pytest.mark.parametrize("who", [person(4), "29:user-2", "29:user-4"])
async def test_only_full_members_by_their_object_id_can_be_asked(world: PeopleInTeams, who: str) -> None:
    """Teams answers for a guest, and for a `29:` id, as well; what is forged into the form is neither offered."""
    world.teams.person(4, kind=PersonKind.GUEST)
    world.teams.join(4, "ads")
    await opened(world)
    assert "not a member here" in await submitted_raw(world, who)
    assert (await set_to(world)).escalate_to == GENERAL


async def test_a_channel_in_which_somebody_is_a_guest_is_not_his_to_name(world: PeopleInTeams) -> None:
    """He is let in here as a full member, and there by another account of his."""
    other = world.teams.world.add_channel(world.teams.world.teams[TEAM], "19:side@thread.tacv2", "side", {1, 2})
    link = channel_link(f"{TEAM}/{other.id}", TENANT)
    await opened(world)
    members = world.parts.directory
    object.__setattr__(world.parts, "directory", GuestIn(members, other.id))
    assert "are not in this channel" in await submitted(world, person_channel=link)
    object.__setattr__(world.parts, "directory", members)
    assert "Saved" in await submitted(world, person_channel=link)


class GuestIn:
    """A TeamsDirectory that calls everybody a guest in one conversation."""

    def __init__(self, directory: TeamsDirectory, conversation: str) -> None:
        self._directory = directory
        self._conversation = conversation

    async def member(self, to: TeamsReference, user: str) -> TeamsMember | None:
        found = await self._directory.member(to, user)
        return replace(found, role="guest") if found and to.conversation == self._conversation else found

    async def members(self, to: TeamsReference, most: int) -> Sequence[TeamsMember] | None:
        return await self._directory.members(to, most)


async def test_subscriptions_are_ended_here(world: PeopleInTeams) -> None:
    await world.news.arrive(JANUARY, KITES)
    await world.teams.person(1).mentions("subscribe")
    await world.settled()
    [one] = await world.news.subscriptions.of_channel("teams", TENANT, ADS)
    assert "All changes" in await opened(world)
    await submitted(world, end_subscriptions=one.subscription_id)
    assert await world.news.subscriptions.of_channel("teams", TENANT, ADS) == ()


@pytest.mark.parametrize(
    ("given", "channel"),
    [
        (LINK, GENERAL),
        (f"{LINK}&tenantId=2", GENERAL),
        (GENERAL, GENERAL),
        ("https://teams.microsoft.com/l/channel/19%3Ax%40thread.tacv2/Ads?groupId=nobody&tenantId=" + TENANT, ""),
        (channel_link(GENERAL, TENANT.replace("1", "2")), ""),
        ("19:ads@thread.tacv2", ""),
        ("http://[", ""),
        ("", ""),
    ],
)
def test_a_link_to_a_channel_is_read(given: str, channel: str) -> None:
    assert channel_from(given, TENANT) == channel
