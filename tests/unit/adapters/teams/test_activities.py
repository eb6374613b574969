"""What Teams sends, taken apart."""

import json

import pytest

from adapters.teams.addresses import TeamsPlace, channel_of, conversation_of, teams_address, thread_of
from adapters.teams.messages import activity_of, read_activity
from bot.model.messages import Conversation, ReplyAddress
from rag_core.errors import Rejected
from tests.fakes.teams import (
    BOT,
    CHANNEL,
    GROUP_CHAT,
    OTHER_TENANT,
    TEAM,
    TENANT,
    activity,
    person_id,
    raw_activity,
    user_id,
)


def test_a_message_in_a_channel_is_named_with_its_team_and_thread() -> None:
    found = activity("may I advertise beer?", where=CHANNEL, thread="17", mentions_bot=True)
    assert found.channel == f"{TEAM}/{CHANNEL}"
    assert found.address.conversation == Conversation("teams", TENANT, f"{TEAM}/{CHANNEL}", "17")
    assert found.reference.conversation == f"{CHANNEL};messageid=17"
    assert (found.sender.user, found.sender.person, found.bot) == (user_id(1), person_id(1), BOT)


def test_the_tenant_is_read_where_teams_writes_it() -> None:
    """botbuilder's `conversation.tenant_id` is always None."""
    raw = raw_activity("hello")
    raw["conversation"] = {"id": "a:1", "conversationType": "personal"}
    raw["channelData"] = {"tenant": {"id": TENANT.upper()}}
    assert activity_of(raw).tenant == TENANT


def test_a_personal_chat_is_one_conversation() -> None:
    first, second = activity("one"), activity("two")
    assert first.id != second.id
    assert first.address.conversation == second.address.conversation
    assert first.address.conversation.thread


def test_in_a_group_chat_each_person_has_a_conversation() -> None:
    mine, yours = activity("one", where=GROUP_CHAT, by=1), activity("two", where=GROUP_CHAT, by=2)
    assert mine.address.conversation != yours.address.conversation
    assert mine.channel == yours.channel == GROUP_CHAT


def test_what_is_kept_of_a_group_chat_names_nobody() -> None:
    """The thread stands in tables as it is: of answers that were posted, for one."""
    found = activity("one", where=GROUP_CHAT).address.conversation
    assert person_id(1) not in found.thread
    assert user_id(1) not in found.thread
    assert found == activity("two", where=GROUP_CHAT).address.conversation
    elsewhere = activity("one", where=GROUP_CHAT, channelData={"tenant": {"id": OTHER_TENANT}}).address.conversation
    assert elsewhere.thread != found.thread


def test_each_delivery_of_a_message_has_the_same_key_and_each_message_another() -> None:
    raw = raw_activity("hello", where=CHANNEL)
    assert activity_of(raw).claim_key == activity_of(json.loads(json.dumps(raw))).claim_key
    assert activity("hello").claim_key != activity("hello").claim_key


def test_addresses_survive_the_inbox() -> None:
    address = activity("hello", where=CHANNEL).address
    assert teams_address(address.as_reply_address()) == address
    assert teams_address(activity("hello").address.as_reply_address()).place is TeamsPlace.PERSONAL


def test_an_address_of_another_kind_is_refused() -> None:
    with pytest.raises(Rejected, match="reply_address_refused"):
        teams_address(ReplyAddress("slack.message", {}))


def test_fields_of_a_newer_version_are_passed_over() -> None:
    kept = activity("hello").address.as_reply_address()
    newer = ReplyAddress(kept.kind, {**kept.fields, "tomorrow": "yes"})
    assert teams_address(newer) == teams_address(kept)


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b'"text"', b"\xff\xfe", b"[" * 100_000])
def test_what_is_no_object_is_unreadable(body: bytes) -> None:
    with pytest.raises(Rejected, match="teams_unreadable"):
        read_activity(body)


@pytest.mark.parametrize("without", ["type", "conversation", "serviceUrl", "from"])
def test_what_lacks_what_every_activity_has_is_unreadable(without: str) -> None:
    raw = raw_activity("hello")
    del raw[without]
    with pytest.raises(Rejected, match="teams_unreadable"):
        activity_of(raw)


@pytest.mark.parametrize("odd", [7, None, [], {}, True, "x" * 3_000, "a\nb"])
def test_odd_values_are_nothing(odd: object) -> None:
    raw = raw_activity("hello", channelData=odd, value=odd, entities=odd, attachments=odd, replyToId=odd, name=odd)
    found = activity_of(raw)
    assert (found.tenant, found.reply_to, found.name, found.entities, found.attachments) == ("", "", "", (), ())


def test_channels_are_named_and_found_again() -> None:
    assert channel_of(f"{CHANNEL};messageid=17", TEAM) == f"{TEAM}/{CHANNEL}"
    assert conversation_of(f"{TEAM}/{CHANNEL}", "17") == f"{CHANNEL};messageid=17"
    assert conversation_of(GROUP_CHAT) == GROUP_CHAT
    assert (thread_of(f"{CHANNEL};messageid=17"), thread_of(CHANNEL)) == ("17", "")
