"""Acknowledged within 3 s whatever hangs, and nothing acknowledged that was neither kept nor said."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from adapters.slack import events, requests
from bot.model.channels import ChannelPreferences
from bot.questions import threads
from rag_core.errors import Unavailable
from tests.fakes.slack_channels import ports_of
from tests.fakes.slack_ways import Ways, ways_in


@pytest.fixture
async def ways() -> AsyncIterator[Ways]:
    async with ways_in() as open_ways:
        yield open_ways


def statuses(ways: Ways) -> list[int]:
    return [each.status for each in ways.slack.attempts]


async def hangs(*_: object, **__: object) -> bool:
    await asyncio.Event().wait()
    return False


async def test_a_follow_up_whose_keeping_runs_out_of_time_is_delivered_again(
    ways: Ways, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "_TAKE_SECONDS", 0.2)
    person = ways.slack.person()
    root = await person.says("something")
    ways.posted.answered(root.ts)
    ways.inbox.before = asyncio.Event().wait  # after the thread was looked up there is less time than keeping may take
    await person.says("and in Spain?", thread_ts=root.ts)
    assert statuses(ways)[-1] == 503
    ways.inbox.before = None
    await ways.slack.redeliver(ways.slack.attempts[-1].delivery)
    assert (statuses(ways)[-1], ways.asked) == (200, ["and in Spain?"])


async def test_looking_for_people_and_keeping_share_the_time(ways: Ways, monkeypatch: pytest.MonkeyPatch) -> None:
    async def slowly(*_: object) -> bool:
        await asyncio.sleep(2.0)
        return False

    monkeypatch.setattr(events, "_TAKE_SECONDS", 2.5)
    monkeypatch.setattr(events, "taken_by_escalation", slowly)
    ways.inbox.before = asyncio.Event().wait
    root = await ways.slack.person().says("something")
    ways.posted.answered(root.ts)
    await ways.slack.person().says("and in Spain?", thread_ts=root.ts)
    assert (statuses(ways)[-1], ways.slack.attempts[-1].seconds < 4.2) == (503, True)


async def test_a_deletion_that_cannot_be_written_down_is_delivered_again(
    ways: Ways, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = ways.slack.person()
    said = await person.mentions("beer in France?")

    async def fails(_: str) -> bool:
        raise Unavailable("database_locked")

    with monkeypatch.context() as patch:
        patch.setattr(ways.inbox, "withdraw", fails)
        await person.deletes(said)
    assert statuses(ways)[-1] == 503
    await ways.slack.redeliver(ways.slack.attempts[-1].delivery)
    assert (statuses(ways)[-1], ways.asked) == (200, [])


async def test_a_direct_message_needs_no_look_at_escalations(ways: Ways, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fails(*_: object) -> bool:
        raise Unavailable("database_locked")

    monkeypatch.setattr(events, "taken_by_escalation", fails)
    person = ways.slack.person()
    said = await person.writes_to_bot("beer in France?")
    await person.writes_to_bot("and in Spain?", thread_ts=said.ts)
    assert set(statuses(ways)) == {200}
    assert ways.asked == ["beer in France?", "and in Spain?"]


async def test_a_command_in_a_message_that_hangs_is_said_to_have_failed(
    ways: Ways, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "_RUN_SECONDS", 0.05)
    monkeypatch.setattr(events, "run_command", hangs)
    await ways.slack.person().mentions("subscribe daily UK")
    await ways.slack.until(lambda: bool(ways.told()))
    assert set(statuses(ways)) == {200}


async def test_whatever_hangs_slack_is_answered(ways: Ways, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "DISPATCH_SECONDS", 0.1)
    ways.inbox.before = asyncio.Event().wait
    seen = await ways.slack.send_command("beer in France?")
    assert (seen.status, seen.seconds < 2.0) == (503, True)


class HangingSettings:
    """ChannelSettings of a store that does not answer."""

    async def of(self, platform: str, workspace: str, channel: str) -> ChannelPreferences:
        await asyncio.Event().wait()
        return ChannelPreferences()

    async def save(self, platform: str, workspace: str, channel: str, preferences: ChannelPreferences, by: str) -> None:
        await asyncio.Event().wait()

    async def remove_workspace(self, platform: str, workspace: str) -> int:
        await asyncio.Event().wait()
        return 0

    async def remove(self, platform: str, workspace: str, channel: str) -> bool:
        await asyncio.Event().wait()
        return False


_SETTINGS_SECONDS = threads._SETTINGS_SECONDS


async def test_settings_of_a_channel_that_hang_do_not_cost_the_question(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "_SETTINGS_SECONDS", _SETTINGS_SECONDS)
    async with ways_in(channels=ports_of(HangingSettings())) as ways:
        seen = await ways.slack.send_command("beer in France?")
        assert (seen.status, ways.asked, seen.seconds < 3.0) == (200, ["beer in France?"], True)
