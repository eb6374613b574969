"""What can be typed after /adpolicy: signed commands in, questions in the inbox."""

import json
from collections.abc import AsyncIterator
from datetime import date

import pytest

from adapters.slack.addresses import SlackAddress
from adapters.slack.command_listener import COMMAND_RUNS, CommandCall, Told, run_command
from adapters.slack.parts import SlackParts
from bot.commands.grammar import ShowSettings, Subscribe, Unsubscribe
from bot.model.channels import ChannelPreferences, ShownTo
from rag_core.errors import Rejected, Unavailable
from tests.fakes.slack import SETTINGS, FakeInbox
from tests.fakes.slack_ways import Ways, ways_in


@pytest.fixture
async def ways() -> AsyncIterator[Ways]:
    async with ways_in() as open_ways:
        yield open_ways


async def test_a_question_is_answered_in_the_channel_with_a_way_round_it(ways: Ways) -> None:
    seen = await ways.slack.person().commands("/adpolicy", "can I advertise alcohol &amp; beer")
    assert (seen.status, seen.body) == (200, "")
    assert ways.asked == ["can I advertise alcohol &amp; beer"]
    assert ways.address == SlackAddress("T1", "C1", "U1", response_url=seen.delivery.response_url)
    assert ways.last.claim_key == f"slack:T1:{seen.delivery.trigger_id}"
    assert not ways.last.private


async def test_redelivered_it_is_one_question(ways: Ways) -> None:
    seen = await ways.slack.person().commands("/adpolicy", "beer?")
    await ways.slack.redeliver(seen.delivery)
    assert len(ways.inbox.accepted) == 1


async def test_a_private_question_is_answered_for_the_asker_alone(ways: Ways) -> None:
    await ways.slack.person().commands("/adpolicy", "private can I advertise alcohol")
    assert ways.asked == ["can I advertise alcohol"]
    assert ways.address.to_asker
    assert ways.last.private


async def test_so_are_all_where_the_channel_wants_it(ways: Ways) -> None:
    ways.preferences.of_all = ChannelPreferences(shown_to=ShownTo.ASKER)
    await ways.slack.person().commands("/adpolicy", "can I advertise alcohol")
    assert (ways.address.to_asker, ways.last.private) == (True, True)


async def test_and_where_it_is_not_known_what_the_channel_wants(ways: Ways) -> None:
    ways.preferences.down = True
    await ways.slack.person().commands("/adpolicy", "can I advertise alcohol")
    assert (ways.address.to_asker, ways.last.private) == (True, True)


async def test_the_rules_of_a_day_are_asked_for(ways: Ways) -> None:
    await ways.slack.person().commands("/adpolicy", "as of 1 March 2025: beer")
    assert (ways.asked, ways.last.as_of) == (["beer"], date(2025, 3, 1))


async def test_a_day_that_cannot_be_read_is_said_and_nothing_is_asked(ways: Ways) -> None:
    await ways.slack.person().commands("/adpolicy", "as of <!channel> blah: beer")
    assert ways.inbox.calls == 0
    [told] = ways.told()
    assert "as of 1 March 2026" in told.text
    assert told.notifies == set()


async def test_help_names_every_command(ways: Ways) -> None:
    await ways.slack.person().commands("/adpolicy", "help")
    for word in ("private", "as of", "compare", "changes", "sources", "subscribe", "unsubscribe", "settings"):
        assert f"/adpolicy {word}" in ways.told()[0].text


@pytest.mark.parametrize("text", ["subscribe daily UK", "unsubscribe", "settings"])
async def test_what_nobody_does_yet_says_so(text: str) -> None:
    async with ways_in(channels=None) as ways:
        await _says_that_it_is_not_set_up(ways, text)


async def _says_that_it_is_not_set_up(ways: Ways, text: str) -> None:
    await ways.slack.person().commands("/adpolicy", text)
    assert f"`{text.split()[0]}` is not set up here yet" in ways.told()[0].text
    assert ways.inbox.calls == 0


async def test_in_an_organisation_the_workspace_is_told_from_it(ways: Ways) -> None:
    ways.slack.add_workspace("T7", enterprise="E1", token="xoxb-other")
    await ways.slack.person("U1", "T7").commands("/adpolicy", "beer?", "C1T7")
    assert (ways.address.team, ways.address.enterprise) == ("T7", "E1")


