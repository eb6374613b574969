"""Events of messages: whose they are, and which nobody answers."""

from typing import Any

import pytest

from adapters.slack.messages import Deleted, Edited, SlackMessage, happened

BY = {"team_id": "T1", "enterprise_id": None, "user_id": "UBOT", "is_bot": True}
SAID = {"type": "message", "channel": "C1", "user": "U1", "ts": "1.1", "text": "beer?", "channel_type": "channel"}


def body(**event: Any) -> dict[str, Any]:
    return {"type": "event_callback", "team_id": "T1", "authorizations": [BY], "event": {**SAID, **event}}


def test_a_message_says_where_it_is_and_what_is_said() -> None:
    found = happened(body(thread_ts="1.0"))
    assert found == SlackMessage("T1", "", "C1", "U1", "1.1", "1.0", "beer?", "UBOT")
    assert (found.claim_key, found.edit_key, found.thread, found.is_reply) == ("slack:T1:C1:1.1",) * 2 + ("1.0", True)


def test_a_mention_and_its_twin_have_one_claim() -> None:
    twins = [happened(body(type=kind, text="<@UBOT> beer?")) for kind in ("app_mention", "message")]
    assert {each.claim_key for each in twins if isinstance(each, SlackMessage)} == {"slack:T1:C1:1.1"}
    assert all(isinstance(each, SlackMessage) and each.said.mentions_bot for each in twins)


def test_without_authorizations_the_first_who_is_mentioned_is_the_bot() -> None:
    found = happened({**body(type="app_mention", text="<@UBOT> beer?"), "authorizations": []})
    assert isinstance(found, SlackMessage)
    assert (found.bot_user, found.said.text) == ("UBOT", "beer?")


def test_the_workspace_is_the_one_that_sees_the_event_in_shared_channels() -> None:
    shared = {**body(), "team_id": "TELSEWHERE", "authorizations": [{**BY, "enterprise_id": "E1"}]}
    found = happened(shared)
    assert isinstance(found, SlackMessage)
    assert (found.team, found.enterprise) == ("T1", "E1")


@pytest.mark.parametrize("kind", ["message", "app_mention"])
@pytest.mark.parametrize(
    "event",
    [
        {"bot_id": "B1"},
        {"app_id": "A1"},
        {"subtype": "bot_message"},
        {"user": "UBOT"},
        {"user": "USLACKBOT"},
        {"user": None},
        {"ts": "1"},
        {"ts": "x.y"},
        {"channel": ""},
    ],
)
def test_of_bots_of_ours_and_of_nobody_nothing_is_answered(kind: str, event: dict[str, Any]) -> None:
    assert happened(body(type=kind, **event)) is None


@pytest.mark.parametrize(
    "event",
    [
        *({"subtype": each} for each in (
            "thread_broadcast", "channel_join", "channel_leave", "channel_topic", "group_join", "me_message",
            "pinned_item", "reminder_add", "assistant_app_thread", "document_mention", "tombstone", "message_replied",
        )),
        {"hidden": True},
        {"type": "reaction_added"},
        {"subtype": "message_changed"},
        {"subtype": "message_deleted"},
    ],
)  # fmt: skip
def test_what_slack_says_itself_is_not_answered(event: dict[str, Any]) -> None:
    assert happened(body(**event)) is None


def test_a_question_with_a_file_is_one() -> None:
    assert isinstance(happened(body(subtype="file_share")), SlackMessage)


OLD = {"user": "U1", "ts": "1.1", "text": "ber?"}


def test_an_edit_is_told_with_what_was_there() -> None:
    found = happened(
        body(subtype="message_changed", message={**OLD, "text": "beer?", "edited": {"ts": "2.0"}}, previous_message=OLD)
    )
    assert isinstance(found, Edited)
    assert (found.old.text, found.new.text, found.new.edit_key) == ("ber?", "beer?", "slack:T1:C1:1.1:edit:2.0")
    assert found.old.edit_key == "slack:T1:C1:1.1"


@pytest.mark.parametrize("change", [{"bot_id": "B1"}, {"user": "UBOT"}, {"ts": "9.9"}, {"subtype": "bot_message"}])
def test_edits_of_bots_and_of_ours_are_none(change: dict[str, Any]) -> None:
    changed = {**OLD, **change}
    previous = changed if "ts" not in change else OLD
    assert happened(body(subtype="message_changed", message=changed, previous_message=previous)) is None


@pytest.mark.parametrize(
    "event",
    [
        {"subtype": "message_deleted", "previous_message": OLD},
        {"subtype": "message_changed", "message": {"subtype": "tombstone", "ts": "1.1"}, "previous_message": OLD},
    ],
)
def test_a_deletion_is_told_with_what_was_there(event: dict[str, Any]) -> None:
    found = happened(body(**event))
    assert isinstance(found, Deleted)
    assert (found.old.text, found.old.claim_key) == ("ber?", "slack:T1:C1:1.1")
