"""Socket Mode: the same listeners without an address; what is kept is acknowledged, whatever happens to connections."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from adapters.slack.app import slack_routes
from adapters.slack.parts import SlackParts
from adapters.slack.settings import SlackSettings
from bot.render.slack.question_modal import QUESTION
from bot.render.slack.view import SlackShortcut
from ops.sandbox.slack.deliveries import Delivery
from ops.sandbox.troubles import Trouble, rate_limited, refused, slow
from rag_core.errors import Misconfigured, Unavailable
from tests.fakes.slack import FakeInbox
from tests.fakes.slack_ways import Ways, ways_over_socket


@pytest.fixture
async def ways() -> AsyncIterator[Ways]:
    async with ways_over_socket() as open_ways:
        yield open_ways


async def test_commands_mentions_messages_and_forms_come_in(ways: Ways) -> None:
    async with ways.connect():
        await ways.slack.sockets.connected()
        person = ways.slack.person()
        seen = await person.commands("/adpolicy", "beer in the UK?")
        assert (seen.status, seen.body) == (200, "")
        said = await person.mentions("beer in France?")
        await person.says("and in Spain?", thread_ts=said.ts)
        await person.writes_to_bot("wine")
        await person.uses_shortcut(SlackShortcut.ASK.value)
        await ways.idle()
        assert person.modal is not None
        assert dict((await person.submits(person.modal, {QUESTION: "gin?"})).errors) == {}
    assert ways.asked == ["beer in the UK?", "beer in France?", "and in Spain?", "wine", "gin?"]


async def test_what_is_said_at_once_comes_back_with_the_acknowledgement(ways: Ways) -> None:
    async with ways.connect():
        await ways.slack.sockets.connected()
        await ways.slack.person().commands("/adpolicy", "help")
        ways.inbox.failure = Unavailable("database_locked")
        await ways.slack.person().commands("/adpolicy", "beer?")
    assert ["/adpolicy" in each.text for each in ways.told()] == [True, True]
    assert "try again" in ways.told()[1].text


async def test_it_is_acknowledged_when_it_is_kept_and_not_before(ways: Ways) -> None:
    may_commit = asyncio.Event()
    ways.inbox.before = may_commit.wait
    async with ways.connect():
        await ways.slack.sockets.connected()
        asking = asyncio.create_task(ways.slack.person().commands("/adpolicy", "beer?"))
        await asyncio.sleep(0.05)
        assert not asking.done()
        may_commit.set()
        assert (await asking).status == 200
    assert ways.asked == ["beer?"]


async def test_redelivered_over_another_connection_it_is_one_question(ways: Ways) -> None:
    async with ways.connect(), ways.connect():
        await ways.slack.sockets.connected(2)
        await ways.slack.person().mentions("beer?")
        for attempt in list(ways.slack.attempts):
            assert (await ways.slack.redeliver(attempt.delivery, retry=1)).status == 200
    assert len(ways.inbox.accepted) == 1


@pytest.mark.parametrize("how", ["refresh", "cut"])
async def test_a_connection_that_goes_is_made_anew(ways: Ways, how: str) -> None:
    async with ways.connect(ping_seconds=0.1):
        await ways.slack.sockets.connected()
        await (ways.slack.sockets.refresh() if how == "refresh" else ways.slack.sockets.cut())
        await ways.slack.sockets.connected()
        await ways.slack.person().mentions("beer?")
    assert ways.asked == ["beer?"]


async def test_an_address_that_works_no_more_is_asked_for_anew(ways: Ways) -> None:
    """The SDK tries the same one for ever; each works once."""
    async with ways.connect(ping_seconds=0.1) as socket:
        await ways.slack.sockets.connected()
        used = socket._client.wss_uri
        ways.slack.trouble("apps.connections.open", refused("internal_error"), times=1)
        await ways.slack.sockets.cut()
        socket._client.wss_uri = used
        await ways.slack.sockets.connected(seconds=10)


async def test_a_slack_that_does_not_answer_at_the_start_is_tried_again(ways: Ways) -> None:
    ways.slack.trouble("apps.connections.open", Trouble())
    async with ways.connect(ping_seconds=0.1):
        await ways.slack.sockets.connected()
        await ways.slack.person().mentions("beer?")
    assert ways.asked == ["beer?"]


@pytest.mark.parametrize("trouble", [Trouble(), rate_limited(1), slow(60)], ids=["error", "rate limit", "hangs"])
@pytest.mark.parametrize("how", ["refresh", "cut"])
async def test_whatever_becomes_of_asking_for_an_address_it_is_connected_again(
    ways: Ways, how: str, trouble: Trouble
) -> None:
    async with ways.connect(ping_seconds=0.1, call_seconds=1):
        await ways.slack.sockets.connected()
        ways.slack.trouble("apps.connections.open", trouble)
        await (ways.slack.sockets.refresh() if how == "refresh" else ways.slack.sockets.cut())
        await ways.slack.sockets.connected(seconds=8)
        await ways.slack.person().mentions("beer?")
    assert ways.asked == ["beer?"]


async def test_a_token_that_slack_does_not_take_stops_the_start(ways: Ways) -> None:
    ways.slack.trouble("apps.connections.open", refused("invalid_auth"))
    with pytest.raises(Misconfigured, match="slack_app_token_refused"):
        async with ways.connect():
            pass


async def test_a_stop_acknowledges_what_is_being_kept_and_takes_nothing_new(ways: Ways) -> None:
    may_commit = asyncio.Event()
    ways.inbox.before = may_commit.wait
    async with ways.connect() as socket:
        await ways.slack.sockets.connected()
        asking = asyncio.create_task(ways.slack.person().commands("/adpolicy", "beer?"))
        await asyncio.sleep(0.05)
        stopping = asyncio.create_task(socket.stop())
        await asyncio.sleep(0.01)
        late = asyncio.create_task(ways.slack.person().commands("/adpolicy", "wine?"))
        await asyncio.sleep(0.05)
        assert not stopping.done()
        may_commit.set()
        assert (await asking).status == 200
        await stopping
        assert (await late).status != 200
    assert ways.asked == ["beer?"]
    assert ways.slack.sockets.connections == []


async def test_what_is_malformed_is_acknowledged_once_and_for_all(ways: Ways) -> None:
    async with ways.connect():
        await ways.slack.sockets.connected()
        for body in (
            {"type": "event_callback", "event": None},
            {"type": "event_callback", "event": {"type": "something_new"}, "team_id": "T1"},
            {"type": "app_rate_limited"},
            {"type": "event_callback", "event": {"type": "message", "text": 7, "user": []}, "team_id": "T1"},
        ):
            assert (await ways.slack.redeliver(Delivery("events_api", body, "T1"), retry=0)).status == 200, body


def test_with_an_app_token_no_signing_secret_is_needed_and_nothing_is_taken_over_http() -> None:
    settings = SlackSettings("xoxb-1", "", app_token="xapp-1")
    parts = SlackParts(settings, FakeInbox().accept, clients=None)  # type: ignore[arg-type]
    assert slack_routes(parts, bolt=None) == []  # type: ignore[arg-type]
    both = SlackParts(SlackSettings("xoxb-1", "s", app_token="xapp-1"), FakeInbox().accept, clients=None)  # type: ignore[arg-type]
    assert len(slack_routes(both, bolt=None)) == 2  # type: ignore[arg-type]
    with pytest.raises(Misconfigured, match="ADPOLICY_SLACK_SIGNING_SECRET"):
        SlackSettings("xoxb-1", " ", app_token=" ")