async def test_what_others_do_is_called_with_all_they_need(ways: Ways) -> None:
    calls: list[CommandCall] = []

    async def subscribe(parts: SlackParts, call: CommandCall) -> Told:
        calls.append(call)
        return {"text": "done"}

    call = CommandCall(Subscribe("UK", "daily"), "T1", "C1", "U1", trigger_id="1.2", response_url="https://x")
    parts = SlackParts(SETTINGS, FakeInbox().accept, clients=None)  # type: ignore[arg-type]
    assert await run_command(parts, call, {Subscribe: subscribe}) == {"text": "done"}
    assert calls == [call]
    assert set(COMMAND_RUNS) == {Subscribe, Unsubscribe, ShowSettings}


@pytest.mark.parametrize(
    ("failure", "said"),
    [(Unavailable("database_locked"), "did not work just now"), (Rejected("question_empty"), "question")],
)
async def test_what_fails_is_said(ways: Ways, monkeypatch: pytest.MonkeyPatch, failure: Exception, said: str) -> None:
    async def fails(parts: SlackParts, call: CommandCall) -> Told:
        raise failure

    monkeypatch.setitem(COMMAND_RUNS, Subscribe, fails)
    await ways.slack.person().commands("/adpolicy", "subscribe")
    assert said in ways.told()[0].text
    await ways.slack.person().mentions("subscribe")
    await ways.slack.until(lambda: len(ways.told()) == 2)
    assert said in ways.told()[1].text


@pytest.mark.parametrize(
    "body",
    [
        {"type": "event_callback"},
        {"type": "event_callback", "event": None},
        {"type": "event_callback", "event": {}, "team_id": "T1"},
        {"type": "event_callback", "event": {"type": "message"}, "team_id": "T1"},
        {"type": "event_callback", "event": {"type": "app_mention", "text": "x", "user": 7, "ts": []}, "team_id": "T1"},
        {"type": "event_callback", "event": {"type": "message", "subtype": "message_changed"}, "team_id": "T1"},
        {"type": "event_callback", "event": {"type": "message", "subtype": "message_deleted"}, "team_id": "T1"},
        {
            "type": "event_callback",
            "event": {
                "type": "message",
                "channel": "C1",
                "user": "U1",
                "ts": "x",
                "text": "beer?",
                "channel_type": "im",
            },
            "team_id": "T1",
        },
        {"type": "event_callback", "event": {"type": "something_new"}, "team_id": "T1"},
        {"type": "event_callback", "event": {"type": "message", "text": "x"}, "authorizations": "none", "team_id": 1},
        {"type": "app_rate_limited", "team_id": "T1"},
        {"type": "shortcut", "callback_id": "adpolicy_ask"},
        {"type": "message_action", "callback_id": "adpolicy_check_message", "message": "x"},
        {"type": "view_submission", "view": {"callback_id": "adpolicy_question", "type": "modal"}},
        [],
    ],
)
async def test_what_slack_does_not_send_is_answered_without_a_fault(ways: Ways, body: object) -> None:
    status = await ways.slack.post_raw(json.dumps(body).encode(), {"Content-Type": "application/json"})
    assert status in (200, 400)
    assert ways.inbox.calls == 0


@pytest.mark.parametrize(
    "event", [{"type": "something_new"}, {"type": "message", "subtype": "channel_topic", "ts": "1.1"}]
)
async def test_an_event_that_nobody_listens_to_is_acknowledged(ways: Ways, event: dict[str, object]) -> None:
    body = {"type": "event_callback", "event": event, "team_id": "T1"}
    assert await ways.slack.post_raw(json.dumps(body).encode(), {"Content-Type": "application/json"}) == 200


async def test_malformed_events_among_good_ones_do_not_end_the_events(ways: Ways) -> None:
    for _ in range(20):
        await ways.slack.post_raw(b'{"type": "event_callback", "event": []}', {"Content-Type": "application/json"})
    await ways.slack.person().mentions("beer?")
    assert ways.slack.events_enabled
    assert ways.asked == ["beer?"]


async def test_the_address_is_verified(ways: Ways) -> None:
    assert await ways.slack.verify_url()
