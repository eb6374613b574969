"""A channel's settings: who may change them, at the moment he does; what is kept of what was filled in."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from adapters.slack.access import everybody
from adapters.slack.actions.settings_dialog import run_settings
from bot.model.channels import ChannelPreferences, ShownTo
from ops.sandbox.slack.people import BOT, Channel, User
from ops.sandbox.slack.person import Person as Acting
from ops.sandbox.slack.views import View
from ops.sandbox.troubles import Trouble
from rag_core.errors import Unavailable
from tests.fakes.slack_channels import ChannelDesk, channel_desk, subscription

MINE = ("slack", "T1", "C1")
SET = ChannelPreferences(("uk",), ("acme",), ShownTo.ASKER, follow_ups=False, escalate_to="C9")


@pytest.fixture
async def desk() -> AsyncIterator[ChannelDesk]:
    async with channel_desk() as made:
        space = made.slack.workspace
        space.channels["C9"] = Channel("C9", "c9", frozenset({"U2", "U3", BOT}))
        yield made


def admin(desk: ChannelDesk) -> Acting:
    return desk.slack.person("U3")


def shown(view: View | None) -> str:
    return str(view.body if view else "")


def can_save(view: View) -> bool:
    return "submit" in view.body


async def test_an_admin_sets_everything_and_it_is_saved_as_his_act(desk: ChannelDesk) -> None:
    view = await desk.settings_of("C1")
    filled = {
        "places": ["uk", "us-tx"],
        "platforms": ["acme"],
        "shown_to": "asker",
        "follow_ups": [],
        "person_channel": "C9",
    }
    sent = await admin(desk).submits(view, filled)
    assert (sent.errors, sent.problem) == ({}, "")
    expected = ChannelPreferences(("uk", "us-tx"), ("acme",), ShownTo.ASKER, follow_ups=False, escalate_to="C9")
    assert desk.settings.set == {MINE: expected}
    assert desk.settings.saved_by == ["U3"]
    assert "Saved" in shown(admin(desk).modal)


async def test_what_is_set_is_shown_and_stays_when_nothing_is_touched(desk: ChannelDesk) -> None:
    desk.settings.set[MINE] = SET
    await admin(desk).submits(await desk.settings_of("C1"))
    assert desk.settings.set == {MINE: SET}


async def test_who_made_the_channel_may_change_it(desk: ChannelDesk) -> None:
    channel = desk.slack.workspace.channels["C1"]
    desk.slack.workspace.channels["C1"] = replace(channel, creator="U1")
    assert can_save(await desk.settings_of("C1", "U1"))


@pytest.mark.parametrize("user", ["U1", "U2"])
async def test_others_look_at_them_only(desk: ChannelDesk, user: str) -> None:
    desk.settings.set[MINE] = SET
    view = await desk.settings_of("C1", user)
    assert not can_save(view)
    for word in ("United Kingdom", "Acme", "Only the asker", "on mention only", "<#C9>", "You can look at"):
        assert word in shown(view)


async def test_an_admin_who_is_only_a_guest_or_of_another_company_may_not(desk: ChannelDesk) -> None:
    channel = desk.slack.workspace.channels["C1"]
    desk.slack.workspace.channels["C1"] = replace(channel, creator="U6")
    for user, facts in (("U6", {"is_admin": True}), ("U4", {"is_admin": True, "is_restricted": True})):
        person = desk.slack.workspace.people[user]
        desk.slack.workspace.people[user] = replace(person, facts=facts)
        from_command = desk.slack.person(user)
        trigger = desk.slack.world.triggers.issue("T1", user)
        await run_settings(desk.parts, "T1", "C1", user, trigger)
        assert from_command.modal is not None
        assert not can_save(from_command.modal)
        assert "only its own members" in shown(from_command.modal)


async def test_who_is_no_admin_any_more_when_he_sends_it_changes_nothing(desk: ChannelDesk) -> None:
    view = await desk.settings_of("C1")
    desk.slack.workspace.people["U3"] = User("U3")
    desk.slack.workspace.channels["C1"] = replace(desk.slack.workspace.channels["C1"], creator="U1")
    await admin(desk).submits(view, {"places": ["uk"]})
    assert desk.settings.set == {}
    assert "Not saved: only admins" in shown(admin(desk).modal)


async def test_in_a_channel_that_was_shared_meanwhile_nothing_is_saved(desk: ChannelDesk) -> None:
    view = await desk.settings_of("C1")
    channel = desk.slack.workspace.channels["C1"]
    desk.slack.workspace.channels["C1"] = replace(channel, sharing={"is_pending_ext_shared": True})
    await admin(desk).submits(view, {"places": ["uk"]})
    assert desk.settings.set == {}


async def test_a_guest_who_is_called_an_admin_may_not_even_where_guests_are_let_in(desk: ChannelDesk) -> None:
    """The rule of who may change settings does not lean on the one of who is answered."""
    assert desk.parts.channels is not None
    parts = replace(desk.parts, channels=replace(desk.parts.channels, admits=everybody))
    guest = desk.slack.workspace.people["U4"]
    desk.slack.workspace.people["U4"] = replace(guest, facts={"is_admin": True})
    await run_settings(parts, "T1", "C1", "U4", desk.slack.world.triggers.issue("T1", "U4"))
    view = desk.slack.person("U4").modal
    assert view is not None
    assert not can_save(view)


async def test_what_was_not_offered_is_not_saved(desk: ChannelDesk) -> None:
    """A form that an older version showed, say."""
    view = await desk.settings_of("C1")
    sent = await admin(desk).submits(view, {"places": ["uk"], "platforms": ["acme"]})
    assert sent.acknowledgement is not None
    delivery = sent.acknowledgement.delivery
    for value, other in (('"uk"', '"xx"'), ('"acme"', '"gone"')):
        delivery = replace(delivery, payload=json.loads(json.dumps(delivery.payload).replace(value, other)))
    await desk.slack.redeliver(delivery)
    assert desk.settings.set[MINE] == ChannelPreferences()


async def test_who_became_a_guest_meanwhile_changes_nothing(desk: ChannelDesk) -> None:
    view = await desk.settings_of("C1")
    desk.slack.workspace.people["U3"] = User("U3", {"is_restricted": True}, is_admin=True)
    await admin(desk).submits(view, {"places": ["uk"]})
    assert desk.settings.set == {}


@pytest.mark.parametrize("endpoint", ["users.info", "conversations.info"])
async def test_while_slack_does_not_say_who_he_is_nothing_is_saved(desk: ChannelDesk, endpoint: str) -> None:
    view = await desk.settings_of("C1")
    desk.slack.trouble(endpoint, Trouble(500), times=20)
    sent = await admin(desk).submits(view, {"places": ["uk"]})
    assert desk.settings.set == {}
    assert sent.errors or "Not saved" in shown(admin(desk).modal)


async def test_what_could_not_be_saved_stays_in_the_form(desk: ChannelDesk) -> None:
    view = await desk.settings_of("C1")
    desk.settings.failure = Unavailable("store_unreachable")
    sent = await admin(desk).submits(view, {"places": ["uk"]})
    assert "try again" in sent.errors["places"]
    desk.settings.failure = None
    assert admin(desk).modal is not None
    await admin(desk).submits(view)
    assert desk.settings.set[MINE].regions == ("uk",)


@pytest.mark.parametrize(
    ("channel", "facts", "said"),
    [
        ("C8", {}, "not in this channel"),
        ("C7", {"is_ext_shared": True}, "outside this workspace"),
        ("G404", {}, "not in this channel"),
    ],
)
async def test_people_are_asked_only_where_the_bot_is_and_nobody_outside_reads(
    desk: ChannelDesk, channel: str, facts: dict[str, object], said: str
) -> None:
    members = frozenset({"U3", BOT} if facts else {"U3"})
    if channel != "G404":
        desk.slack.workspace.channels[channel] = Channel(channel, channel.lower(), members, sharing=facts)
    view = await desk.settings_of("C1")
    sent = await admin(desk).submits(view, {"person_channel": channel})
    assert said in sent.errors["person_channel"]
    assert desk.settings.set == {}


async def test_a_user_group_can_be_asked_instead_of_a_channel_but_not_beside_one(desk: ChannelDesk) -> None:
    view = await desk.settings_of("C1")
    sent = await admin(desk).submits(view, {"person_group": "S1", "person_channel": "C9"})
    assert "not both" in sent.errors["person_channel"]
    desk.slack.workspace.usergroups["S2"] = frozenset({"U2"})
    view = await desk.settings_of("C1")
    desk.slack.workspace.disabled_usergroups.add("S2")
    sent = await admin(desk).submits(view, {"person_group": "S2"})
    assert "does not exist" in sent.errors["person_group"]
    await admin(desk).submits(view, {"person_group": "S1"})
    assert desk.settings.set[MINE].escalate_to == "S1"


async def test_it_says_who_will_see_what_is_asked_of_a_person(desk: ChannelDesk) -> None:
    said = shown(await desk.settings_of("C1"))
    assert "Everybody there sees the question, the answer and its sources" in said


async def test_values_that_are_not_known_any_more_are_named_and_left_out(desk: ChannelDesk) -> None:
    desk.settings.set[MINE] = ChannelPreferences(("xx", "uk"), ("<!channel>", "acme"))
    view = await desk.settings_of("C1")
    assert "No longer known" in shown(view)
    assert "<!channel>" not in shown(view)
    await admin(desk).submits(view)
    assert desk.settings.set[MINE] == ChannelPreferences(("uk",), ("acme",))


async def test_subscriptions_are_listed_and_can_be_ended(desk: ChannelDesk) -> None:
    desk.subscriptions.kept = [subscription("C1", 1), subscription("C1", 2), subscription("C9", 3)]
    view = await desk.settings_of("C1")
    assert "United Kingdom and" in shown(view)
    assert "weekly" in shown(view)
    await admin(desk).submits(view, {"end_subscriptions": ["s2"]})
    assert desk.subscriptions.ended == [("s2", "U3")]


async def test_a_direct_message_and_a_channel_without_the_bot_have_no_settings(desk: ChannelDesk) -> None:
    direct = admin(desk).direct.channel_id
    assert "belong to a channel" in shown(await desk.settings_of(direct))
    desk.slack.workspace.channels["G5"] = Channel("G5", "g5", frozenset({"U3"}), is_private=True)
    assert "does not see this channel" in shown(await desk.settings_of("G5"))


async def test_a_shared_channel_has_none(desk: ChannelDesk) -> None:
    desk.slack.workspace.channels["C7"] = Channel(
        "C7", "c7", frozenset({"U3", BOT}), sharing={"is_ext_shared": True, "is_shared": True}
    )
    view = await desk.settings_of("C7")
    assert not can_save(view)
    assert "outside this workspace" in shown(view)


async def test_a_view_is_there_before_anything_is_looked_up(desk: ChannelDesk) -> None:
    """A trigger lives for 3 seconds."""
    await desk.settings_of("C1")
    called = [each for each in desk.slack.api_calls if each != "views.publish"]
    opened = called.index("views.open")
    assert "conversations.info" not in called[:opened]
    assert "usergroups.list" not in called[:opened]
    assert called[-1] == "views.update"


async def test_settings_that_cannot_be_read_say_so(desk: ChannelDesk) -> None:
    desk.down.append("platforms")
    view = await desk.settings_of("C1")
    assert "could not be read" in shown(view)
    assert not can_save(view)


async def test_the_same_channel_id_of_another_workspace_is_another_channel(desk: ChannelDesk) -> None:
    desk.settings.set[MINE] = SET
    view = await desk.settings_of("C1", "U3", "T2")
    assert "'initial_conversation': 'C9'" not in shown(view)
    await desk.slack.person("U3", "T2").submits(view, {"places": ["fr"]})
    assert desk.settings.set["slack", "T2", "C1"].regions == ("fr",)
    assert desk.settings.set[MINE] == SET
